#include "olem/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "support/process.h"

namespace olem::test::journal_test {
namespace {

using ::testing::HasSubstr;

std::string line(const std::string& id, double claimed) {
  return Json({{"id", id},
               {"date", "2026-01-01"},
               {"task", "t"},
               {"model", "m.olem"},
               {"context", Json::object()},
               {"set", {{"x", 1.0}}},
               {"success_probability", claimed},
               {"interval", {0.0, 1.0}},
               {"without_action", 0.25},
               {"outcome", {"y"}},
               {"desired", {{"y", {0.0, 1.0}}}}})
             .dump() +
         "\n";
}

IncompleteTable rows(std::vector<std::string> names, std::vector<double> values,
                     std::vector<unsigned char> missing = {}) {
  if (missing.empty()) missing.assign(values.size(), 0);
  return {Table(std::move(names), std::move(values), "rows.csv"), std::move(missing)};
}

TEST(DecisionLog, TheExactTestOfTheClaimsIsThatOfTheirSum) {
  // Two events of .5 and one of .8, none of which happened: .5 x .5 x .2 = .05 in the lower tail.
  const DecisionLog log = parse_decision_log(line("1", 0.5) + line("2", 0.5) + line("3", 0.8), "log");
  const std::vector<DecisionOutcome> none = {{"1", false}, {"2", false}, {"3", false}};
  const RealisedCalibration realised = realised_calibration(log, none);
  EXPECT_NEAR(realised.p_value, 0.10, 1e-12);
  EXPECT_NEAR(realised.all.claimed, 0.6, 1e-12);
  EXPECT_NEAR(realised.z, -1.8 / std::sqrt(0.66), 1e-12);
  EXPECT_EQ(realised.all.came_true, 0U);
  EXPECT_NEAR(realised.without_action, 0.25, 1e-12);
  ASSERT_EQ(realised.bands.size(), 2U);
  EXPECT_EQ(realised.bands[0].decisions, 2U);  // from .5 on
  EXPECT_EQ(realised.bands[1].from, 0.8);
}

TEST(DecisionLog, ThePublishedExampleOfAnInterval) {
  // 41 of 60: Clopper and Pearson give .5503 to .7974 (R, binom.test(41, 60)).
  std::string text;
  std::vector<DecisionOutcome> outcomes;
  for (int i = 0; i < 60; ++i) {
    text += line(std::to_string(i + 1), 0.71);
    outcomes.push_back({std::to_string(i + 1), i < 41});
  }
  const RealisedCalibration realised = realised_calibration(parse_decision_log(text, "log"), outcomes);
  EXPECT_NEAR(realised.all.low, 0.5503, 5e-4);
  EXPECT_NEAR(realised.all.high, 0.7974, 5e-4);
  EXPECT_TRUE(realised.fits());
  EXPECT_TRUE(realised_warnings(realised).empty());
}

TEST(DecisionLog, ALineThatACrashCutOffIsLeftOut) {
  const std::string whole = line("1", 0.5) + line("2", 0.6);
  const DecisionLog log = parse_decision_log(whole + line("3", 0.7).substr(0, 40), "log");
  EXPECT_EQ(log.decisions.size(), 2U);
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_EQ(log.warnings[0].code, "broken_log_line");
  EXPECT_THAT(log.warnings[0].text, HasSubstr("3"));
  EXPECT_THROW(parse_decision_log("a,b\n1,2\n", "table.csv"), Error);
  EXPECT_THROW(parse_decision_log(line("1", 0.5) + line("1", 0.5), "log"), Error);
  EXPECT_TRUE(parse_decision_log("", "log").decisions.empty());
}

TEST(DecisionLog, WhatIsAddedBehindABrokenLineStandsInALineOfItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.jsonl");
  std::ofstream(path) << line("7", 0.5) << R"({"id": "8", "da)";
  Task task;
  task.outcome = {"y"};
  task.desired = Region::box({{"y", 0.0, 1.0}});
  Decision decision;
  decision.success_probability = 0.75;
  EXPECT_EQ(log_decisions(path, task, "folder/m.olem", {decision, decision}, {}, {}),
            (std::vector<std::string>{"8", "9"}));
  const DecisionLog log = read_decision_log(path, {});
  ASSERT_EQ(log.decisions.size(), 3U);
  EXPECT_EQ(log.decisions[2].claimed, 0.75);
  EXPECT_EQ(log.decisions[2].model, "m.olem");
  EXPECT_EQ(log.warnings.size(), 1U);
}

TEST(DecisionLog, RowsAreMatchedByIdAndTheLastOneCounts) {
  const DecisionLog log = parse_decision_log(line("1", 0.5) + line("2", 0.6) + line("3", 0.7), "log");
  // Decision 2 twice, decision 3 without an outcome yet, a row of no decision.
  const IncompleteTable table = rows({"decision", "y"}, {2, 2, 3, 1, /* y */ 5, 0.5, 0, 0.5}, {0, 0, 0, 1, 0, 0, 1, 0});
  const MatchedOutcomes matched = match_outcomes(log, table, "decision");
  EXPECT_EQ(matched.outcomes, (std::vector<DecisionOutcome>{{"2", true}}));
  EXPECT_EQ(matched.unfinished, 1U);
  EXPECT_EQ(matched.without_decision, 1U);
  ASSERT_EQ(matched.warnings.size(), 1U);
  EXPECT_EQ(matched.warnings[0].code, "repeated_decision");
  EXPECT_THROW(match_outcomes(log, rows({"decision", "y"}, {9, 1, 0.5, 0.5}), "decision"), Error);
}

TEST(DecisionLog, WithoutIdsTheOrderOfTheLogCounts) {
  const DecisionLog log = parse_decision_log(line("4", 0.5) + line("2", 0.6) + line("3", 0.7), "log");
  const MatchedOutcomes matched = match_outcomes(log, rows({"y"}, {0.5, 2.0}), "decision");
  EXPECT_EQ(matched.outcomes, (std::vector<DecisionOutcome>{{"4", true}, {"2", false}}));
  ASSERT_EQ(matched.warnings.size(), 1U);
  EXPECT_EQ(matched.warnings[0].code, "matched_by_order");
  EXPECT_THROW(match_outcomes(log, rows({"y"}, {0, 0, 0, 0}), "decision"), Error);
}

TEST(DecisionLog, RecordedOutcomesAreNotAddedTwice) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.jsonl");
  std::ofstream(path) << line("1", 0.5) << line("2", 0.6);
  const std::vector<DecisionOutcome> outcomes = {{"1", true}, {"2", false}};
  EXPECT_EQ(log_outcomes(path, outcomes, {}), 2U);
  EXPECT_EQ(log_outcomes(path, outcomes, {}), 0U);
  const std::vector<DecisionOutcome> corrected = {{"2", true}};
  EXPECT_EQ(log_outcomes(path, corrected, {}), 1U);
  EXPECT_EQ(realised_calibration(read_decision_log(path, {})).all.came_true, 2U);
}

}  // namespace
}  // namespace olem::test::journal_test
