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
#include "sampler/discrete_data.h"

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

// Levels that are forecast with 30 % come in 30 % of the cases.
TEST(Calibrate, ReliabilityOfDiscreteColumns) {
  for (const std::string form : {"binary", "ordinal", "category"}) {
    std::vector<VariableConditions> variables = conditions_from_order({"a", "b", "g", "y"});
    for (std::size_t k = 0; k < 3; ++k) variables[k].given = true;
    const Calibration calibration = calibrate(discrete_table(form, 1500, 6), variables, {}, {});
    const VariableCalibration& y = named(calibration, "y");
    ASSERT_EQ(y.reliability.size(), kReliabilityBins) << form;
    std::size_t forecasts = 0;
    for (std::size_t i = 0; i < kReliabilityBins; ++i) {
      const ReliabilityBin& bin = y.reliability[i];
      forecasts += bin.forecasts;
      if (bin.forecasts < 20) continue;
      EXPECT_GE(bin.probability, 0.1 * static_cast<double>(i)) << form;
      EXPECT_LE(bin.probability, 0.1 * static_cast<double>(i + 1)) << form;
      const double error =
          std::sqrt(bin.probability * (1.0 - bin.probability) / static_cast<double>(bin.forecasts)) + 0.01;
      EXPECT_NEAR(bin.share, bin.probability, 4.0 * error) << form << i;
    }
    EXPECT_EQ(forecasts, calibration.held_out_rows * (form == "binary" ? 2U : form == "ordinal" ? 4U : 3U)) << form;
    // Both are probabilities of levels, and the line knows less.
    EXPECT_LT(y.linear_log_likelihood, 0.0) << form;
    EXPECT_GT(y.log_likelihood, y.linear_log_likelihood - 0.01) << form;
  }
}

// Forecasts that are too wide for low x and too narrow for high x.
Calibration uneven(std::size_t rows) {
  Calibration calibration;
  calibration.held_out_rows = rows;
  calibration.kept.names = {"x"};
  calibration.kept.values.emplace_back();
  VariableCalibration& y = calibration.variables.emplace_back();
  y.name = "y";
  for (std::size_t i = 0; i < rows; ++i) {
    calibration.kept.values[0].push_back(static_cast<double>(i));
    const bool low = 2 * i < rows;
    y.places.push_back(low ? 0.5 : i % 2 == 0 ? 0.02 : 0.98);
  }
  return calibration;
}

SamplerSet one_variable() {
  SamplerSet set;
  set.variables.emplace_back();
  set.variables.back().name = "x";
  set.variables.back().mean = 100.0;
  set.variables.back().sd = 50.0;
  return set;
}

TEST(CalibrationNear, WhatCancelsOverallIsSeenNearby) {
  const Calibration calibration = uneven(200);
  const std::vector<std::string> names = {"y"};
  const auto low = calibration_near(calibration, one_variable(), std::vector<NamedValue>{{"x", 10.0}});
  ASSERT_TRUE(low.has_value());
  EXPECT_EQ(low->rows, 40U);
  ASSERT_EQ(low->variables.size(), 1U);
  EXPECT_THAT(low->variables[0].coverage, Each(1.0));
  EXPECT_EQ(low->variables[0].pit[5], 40U);
  ASSERT_EQ(calibration_warnings(*low, names).size(), 0U) << "all of 40 is 3.2 standard errors above 80 %";
  const auto high = calibration_near(calibration, one_variable(), std::vector<NamedValue>{{"x", 190.0}});
  ASSERT_TRUE(high.has_value());
  EXPECT_THAT(high->variables[0].coverage, Each(0.0));
  const std::vector<Warning> warnings = calibration_warnings(*high, names);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "calibration");
  EXPECT_EQ(warnings[0].where, "y");
  EXPECT_NE(warnings[0].text.find("too narrow: 0 % of the 40 nearest rows"), std::string::npos) << warnings[0].text;
  EXPECT_TRUE(calibration_warnings(*high, {}).empty());
  EXPECT_EQ(to_json(*high)["variables"]["y"]["coverage"]["80"], 0.0);
}

TEST(CalibrationNear, NeedsRowsAndConditionsThatWereKept) {
  EXPECT_FALSE(calibration_near(uneven(40), one_variable(), std::vector<NamedValue>{{"x", 10.0}}).has_value());
  EXPECT_FALSE(calibration_near(uneven(200), one_variable(), std::vector<NamedValue>{{"z", 10.0}}).has_value());
  EXPECT_FALSE(calibration_near(uneven(200), one_variable(), {}).has_value());
  // What is a condition is not forecast.
  Calibration both = uneven(200);
  both.variables.push_back(both.variables.front());
  both.variables.back().name = "x";
  EXPECT_EQ(calibration_near(both, one_variable(), std::vector<NamedValue>{{"x", 10.0}})->variables.size(), 1U);
}

// Another level is farther away than one standard deviation of a number.
TEST(CalibrationNear, LevelsOfACategoryHaveNoDistanceButEqualOrNot) {
  Calibration calibration = uneven(100);
  for (double& value : calibration.kept.values[0]) value = std::fmod(value, 5.0);
  for (std::size_t i = 0; i < 100; ++i) calibration.variables[0].places[i] = i % 5 == 3 ? 0.5 : 0.01;
  SamplerSet set = one_variable();
  set.variables[0].about.type = ColumnType::kCategory;
  const auto near = calibration_near(calibration, set, std::vector<NamedValue>{{"x", 3.0}});
  ASSERT_TRUE(near.has_value());
  EXPECT_THAT(near->variables[0].coverage, Each(1.0));
}

TEST(Calibrate, KeepsRowsThatAreAskedFor) {
  const Calibration none = calibrate(farm(100, 5), farm_conditions(), {}, {});
  EXPECT_EQ(none.kept.size(), 0U);
  const Calibration some = calibrate(farm(100, 5), farm_conditions(), {}, {}, {"weather", "dose"});
  EXPECT_EQ(some.kept.names, (std::vector<std::string>{"weather", "dose"}));
  EXPECT_EQ(some.kept.size(), 30U);
  for (const VariableCalibration& variable : some.variables) {
    EXPECT_EQ(variable.places.size(), 30U);
    EXPECT_EQ(pit_histogram(variable.places), variable.pit);
  }
}

TEST(Calibrate, TooFewRowsIsAStatus) {
  const Calibration calibration = calibrate(farm(25, 5), farm_conditions(), {}, {});
  EXPECT_EQ(calibration.summary.status, Status::kTooFewRows);
  EXPECT_TRUE(calibration.variables.empty());
}

}  // namespace
}  // namespace olem::test::calibration_test
