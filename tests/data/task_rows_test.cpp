#include "olem/task_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "olem/error.h"
#include "olem/task.h"

namespace olem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Task task_about_rows() {
  return parse_task(R"({"alterable": {"a": [0, 1]}, "outcome": ["y"], "desired": {"y": [0, 1]},
    "set_by_hand": {"a": "a_set", "y": true}, "group": "g", "weight": "w", "time": "t",
    "cost": {"a": {"weight": 10, "datum": 0.5, "power": 2}}})",
                    "task.json");
}

Table table_about_rows() {
  return {{"a", "y", "a_set", "g", "w", "t"},
          {0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 0, 1, 1, 0, 5, 5, 7, 7, 1, 1, 2, 4, 4, 3, 2, 1}};
}

TEST(TaskRows, SayWhatTheTaskSays) {
  const TaskRows rows = task_rows(task_about_rows(), table_about_rows());
  ASSERT_NE(rows.find("a"), nullptr);
  EXPECT_THAT(rows.find("a")->rows, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(rows.find("y")->rows, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(rows.find("t"), nullptr);
  EXPECT_THAT(rows.groups, ElementsAre(0U, 0U, 1U, 1U));
  EXPECT_THAT(rows.group_names, ElementsAre("5", "7"));
  EXPECT_THAT(rows.weights, ElementsAre(0.5, 0.5, 1.0, 2.0));
  EXPECT_FALSE(rows.plain());
  const std::vector<std::size_t> some = {3, 0};
  const TaskRows fewer = rows.with_rows(some);
  EXPECT_THAT(fewer.groups, ElementsAre(1U, 0U));
  EXPECT_THAT(fewer.times, ElementsAre(1.0, 4.0));
}

TEST(TaskRows, TheirColumnsAreNoVariables) {
  EXPECT_THAT(row_columns(task_about_rows()), ElementsAre("a_set", "g", "w", "t"));
  EXPECT_THAT(without_unused(task_about_rows(), table_about_rows()).names(), ElementsAre("a", "y"));
}

TEST(TaskRows, TheTaskReadsBack) {
  const Task task = task_about_rows();
  const Task again = parse_task(to_json(task).dump(), "again");
  EXPECT_EQ(again.set_by_hand, task.set_by_hand);
  EXPECT_EQ(again.group, "g");
  EXPECT_EQ(again.weight, "w");
  EXPECT_EQ(again.time, "t");
  ASSERT_EQ(again.cost_forms.size(), 1U);
  EXPECT_EQ(again.cost_forms, task.cost_forms);
  EXPECT_EQ(again.cost.front().value, 10.0);
  EXPECT_EQ(to_json(again), to_json(task));
}

TEST(TaskRows, WhatCannotBeIsRefused) {
  Table table = table_about_rows();
  Task task = task_about_rows();
  const auto refusal = [&]() -> std::string {
    try {
      task_rows(task, table);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  task.set_by_hand.front().column = "w";
  EXPECT_THAT(refusal(), HasSubstr("holds '2' in row 3"));
  task = task_about_rows();
  task.group = "t";
  EXPECT_THAT(refusal(), HasSubstr("Every row has a group of its own"));
  task = task_about_rows();
  table = Table(table.names(), {0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 0, 1, 1, 0, 5, 5, 5, 5, 1, 1, 2, 4, 4, 3, 2, 1});
  EXPECT_THAT(refusal(), HasSubstr("All rows belong to one group, 5 in 'g'"));
  table = table_about_rows();
  task.weight = "a_set";
  EXPECT_THAT(refusal(), HasSubstr("The weight of row 1 is 0"));
  task = task_about_rows();
  std::vector<Column> words(table.columns());
  words[4].type = ColumnType::kBinary;
  words[4].levels = {{1, "few"}, {2, "many"}, {4, "most"}};
  table = Table(table.names(), {table.values().begin(), table.values().end()}, "made", words);
  EXPECT_THAT(refusal(), HasSubstr("'w' holds words, which are no weights"));
  table = table_about_rows();
  std::vector<Column> about(table.columns());
  about.back().type = ColumnType::kCategory;
  about.back().levels = {{1, "fall"}, {2, "may"}, {3, "june"}, {4, "winter"}};
  table = Table(table.names(), {table.values().begin(), table.values().end()}, "made", about);
  EXPECT_THAT(refusal(), HasSubstr("'t' holds words"));
  task.set_by_hand.front().name = "b";
  EXPECT_THAT(refusal(), HasSubstr("no column 'b'"));
}

TEST(HalfRows, AreComplementaryAndWhole) {
  TaskRows rows;
  constexpr std::size_t kRows = 200;
  for (std::size_t i = 0; i < kRows; ++i) rows.groups.push_back(i % 10);
  rows.group_names.assign(10, "");
  for (std::uint64_t half = 0; half < 4; half += 2) {
    const auto first = half_rows(rows, kRows, 1, half);
    const auto second = half_rows(rows, kRows, 1, half + 1);
    EXPECT_EQ(first.size() + second.size(), kRows);
    std::set<std::size_t> groups;
    for (const std::size_t i : first) groups.insert(rows.groups[i]);
    EXPECT_EQ(groups.size(), 5U);
    for (const std::size_t i : second) EXPECT_FALSE(groups.contains(rows.groups[i]));
  }
}

TEST(HalfRows, InTimeHoldBlocks) {
  TaskRows rows;
  constexpr std::size_t kRows = 400;
  for (std::size_t i = 0; i < kRows; ++i) rows.times.push_back(static_cast<double>((i * 7) % kRows));
  std::vector<bool> in_half(kRows, false);
  for (const std::size_t i : half_rows(rows, kRows, 1, 0)) in_half[static_cast<std::size_t>(rows.times[i])] = true;
  std::size_t changes = 0;
  for (std::size_t time = 1; time < kRows; ++time) changes += in_half[time] != in_half[time - 1] ? 1 : 0;
  // 20 blocks of 20 rows: at most 19 changes, where single rows would have about 200.
  EXPECT_LE(changes, 19U);
  EXPECT_GE(changes, 1U);
}

}  // namespace
}  // namespace olem::test
