#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

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
  // The second row of a file is decided as it is alone.
  const Json one = decide_json({example("task.json"), "--sampler", "linear", "--context", "Light=-0.5", "--context",
                                "Temp=0", "--context", "Sal=0.5"});
  Json second = many["decisions"][1];
  Json alone = one["decisions"][0];
  second.erase("seconds");
  alone.erase("seconds");
  EXPECT_EQ(second, alone);
}

TEST(CliDecide, TextSaysWhatToDoAndHowSureItIs) {
  const ProcessResult result = run_olem({"decide", example("task.json"), "--sampler", "linear"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const fragment : {"causes first", "Observed: Light", "otherwise about", "without action:"})
    EXPECT_NE(result.out.find(fragment), std::string::npos) << fragment << "\n" << result.out;
}

// In euro instead of thousands of euro the same rows give the same answer once the levers stand first.
TEST(CliDecide, LeversFirstDoNotDependOnUnits) {
  const TemporaryFolder folder;
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  std::ofstream thousands(folder.file("thousands.csv"));
  std::ofstream euro(folder.file("euro.csv"));
  thousands << "demand,spend,visits,sales\n";
  euro << "demand,spend,visits,sales\n";
  for (int i = 0; i < 400; ++i) {
    const double demand = normal(generator);
    const double spend = 0.5 * demand + normal(generator);
    const double visits = spend + 0.5 * normal(generator);
    const double sales = visits + demand + 0.5 * normal(generator);
    thousands << fmt::format("{},{},{},{}\n", demand, spend, visits, sales);
    euro << fmt::format("{},{},{},{}\n", demand, 1000.0 * spend, visits, sales);
  }
  thousands.close();
  euro.close();
  const auto decide = [&](const std::string& unit, const char* low, const char* high) {
    std::ofstream(folder.file(unit + ".json"))
        << fmt::format(R"({{"data": "{}.csv", "context": ["demand"], "alterable": {{"spend": [{}, {}]}},
                           "outcome": ["sales"], "desired": {{"sales": [0.5, 2.5]}}, "observed": {{"demand": -1}}}})",
                       unit, low, high);
    return decide_json({folder.file(unit + ".json"), "--sampler", "linear", "--levers", "auto"});
  };
  const Json small = decide("thousands", "-3", "3");
  const Json large = decide("euro", "-3000", "3000");
  EXPECT_EQ(large["order"], small["order"]);
  EXPECT_EQ(large["levers"]["following"], Json::array({"visits"}));
  EXPECT_TRUE(large["levers"]["first"].get<bool>());
  EXPECT_NEAR(large["decisions"][0]["success_probability"].get<double>(),
              small["decisions"][0]["success_probability"].get<double>(), 0.02);
  EXPECT_GT(large["decisions"][0]["success_probability"].get<double>(),
            large["decisions"][0]["without_action"].get<double>() + 0.3);

  const ProcessResult text = run_olem({"decide", folder.file("euro.json"), "--sampler", "linear", "--levers", "auto"});
  EXPECT_NE(text.out.find("Columns taken to follow the levers: visits."), std::string::npos) << text.out;
  std::ofstream(folder.file("order.txt")) << "demand\nspend\nvisits\nsales\n";
  const ProcessResult both =
      run_olem({"decide", folder.file("euro.json"), "--levers", "first", "--order", folder.file("order.txt")});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("--levers and --order exclude each other"), std::string::npos) << both.err;
}

// What version 0.1.0 printed in its README.
TEST(CliDecide, AnswersLikeAnEarlierVersion) {
  const ProcessResult result = run_olem({"decide", example("task.json"), "--like", "0.1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* const line : {"TA > DIC > CO2 > Chla > pHsw > Omega > Nutrients_PC1 > NEC",
                                 "  DIC               -0.002441           -0.2431              46.2 %",
                                 "  Nutrients_PC1      -0.04876            0.5078              66.5 %",
                                 "Probability of success: 67.6 % (66.1 % to 69.1 %)"})
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
  const ProcessResult order = run_olem({"order", example("data.csv"), "--like", "0.1", "--json"});
  EXPECT_EQ(Json::parse(order.out)["method"], "olem");
  const ProcessResult both = run_olem({"order", example("data.csv"), "--like", "0.1", "--method", "varsort", "--json"});
  EXPECT_EQ(Json::parse(both.out)["method"], "varsort");
  const ProcessResult unknown = run_olem({"decide", example("task.json"), "--like", "0.3"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("'0.3' is no earlier version"), std::string::npos) << unknown.err;
}

// A column of words and a copy of the outcome would end the run; the task leaves both out.
TEST(CliDecide, ColumnsThatTheTaskLeavesOutMayHoldAnything) {
  const TemporaryFolder folder;
  std::mt19937 generator(4);
  std::normal_distribution<double> normal;
  std::ofstream data(folder.file("data.csv"));
  data << "id,lever,y,later\n";
  for (int i = 0; i < 100; ++i) {
    const double lever = normal(generator);
    const double y = lever + 0.5 * normal(generator);
    data << fmt::format("row {},{},{},{}\n", i, lever, y, 2.0 * y);
  }
  data.close();
  const auto task = [&](const std::string& more) {
    std::ofstream(folder.file("task.json"))
        << R"({"data": "data.csv", "alterable": {"lever": [-2, 2]}, "outcome": ["y"],
      "desired": {"y": [1, 2]})"
        << more << "}";
    return folder.file("task.json");
  };
  const Json json = decide_json({task(R"(, "after": ["later"], "ignore": ["id"])")});
  EXPECT_EQ(json["order"], Json::array({"lever", "y"}));
  const ProcessResult typo = run_olem({"decide", task(R"(, "after": ["late"], "ignore": ["id"])")});
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_NE(typo.err.find("Did you mean 'later'?"), std::string::npos) << typo.err;
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
  // 4 and not 3: the doubt about the order is not what ends it.
  EXPECT_EQ(strict.exit_code, 4) << strict.err;
  EXPECT_NE(strict.err.find("No alterable variable can change an outcome"), std::string::npos) << strict.err;
}

