#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
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
