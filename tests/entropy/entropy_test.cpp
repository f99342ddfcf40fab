#include "olem/entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "olem/error.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem::entropy_test {
namespace {

// One column after the other.
Table points(std::vector<std::string> names, std::vector<double> values) {
  return {std::move(names), std::move(values)};
}

double entropy(const Table& table, const EntropyOptions& options = {}) {
  return estimate_entropy(table, options, Context()).value;
}

EntropyOptions with_k(int k) {
  EntropyOptions options;
  options.k = k;
  return options;
}

EntropyOptions with_ties(TiePolicy ties) {
  EntropyOptions options;
  options.ties = ties;
  return options;
}

EntropyOptions with_estimator(const std::string& name) {
  EntropyOptions options;
  options.estimator = name;
  return options;
}

TEST(UnitBall, LogVolumes) {
  EXPECT_NEAR(log_unit_ball_volume(1), 0.69314718056, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(2), 1.144729885849, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(3), 1.432411958301, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(4), 1.596312591139, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(5), 1.660851112276, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(10), 0.936157686465, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(19), -3.065691303834, 1e-11);
  EXPECT_NEAR(log_unit_ball_volume(20), -3.657113714582, 1e-11);
}

TEST(KnnEntropy, WorkedExamplesByHand) {
  const Table line = points({"x"}, {0, 1, 3, 4, 7, 8, 12, 13});
  EXPECT_NEAR(entropy(line), std::log(2.0) + std::log(7.0) + std::numbers::egamma, 1e-12);
  EXPECT_NEAR(entropy(line), 3.2162729945, 1e-10);
  EXPECT_NEAR(entropy(line, with_k(2)), 3.3492927272, 1e-10);
  EXPECT_NEAR(entropy(line, with_k(3)), 3.0732626609, 1e-10);
  const Table plane = points({"x", "y"}, {0, 1, 0, 3, 2, 0, 0, 2, 1, 3});
  EXPECT_NEAR(entropy(plane), 4.0292739491, 1e-10);
  EXPECT_NEAR(entropy(plane, with_k(2)), 3.6730491140, 1e-10);
}

TEST(KnnEntropy, KnownAnswerDataSet) {
  EXPECT_NEAR(entropy(test::ka5()), 7.083493, 5e-7);
  EXPECT_NEAR(entropy(test::ka5(), with_k(3)), 7.177362, 5e-7);
  EXPECT_NEAR(entropy(test::ka5(), with_k(5)), 7.265867, 5e-7);
  EXPECT_EQ(entropy(test::ka5(), with_estimator("knn")), entropy(test::ka5()));
}

TEST(KnnEntropy, TiePolicies) {
  const Table table = points({"x", "y"}, {0, 0, 1, 0, 3, 2, 0, 0, 0, 2, 1, 3});
  // Nearest distances 0, 0, 1, 2, sqrt 5, sqrt 5.
  const double constant = log_unit_ball_volume(2) + std::log(5.0) + std::numbers::egamma;
  const double known = std::log(1.0) + std::log(2.0) + std::log(5.0);
  EXPECT_NEAR(entropy(table), 2.0 * known / 4.0 + constant, 1e-12);
  EXPECT_NEAR(entropy(table, with_ties(TiePolicy::kFloor)), -0.5062583585, 1e-10);
  EXPECT_NEAR(entropy(table, with_ties(TiePolicy::kDistinct)), 2.0 * (known + 2.0 * std::log(1.0)) / 6.0 + constant,
              1e-12);
  EXPECT_DOUBLE_EQ(estimate_entropy(table, {}, Context()).zero_share, 2.0 / 6.0);
  try {
    entropy(table, with_ties(TiePolicy::kError));
    FAIL() << "zero distances were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("2 of 6 points"), std::string::npos) << error.what();
  }
}

TEST(KnnEntropy, JitterIsSmallSeededAndStaysWithItsColumn) {
  const Table table = points({"x", "y"}, {0, 0, 1, 0, 3, 2, 0, 0, 0, 2, 1, 3});
  const Table swapped = points({"y", "x"}, {0, 0, 0, 2, 1, 3, 0, 0, 1, 0, 3, 2});
  const EntropyOptions options = with_ties(TiePolicy::kJitter);
  Context one;
  Context two;
  two.seed = 1;
  const double value = estimate_entropy(table, options, one).value;
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(value, estimate_entropy(table, options, one).value);
  EXPECT_NE(value, estimate_entropy(table, options, two).value);
  EXPECT_NEAR(value, estimate_entropy(swapped, options, one).value, 1e-12);
}

TEST(KnnEntropy, OnlyZeroDistancesGiveMinusInfinity) {
  const Table table = points({"x"}, {1, 1, 2, 2});
  EXPECT_EQ(entropy(table), -std::numeric_limits<double>::infinity());
}

TEST(KnnEntropy, TooFewRowsAreRefused) {
  EXPECT_THROW(entropy(points({"x"}, {1, 2, 3}), with_k(3)), Error);
  EXPECT_NO_THROW(entropy(points({"x"}, {1, 2, 4}), with_k(2)));
}

TEST(KnnEntropy, AffineCorrectionEstimatesTheSameQuantity) {
  // Three columns whose units differ by a factor of 1e6: the correction leaves the estimand alone.
  const Table base = test::normal_table(4000, 3, 21);
  std::vector<double> values(base.values().begin(), base.values().end());
  for (std::size_t i = 0; i < 4000; ++i) values[i] *= 1e3;
  for (std::size_t i = 0; i < 4000; ++i) values[4000 + i] *= 1e-3;
  EntropyOptions options;
  options.affine = AffineCorrection::kScale;
  EXPECT_NEAR(entropy({base.names(), std::move(values)}, options), entropy(base, options), 1e-9);
  EXPECT_NEAR(entropy(base, options), 3 * 1.4189385332, 0.15);
}

class StatisticalEntropy : public testing::TestWithParam<std::string> {};

// Standard error of the nearest-neighbour estimate: sqrt((Var ln f + pi^2 / 6) / n) in one dimension.
TEST_P(StatisticalEntropy, NormalAndUniformSamples) {
  constexpr std::size_t kRows = 2000;
  const double error = 5.0 * std::sqrt((0.5 + std::numbers::pi * std::numbers::pi / 6.0) / kRows);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_NEAR(entropy(test::normal_table(kRows, 1, seed), with_estimator(GetParam())), 1.4189385332, error);
    if (GetParam() == "gaussian") continue;
    RandomStream random(seed, "uniform");
    std::vector<double> values(2 * kRows);
    for (double& value : values) value = random.uniform();
    // The border of the square costs a little more.
    EXPECT_NEAR(entropy(points({"a", "b"}, std::move(values)), with_estimator(GetParam())), 0.0, error + 0.06);
  }
}
INSTANTIATE_TEST_SUITE_P(Estimators, StatisticalEntropy,
                         testing::Values("kl", "knn", "weighted", "ensemble", "gaussian"));