TEST(CliDecide, StrictEndsWithADoubtAboutTheOrderWhereThereIsInfluence) {
  const TemporaryFolder folder;
  const std::string order = folder.file("order.txt");
  std::ofstream(order) << "Temp\nSal\nDIC\nLight\nTA\nOmega\nChla\nNutrients_PC1\npHsw\nCO2\nNEC\n";
  const ProcessResult strict =
      run_olem({"decide", example("task.json"), "--sampler", "linear", "--order", order, "--strict"});
  EXPECT_EQ(strict.exit_code, 3) << strict.err;
  EXPECT_NE(strict.err.find("With --strict this is an error"), std::string::npos) << strict.err;
}

// The bundled task with other keys, in a folder of its own.
class WishfulTask {
 public:
  explicit WishfulTask(const std::string& wishes = "{}") {
    Json task = Json::parse(std::ifstream(example("task.json")), nullptr, true, true);
    task["data"] = example("data.csv");
    task.update(Json::parse(wishes));
    folder_.write("task.json", task.dump());
  }

  // As olem decide prints them, with the linear sampler.
  ProcessResult run(const std::vector<std::string>& arguments = {}) const {
    return run_olem(joined({"decide", folder_.file("task.json"), "--sampler", "linear"}, arguments));
  }
  Json decision(const std::vector<std::string>& arguments = {}) const {
    const ProcessResult result = run(joined(arguments, {"--json"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out)["decisions"][0];
  }

 private:
  TemporaryFolder folder_;
};

TEST(CliDecide, Qwz23SaysThatItTakesNoConstraints) {
  const WishfulTask task(R"({"constraints": [{"weights": {"DIC": 1, "Omega": 1}, "max": 0.5}]})");
  const ProcessResult result = task.run({"--decision", "qwz23", "--graph-method", "ges"});
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_NE(result.err.find("QWZ23 searches boxes and cannot take constraints"), std::string::npos) << result.err;
}

TEST(CliDecide, WishesOfTheTaskAreObeyed) {
  const WishfulTask task(R"({"max_alterations": 2, "cost": {"DIC": 1, "TA": 2, "Omega": 5},
                             "constraints": [{"weights": {"DIC": 1, "Omega": 1}, "max": -0.4}]})");
  // Ten pairs of variables are searched: few draws keep that short.
  const std::vector<std::string> flags = {"--proposals", "2", "--draws", "300", "--judge-draws", "600"};
  const Json decision = task.decision(flags);
  double cost = 0.0;
  double sum = 0.0;
  int altered = 0;
  for (const auto& [name, value] : decision["alterations"].items()) {
    const double expected = decision["expected"][name];
    const double weight = name == "DIC" ? 1.0 : name == "TA" ? 2.0 : name == "Omega" ? 5.0 : 0.0;
    if (!value.is_null()) {
      ++altered;
      cost += weight * std::abs(value.get<double>() - expected);
    }
    if (name == "DIC" || name == "Omega") sum += value.is_null() ? expected : value.get<double>();
  }
  EXPECT_GE(altered, 1);
  EXPECT_LE(altered, 2);
  EXPECT_LE(sum, -0.4 + 1e-7);
  EXPECT_NEAR(decision["cost"].get<double>(), cost, 1e-9);
  EXPECT_NE(decision["message"].get<std::string>().find("All choices of at most 2 of 5"), std::string::npos);
  ASSERT_GE(decision["proposals"].size(), 1U);
  EXPECT_EQ(decision["proposals"][0]["alterations"], decision["alterations"]);
  const ProcessResult text = task.run(flags);
  for (const char* const fragment :
       {"The decision costs ", "All choices of at most 2 of 5 variables", "Decisions to choose from"})
    EXPECT_NE(text.out.find(fragment), std::string::npos) << fragment << "\n" << text.out;
}

TEST(CliDecide, ConstraintsThatCannotHoldAreNamed) {
  const WishfulTask task(R"({"constraints": [{"weights": {"DIC": 1, "TA": 1}, "max": -3}]})");
  const ProcessResult result = task.run();
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_NE(result.err.find("Constraint 1 cannot be satisfied"), std::string::npos) << result.err;
}

TEST(CliDecide, ATargetIsReachedCheaplyOrSaidToBeOutOfReach) {
  const WishfulTask task;
  const Json enough = task.decision({"--target", "0.6"});
  EXPECT_EQ(enough["status"], "done");
  EXPECT_NEAR(enough["success_probability"].get<double>(), 0.61, 0.03);
  EXPECT_LT(enough["cost"].get<double>(), 0.6 * task.decision()["cost"].get<double>());

  const Json too_much = task.decision({"--target", "0.9"});
  EXPECT_EQ(too_much["status"], "target_not_reached");
  EXPECT_NEAR(too_much["success_probability"].get<double>(), 0.68, 0.04);
  const ProcessResult strict = task.run({"--target", "0.9", "--strict"});
  EXPECT_EQ(strict.exit_code, 4) << strict.err;
  EXPECT_NE(strict.err.find("target of 90 %"), std::string::npos) << strict.err;
}

TEST(CliDecide, WhatIsLikelyAlreadyIsSaidFirst) {
  const WishfulTask task;
  const Json decision = task.decision({"--target", "0.3"});
  EXPECT_EQ(decision["status"], "already_likely");
  EXPECT_NEAR(decision["success_probability"].get<double>(), 0.68, 0.04);
  const std::string text = task.run({"--target", "0.3"}).out;
  const std::size_t said = text.find("The target of 30 % is reached without action.");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_LT(said, text.find("otherwise about"));
  // Along this order nothing else is doubtful.
  EXPECT_EQ(task.run({"--target", "0.3", "--like", "0.1", "--strict"}).exit_code, 0);
}

// The outcome comes first and what can be altered only follows it; OLEM finds that when the stages are ignored.
TEST(CliDecide, NoInfluenceIsAResultAndWithStrictExitCodeFour) {
  const TemporaryFolder folder;
  const Table noise = normal_table(200, 2, 1);
  std::string csv = "y,z\n";
  for (std::size_t i = 0; i < noise.rows(); ++i)
    csv += fmt::format("{},{}\n", 0.3 * noise.at(i, 0), noise.at(i, 0) + 2.0 * noise.at(i, 1));
  folder.write("data.csv", csv);
  folder.write("task.json", R"({"data": "data.csv", "alterable": {"z": [-1, 1]}, "outcome": ["y"],
                                "desired": {"y": [0.1, 0.3]}})");
  const std::vector<std::string> arguments = {"decide", folder.file("task.json"), "--ignore-stages", "--sampler",
                                              "linear"};
  const ProcessResult result = run_olem(joined(arguments, {"--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json decision = parse_json(result.out)["decisions"][0];
  EXPECT_EQ(decision["status"], "no_influence");
  EXPECT_TRUE(decision["alterations"]["z"].is_null());
  EXPECT_EQ(decision["success_probability"], decision["without_action"]);
  const ProcessResult strict = run_olem(joined(arguments, {"--strict"}));
  EXPECT_EQ(strict.exit_code, 4) << strict.err;
  EXPECT_NE(strict.err.find("No alterable variable can change an outcome"), std::string::npos) << strict.err;
}

TEST(CliDecide, ARegionWithoutInteriorIsHitWithProbabilityZero) {
  const ProcessResult result = WishfulTask(R"({"desired": {"NEC": [1, 1]}})").run({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out);
  EXPECT_EQ(json["decisions"][0]["success_probability"], 0.0);
  EXPECT_EQ(json["decisions"][0]["status"], "no_action");
  const std::vector<std::string> codes = warning_codes(json);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "flat_region"), codes.end());
}

TEST(CliDecide, OptimizersAreChosenByName) {
  const WishfulTask task;
  for (const char* const name : {"bayes", "random"}) {
    const Json decision = task.decision({"--optimizer", name});
    EXPECT_NEAR(decision["success_probability"].get<double>(), 0.66, 0.04) << name;
  }
  const ProcessResult grid = task.run({"--optimizer", "grid"});
  EXPECT_EQ(grid.exit_code, 2);
  EXPECT_NE(grid.err.find("5 alterable variables with 41 points each"), std::string::npos) << grid.err;
  const ProcessResult unknown = task.run({"--optimizer", "baies"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("gradient, bayes, random, grid"), std::string::npos) << unknown.err;
}

TEST(CliDecide, BadFlagsAndFilesAreExplained) {
  const ProcessResult sampler = run_olem({"decide", example("task.json"), "--sampler", "gpp"});
  EXPECT_EQ(sampler.exit_code, 2);
  EXPECT_NE(sampler.err.find("Did you mean 'gp'"), std::string::npos) << sampler.err;
  const ProcessResult other = run_olem({"decide", example("task.json"), "--sampler", "linear", "--gp-rows", "100"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("it belongs to auto, gp,"), std::string::npos) << other.err;
  EXPECT_EQ(run_olem({"decide", "missing.json"}).exit_code, 5);
}

}  // namespace
}  // namespace olem::test::decide_test
