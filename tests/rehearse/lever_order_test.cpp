#include "rehearse/lever_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/random.h"

namespace olem::lever_order_test {

using namespace internal;

namespace {

constexpr std::size_t kRows = 500;

Task task_with(const std::string& more = "") {
  return parse_task(R"({"alterable": {"lever": [-2, 2]}, "outcome": ["y"], "desired": {"y": [0.5, null]})" + more + "}",
                    "task.json");
}

// lever -> between -> y, all linear and normal: shape cannot tell the two apart. The unit of the lever is so small that
// its entropy is the largest.
Table chain_in_odd_units() {
  RandomStream random(5, "test.levers");
  std::vector<double> lever;
  std::vector<double> between;
  std::vector<double> y;
  for (std::size_t i = 0; i < kRows; ++i) {
    lever.push_back(1000.0 * random.normal());
    between.push_back(lever.back() / 1000.0 + random.normal());
    y.push_back(between.back() + random.normal());
  }
  std::vector<double> values = between;
  values.insert(values.end(), lever.begin(), lever.end());
  values.insert(values.end(), y.begin(), y.end());
  return Table({"between", "lever", "y"}, values, "chain.csv");
}

// earlier -> lever by a curve with little noise, both -> y: the data leaves no doubt that `earlier` comes first.
Table cause_of_the_lever() {
  RandomStream random(6, "test.levers");
  std::vector<double> earlier;
  std::vector<double> lever;
  std::vector<double> y;
  for (std::size_t i = 0; i < kRows; ++i) {
    earlier.push_back(random.uniform(-2.0, 2.0));
    lever.push_back(earlier.back() * earlier.back() + 0.3 * random.normal());
    y.push_back(lever.back() + earlier.back() + 0.5 * random.normal());
  }
  std::vector<double> values = earlier;
  values.insert(values.end(), lever.begin(), lever.end());
  values.insert(values.end(), y.begin(), y.end());
  return Table({"earlier", "lever", "y"}, values, "curve.csv");
}

RehearsalModel fit(const Task& task, const Table& table, LeverRule rule, const std::string& method = "olem+") {
  RehearsalOptions options;
  options.order.method = method;
  options.levers = rule;
  options.samplers.sampler = "linear";
  return fit_rehearsal(task, table, options, std::nullopt, Context());
}

bool stands_before(const Order& order, const std::string& first, const std::string& second) {
  return std::find(order.begin(), order.end(), first) < std::find(order.begin(), order.end(), second);
}

TEST(Levers, StandFirstWhereShapeCannotTell) {
  const Table table = chain_in_odd_units();
  const RehearsalModel learned = fit(task_with(), table, LeverRule::kLearned, "olem");
  EXPECT_FALSE(learned.levers.has_value());
  EXPECT_TRUE(stands_before(learned.order.order, "between", "lever"));  // units decided

  for (const LeverRule rule : {LeverRule::kAuto, LeverRule::kFirst}) {
    const RehearsalModel model = fit(task_with(), table, rule, "olem");
    ASSERT_TRUE(model.levers.has_value());
    EXPECT_TRUE(model.levers->first);
    EXPECT_EQ(model.levers->following, std::vector<std::string>{"between"});
    EXPECT_EQ(model.order.order, (Order{"lever", "between", "y"}));
  }
  const RehearsalModel model = fit(task_with(), table, LeverRule::kAuto, "olem");
  ASSERT_TRUE(model.levers->difference.has_value());
  EXPECT_LT(std::abs(model.levers->difference->value), 3.0 * model.levers->difference->standard_error);
}

TEST(Levers, StandWhereShapePutsThemWhenItIsPlain) {
  const Table table = cause_of_the_lever();
  const RehearsalModel model = fit(task_with(), table, LeverRule::kAuto);
  ASSERT_TRUE(model.levers.has_value());
  EXPECT_FALSE(model.levers->first);
  EXPECT_TRUE(stands_before(model.order.order, "earlier", "lever"));
  ASSERT_TRUE(model.levers->difference.has_value());
  EXPECT_LT(model.levers->difference->value, -3.0 * model.levers->difference->standard_error);

  const RehearsalModel first = fit(task_with(), table, LeverRule::kFirst);
  EXPECT_TRUE(first.levers->first);
  EXPECT_TRUE(stands_before(first.order.order, "lever", "earlier"));
}

// Three levers that follow curves of other columns nearly without noise, in a table of 22 columns: an order with levers
// first costs nats, so that it is not searched for. The one that is told instead obeys the rule all the same.
TEST(Levers, ThatFollowPlainlyInAWideTableAreNotPutFirst) {
  constexpr std::size_t kCurves = 3;
  constexpr std::size_t kOthers = 15;
  RandomStream random(7, "test.levers");
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<double> y(kRows, 0.0);
  std::string levers;
  for (std::size_t k = 0; k < kCurves; ++k) {
    std::vector<double> earlier(kRows);
    std::vector<double> lever(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      earlier[i] = random.uniform(-2.0, 2.0);
      lever[i] = earlier[i] * earlier[i] + 0.01 * random.normal();
      y[i] += lever[i] + 0.5 * random.normal();
    }
    names.push_back(fmt::format("earlier{}", k));
    names.push_back(fmt::format("lever{}", k));
    levers += fmt::format(R"({}"lever{}": [0, 4])", k > 0 ? ", " : "", k);
    values.insert(values.end(), earlier.begin(), earlier.end());
    values.insert(values.end(), lever.begin(), lever.end());
  }
  for (std::size_t k = 0; k < kOthers; ++k) {
    names.push_back(fmt::format("other{}", k));
    for (std::size_t i = 0; i < kRows; ++i) values.push_back(random.normal());
  }
  names.push_back("y");
  values.insert(values.end(), y.begin(), y.end());
  const Table table(names, values, "wide.csv");
  const Task task =
      parse_task(R"({"alterable": {)" + levers + R"(}, "outcome": ["y"], "desired": {"y": [0.5, null]}})", "task.json");
  RehearsalOptions options;
  const LeverOrder found = learn_lever_order(task, table, options, Knowledge(), Context());
  EXPECT_FALSE(found.placement.first);
  ASSERT_TRUE(found.placement.difference.has_value());
  EXPECT_LT(found.placement.difference->value, -0.1 * static_cast<double>(table.columns()));
  ASSERT_TRUE(found.other.has_value());
  ASSERT_EQ(found.placement.following.size(), kCurves + kOthers);
  for (std::size_t k = 0; k < kCurves; ++k) {
    const std::string lever = fmt::format("lever{}", k);
    EXPECT_TRUE(stands_before(found.order.order, fmt::format("earlier{}", k), lever));
    for (const std::string& name : found.placement.following) EXPECT_TRUE(stands_before(*found.other, lever, name));
  }
}

TEST(Levers, WhatTheTaskSaysComesFirst) {
  const Task told = task_with(R"(, "before": [["between", "lever"]])");
  const RehearsalModel model = fit(told, chain_in_odd_units(), LeverRule::kFirst);
  ASSERT_TRUE(model.levers.has_value());
  EXPECT_TRUE(model.levers->following.empty());
  EXPECT_TRUE(stands_before(model.order.order, "between", "lever"));
}

TEST(Levers, WhatIsKnownBeforeThemStandsBeforeThem) {
  const Task told = task_with(R"(, "known_before": ["between"])");
  for (const LeverRule rule : {LeverRule::kAuto, LeverRule::kFirst, LeverRule::kLearned}) {
    const RehearsalModel model = fit(told, chain_in_odd_units(), rule);
    EXPECT_EQ(model.order.order, (Order{"between", "lever", "y"}));
  }
  RehearsalOptions literal;
  literal.ignore_stages = true;
  literal.samplers.sampler = "linear";
  const RehearsalModel model = fit_rehearsal(told, chain_in_odd_units(), literal, std::nullopt, Context());
  EXPECT_TRUE(stands_before(model.order.order, "between", "lever"));
}

TEST(Levers, UnusedColumnsAreNoPartOfTheModel) {
  for (const char* const role : {"after", "ignore"}) {
    const Task told = task_with(fmt::format(R"(, "{}": ["between"])", role));
    EXPECT_EQ(fit(told, chain_in_odd_units(), LeverRule::kAuto).order.order, (Order{"lever", "y"})) << role;
  }
}

// However the entropies of the context compare, its columns stand as in the table, or as the task says.
TEST(Levers, TheOrderInsideOfTheContextIsNotLearned) {
  RandomStream random(7, "test.levers");
  std::vector<double> columns[5];
  for (std::size_t i = 0; i < kRows; ++i) {
    columns[2].push_back(random.uniform(-1.0, 1.0));
    columns[1].push_back(std::pow(columns[2].back(), 3) + 0.1 * random.normal());
    columns[0].push_back(std::floor(2.0 * columns[1].back()));  // a handful of values
    columns[3].push_back(columns[0].back() + random.normal());
    columns[4].push_back(columns[3].back() + columns[1].back() + random.normal());
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  const Table table({"a", "b", "c", "lever", "y"}, values, "context.csv");
  const std::string roles = R"(, "context": ["c", "a", "b"])";
  for (const char* const method : {"olem+", "olem"}) {
    EXPECT_EQ(fit(task_with(roles), table, LeverRule::kAuto, method).order.order, (Order{"a", "b", "c", "lever", "y"}));
    EXPECT_EQ(fit(task_with(roles + R"(, "before": [["c", "a"]])"), table, LeverRule::kAuto, method).order.order,
              (Order{"b", "c", "a", "lever", "y"}));
  }
}

TEST(Levers, DefaultsOfAnEarlierVersion) {
  const RehearsalOptions old = rehearsal_defaults("0.1");
  EXPECT_EQ(old.order.method, "olem");
  EXPECT_EQ(old.levers, LeverRule::kLearned);
  EXPECT_EQ(old.samplers.sampler, "gp");
  EXPECT_EQ(RehearsalOptions().samplers.sampler, "auto");
  EXPECT_EQ(RehearsalOptions().order.method, "olem+");
  EXPECT_EQ(RehearsalOptions().levers, LeverRule::kAuto);
  EXPECT_THROW(rehearsal_defaults("0.0"), Error);
}

// A chain of statements through a second lever must not close a circle.
TEST(Levers, ColumnsThatComeBeforeALeverThroughOthersDoNotFollow) {
  const Task told = parse_task(
      R"({"alterable": {"a": [0, 1], "b": [0, 1]}, "outcome": ["y"], "desired": {"y": [0, 1]},
          "before": [["r", "a"], ["a", "s"], ["s", "b"]]})",
      "task.json");
  const Table table({"r", "s", "t", "a", "b", "y"}, std::vector<double>(12, 1.0));
  const Knowledge known = task_knowledge(told, table.names());
  EXPECT_EQ(following_columns(told, table, Precedence(known, table.names())), std::vector<std::string>{"t"});
}

TEST(Levers, AreKeptInModelFiles) {
  const RehearsalModel model = fit(task_with(), chain_in_odd_units(), LeverRule::kAuto, "olem");
  const RehearsalModel again = parse_model(model_bytes(model), "m.olem");
  ASSERT_TRUE(again.levers.has_value());
  EXPECT_EQ(again.options.levers, LeverRule::kAuto);
  EXPECT_EQ(again.levers->first, model.levers->first);
  EXPECT_EQ(again.levers->following, model.levers->following);
  ASSERT_TRUE(again.levers->difference.has_value());
  EXPECT_EQ(again.levers->difference->value, model.levers->difference->value);
  EXPECT_EQ(model_bytes(again), model_bytes(model));
}

}  // namespace
}  // namespace olem::lever_order_test