TEST(WeightedEntropy, Weights) {
  const std::vector<double> four = {1.29807089, 0.61577441, 0.10405206, -0.32238324, -0.69551412};
  const std::vector<double> eight = {9.85413658, -7.66910492, -7.22996701, -1.20503166, 7.24996702};
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(weighted_estimator_weights(4, 5)[j], four[j], 5e-9);
    EXPECT_NEAR(weighted_estimator_weights(8, 5)[j], eight[j], 5e-8);
  }
  EXPECT_EQ(weighted_estimator_weights(3, 3), (std::vector<double>{0, 0, 1}));
  EXPECT_THROW(weighted_estimator_weights(8, 2), Error);
}

TEST(WeightedEntropy, IsTheWeightedSumOfTheNeighbourEstimates) {
  const Table table = test::normal_table(300, 5, 2);
  const auto weights = weighted_estimator_weights(5, 20);  // 10 (floor(5 / 4) + 1)
  double expected = 0.0;
  for (int j = 1; j <= 20; ++j) expected += weights[static_cast<std::size_t>(j) - 1] * entropy(table, with_k(j));
  EXPECT_NEAR(entropy(table, with_estimator("weighted")), expected, 1e-10);
}

TEST(EnsembleEntropy, Weights) {
  const std::vector<double> factors = {0.5, 1, 1.5, 2, 2.5, 3};
  const std::vector<double> expected = {1.17257974, 0.65518134, 0.25816758, -0.0765305, -0.37140543, -0.63799274};
  const auto weights = ensemble_estimator_weights(2, 2000, factors, 3.0);
  for (std::size_t l = 0; l < factors.size(); ++l) EXPECT_NEAR(weights[l], expected[l], 5e-9);

  const auto squared_norm = [](const std::vector<double>& w) {
    double sum = 0.0;
    for (const double x : w) sum += x * x;
    return sum;
  };
  EXPECT_NEAR(squared_norm(ensemble_estimator_weights(3, 2000, factors, 1e9)), 138.9, 0.05);
  const auto relaxed = ensemble_estimator_weights(3, 2000, factors, 3.0);
  EXPECT_NEAR(squared_norm(relaxed), 3.0, 1e-6);
  double sum = 0.0;
  for (const double w : relaxed) sum += w;
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(GaussianEntropy, ClosedForms) {
  // Unit vectors and their negatives: the covariance is I / 2.
  const Table table = points({"x", "y"}, {1, -1, 0, 0, 0, 0, 1, -1});
  EXPECT_NEAR(entropy(table, with_estimator("gaussian")),
              0.5 * (2.0 * std::log(2.0 * std::numbers::pi * std::numbers::e) + 2.0 * std::log(0.5)), 1e-12);
}

TEST(GaussianEntropy, ConditionalEntropyIsThatOfTheResidualVariance) {
  const Table table = test::ka5();
  const auto sequence = start_entropy_sequence(table, with_estimator("gaussian"), Context());
  const StepEntropies step = sequence->evaluate(Context(), [](double) {});
  // 1 / Omega_ii is the residual variance of regressing i on the rest; the diagonal of Omega is that of LISTEN.
  const double omega[5] = {2.364346, 1.623437, 1.084361, 0.909984, 0.629451};
  for (std::size_t v = 0; v < 5; ++v) {
    EXPECT_NEAR(step.joint - step.without[v], 0.5 * std::log(2.0 * std::numbers::pi * std::numbers::e / omega[v]),
                1e-6);
  }
}

TEST(GaussianEntropy, DependentColumnsAreNamed) {
  const Table base = test::normal_table(50, 2, 1);
  std::vector<double> values(base.values().begin(), base.values().end());
  for (std::size_t i = 0; i < 50; ++i) values.push_back(values[i] - 2.0 * values[50 + i]);
  const Table table = points({"a", "b", "difference"}, std::move(values));
  try {
    entropy(table, with_estimator("gaussian"));
    FAIL() << "a singular covariance was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'difference'"), std::string::npos) << error.what();
  }
  EntropyOptions ridge = with_estimator("gaussian");
  ridge.ridge = 1e-8;
  EXPECT_TRUE(std::isfinite(entropy(table, ridge)));
  EXPECT_THROW(entropy(test::normal_table(5, 5, 1), with_estimator("gaussian")), Error);
}

