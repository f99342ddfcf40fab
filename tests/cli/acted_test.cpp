#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/file.h"
#include "olem/random.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::acted_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// A folder with a simulated table and its task.
std::string simulated(const TemporaryFolder& folder, const std::string& name, int seed, int rows = 1000) {
  const std::string place = folder.file(name);
  const ProcessResult result = run_olem(
      {"simulate", name, "-o", place, "--rows", std::to_string(rows), "--rounds", "1", "--seed", std::to_string(seed)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return place;
}

Json task_of(const std::string& folder) { return Json::parse(read_file(folder + "/task.json")); }

std::string with_task(const std::string& folder, const Json& task, const std::string& name) {
  std::string file = folder + "/" + name;
  std::ofstream(file) << task.dump();
  return file;
}

Json decided(const std::vector<std::string>& arguments) {
  const ProcessResult result =
      run_olem(joined(joined({"decide"}, arguments), {"--sampler", "linear", "--quick", "--json", "--seed", "3"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out);
}

double claim(const Json& result) { return result["decisions"][0]["success_probability"].get<double>(); }

bool warns(const Json& result, const std::string& code) {
  return result.dump().find("\"" + code + "\"") != std::string::npos;
}

// P(sales > .75) of the simulator `acted` with the price set: sales are N(.4 season + .3 price, 1).
double true_success(double season, double price) {
  return 0.5 * std::erfc((0.75 - 0.4 * season - 0.3 * price) / std::sqrt(2.0));
}

TEST(CliActed, RowsThatWereSetSayWhatTheLeverDoes) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  Json task = task_of(place);
  const double season = task["observed"]["season"];
  const Json said = decided({place + "/task.json"});
  ASSERT_EQ(said["set_by_hand"].size(), 1U);
  const Json& effect = said["set_by_hand"][0];
  EXPECT_EQ(effect["lever"], "price");
  EXPECT_EQ(effect["set_rows"].get<int>() + effect["other_rows"].get<int>(), 1000);
  // .3 by construction; where the price is left alone .3 + .7 x .7.
  EXPECT_NEAR(effect["set"]["effect"].get<double>(), 0.3, 4 * effect["set"]["standard_error"].get<double>());
  EXPECT_NEAR(effect["other"]["effect"].get<double>(), 0.79, 4 * effect["other"]["standard_error"].get<double>());
  EXPECT_TRUE(effect["contradict"].get<bool>());
  EXPECT_TRUE(warns(said, "hidden_cause_found"));
  const double price = said["decisions"][0]["alterations"]["price"];
  EXPECT_NEAR(claim(said), true_success(season, price), 0.1);

  task.erase("set_by_hand");
  task["ignore"].push_back("price_was_set");
  const Json silent = decided({with_task(place, task, "silent.json")});
  EXPECT_GT(claim(silent) - true_success(season, silent["decisions"][0]["alterations"]["price"]), 0.08);
  EXPECT_FALSE(silent.contains("set_by_hand"));
}

TEST(CliActed, TheEffectsStandInTheTextAndInTheModel) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  const std::string model = folder.file("model.olem");
  const ProcessResult fit =
      run_olem({"fit", place + "/task.json", "--sampler", "linear", "--quick", "--seed", "3", "-o", model});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("rows that were set"));
  const ProcessResult kept = run_olem({"decide", "--model", model, "--quick", "--json", "--seed", "3", "--context",
                                       fmt::format("season={}", task_of(place)["observed"]["season"].get<double>())});
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  const Json direct = decided({place + "/task.json"});
  EXPECT_EQ(parse_json(kept.out)["set_by_hand"], direct["set_by_hand"]);
  EXPECT_EQ(parse_json(kept.out)["decisions"][0]["success_probability"], direct["decisions"][0]["success_probability"]);
}

TEST(CliActed, AVariableThatWasAlwaysSetIsDrawnAsItWasSet) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  Json task = task_of(place);
  task["set_by_hand"]["price"] = true;
  task["ignore"].push_back("price_was_set");
  const Json result = decided({with_task(place, task, "always.json")});
  EXPECT_TRUE(warns(result, "always_set"));
  EXPECT_TRUE(result["models"]["price"]["inputs"].empty());
}

// About a tenth of 300 rows was set: too few to say anything, which is said.
TEST(CliActed, TooFewRowsThatWereSetAreSaidToBe) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4, 300);
  const Json result = decided({place + "/task.json"});
  EXPECT_FALSE(result.contains("set_by_hand"));
  EXPECT_TRUE(warns(result, "set_rows_not_compared"));
  EXPECT_FALSE(warns(result, "hidden_cause_found"));
}

TEST(CliActed, AnOutcomeThatWasSetIsNoEffectOnItself) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  Json task = task_of(place);
  task["set_by_hand"]["sales"] = "price_was_set";
  const Json result = decided({with_task(place, task, "both.json")});
  ASSERT_EQ(result["set_by_hand"].size(), 1U);
  EXPECT_EQ(result["set_by_hand"][0]["lever"], "price");
}

