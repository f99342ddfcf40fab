#include "olem/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/random.h"
#include "olem/simulate.h"
#include "olem/task_rows.h"
#include "rehearse/forgetting.h"

namespace olem::test::update_test {
namespace {

using internal::ForgettingBank;
using ::testing::HasSubstr;

// x observed, z a lever, y = slope z + x + noise.
Table drawn(std::size_t rows, double slope, std::uint64_t index, double noise = 0.3) {
  RandomStream random(7, "update_test", index);
  std::vector<double> x;
  std::vector<double> z;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    x.push_back(random.normal());
    z.push_back(0.5 * x.back() + random.normal());
    y.push_back(slope * z.back() + x.back() + noise * random.normal());
  }
  std::vector<double> values = x;
  values.insert(values.end(), z.begin(), z.end());
  values.insert(values.end(), y.begin(), y.end());
  return {{"x", "z", "y"}, values, "drawn"};
}

RehearsalModel learned(const Table& table, bool keep = true) {
  Task task;
  task.context = {"x"};
  task.alterable = {{"z", -2.0, 2.0}};
  task.outcome = {"y"};
  task.desired = Region::box({{"y", -0.5, 0.5}});
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  options.keep_rows = keep;
  return fit_rehearsal(task, table, options, Order{"x", "z", "y"}, {});
}

double slope_of_y(const RehearsalModel& model) {
  const SamplerVariable& y = model.samplers->variables[model.samplers->index("y")];
  const SamplerVariable& z = model.samplers->variables[model.samplers->index("z")];
  return y.sampler->slopes(1.0)->at(1) * y.sd / z.sd;
}

IncompleteTable whole(const Table& table) {
  return {table, std::vector<unsigned char>(table.rows() * table.columns(), 0)};
}

TEST(ForgettingBank, OneFactorIsLeastSquares) {
  constexpr double kOne[] = {1.0};
  ForgettingBank bank(2, kOne);
  // y = 1 + 2 x, exactly.
  for (const double x : {-1.0, 0.5, 2.0, 3.0}) bank.add(Eigen::Vector2d(1.0, x), 1.0 + 2.0 * x);
  EXPECT_NEAR(bank.coefficients()[0], 1.0, 2e-3);  // a ridge of .001
  EXPECT_NEAR(bank.coefficients()[1], 2.0, 2e-3);
  EXPECT_EQ(bank.memory(), 4.0);
}

TEST(ForgettingBank, RemembersWhileNothingChangesAndForgetsAfterAChange) {
  ForgettingBank bank(1);
  RandomStream random(3, "bank");
  for (int i = 0; i < 300; ++i) {
    const double x = random.normal();
    bank.add(Eigen::VectorXd::Constant(1, x), 2.0 * x + 0.1 * random.normal());
  }
  EXPECT_NEAR(bank.coefficients()[0], 2.0, 0.03);
  EXPECT_NEAR(bank.variance(), 0.01, 0.003);
  EXPECT_GT(bank.weights()[0] + bank.weights()[1], 0.5);
  for (int i = 0; i < 30; ++i) {
    const double x = random.normal();
    bank.add(Eigen::VectorXd::Constant(1, x), -1.0 * x + 0.1 * random.normal());
  }
  EXPECT_NEAR(bank.coefficients()[0], -1.0, 0.2);
  EXPECT_LT(bank.memory(), 20.0);
}

TEST(Update, WhereNothingChangesItIsAFitToAllRows) {
  const Table old_rows = drawn(200, 1.0, 0);
  const Table new_rows = drawn(100, 1.0, 1);
  const RehearsalModel model = learned(old_rows);
  const ModelUpdate update = update_model(model, *model.rows, new_rows, {}, {});
  for (const VariableUpdate& variable : update.variables) EXPECT_FALSE(variable.changed) << variable.name;
  ASSERT_TRUE(update.model.rows);
  EXPECT_EQ(update.model.rows->rows(), 300U);
  const RehearsalModel again = learned(*update.model.rows);
  EXPECT_EQ(slope_of_y(update.model), slope_of_y(again));
}

TEST(Update, AChangedSlopeIsFollowedAndTheOtherVariablesKeepAllRows) {
  const Table old_rows = drawn(300, 1.0, 0);
  const RehearsalModel model = learned(old_rows);
  const ModelUpdate update = update_model(model, *model.rows, drawn(60, -1.0, 1), {}, {});
  ASSERT_EQ(update.variables.size(), 2U);
  EXPECT_FALSE(update.variables[0].changed);
  EXPECT_TRUE(update.variables[1].changed);
  EXPECT_NEAR(slope_of_y(model), 1.0, 0.1);
  EXPECT_NEAR(slope_of_y(update.model), -1.0, 0.25);  // a new fit to all rows has .67
  const SamplerVariable& y = update.model.samplers->variables[2];
  EXPECT_NEAR(y.sampler->facts().noise_sd * y.sd, 0.3, 0.08);  // the noise is not inflated by the change
  const Decision decision = decide(update.model, std::vector<NamedValue>{{"x", 1.0}}, {}, {});
  EXPECT_NEAR(decision.alterations[0].value.value_or(0.0), 1.0, 0.35);
}

TEST(Update, RowsInWhichALeverWasSetSayNothingOfIt) {
  Table new_rows = drawn(80, 1.0, 1);
  std::vector<double> values(new_rows.values().begin(), new_rows.values().end());
  for (std::size_t i = 0; i < 80; ++i) {  // z is always 3 above, and y follows
    values[80 + i] += 3.0;
    values[160 + i] += 3.0;
  }
  values.insert(values.end(), 80, 1.0);
  new_rows = Table({"x", "z", "y", "was_set"}, values, "new");
  const RehearsalModel model = learned(drawn(200, 1.0, 0));
  UpdateOptions options;
  EXPECT_TRUE(update_model(model, *model.rows, new_rows, options, {}).variables[0].changed);
  options.set_by_hand = {{"z", "was_set"}};
  const ModelUpdate update = update_model(model, *model.rows, new_rows, options, {});
  EXPECT_FALSE(update.variables[0].changed);
  EXPECT_NEAR(slope_of_y(update.model), 1.0, 0.1);
}

// The same, of the model of z itself: what it is after the update is what the rows say in which it was left alone.
TEST(Update, RowsInWhichALeverWasSetStayOutOfItsModel) {
  const Table old_rows = drawn(200, 1.0, 0);
  const Table more = drawn(80, 1.0, 1);
  std::vector<double> values(more.values().begin(), more.values().end());
  std::vector<double> was_set;
  for (std::size_t i = 0; i < 80; ++i) {
    was_set.push_back(i % 4 == 0 ? 0.0 : 1.0);
    values[80 + i] += 3.0 * was_set.back();
    values[160 + i] += 3.0 * was_set.back();
  }
  values.insert(values.end(), was_set.begin(), was_set.end());
  const Table new_rows({"x", "z", "y", "was_set"}, values, "new");
  UpdateOptions options;
  options.set_by_hand = {{"z", "was_set"}};
  const RehearsalModel model = learned(old_rows);
  const ModelUpdate update = update_model(model, *model.rows, new_rows, options, {});
  // What is said of the rows goes on being known: the next update has it from the model.
  ASSERT_EQ(update.model.task.set_by_hand.size(), 1U);
  ASSERT_TRUE(update.model.rows);
  EXPECT_EQ(update.model.rows->names(), (std::vector<std::string>{"x", "z", "y", "was_set"}));
  EXPECT_EQ(task_rows(update.model.task, *update.model.rows).find("z")->rows[200 + 1], 1);

  std::vector<double> alone_x;
  std::vector<double> alone_z;
  for (const Table* const table : std::initializer_list<const Table*>{&old_rows, &new_rows}) {
    for (std::size_t i = 0; i < table->rows(); ++i) {
      if (table->columns() == 4 && table->at(i, 3) != 0.0) continue;
      alone_x.push_back(table->at(i, 0));
      alone_z.push_back(table->at(i, 1));
    }
  }
  Eigen::MatrixXd design(std::ssize(alone_x), 2);
  design.col(0).setOnes();
  design.col(1) = Eigen::Map<Eigen::VectorXd>(alone_x.data(), std::ssize(alone_x));
  const Eigen::VectorXd target = Eigen::Map<Eigen::VectorXd>(alone_z.data(), std::ssize(alone_z));
  const Eigen::VectorXd by_hand = design.householderQr().solve(target);
  const SamplerSet& set = *update.model.samplers;
  const SamplerVariable& z = set.variables[set.index("z")];
  const SamplerVariable& x = set.variables[set.index("x")];
  EXPECT_NEAR(z.sampler->slopes(1.0)->front() * z.sd / x.sd, by_hand[1], 0.01);
  // At x = 0, where 3 more in 60 of 280 rows would show.
  const double zero = x.standardise(0.0);
  const Condition condition{&zero, true};
  const std::vector<double> no_noise(z.sampler->noise_entries(), 0.0);
  double middle = 0.0;
  z.sampler->start(no_noise, 1)->sample({&condition, 1}, 1.0, {&middle, 1});
  EXPECT_NEAR(z.restore(middle), by_hand[0], 0.02);
}

// A table that speaks of its rows: z was set in every third row, y has a level by group, weights and times.
Table spoken(std::size_t rows, double slope, std::uint64_t index, double first_time, bool words, double hidden = 0.0) {
  const Table plain = drawn(rows, slope, index);
  RandomStream random(9, "update_test.spoken", index);
  std::vector<std::vector<double>> more(4);
  std::vector<double> values(plain.values().begin(), plain.values().end());
  for (std::size_t i = 0; i < rows; ++i) {
    const double cause = random.normal();
    const bool set = i % 3 == 0;
    if (!set) {
      values[rows + i] += hidden * cause;
      values[2 * rows + i] += slope * hidden * cause;
    }
    values[2 * rows + i] += 2.0 * static_cast<double>(i % 5) + hidden * cause;
    more[0].push_back(set ? 1.0 : 0.0);
    more[1].push_back(static_cast<double>(i % 5));
    more[2].push_back(1.0 + static_cast<double>(i % 2));
    more[3].push_back(first_time + static_cast<double>(i));
  }
  for (const auto& column : more) values.insert(values.end(), column.begin(), column.end());
  std::vector<Column> about(7);
  if (words) {
    about[4].type = ColumnType::kCategory;
    about[4].levels = {{0, "north"}, {1, "south"}, {2, "east"}, {3, "west"}, {4, "centre"}};
  }
  return {{"x", "z", "y", "was_set", "branch", "w", "week"}, values, "spoken", about};
}

RehearsalModel learned_spoken(const Table& table, const std::vector<std::string>& keys) {
  Json json = Json::parse(R"({"context": ["x"], "alterable": {"z": [-2, 2]}, "outcome": ["y"],
                              "desired": {"y": [3.5, 4.5]}})");
  const auto says = [&](const char* key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  for (const auto& [key, column] : {std::pair{"group", "branch"}, {"weight", "w"}, {"time", "week"}}) {
    if (says(key)) json[key] = column;
    if (!says(key)) json["ignore"].push_back(column);
  }
  if (says("set_by_hand")) json["set_by_hand"] = {{"z", "was_set"}};
  if (!says("set_by_hand")) json["ignore"].push_back("was_set");
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  options.keep_rows = true;
  return fit_rehearsal(parse_task(json.dump(), "task.json"), table, options, Order{"x", "z", "y"}, {});
}

// Old and new rows one behind the other.
Table stacked(const Table& first, const Table& second) {
  std::vector<double> values;
  for (std::size_t j = 0; j < first.columns(); ++j) {
    for (const Table* const table : {&first, &second}) {
      const auto cells = table->column(j);
      values.insert(values.end(), cells.begin(), cells.end());
    }
  }
  return {first.names(), values, "stacked", first.about()};
}

// Where nothing changes, an update is a fit to all rows of which the task says what it said of the old ones.
TEST(Update, WhatATaskSaysOfItsRowsHoldsForTheNewOnes) {
  const std::vector<std::vector<std::string>> tasks = {
      {"set_by_hand"}, {"group"}, {"weight"}, {"time"}, {"set_by_hand", "group", "weight", "time"}};
  for (const std::vector<std::string>& keys : tasks) {
    SCOPED_TRACE(keys.size() == 1 ? keys.front() : "all");
    const bool grouped = std::find(keys.begin(), keys.end(), "group") != keys.end();
    const double hidden = keys.front() == "set_by_hand" ? 0.6 : 0.0;
    const auto table = [&](std::size_t rows, std::uint64_t index, double time) {
      Table made = spoken(rows, 1.0, index, time, grouped, hidden);
      if (grouped) return made;
      // Levels that nobody speaks of would be noise.
      std::vector<double> values(made.values().begin(), made.values().end());
      for (std::size_t i = 0; i < rows; ++i) values[2 * rows + i] -= 2.0 * made.at(i, 4);
      return Table(made.names(), values, made.source(), made.about());
    };
    const Table old_rows = table(300, 0, 0.0);
    const Table new_rows = table(150, 1, 300.0);
    const RehearsalModel model = learned_spoken(old_rows, keys);
    const ModelUpdate update = update_model(model, *model.rows, new_rows, {}, {});
    for (const VariableUpdate& variable : update.variables) EXPECT_FALSE(variable.changed) << variable.name;
    const RehearsalModel again = learned_spoken(stacked(old_rows, new_rows), keys);
    EXPECT_EQ(slope_of_y(update.model), slope_of_y(again));
    EXPECT_EQ(update.model.groups, again.groups);
    EXPECT_EQ(update.model.set_by_hand, again.set_by_hand);
    EXPECT_EQ(update.model.effective_rows, again.effective_rows);
    // The file keeps the words, and the next update needs nothing else.
    const RehearsalModel read = parse_model(model_bytes(update.model), "m.olem");
    EXPECT_EQ(model_bytes(read), model_bytes(update.model));
    const Table newest = table(60, 2, 450.0);
    EXPECT_EQ(model_bytes(update_model(read, *read.rows, newest, {}, {}).model),
              model_bytes(update_model(update.model, *update.model.rows, newest, {}, {}).model));
  }
}

TEST(Update, AChangeIsFollowedInsideOfGroupsAndBesideRowsThatWereSet) {
  const std::vector<std::string> keys = {"set_by_hand", "group", "weight", "time"};
  const RehearsalModel model = learned_spoken(spoken(300, 1.0, 0, 0.0, true), keys);
  EXPECT_NEAR(slope_of_y(model), 1.0, 0.1);
  const ModelUpdate update = update_model(model, *model.rows, spoken(90, -1.0, 1, 300.0, true), {}, {});
  ASSERT_EQ(update.variables.size(), 2U);
  EXPECT_FALSE(update.variables[0].changed);
  EXPECT_TRUE(update.variables[1].changed);
  EXPECT_NEAR(slope_of_y(update.model), -1.0, 0.25);
}

// A hidden cause gives z another slope where it is left alone. That more rows are set now is no change of y.
TEST(Update, WhichRowsWereSetIsNoChange) {
  const std::vector<std::string> keys = {"set_by_hand"};
  const auto table = [](std::size_t rows, std::uint64_t index, bool all_set) {
    const Table made = spoken(rows, 1.0, index, 0.0, false, all_set ? 0.0 : 0.9);
    std::vector<double> values(made.values().begin(), made.values().end());
    RandomStream random(4, "update_test.more", index);
    for (std::size_t i = 0; i < rows; ++i) {
      values[2 * rows + i] -= 2.0 * made.at(i, 4);
      if (!all_set) continue;
      values[2 * rows + i] += 0.9 * random.normal();
      values[3 * rows + i] = 1.0;
    }
    return Table(made.names(), values, "made");
  };
  const RehearsalModel model = learned_spoken(table(300, 0, false), keys);
  const ModelUpdate update = update_model(model, *model.rows, table(100, 1, true), {}, {});
  for (const VariableUpdate& variable : update.variables) EXPECT_FALSE(variable.changed) << variable.name;
  // Now two thirds of what is known of the effect come from rows that were set.
  EXPECT_NEAR(slope_of_y(update.model), 1.0, 0.12);
}

TEST(Update, AGroupThatIsNewGetsALevelOfItsOwn) {
  const Table old_rows = spoken(300, 1.0, 0, 0.0, true);
  const RehearsalModel model = learned_spoken(old_rows, {"group"});
  EXPECT_EQ(model.groups.size(), 5U);
  const Table more = spoken(60, 1.0, 1, 300.0, true);
  std::vector<double> values(more.values().begin(), more.values().end());
  for (std::size_t i = 0; i < 60; ++i) {
    values[4 * 60 + i] = 0.0;                                      // the same number, another word
    values[2 * 60 + i] += 9.0 - 2.0 * static_cast<double>(i % 5);  // and a level far above the others
  }
  std::vector<Column> about = more.about();
  about[4].levels = {{0, "island"}};
  const ModelUpdate update = update_model(model, *model.rows, Table(more.names(), values, "island", about), {}, {});
  ASSERT_EQ(update.model.groups.size(), 6U);
  const auto island = std::find(update.model.groups.begin(), update.model.groups.end(), "island");
  ASSERT_NE(island, update.model.groups.end());
  const std::vector<NamedValue> observed = {{"x", 0.0}};
  const auto mean_in = [&](const std::string& group) {
    DecisionProblem problem = problem_in_group(decision_problem(update.model, observed), update.model, group);
    problem.fixed = {{"z", 0.0}};
    return decide(problem, {}, {}).outcomes.front().mean;
  };
  EXPECT_NEAR(mean_in("island"), 9.0, 0.4);
  EXPECT_NEAR(mean_in("north"), 0.0, 0.4);
  EXPECT_NEAR(mean_in("centre"), 8.0, 0.4);
}

TEST(Update, TheSameRowsTwiceAreRefused) {
  const RehearsalModel model = learned(drawn(200, 1.0, 0));
  const Table new_rows = drawn(50, 1.0, 1);
  const ModelUpdate update = update_model(model, *model.rows, new_rows, {}, {});
  EXPECT_THROW(update_model(update.model, *update.model.rows, new_rows, {}, {}), Error);
}

TEST(Update, ModelFilesHoldKeptRows) {
  const Table table = drawn(50, 1.0, 0);
  const RehearsalModel model = learned(table);
  const RehearsalModel read = parse_model(model_bytes(model), "m.olem");
  ASSERT_TRUE(read.rows);
  EXPECT_EQ(read.rows->names(), table.names());
  EXPECT_TRUE(std::equal(table.values().begin(), table.values().end(), read.rows->values().begin()));
  EXPECT_EQ(model_bytes(read), model_bytes(model));
  const RehearsalModel plain = learned(table, false);
  EXPECT_FALSE(parse_model(model_bytes(plain), "m.olem").rows);
  const std::size_t more = model_bytes(model).size() - model_bytes(plain).size();
  EXPECT_GE(more, 8U * 150U);
  EXPECT_LT(more, 8U * 150U + 200U);
}

TEST(Drift, AStepIsNamedWithItsRowSoonAfterIt) {
  const RehearsalModel model = learned(drawn(300, 1.0, 0));
  int named = 0;
  for (std::uint64_t run = 0; run < 20; ++run) {
    const Table before = drawn(60, 1.0, 100 + run);
    const Table after = drawn(15, 0.2, 200 + run);
    std::vector<double> values;
    for (std::size_t j = 0; j < 3; ++j) {
      values.insert(values.end(), before.column(j).begin(), before.column(j).end());
      values.insert(values.end(), after.column(j).begin(), after.column(j).end());
    }
    const DriftCheck check = check_drift(model, whole(Table({"x", "z", "y"}, values, "new")), {});
    ASSERT_EQ(check.variables.size(), 1U);  // levers are set, not forecast
    const VariableDrift& y = check.variables[0];
    if (y.drifted && y.strongest.since > 55 && y.strongest.since < 71) ++named;
  }
  EXPECT_GE(named, 18);
}

// Who checks whenever ten more rows have come, up to 100, gets a false alarm in less than 5 % of the cases.
TEST(Drift, FalseAlarmsAreRareForThoseWhoCheckOftenToo) {
  const RehearsalModel model = learned(drawn(300, 1.0, 0));
  int alarms = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    const Table rows = drawn(100, 1.0, 1000 + run);
    bool alarm = false;
    for (std::size_t known = 10; known <= 100; known += 10) {
      std::vector<std::size_t> first(known);
      std::iota(first.begin(), first.end(), std::size_t{0});
      alarm = alarm || check_drift(model, whole(rows.with_rows(first)), {}).variables[0].drifted;
    }
    alarms += alarm ? 1 : 0;
  }
  // 6 or more of 40 at a rate of 5 % would come once in 70 runs.
  EXPECT_LE(alarms, 5);
}

