#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.h"
#include "olem/file.h"
#include "olem/random.h"
#include "support/process.h"

namespace olem::test::rounds_cli_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// The model of docs/methods/rounds.md, 2000 rounds without decisions, the last as given there.
std::string task_file(const TemporaryFolder& folder) {
  RandomStream random(3, "rounds_cli_test");
  double x = 0.0;
  double z = 0.0;
  double y = 0.0;
  std::string rows = "x,z,y\n";
  for (int t = 0; t < 2000; ++t) {
    const double x1 = 0.45 * x + 0.2 * random.normal();
    const double z1 = 0.2 * x1 + 0.1 * z + std::sqrt(0.03) * random.normal();
    const double y1 = 0.4 * x1 + 1.1 * z1 - 0.35 * z + 0.2 * y + std::sqrt(0.05) * random.normal();
    x = x1;
    z = z1;
    y = y1;
    rows += fmt::format("{},{},{}\n", x, z, y);
  }
  rows += "0.1,-0.2,0.5\n";
  std::ofstream(folder.file("rows.csv")) << rows;
  const std::string file = folder.file("task.json");
  std::ofstream(file) << R"({"data": "rows.csv", "context": ["x"], "alterable": {"z": [-2, 2]}, "outcome": ["y"],
                             "desired": {"y": [0.85, 1.15]}, "observed": {"x": 0.3}})";
  return file;
}

TEST(CliRounds, PlansThreeRounds) {
  const TemporaryFolder folder;
  const std::string task = task_file(folder);
  const std::vector<std::string> words = {"decide",    task,       "--lags",  "1",   "--rounds",      "3",
                                          "--sampler", "gaussian", "--draws", "300", "--judge-draws", "1000"};
  const ProcessResult text = run_olem(words);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Round 1 of 3."));
  EXPECT_THAT(text.out, HasSubstr("round   3"));
  const Json json = parse_json(run_olem(joined(words, {"--json"})).out);
  // .7917 with the true coefficients; 2000 rows know them to about .03.
  EXPECT_NEAR(json["alterations"]["z"].get<double>(), 0.7917, 0.06);
  ASSERT_EQ(json["plan"].size(), 3U);
  EXPECT_NEAR(json["plan"][2]["z"].get<double>(), 0.9226, 0.06);
  EXPECT_GT(json["decision"]["success_probability"].get<double>(), 0.85);
  EXPECT_LT(json["decision"]["without_action"].get<double>(), 0.1);
  // The next round, with the last one done.
  const Json next = parse_json(run_olem({"decide", task, "--lags", "1", "--rounds", "2", "--rounds-done", "1",
                                         "--sampler", "gaussian", "--draws", "300", "--judge-draws", "1000", "--json"})
                                   .out);
  EXPECT_EQ(next["plan"].size(), 2U);
}

// Rows that stand in another order are brought into that of "time", and what the task says of them goes with them.
TEST(CliRounds, RowsAreBroughtIntoTheOrderOfTime) {
  const TemporaryFolder folder;
  const std::string sorted = task_file(folder);
  std::istringstream rows(read_text(folder.file("rows.csv")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(rows, line);) lines.push_back(line);
  std::string shuffled = "week,was_set," + lines[0] + "\n";
  const std::size_t count = lines.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * 1009 % count;  // 1009 is prime, so that every row comes once
    shuffled += fmt::format("{},{},{}\n", row, row % 2, lines[row + 1]);
  }
  std::ofstream(folder.file("shuffled.csv")) << shuffled;
  Json task = Json::parse(read_text(sorted));
  task["data"] = "shuffled.csv";
  task["time"] = "week";
  task["ignore"] = {"was_set"};
  const std::string timed = folder.file("timed.json");
  std::ofstream(timed) << task.dump();
  const auto decided = [](const std::string& file) {
    const ProcessResult result = run_olem({"decide", file, "--lags", "1", "--rounds", "2", "--sampler", "gaussian",
                                           "--draws", "200", "--judge-draws", "500", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out);
  };
  const Json by_time = decided(timed);
  EXPECT_EQ(by_time["plan"], decided(sorted)["plan"]);
  task.erase("ignore");
  task["set_by_hand"] = {{"z", "was_set"}};
  std::ofstream(timed) << task.dump();
  EXPECT_NEAR(decided(timed)["alterations"]["z"].get<double>(), by_time["alterations"]["z"].get<double>(), 0.05);
  task["group"] = "was_set";
  task.erase("set_by_hand");
  std::ofstream(timed) << task.dump();
  const ProcessResult groups = run_olem({"decide", timed, "--lags", "1", "--rounds", "2"});
  EXPECT_EQ(groups.exit_code, 4);
  EXPECT_THAT(groups.err, HasSubstr("Rounds of several groups"));
}

// The plan is the one of least quadratic cost, in the words of a task.
TEST(CliRounds, AQuadraticCostIsInTheTask) {
  const TemporaryFolder folder;
  const std::string file = task_file(folder);
  Json task = Json::parse(read_text(file));
  const auto decided = [&] {
    std::ofstream(file) << task.dump();
    const ProcessResult result =
        run_olem({"decide", file, "--lags", "1", "--rounds", "3", "--sampler", "gaussian", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out);
  };
  const Json without = decided();
  task["cost"] = {{"z", {{"weight", 1}, {"datum", 0}, {"power", 2}}}};
  const Json squares = decided();
  EXPECT_EQ(squares["plan"], without["plan"]);
  const double now = squares["alterations"]["z"];
  // Later rounds cost what their rules set on the average: by the plan at least the squares of its means.
  double least = 0.0;
  for (const Json& round : squares["plan"]) least += round["z"].get<double>() * round["z"].get<double>();
  EXPECT_GE(squares["decision"]["cost"].get<double>(), now * now);
  // The rules answer what comes out, which costs their variance, and their search ends near the least cost only.
  EXPECT_NEAR(squares["decision"]["cost"].get<double>(), least, 0.5);
}

TEST(CliRounds, NeedsLagsAndATask) {
  const TemporaryFolder folder;
  const std::string task = task_file(folder);
  const ProcessResult without = run_olem({"decide", task, "--rounds", "3"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--lags 1"));
  EXPECT_EQ(run_olem({"decide", task, "--lags", "2"}).exit_code, 2);
  EXPECT_EQ(run_olem({"decide", task, "--lags", "1", "--log", folder.file("log")}).exit_code, 2);
}

}  // namespace
}  // namespace olem::test::rounds_cli_test