TEST(CliActed, IndicatorsOfAnythingElseAreRefused) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  Json task = task_of(place);
  task["set_by_hand"]["price"] = "season";
  task["context"] = Json::array();
  task.erase("observed");
  const ProcessResult result = run_olem({"decide", with_task(place, task, "wrong.json")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("Give 0 and 1, or no and yes"));
  task["set_by_hand"]["price"] = "price_was_sett";
  const ProcessResult misspelt = run_olem({"decide", with_task(place, task, "wrong.json")});
  EXPECT_EQ(misspelt.exit_code, 3);
  EXPECT_THAT(misspelt.err, HasSubstr("price_was_set"));
}

TEST(CliActed, AnEffectBetweenBranchesIsNoneInsideOfThem) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "branches", 2);
  const Json said = decided({place + "/task.json"});
  EXPECT_EQ(said["groups"].size(), 20U);
  // Whatever is done the outcome of a new branch is N(0, 4.49): 21 % by the normal distribution. Twenty branches tell
  // the mean of all branches to .45, which is .07 of probability for one standard error.
  EXPECT_NEAR(claim(said), 0.21, 0.15);
  Json task = task_of(place);
  task.erase("group");
  task["ignore"].push_back("branch");
  // By hand: all branches together have the slope 2.4 / 1.8 and a residual variance of 1.29, so that with the lever at
  // 2 the outcome is N(2.667, 1.29). The slope of twenty branches is off by a few hundredths.
  EXPECT_NEAR(claim(decided({with_task(place, task, "silent.json")})), 0.728, 0.06);
}

TEST(CliActed, ANamedBranchHasItsOwnLevel) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "branches", 2);
  // The level of each branch is in the table, which the task ignores.
  const Table table = read_table(place + "/data.csv", ReadOptions(), Context()).table;
  for (const std::size_t row : {0U, 7U, 13U}) {
    const double level = table.at(row, table.index("level"));
    const auto below = [&](double bound) { return 0.5 * std::erfc(-(bound - 2.0 * level) / 0.7 / std::sqrt(2.0)); };
    const Json result = decided({place + "/task.json", "--context", fmt::format("branch={}", row + 1)});
    EXPECT_EQ(result["decisions"][0]["group"], std::to_string(row + 1));
    EXPECT_NEAR(claim(result), below(4.0) - below(1.5), 0.12) << row;
  }
  const ProcessResult unknown =
      run_olem({"decide", place + "/task.json", "--quick", "--sampler", "linear", "--context", "branch=twelve"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("none of the 20 groups"));
}

// Two branches far apart: the lever follows the level of its branch and has no effect inside of them.
TEST(CliActed, TwoBranchesAreGroupsToo) {
  const TemporaryFolder folder;
  RandomStream random(8, "two branches");
  std::string csv = "branch,lever,outcome\n";
  for (int i = 0; i < 600; ++i) {
    const double level = i % 2 == 0 ? -1.3 : 1.3;
    csv += fmt::format("{},{},{}\n", i % 2 == 0 ? "low" : "high", 1.2 * level + 0.6 * random.normal(),
                       2.0 * level + 0.7 * random.normal());
  }
  std::ofstream(folder.file("two.csv")) << csv;
  const std::string file = folder.file("two.json");
  std::ofstream(file) << R"({"data": "two.csv", "context": [], "alterable": {"lever": [-2, 2]}, "outcome": ["outcome"],
                             "desired": {"outcome": [1.5, 4]}, "group": "branch"})";
  // By hand: N(-2.6, .49) and N(2.6, .49).
  EXPECT_LT(claim(decided({file, "--context", "branch=low"})), 0.02);
  EXPECT_NEAR(claim(decided({file, "--context", "branch=high"})), 0.919, 0.04);
}

// A lever that follows the weeks, an outcome that follows them too, and nothing between the two.
std::string weeks(const TemporaryFolder& folder, const Json& more) {
  RandomStream random(5, "weeks");
  std::string csv = "week,w,lever,y\n";
  for (int week = 0; week < 300; ++week) {
    const double trend = (week - 150) / 60.0;
    csv += fmt::format("{},{},{},{}\n", week, week < 150 ? 1 : 3, trend + 0.3 * random.normal(),
                       trend + 0.5 * random.normal());
  }
  std::ofstream(folder.file("weeks.csv")) << csv;
  Json task = {{"data", "weeks.csv"},
               {"context", Json::array()},
               {"alterable", {{"lever", {-2, 2}}}},
               {"outcome", {"y"}},
               {"desired", {{"y", {1, nullptr}}}}};
  task.update(more);
  std::string file = folder.file("weeks.json");
  std::ofstream(file) << task.dump();
  return file;
}

TEST(CliActed, ALeverThatFollowsATrendIsSaidTo) {
  const TemporaryFolder folder;
  const Json result = decided({weeks(folder, {{"time", "week"}, {"ignore", {"w"}}})});
  EXPECT_TRUE(warns(result, "lever_follows_trend"));
  EXPECT_TRUE(warns(result, "trend"));
  EXPECT_LT(result["effective_rows"].get<double>(), 30.0);
  // In the context the time takes the effect from the lever.
  const Json with_time = decided(
      {weeks(folder, {{"time", "week"}, {"context", {"week"}}, {"observed", {{"week", 150}}}, {"ignore", {"w"}}})});
  EXPECT_FALSE(warns(with_time, "lever_follows_trend"));
  EXPECT_LT(claim(with_time), claim(result) - 0.2);
}

