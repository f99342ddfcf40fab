#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/file.h"
#include "olem/simulate.h"
#include "support/process.h"

namespace olem::test::log_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr int kDecisions = 200;

// 200 decisions for contexts of the simulator, logged; what became of each of them in the simulator.
struct Played {
  TemporaryFolder folder;
  std::string log = folder.file("decisions.jsonl");
  std::string rows = folder.file("rows.csv");
  std::string model = folder.file("m.olem");
  Json decisions;
  std::vector<bool> came_true;

  Played() {
    BermudaSimulationOptions options;
    options.rows = 300;
    options.rounds = kDecisions;
    const Simulation simulation = bermuda_task(options, 0, {});
    write_simulation(folder.file("data"), simulation, false);
    const std::string task = folder.file("data") + "/task.json";
    EXPECT_EQ(run_olem({"fit", task, "-o", model, "--sampler", "linear", "--no-calibrate"}).exit_code, 0);
    const ProcessResult decided =
        run_olem({"decide", "--model", model, "--contexts", folder.file("data") + "/contexts.csv", "--log", log,
                  "--draws", "300", "--judge-draws", "500", "--json"});
    EXPECT_EQ(decided.exit_code, 0) << decided.err;
    decisions = parse_json(decided.out)["decisions"];
    const Table& contexts = simulation.task->contexts;
    std::string text = "decision,NEC\n";
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      std::vector<NamedValue> observed;
      for (std::size_t j = 0; j < contexts.columns(); ++j) observed.push_back({contexts.name(j), contexts.at(i, j)});
      std::vector<NamedValue> altered;
      for (const auto& [name, value] : decisions[i]["alterations"].items()) {
        if (!value.is_null()) altered.push_back({name, value});
      }
      const Table drawn = simulate_decision(simulation.model, observed, altered, 1, 1000 + i, {});
      const double nec = drawn.at(0, drawn.index("NEC"));
      const NamedRange& wanted = simulation.task->desired.front();
      came_true.push_back(nec >= wanted.low && nec <= wanted.high);
      text += fmt::format("{},{}\n", decisions[i]["decision_id"].get<std::string>(), nec);
    }
    std::ofstream(rows) << text;
  }
};

const Played& played() {
  static const Played kPlayed;
  return kPlayed;
}

TEST(CliLog, TheRealisedCalibrationOfTwoHundredDecisionsIsShownRight) {
  const Played& game = played();
  ASSERT_EQ(game.decisions.size(), static_cast<std::size_t>(kDecisions));
  double claimed = 0.0;
  double variance = 0.0;
  int came = 0;
  int near = 0;  // claims from .6 to .7
  int near_came = 0;
  for (std::size_t i = 0; i < game.decisions.size(); ++i) {
    const double p = game.decisions[i]["success_probability"];
    claimed += p / kDecisions;
    variance += p * (1.0 - p);
    came += game.came_true[i] ? 1 : 0;
    if (p < 0.6 || p >= 0.7) continue;
    ++near;
    near_came += game.came_true[i] ? 1 : 0;
  }
  ASSERT_GT(near, 20);
  const ProcessResult text = run_olem({"check", "--log", game.log, "--data", game.rows});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr(fmt::format(
                            "Success was claimed with {:.1f} % on average in 200 decisions; {} came true ({:.1f} "
                            "%).",
                            100.0 * claimed, came, 0.5 * came)));
  const ProcessResult result = run_olem({"check", "--log", game.log, "--data", game.rows, "--json"});
  const Json realised = parse_json(result.out)["realised"];
  EXPECT_NEAR(realised["claimed"].get<double>(), claimed, 1e-12);
  EXPECT_EQ(realised["came_true"], came);
  EXPECT_NEAR(realised["z"].get<double>(), (came - kDecisions * claimed) / std::sqrt(variance), 1e-9);
  EXPECT_LT(realised["interval"][0], came / 200.0);
  EXPECT_GT(realised["interval"][1], came / 200.0);
  bool found = false;
  for (const Json& band : realised["bands"]) {
    if (std::abs(band["from"].get<double>() - 0.6) > 1e-9) continue;
    found = true;
    EXPECT_EQ(band["decisions"], near);
    EXPECT_EQ(band["came_true"], near_came);
  }
  EXPECT_TRUE(found);
  // The simulator is linear and so is the model: the claims must fit.
  EXPECT_TRUE(realised["fits"].get<bool>());
}

