#include "olem/calibration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>

#include "decide/helpers.h"

namespace olem::test::calibration_test {

using namespace internal;
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> normal_draws(std::size_t count, double mean, double sd) {
  // At evenly spaced probabilities: as near to the distribution as so many draws can be.
  std::vector<double> draws(count);
  for (std::size_t i = 0; i < count; ++i)
    draws[i] = mean + sd * normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count));
  return draws;
}

// Gneiting and Raftery 2007, equation 21.
double normal_crps(double mean, double sd, double y) {
  const double z = (y - mean) / sd;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return sd * (z * (2.0 * below - 1.0) + 2.0 * density - 1.0 / std::sqrt(std::numbers::pi));
}

TEST(Crps, OfANormalForecastIsTheClosedForm) {
  const std::vector<double> draws = normal_draws(200000, 1.0, 2.0);
  for (const double y : {-4.0, 0.0, 1.0, 1.5, 9.0}) EXPECT_NEAR(crps(draws, y), normal_crps(1.0, 2.0, y), 1e-4) << y;
}

TEST(Crps, SmallCasesByHand) {
  EXPECT_DOUBLE_EQ(crps(std::vector{3.0, 3.0, 3.0}, 5.0), 2.0);  // a sure forecast: the distance
  EXPECT_DOUBLE_EQ(crps(std::vector{0.0, 1.0}, 0.5), 0.0);       // 1/2 - 1/2
  EXPECT_DOUBLE_EQ(crps(std::vector{0.0, 1.0, 5.0}, 2.0), 2.0 - 10.0 / 6.0);
}

// On average over the draws the score does not depend on how many there are.
TEST(Crps, HasNoBiasWithFewDraws) {
  RandomStream random(1, "test.crps");
  constexpr int kTrials = 20000;
  double mean = 0.0;
  for (int trial = 0; trial < kTrials; ++trial)
    mean += crps(sorted({random.normal(), random.normal(), random.normal()}), 0.7) / kTrials;
  EXPECT_NEAR(mean, normal_crps(0.0, 1.0, 0.7), 0.012);  // four standard errors
}

TEST(ProbabilityTransform, IsTheRank) {
  const std::vector<double> draws = {1.0, 2.0, 2.0, 4.0};
  EXPECT_DOUBLE_EQ(probability_transform(draws, 0.0), 0.1);
  EXPECT_DOUBLE_EQ(probability_transform(draws, 1.5), 0.3);
  EXPECT_DOUBLE_EQ(probability_transform(draws, 2.0), 0.5);  // in the middle of its equals
  EXPECT_DOUBLE_EQ(probability_transform(draws, 9.0), 0.9);
}

// Of the 200 ranks that a row can have among 199 draws, each tenth and each interval holds its exact share.
TEST(Places, RanksFallEvenly) {
  const std::vector<double> draws = normal_draws(199, 0.0, 1.0);
  std::vector<double> places = {probability_transform(draws, -99.0)};
  for (const double draw : draws) places.push_back(probability_transform(draws, draw + 1e-9));
  EXPECT_THAT(pit_histogram(places), Each(20U));
  for (const double level : kCoverageLevels) EXPECT_DOUBLE_EQ(central_coverage(places, level), level);
}

TEST(Places, HistogramCountsEveryPlaceOnce) {
  EXPECT_THAT(pit_histogram(std::vector{0.0, 0.05, 0.95, 0.55, 1.0}), ElementsAre(2, 0, 0, 0, 0, 1, 0, 0, 0, 2));
}

RC_GTEST_PROP(Crps, ShiftsAndScalesWithTheUnits, ()) {
  const auto raw =
      *rc::gen::suchThat(rc::gen::arbitrary<std::vector<int>>(), [](const auto& v) { return v.size() > 1; });
  std::vector<double> draws;
  for (const int value : raw) draws.push_back(value % 1000);
  const double y = *rc::gen::inRange(-1000, 1000);
  std::sort(draws.begin(), draws.end());
  std::vector<double> other = draws;
  for (double& value : other) value = 4.0 * value - 7.0;
  RC_ASSERT(std::abs(crps(other, 4.0 * y - 7.0) - 4.0 * crps(draws, y)) <
            1e-9 * (1.0 + 4.0 * std::abs(crps(draws, y))));
}

const VariableCalibration& named(const Calibration& calibration, const std::string& name) {
  const auto found = std::find_if(calibration.variables.begin(), calibration.variables.end(),
                                  [&](const auto& variable) { return variable.name == name; });
  EXPECT_NE(found, calibration.variables.end());
  return *found;
}

