#include "olem/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/random.h"
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

TEST(Drift, FalseAlarmsAreRare) {
  // 5 % at most are meant; 11 of 100 would come in less than 2 of 100 runs of a test at that level.
  const RehearsalModel model = learned(drawn(300, 1.0, 0));
  int alarms = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    const DriftCheck check = check_drift(model, whole(drawn(100, 1.0, 1000 + run)), {});
    alarms += check.variables[0].drifted ? 1 : 0;
  }
  EXPECT_LE(alarms, 10);
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