TEST(CliLog, RecordedOutcomesNeedNoRows) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl");
  std::ofstream(log) << read_file(game.log);
  const ProcessResult recorded = run_olem({"check", "--log", log, "--data", game.rows, "--record"});
  EXPECT_THAT(recorded.out, HasSubstr("200 new outcomes"));
  EXPECT_THAT(run_olem({"check", "--log", log, "--data", game.rows, "--record"}).out, HasSubstr(" 0 new outcomes"));
  const Json with = parse_json(run_olem({"check", "--log", log, "--json"}).out)["realised"];
  const Json without = parse_json(run_olem({"check", "--log", game.log, "--json"}).out)["realised"];
  EXPECT_EQ(with["decisions"], 200);
  EXPECT_EQ(without["decisions"], 0);
  EXPECT_TRUE(without["share"].is_null());
}

// What came out of one decision, with a remark that is no data.
TEST(CliLog, OneOutcomeIsEnough) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl");
  const std::string row = folder.file("row.csv");
  std::ofstream(log) << read_file(game.log);
  std::ofstream(row) << fmt::format("decision,NEC,remark\n{},0.5,sunny\n",
                                    game.decisions[7]["decision_id"].get<std::string>());
  const ProcessResult recorded = run_olem({"check", "--log", log, "--data", row, "--record"});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("1 new outcome"));
  EXPECT_EQ(parse_json(run_olem({"check", "--log", log, "--json"}).out)["realised"]["decisions"], 1);
}

// Rows without ids begin with the first decision. The rows that came after them must not be taken for these again.
TEST(CliLog, FurtherRowsNeedIds) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl");
  const std::string rows = folder.file("rows.csv");
  std::ofstream(log) << read_file(game.log);
  const auto record = [&](const std::string& text) {
    std::ofstream(rows) << text;
    return run_olem({"check", "--log", log, "--data", rows, "--record"});
  };
  EXPECT_EQ(record("NEC\n1.0\n-5.0\n").exit_code, 0);
  EXPECT_THAT(record("NEC\n1.0\n-5.0\n1.0\n").out, HasSubstr("1 new outcome"));  // the same from the start, and more
  const std::string before = read_file(log);
  const ProcessResult further = record("NEC\n-5.0\n1.0\n");
  EXPECT_EQ(further.exit_code, 3);
  EXPECT_THAT(further.err, HasSubstr("--decision-id"));
  EXPECT_EQ(read_file(log), before);
  EXPECT_EQ(record("decision,NEC\n4,-5.0\n5,1.0\n").exit_code, 0);
}

TEST(CliLog, TheReportShowsIt) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string json = folder.file("check.json");
  const std::string page = folder.file("check.html");
  EXPECT_EQ(run_olem({"check", "--log", game.log, "--data", game.rows, "-o", json}).exit_code, 0);
  const ProcessResult report = run_olem({"report", json, "-o", page});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const std::string html = read_file(page);
  EXPECT_THAT(html, HasSubstr("How earlier decisions came out"));
  EXPECT_THAT(html, HasSubstr("on average in 200 decisions"));
  EXPECT_THAT(html, HasSubstr("60\u202f% to 70\u202f%"));
  EXPECT_THAT(html, HasSubstr("Log: decisions.jsonl, 200 decisions. Outcomes: rows.csv, 200 rows. Made on "));
}