// Rows of groups share their levels, and rows in which a lever was left alone share a hidden cause with it: neither is
// drift. 40 checks at a level of 1 %: 4 or more would come once in 130 runs.
TEST(Drift, WhatTheTaskSaysOfItsRowsIsNoDrift) {
  const std::vector<std::string> keys = {"set_by_hand", "group"};
  const RehearsalModel model = learned_spoken(spoken(600, 1.0, 0, 0.0, true, 0.8), keys);
  int alarms = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    const DriftCheck check = check_drift(model, whole(spoken(100, 1.0, 1000 + run, 0.0, true, 0.8)), {});
    ASSERT_EQ(check.variables.size(), 1U);
    EXPECT_EQ(check.variables[0].rows, 100U);
    alarms += check.variables[0].drifted ? 1 : 0;
  }
  EXPECT_LE(alarms, 3);
  // A change is still found, and rows of a group that nobody knows are left out.
  Table changed = spoken(100, 0.0, 2000, 0.0, true, 0.8);
  EXPECT_TRUE(check_drift(model, whole(changed), {}).variables[0].drifted);
  std::vector<Column> about = changed.about();
  about[4].levels[2].name = "island";
  changed = Table(changed.names(), {changed.values().begin(), changed.values().end()}, "changed", about);
  EXPECT_EQ(check_drift(model, whole(changed), {}).variables[0].rows, 80U);
}