std::vector<VariableConditions> farm_conditions() {
  std::vector<VariableConditions> variables = conditions_from_order({"weather", "dose", "rate", "yield"});
  variables[0].given = true;
  return variables;
}

TEST(Calibrate, ARightModelIsFoundToBeRight) {
  const Calibration calibration = calibrate(farm(1200, 5), farm_conditions(), {}, {});
  EXPECT_EQ(calibration.training_rows, 840U);
  EXPECT_EQ(calibration.held_out_rows, 360U);
  ASSERT_EQ(calibration.variables.size(), 3U);  // weather is given
  const auto rows = static_cast<double>(calibration.held_out_rows);
  for (const VariableCalibration& variable : calibration.variables) {
    for (std::size_t i = 0; i < kCoverageLevels.size(); ++i) {
      const double level = kCoverageLevels[i];
      EXPECT_NEAR(variable.coverage[i], level, 4.0 * std::sqrt(level * (1.0 - level) / rows)) << variable.name;
    }
    EXPECT_EQ(std::accumulate(variable.pit.begin(), variable.pit.end(), std::size_t{0}), calibration.held_out_rows);
    for (const std::size_t count : variable.pit)
      EXPECT_NEAR(static_cast<double>(count), 0.1 * rows, 4.5 * std::sqrt(0.09 * rows)) << variable.name;
  }
  // Noise of standard deviation 0.8 in `rate`: E ln p = -ln(0.8 sqrt(2 pi e)), E CRPS = 0.8 / sqrt(pi).
  const VariableCalibration& rate = named(calibration, "rate");
  EXPECT_NEAR(rate.log_likelihood, -std::log(0.8 * std::sqrt(2.0 * std::numbers::pi * std::numbers::e)), 0.12);
  EXPECT_NEAR(rate.crps, 0.8 / std::sqrt(std::numbers::pi), 0.06);
  EXPECT_NEAR(rate.log_likelihood, rate.linear_log_likelihood, 0.02);
  // A straight line misses how the yield saturates.
  const VariableCalibration& yield = named(calibration, "yield");
  EXPECT_GT(yield.log_likelihood, yield.linear_log_likelihood + 0.1);
  EXPECT_LT(yield.crps, 0.9 * yield.linear_crps);
}

TEST(Calibrate, OfTheLinearSamplerEqualsItsOwnBaseline) {
  SamplerOptions options;
  options.sampler = "linear";
  for (const VariableCalibration& variable : calibrate(farm(100, 5), farm_conditions(), options, {}).variables) {
    EXPECT_EQ(variable.log_likelihood, variable.linear_log_likelihood);
    EXPECT_EQ(variable.crps, variable.linear_crps);
  }
}

TEST(Calibrate, DependsOnTheSeedAndNotOnThreads) {
  const auto text = [](int threads, std::uint64_t seed) {
    Context context;
    context.threads = threads;
    context.seed = seed;
    return to_json(calibrate(farm(80, 5), farm_conditions(), {}, context)).dump();
  };
  EXPECT_EQ(text(1, 1), text(3, 1));
  EXPECT_NE(text(1, 1), text(1, 2));
}

// In other units likelihoods move by the logarithm of the factor, scores by the factor, and ranks not at all.
TEST(Calibrate, SpeaksTheUnitsOfTheColumn) {
  const Table table = farm(100, 5);
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < table.rows(); ++i) values[3 * table.rows() + i] *= 8.0;
  SamplerOptions options;
  options.sampler = "linear";
  const Calibration before = calibrate(table, farm_conditions(), options, {});
  const Calibration after = calibrate(Table(table.names(), values), farm_conditions(), options, {});
  const VariableCalibration& small = named(before, "yield");
  const VariableCalibration& large = named(after, "yield");
  EXPECT_NEAR(large.log_likelihood, small.log_likelihood - std::log(8.0), 1e-9);
  EXPECT_NEAR(large.crps, 8.0 * small.crps, 1e-9);
  EXPECT_EQ(large.pit, small.pit);
}

TEST(Calibrate, TooFewRowsIsAStatus) {
  const Calibration calibration = calibrate(farm(25, 5), farm_conditions(), {}, {});
  EXPECT_EQ(calibration.summary.status, Status::kTooFewRows);
  EXPECT_TRUE(calibration.variables.empty());
}

}  // namespace
}  // namespace olem::test::calibration_test
