#include "decide/bayes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace olem::bayes_test {

using namespace internal;
namespace {

MaternProcess process_of(std::size_t points) {
  RandomStream random(3, "bayes");
  MaternProcess process(2, 1e-6);
  for (std::size_t i = 0; i < points; ++i) {
    const double x[] = {random.uniform(), random.uniform()};
    process.add(x, std::sin(3.0 * x[0]) + 0.5 * x[1] * x[1]);
  }
  return process;
}

// One point of variance s^2 and no distance: ln N(0; 0, s^2 + noise), since a single value is its own mean.
TEST(MaternProcess, LikelihoodOfOneValue) {
  MaternProcess process(1, 0.5);
  const double at[] = {0.3};
  process.add(at, 7.0);
  const double parameters[] = {std::log(1.5), 0.0};
  double gradient[2];
  EXPECT_NEAR(process.log_likelihood(parameters, gradient), -0.5 * std::log(2.0 * std::numbers::pi * 2.0), 1e-12);
  EXPECT_NEAR(gradient[0], -0.5 * 1.5 / 2.0, 1e-12);
  EXPECT_NEAR(gradient[1], 0.0, 1e-12);
}

TEST(MaternProcess, GradientIsThatOfCentralDifferences) {
  const MaternProcess process = process_of(12);
  std::vector<double> parameters = {std::log(0.4), std::log(0.5), std::log(0.9)};
  std::vector<double> gradient(3);
  std::vector<double> unused(3);
  process.log_likelihood(parameters, gradient);
  for (std::size_t p = 0; p < 3; ++p) {
    constexpr double kStep = 1e-5;
    std::vector<double> moved = parameters;
    moved[p] += kStep;
    const double up = process.log_likelihood(moved, unused);
    moved[p] -= 2.0 * kStep;
    const double numerical = (up - process.log_likelihood(moved, unused)) / (2.0 * kStep);
    EXPECT_NEAR(gradient[p], numerical, 1e-5 * std::max(1.0, std::abs(numerical))) << p;
  }
}

TEST(MaternProcess, PredictsWhatItHasSeenAndDoubtsTheRest) {
  MaternProcess process = process_of(30);
  RandomStream random(4, "bayes");
  process.fit(2, random, Context());
  const double near[] = {0.5, 0.5};
  EXPECT_NEAR(process.predict(near).mean, std::sin(1.5) + 0.125, 0.02);
  const double far[] = {4.0, 4.0};
  EXPECT_GT(process.predict(far).deviation, 5.0 * process.predict(near).deviation);
}

// u = 0: s phi(0). u = 1, s = 2: 2 Phi(1) + 2 phi(1).
TEST(ExpectedImprovement, KnownValues) {
  EXPECT_NEAR(expected_improvement({1.0, 2.0}, 1.0), 2.0 * 0.3989422804, 1e-9);
  EXPECT_NEAR(expected_improvement({3.0, 2.0}, 1.0), 2.0 * 0.8413447461 + 2.0 * 0.2419707245, 1e-9);
  EXPECT_EQ(expected_improvement({3.0, 0.0}, 1.0), 2.0);
  EXPECT_EQ(expected_improvement({0.0, 0.0}, 1.0), 0.0);
}

TEST(Bayes, FindsTheTopOfAHillWithinItsBudget) {
  const Domain domain = *Domain::make({{-2.0, 0.0}, {3.0, 4.0}}, {}, Context());
  RandomStream random(5, "bayes");
  const auto hill = [](std::span<const double> x) {
    return std::exp(-0.5 * (x[0] - 0.7) * (x[0] - 0.7) - 0.5 * (x[1] - 3.1) * (x[1] - 3.1));
  };
  const auto points = maximise_by_bayes(domain, hill, {}, random, Context());
  EXPECT_LE(points.size(), 40U);
  const auto best =
      std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  EXPECT_GT(best->value, 0.995);
}

// The same hill, of which x0 + x1 <= 2 leaves the foot: the best point is (-0.2, 2.2), the value exp(-0.81).
TEST(Bayes, ConstraintsAreObeyedAtEveryEvaluation) {
  const Domain domain = *Domain::make({{-2.0, 0.0}, {3.0, 4.0}}, {{{1.0, 1.0}, 2.0, 1e-9}}, Context());
  RandomStream random(5, "bayes");
  double best = 0.0;
  const auto hill = [&](std::span<const double> x) {
    EXPECT_TRUE(domain.contains(x));
    const double value = std::exp(-0.5 * (x[0] - 0.7) * (x[0] - 0.7) - 0.5 * (x[1] - 3.1) * (x[1] - 3.1));
    best = std::max(best, value);
    return value;
  };
  maximise_by_bayes(domain, hill, {}, random, Context());
  EXPECT_NEAR(best, std::exp(-0.81), 0.02);
}

}  // namespace
}  // namespace olem::bayes_test
