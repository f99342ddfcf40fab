#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::decide_test {
namespace {

using Json = nlohmann::ordered_json;

std::string example(const std::string& file) { return source_path("examples/bermuda/" + file); }

Json decide_json(std::vector<std::string> arguments) {
  std::vector<std::string> all = {"decide"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back("--json");
  const ProcessResult result = run_olem(all);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out);
}

// The bundled decision, with the linear sampler: the simulator is linear, and a decision as good as the best (.679) is
// found.
TEST(CliDecide, BermudaFromTaskFileToDecision) {
  const Json json = decide_json({example("task.json"), "--sampler", "linear"});
  EXPECT_EQ(json["order"].size(), 11U);
  EXPECT_EQ(json["order"].back(), "NEC");
  ASSERT_EQ(json["decisions"].size(), 1U);
  const Json decision = json["decisions"][0];
  EXPECT_NEAR(decision["success_probability"].get<double>(), 0.68, 0.04);
  EXPECT_LT(decision["without_action"].get<double>(), 0.55);
  EXPECT_EQ(decision["alterations"].size(), 5U);
  bool acts = false;
  for (const auto& [name, value] : decision["alterations"].items()) {
    if (value.is_null()) continue;
    acts = true;
    EXPECT_GE(value.get<double>(), -1.0) << name;
    EXPECT_LE(value.get<double>(), 1.0) << name;
  }
  EXPECT_TRUE(acts);
  EXPECT_LE(decision["interval"][0].get<double>(), decision["success_probability"].get<double>());
}

TEST(CliDecide, ContextsFromFileAndFlags) {
  const TemporaryFolder folder;
  const std::string file = folder.file("contexts.csv");
  std::ofstream(file) << "Light,Temp,Sal\n0.1,0.2,0.3\n-0.5,0,0.5\n";
  const Json many = decide_json({example("task.json"), "--sampler", "linear", "--contexts", file});
  ASSERT_EQ(many["decisions"].size(), 2U);
  EXPECT_EQ(many["decisions"][1]["context"]["Light"], -0.5);
  const Json one = decide_json({example("task.json"), "--sampler", "linear", "--context", "Light=0.1", "--context",
                                "Temp=0.2", "--context", "Sal=0.3"});
  Json first = many["decisions"][0];
  Json alone = one["decisions"][0];
  first.erase("seconds");
  alone.erase("seconds");
  EXPECT_EQ(first, alone);
}

TEST(CliDecide, TextSaysWhatToDoAndHowSureItIs) {
  const ProcessResult result = run_olem({"decide", example("task.json"), "--sampler", "linear"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const fragment : {"causes first", "Observed: Light", "otherwise about", "without action with"})
    EXPECT_NE(result.out.find(fragment), std::string::npos) << fragment << "\n" << result.out;
}

TEST(CliDecide, AnOrderThatLeavesNoInfluenceIsAResultAndWithStrictAnError) {
  const TemporaryFolder folder;
  const std::string order = folder.file("order.txt");
  std::ofstream(order) << "Light\nTemp\nSal\nNEC\nDIC\nTA\nOmega\nChla\nNutrients_PC1\npHsw\nCO2\n";
  const Json json = decide_json({example("task.json"), "--sampler", "linear", "--order", order});
  EXPECT_EQ(json["decisions"][0]["status"], "no_influence");
  EXPECT_EQ(json["warnings"][0]["code"], "order_contradicts_stages");
  const ProcessResult strict =
      run_olem({"decide", example("task.json"), "--sampler", "linear", "--order", order, "--strict"});
  EXPECT_NE(strict.exit_code, 0);
}

TEST(CliDecide, WishesThatCannotBeObeyedAreNotForgotten) {
  const TemporaryFolder folder;
  const std::string file = folder.file("task.json");
  std::ifstream original(example("task.json"));
  std::string text((std::istreambuf_iterator<char>(original)), {});
  text.insert(text.find('{') + 1, "\"max_alterations\": 2, ");
  const std::string data = "\"data.csv\"";
  text.replace(text.find(data), data.size(), "\"" + example("data.csv") + "\"");
  std::ofstream(file) << text;
  const ProcessResult result = run_olem({"decide", file});
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_NE(result.err.find("max_alterations"), std::string::npos) << result.err;
}

TEST(CliDecide, BadFlagsAndFilesAreExplained) {
  const ProcessResult sampler = run_olem({"decide", example("task.json"), "--sampler", "gpp"});
  EXPECT_EQ(sampler.exit_code, 2);
  EXPECT_NE(sampler.err.find("Did you mean 'gp'"), std::string::npos) << sampler.err;
  const ProcessResult other = run_olem({"decide", example("task.json"), "--sampler", "linear", "--gp-rows", "100"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("it belongs to gp"), std::string::npos) << other.err;
  EXPECT_EQ(run_olem({"decide", "missing.json"}).exit_code, 5);
}

}  // namespace
}  // namespace olem::test::decide_test
