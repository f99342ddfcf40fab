#include "core/lbfgsb.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "olem/error.h"

namespace olem::lbfgsb_test {

using namespace internal;
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  const double a = 1.0 - x[0];
  const double b = x[1] - x[0] * x[0];
  gradient[0] = -2.0 * a - 400.0 * x[0] * b;
  gradient[1] = 200.0 * b;
  return a * a + 100.0 * b * b;
}

TEST(Lbfgsb, FindsTheMinimumOfABentValley) {
  LbfgsbOptions options;
  options.relative_reduction = 1e-15;
  options.gradient_tolerance = 1e-10;
  const std::vector<double> free = {kFree, kFree};
  const std::vector<double> minus_free = {-kFree, -kFree};
  const LbfgsbResult result = minimise_lbfgsb({-1.2, 1.0}, minus_free, free, rosenbrock, options, Context());
  EXPECT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.x[0], 1.0, 1e-6);
  EXPECT_NEAR(result.x[1], 1.0, 1e-6);
  EXPECT_GT(result.iterations, 5);
}

// With x0 <= 0.5 the minimum lies on the bound: (0.5, 0.25), value 0.25.
TEST(Lbfgsb, StaysWithinBounds) {
  const std::vector<double> low = {-2.0, -kFree};
  const std::vector<double> high = {0.5, 2.0};
  bool inside = true;
  const auto watched = [&](std::span<const double> x, std::span<double> gradient) {
    inside = inside && x[0] >= -2.0 && x[0] <= 0.5 && x[1] <= 2.0;
    return rosenbrock(x, gradient);
  };
  const LbfgsbResult result = minimise_lbfgsb({5.0, 5.0}, low, high, watched, {}, Context());
  EXPECT_TRUE(inside);
  EXPECT_NEAR(result.x[0], 0.5, 1e-8);
  EXPECT_NEAR(result.x[1], 0.25, 1e-4);
  EXPECT_NEAR(result.value, 0.25, 1e-8);
}

TEST(Lbfgsb, StopsAtTheLimitOfIterationsWithTheBestPoint) {
  LbfgsbOptions options;
  options.iterations = 3;
  const std::vector<double> free = {kFree, kFree};
  const std::vector<double> minus_free = {-kFree, -kFree};
  std::vector<double> gradient(2);
  const LbfgsbResult result = minimise_lbfgsb({-1.2, 1.0}, minus_free, free, rosenbrock, options, Context());
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(result.value, rosenbrock(result.x, gradient));
  EXPECT_LT(result.value, rosenbrock(std::vector<double>{-1.2, 1.0}, gradient));
}

TEST(Lbfgsb, AFunctionThatIsNotFiniteEndsTheSearch) {
  const std::vector<double> low = {-kFree};
  const std::vector<double> high = {kFree};
  const auto cliff = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -1.0;
    return x[0] > 2.0 ? std::nan("") : -x[0];
  };
  const LbfgsbResult result = minimise_lbfgsb({0.0}, low, high, cliff, {}, Context());
  EXPECT_FALSE(result.converged);
  EXPECT_LE(result.x[0], 2.0);
  EXPECT_TRUE(std::isfinite(result.value));
}

TEST(Lbfgsb, CanBeInterrupted) {
  std::atomic<bool> stop = true;
  Context context;
  context.interrupt = &stop;
  const std::vector<double> low = {-kFree, -kFree};
  const std::vector<double> high = {kFree, kFree};
  EXPECT_THROW(minimise_lbfgsb({0.0, 0.0}, low, high, rosenbrock, {}, context), Error);
}

}  // namespace
}  // namespace olem::lbfgsb_test
