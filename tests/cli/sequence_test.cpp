#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/file.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::sequence_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// The bundled task with steps.
std::string task_with_steps(const TemporaryFolder& folder, const Json& sequence, const Json& more = Json::object()) {
  Json task = Json::parse(read_file(source_path("examples/bermuda/task.json")), nullptr, true, true);
  task["data"] = source_path("examples/bermuda/" + task["data"].get<std::string>());
  task["sequence"] = sequence;
  task.update(more);
  std::string file = folder.file("steps.json");
  std::ofstream(file) << task.dump();
  return file;
}

const Json kSteps = Json::parse(R"([{"alter": ["DIC", "TA"], "then_observe": ["CO2"]}, {"alter": ["Omega", "Chla"]}])");

Json decided(const std::vector<std::string>& arguments) {
  const ProcessResult result =
      run_olem(joined(joined({"decide"}, arguments), {"--sampler", "linear", "--quick", "--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out);
}

TEST(CliSequence, TwoStepsBeatEverythingAtOnce) {
  const TemporaryFolder folder;
  const std::string file = task_with_steps(folder, kSteps);
  const Json result = decided({file});
  const auto place = [&](const char* name) {
    return std::find(result["order"].begin(), result["order"].end(), name) - result["order"].begin();
  };
  EXPECT_LT(place("DIC"), place("CO2"));
  EXPECT_LT(place("Nutrients_PC1"), place("CO2"));
  EXPECT_LT(place("CO2"), place("Omega"));
  EXPECT_LT(place("CO2"), place("Chla"));
  const Json& decision = result["decisions"][0];
  // At once no decision exceeds .679 with the model known, in two steps none .860.
  EXPECT_NEAR(decision["sequence"]["at_once"].get<double>(), 0.68, 0.04);
  EXPECT_GT(decision["success_probability"].get<double>(), 0.80);
  EXPECT_LT(decision["success_probability"].get<double>(), 0.91);
  const Json& rule = decision["sequence"]["rules"]["Omega"];
  EXPECT_EQ(rule["form"], "affine");
  EXPECT_EQ(rule["step"], 2);
  EXPECT_EQ(rule["inputs"], Json::array({"CO2"}));
  EXPECT_EQ(rule["min"], -1.0);
  // NEC falls by 2.33 with Omega and by 2.50 with CO2.
  EXPECT_NEAR(rule["slopes"]["CO2"].get<double>(), -2.5 / 2.33, 0.35);
  EXPECT_TRUE(decision["alterations"]["Omega"].is_null());

  // The second step does about what the rule says.
  std::string so_far = fmt::format("CO2={}", 0.1);
  for (const char* name : {"DIC", "TA"}) {
    if (!decision["alterations"][name].is_null())
      so_far += fmt::format(",{}={}", name, decision["alterations"][name].get<double>());
  }
  const Json next = decided({file, "--so-far", so_far});
  const Json& then = next["decisions"][0];
  EXPECT_FALSE(then.contains("sequence"));
  EXPECT_EQ(then["so_far"]["CO2"], 0.1);
  EXPECT_FALSE(then["alterations"].contains("DIC"));
  ASSERT_FALSE(then["alterations"]["Omega"].is_null());
  const double by_rule =
      std::clamp(rule["constant"].get<double>() + 0.1 * rule["slopes"]["CO2"].get<double>(), -1.0, 1.0);
  EXPECT_NEAR(then["alterations"]["Omega"].get<double>(), by_rule, 0.3);
  EXPECT_GT(then["success_probability"].get<double>(), 0.75);
}

TEST(CliSequence, TheTextSaysTheRule) {
  const TemporaryFolder folder;
  const ProcessResult result = run_olem({"decide", task_with_steps(folder, kSteps), "--sampler", "linear", "--quick",
                                         "--report", folder.file("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("later, by a rule"));
  EXPECT_THAT(result.out, HasSubstr("Step 2: Omega = "));
  EXPECT_THAT(result.out, HasSubstr("x CO2"));
  EXPECT_THAT(result.out, HasSubstr("Everything set at once"));
  // So does the page, whose headline is about the whole plan.
  const std::string page = read_text(folder.file("page.html"));
  EXPECT_THAT(page, HasSubstr("Step 2: Omega = "));
  EXPECT_THAT(page, HasSubstr("follow the rules of the later steps"));
}

TEST(CliSequence, OneStepWithoutObservationsIsThePlainDecision) {
  const TemporaryFolder folder;
  const Json one = decided(
      {task_with_steps(folder, Json::parse(R"([{"alter": ["DIC", "TA", "Omega", "Chla", "Nutrients_PC1"]}])"))});
  const Json plain = decided({source_path("examples/bermuda/task.json")});
  Json with = one["decisions"][0];
  Json without = plain["decisions"][0];
  with.erase("seconds");
  without.erase("seconds");
  EXPECT_EQ(with.dump(), without.dump());
}

TEST(CliSequence, AtMostTwoOverBothSteps) {
  const TemporaryFolder folder;
  const Json decision = decided({task_with_steps(folder, kSteps, {{"max_alterations", 2}})})["decisions"][0];
  std::size_t altered = decision["sequence"]["rules"].size();
  for (const auto& [name, value] : decision["alterations"].items()) altered += value.is_null() ? 0 : 1;
  EXPECT_LE(altered, 2U);
  EXPECT_GT(decision["success_probability"].get<double>(), 0.74);
}

TEST(CliSequence, WrongStepsAreRefusedWithAdvice) {
  const TemporaryFolder folder;
  const auto complaint = [&](const char* sequence, int code = 3) {
    const ProcessResult result =
        run_olem({"decide", task_with_steps(folder, Json::parse(sequence)), "--sampler", "linear", "--quick"});
    EXPECT_EQ(result.exit_code, code);
    return result.err;
  };
  EXPECT_THAT(complaint(R"([{"alter": ["DCI"]}])"), HasSubstr("Did you mean 'DIC'?"));
  EXPECT_THAT(complaint(R"([{"alter": ["DIC"], "then_observe": ["Light"]}, {"alter": ["TA"]}])"),
              HasSubstr("'Light', which is context"));
  EXPECT_THAT(complaint(R"([{"alter": ["DIC"], "then_observe": ["NEC"]}, {"alter": ["TA"]}])"),
              HasSubstr("an outcome"));
  EXPECT_THAT(complaint(R"([{"alter": ["DIC"], "observe": ["CO2"]}])"), HasSubstr("then_observe"));
  EXPECT_THAT(complaint(R"([{"alter": ["DIC", "DIC"]}])"), HasSubstr("twice"));
  EXPECT_THAT(complaint(R"({"alter": ["DIC"]})"), HasSubstr("a list of steps"));
}

TEST(CliSequence, SoFarIsChecked) {
  const TemporaryFolder folder;
  const std::string file = task_with_steps(folder, kSteps);
  const auto complaint = [&](const std::string& so_far) {
    const ProcessResult result = run_olem({"decide", file, "--sampler", "linear", "--quick", "--so-far", so_far});
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(complaint("CO3=1"), HasSubstr("Did you mean 'CO2'?"));
  EXPECT_THAT(complaint("CO2=1,CO2=2"), HasSubstr("twice"));
  EXPECT_THAT(complaint("Light=1"), HasSubstr("context"));
  EXPECT_THAT(complaint("CO2=warm"), HasSubstr("finite number"));
  const Json far = decided({file, "--so-far", "DIC=0,TA=0,CO2=40"});
  EXPECT_THAT(warning_codes(far), ::testing::Contains("unlikely_observation"));
}

// Members judge plans and next steps too: their interval is wider than that of the draws.
TEST(CliSequence, MembersSayWhatAPlanIsWorth) {
  const TemporaryFolder folder;
  const std::string file = task_with_steps(folder, kSteps);
  const auto check = [](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Json decision = parse_json(result.out)["decisions"][0];
    ASSERT_TRUE(decision.contains("uncertainty"));
    const double width = decision["interval"][1].get<double>() - decision["interval"][0].get<double>();
    EXPECT_GT(width, 0.025);
    EXPECT_LE(decision["interval"][0].get<double>(), decision["success_probability"].get<double>());
    EXPECT_GT(decision["success_probability"].get<double>(), 0.72);
  };
  ProcessOptions options;
  options.members = true;
  check(run_olem({"decide", file, "--sampler", "linear", "--json"}, options));
  // Constraints between steps limit what the rules of all members set.
  const TemporaryFolder other;
  const Json limited = Json::parse(R"({"constraints": [{"weights": {"DIC": 1, "Omega": 2}, "max": 0.2}]})");
  const std::string constrained = task_with_steps(other, kSteps, limited);
  check(run_olem({"decide", constrained, "--sampler", "linear", "--json"}, options));
  const Json rule = decided({constrained})["decisions"][0]["sequence"]["rules"]["Omega"];
  EXPECT_NEAR(rule["limits"][0]["weights"]["Omega"].get<double>(), 2.0, 1e-9);
  EXPECT_THAT(run_olem({"decide", constrained, "--sampler", "linear", "--quick"}).out, HasSubstr("stays at most"));
  check(run_olem({"decide", file, "--sampler", "linear", "--so-far", "DIC=-0.25,TA=-0.28,CO2=0.3", "--json"}, options));
}

TEST(CliSequence, AnyTaskTakesWhatWasSeen) {
  const Json decision =
      decided({source_path("examples/bermuda/task.json"), "--so-far", "DIC=0.1", "--so-far", "TA=0.2"})["decisions"][0];
  EXPECT_EQ(decision["alterations"].size(), 3U);
  EXPECT_EQ(decision["so_far"]["TA"], 0.2);
}

}  // namespace
}  // namespace olem::test::sequence_test