TEST(EntropySequence, ContributionsAverageToTheEntropyUpToAConstant) {
  const Table table = test::ka5();
  for (const EntropyEstimatorKind& kind : entropy_estimators()) {
    const auto sequence = start_entropy_sequence(table, with_estimator(kind.name), Context());
    const StepEntropies step = sequence->evaluate(Context(), [](double) {});
    const auto mean = [&](std::size_t v) {
      double sum = 0.0;
      double used = 0.0;
      for (const double c : sequence->contributions(v)) {
        if (std::isnan(c)) continue;
        sum += c;
        used += 1.0;
      }
      return sum / used;
    };
    for (std::size_t v = 1; v < 5; ++v) {
      // The influence of a point is not its contribution for the closed form: there the means agree exactly.
      const double expected = kind.name == "gaussian" ? 0.0 : step.without[v] - step.without[0];
      EXPECT_NEAR(mean(v) - mean(0), expected, 1e-9) << kind.name;
    }
  }
}

TEST(EntropyOptionsTest, UnknownEstimatorAndBadValuesAreRefused) {
  EXPECT_THROW(entropy(test::ka5(), with_estimator("parzen")), Error);
  EXPECT_THROW(entropy(test::ka5(), with_k(0)), Error);
  EntropyOptions floor = with_ties(TiePolicy::kFloor);
  floor.floor = 0.0;
  EXPECT_THROW(entropy(test::ka5(), floor), Error);
}

}  // namespace
}  // namespace olem::entropy_test