// Whoever decides again sees it, on the terminal and on the page of the decision.
TEST(CliLog, TheNextDecisionSaysHowEarlierOnesCameOut) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl");
  const std::string page = folder.file("page.html");
  std::ofstream(log) << read_file(game.log);
  const auto decided = [&](std::vector<std::string> more) {
    const ProcessResult result =
        run_olem(joined({"decide", "--model", game.model, "--context", "Light=0.1", "--context", "Temp=0.1",
                         "--context", "Sal=0.1", "--log", log, "--draws", "300", "--judge-draws", "500"},
                        more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_FALSE(parse_json(decided({"--json"})).contains("realised")) << "no outcome is known yet";
  EXPECT_EQ(run_olem({"check", "--log", log, "--data", game.rows, "--record"}).exit_code, 0);
  const Json realised = parse_json(run_olem({"check", "--log", log, "--json"}).out)["realised"];
  EXPECT_EQ(parse_json(decided({"--json"}))["realised"]["share"], realised["share"]);
  EXPECT_THAT(decided({"--report", page}), HasSubstr("Earlier decisions: Success was claimed with "));
  const std::string html = read_file(page);
  EXPECT_THAT(html, HasSubstr("<h2>How earlier decisions came out</h2>"));
  EXPECT_THAT(html, HasSubstr("on average in 200 decisions"));
}

TEST(CliLog, ClaimsThatDoNotFitAreAWarning) {
  const Played& game = played();
  const TemporaryFolder folder;
  std::string text = "decision,NEC\n";
  for (int i = 1; i <= kDecisions; ++i) text += fmt::format("{},{}\n", i, i % 4 == 0 ? 1.0 : -5.0);
  const std::string rows = folder.file("rows.csv");
  std::ofstream(rows) << text;
  const ProcessResult result = run_olem({"check", "--log", game.log, "--data", rows, "--json"});
  EXPECT_THAT(warning_codes(parse_json(result.out)), ::testing::Contains("claims_off"));
  EXPECT_FALSE(parse_json(result.out)["realised"]["fits"].get<bool>());
}

TEST(CliLog, WhatCannotBeJoinedIsRefused) {
  const Played& game = played();
  const TemporaryFolder folder;
  const std::string bad = folder.file("bad.csv");
  std::ofstream(bad) << "decision,NEC\n1,0.5\n900,0.5\n";
  const ProcessResult unknown = run_olem({"check", "--log", game.log, "--data", bad});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("'900'"));
  std::ofstream(bad) << "decision,Light\n1,0.5\n2,0.4\n";
  EXPECT_EQ(run_olem({"check", "--log", game.log, "--data", bad}).exit_code, 3);
  EXPECT_EQ(run_olem({"check", "--log", game.log, "--record"}).exit_code, 2);
  EXPECT_EQ(run_olem({"check"}).exit_code, 2);
  // Words are no numbers, and a column that was named is not another one.
  std::ofstream(bad) << "decision,NEC\n1,high\n2,high\n";
  const ProcessResult words = run_olem({"check", "--log", game.log, "--data", bad});
  EXPECT_EQ(words.exit_code, 3);
  EXPECT_THAT(words.err, HasSubstr("Column 'NEC' holds words, but decision 1 wants numbers"));
  std::ofstream(bad) << "case,NEC\n1,0.5\n";
  const ProcessResult misspelt = run_olem({"check", "--log", game.log, "--data", bad, "--decision-id", "cas"});
  EXPECT_EQ(misspelt.exit_code, 3);
  EXPECT_THAT(misspelt.err, HasSubstr("Did you mean 'case'?"));
  // A log is never taken for another file, nor another file for a log.
  const ProcessResult table = run_olem({"decide", "--model", game.model, "--log", game.rows});
  EXPECT_EQ(table.exit_code, 3);
  EXPECT_THAT(table.err, HasSubstr("no log of decisions"));
}

}  // namespace
}  // namespace olem::test::log_test