TEST(CliActed, RowsCountByTheirWeights) {
  const TemporaryFolder folder;
  // y is larger in the later half, which counts three times: 3/4 of the weight.
  const Json plain = decided({weeks(folder, {{"ignore", {"w", "week"}}})});
  const Json weighted = decided({weeks(folder, {{"weight", "w"}, {"ignore", {"week"}}})});
  EXPECT_NEAR(weighted["effective_rows"].get<double>(), 300.0 * 4.0 / 5.0, 0.5);
  EXPECT_TRUE(warns(weighted, "weights_resampled"));
  const auto mean = [](const Json& result) {
    return result["decisions"][0]["outcomes_without_action"]["y"]["mean"].get<double>();
  };
  // The mean of the trend is -1.25 in the first half and 1.25 in the second.
  EXPECT_NEAR(mean(plain), 0.0, 0.15);
  EXPECT_NEAR(mean(weighted), 0.625, 0.2);
}

TEST(CliActed, AQuadraticCostPullsTowardsItsDatum) {
  const TemporaryFolder folder;
  Json task = Json::parse(read_file(source_path("examples/bermuda/task.json")), nullptr, true, true);
  task["data"] = source_path("examples/bermuda/" + task["data"].get<std::string>());
  const auto run = [&](const Json& cost) {
    task["cost"] = cost;
    const std::string file = folder.file("cost.json");
    std::ofstream(file) << task.dump();
    return decided({file, "--target", "0.55"});
  };
  const Json cost =
      Json::parse(R"({"DIC": {"weight": 10, "datum": 0, "power": 2}, "TA": {"weight": 8, "datum": 0, "power": 2},
      "Omega": {"weight": 3, "datum": 0, "power": 2}, "Chla": {"weight": 5, "datum": 0, "power": 2},
      "Nutrients_PC1": {"weight": 10, "datum": 0, "power": 2}})");
  const Json result = run(cost);
  const Json& decision = result["decisions"][0];
  double sum = 0.0;
  for (const auto& [name, form] : cost.items()) {
    if (decision["alterations"][name].is_null()) continue;
    const double value = decision["alterations"][name];
    sum += form["weight"].get<double>() * value * value;
  }
  EXPECT_NEAR(decision["cost"].get<double>(), sum, 1e-9 * (1.0 + sum));
  EXPECT_GE(decision["success_probability"].get<double>(), 0.5);
  EXPECT_EQ(result["task"]["cost"]["DIC"]["power"], 2);
  Json wrong = cost;
  wrong["DIC"]["power"] = 3;
  task["cost"] = wrong;
  std::ofstream(folder.file("cost.json")) << task.dump();
  const ProcessResult refused = run_olem({"decide", folder.file("cost.json")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("1 for the distance or 2 for its square"));
}

// What the task says of rows and costs stands on the report.
TEST(CliActed, TheReportSaysWhatTheTaskSays) {
  const TemporaryFolder folder;
  const std::string place = simulated(folder, "acted", 4);
  Json task = task_of(place);
  task["cost"] = {{"price", {{"weight", 10}, {"datum", 0.5}, {"power", 2}}}};
  const std::string file = with_task(place, task, "squares.json");
  const std::string page = folder.file("page.html");
  const ProcessResult result =
      run_olem({"decide", file, "--sampler", "linear", "--quick", "--seed", "3", "--report", page, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = read_file(page);
  EXPECT_THAT(html, HasSubstr("10 times the squared distance of price from 0.5"));
  EXPECT_THAT(html, HasSubstr("price was set from outside in rows that price_was_set marks."));
  // Side by side what the two kinds of rows say, and beside the answer that they contradict each other.
  const Json effect = parse_json(result.out)["set_by_hand"][0];
  const auto cell = [&](const char* kind, const char* rows) {
    return fmt::format("<td>{:.4g} ± {:.4g} ({} rows)</td>", effect[kind]["effect"].get<double>(),
                       effect[kind]["standard_error"].get<double>(), effect[rows].get<int>());
  };
  EXPECT_THAT(html, HasSubstr("<tr><td>price on sales</td>" + cell("set", "set_rows") + cell("other", "other_rows") +
                              "<td>contradict each other</td></tr>"));
  const std::size_t warned = html.find("Rows in which &#39;price&#39; was set contradict the others");
  ASSERT_NE(warned, std::string::npos);
  EXPECT_LT(warned, html.find("What was asked for"));
  const Json decision = parse_json(result.out)["decisions"][0];
  if (!decision["alterations"]["price"].is_null()) {
    const double off = decision["alterations"]["price"].get<double>() - 0.5;
    EXPECT_NEAR(decision["cost"].get<double>(), 10.0 * off * off, 1e-9);
  }
}

}  // namespace
}  // namespace olem::test::acted_test