// Rows of the Bermuda simulator; from `step` on the effect of Omega on NEC is another, as in the published stream.
Table bermuda_stream(std::size_t rows, std::size_t step, std::uint64_t index) {
  StructuralModel changed = bermuda_model();
  StructuralNode& nec = changed.nodes.back();
  for (std::size_t k = 0; k < nec.parents.size(); ++k) {
    if (changed.nodes[nec.parents[k]].name == "Omega") std::get<LinearFunction>(nec.function).weights[k] = -1.4;
  }
  const Table before = draw_rows(bermuda_model(), rows, index, {});
  const Table after = draw_rows(changed, rows, index, {});
  std::vector<double> values;
  for (std::size_t j = 0; j < before.columns(); ++j) {
    for (std::size_t i = 0; i < rows; ++i) values.push_back((i < step ? before : after).at(i, j));
  }
  return {before.names(), values, "stream"};
}

// Named within 15 rounds of the step, and rarely named without one.
TEST(Drift, TheStepOfThePublishedStreamIsNamed) {
  BermudaSimulationOptions simulated;
  simulated.rows = 1000;
  const Simulation simulation = bermuda_task(simulated, 0, {});
  Task task;
  task.context = {"Light", "Temp", "Sal"};
  for (const NamedRange& lever : simulation.task->alterable)
    task.alterable.push_back({lever.name, lever.low, lever.high});
  task.outcome = {"NEC"};
  task.desired = Region::box({{"NEC", simulation.task->desired.front().low, simulation.task->desired.front().high}});
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  const RehearsalModel model = fit_rehearsal(task, simulation.data, options, std::nullopt, {});
  int named = 0;
  int alarms = 0;
  constexpr int kStreams = 15;
  for (std::uint64_t run = 0; run < kStreams; ++run) {
    const DriftCheck step = check_drift(model, whole(bermuda_stream(75, 60, 500 + run)), {});
    for (const VariableDrift& variable : step.variables) named += variable.name == "NEC" && variable.drifted ? 1 : 0;
    const DriftCheck still = check_drift(model, whole(bermuda_stream(100, 100, 900 + run)), {});
    alarms += std::any_of(still.variables.begin(), still.variables.end(), [](const auto& one) { return one.drifted; });
  }
  EXPECT_GE(named, 13);
  // 3 or more of 15 at a rate of 1 % would come once in 2400 runs.
  EXPECT_LE(alarms, 2);
}

TEST(Drift, ASpreadThatGrewIsNamedAndGapsAreLeftOut) {
  const RehearsalModel model = learned(drawn(300, 1.0, 0));
  const Table table = drawn(60, 1.0, 5, 1.2);
  std::vector<unsigned char> missing(180, 0);
  missing[120] = 1;
  const DriftCheck check = check_drift(model, {table, missing}, {});
  EXPECT_EQ(check.variables[0].rows, 59U);
  EXPECT_TRUE(check.variables[0].drifted);
  EXPECT_EQ(check.variables[0].strongest.what, "spread");
  ASSERT_EQ(drift_warnings(check).size(), 1U);
  EXPECT_THAT(drift_warnings(check)[0].text, HasSubstr("varies more"));
}

}  // namespace
}  // namespace olem::test::update_test
