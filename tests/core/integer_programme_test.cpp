#include "core/integer_programme.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "olem/error.h"
#include "olem/random.h"

namespace olem::integer_programme_test {

using namespace internal;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Items of random weight and worth for one knapsack.
IntegerProgramme knapsack(std::size_t items, std::uint64_t seed) {
  RandomStream random(seed, "knapsack");
  IntegerProgramme programme;
  std::vector<double> weights;
  for (std::size_t j = 0; j < items; ++j) {
    weights.push_back(random.uniform(1.0, 3.0));
    programme.whole.push_back(programme.linear.add_variable(-random.uniform(1.0, 3.0), 0.0, 1.0));
  }
  programme.linear.add_row(weights, -kInfinity, 0.8 * static_cast<double>(items));
  return programme;
}

double by_enumeration(const IntegerProgramme& programme) {
  const std::size_t items = programme.linear.size();
  double best = 0.0;
  for (std::size_t set = 0; set < (std::size_t{1} << items); ++set) {
    double weight = 0.0;
    double cost = 0.0;
    for (std::size_t j = 0; j < items; ++j) {
      if (((set >> j) & 1U) == 0) continue;
      weight += programme.linear.values[j];
      cost += programme.linear.cost[j];
    }
    if (weight <= programme.linear.row_upper[0]) best = std::min(best, cost);
  }
  return best;
}

TEST(IntegerProgramme, KnapsacksEqualEnumeration) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const IntegerProgramme programme = knapsack(10, seed);
    const IntegerSolution solution = solve_integer_programme(programme, {}, Context());
    ASSERT_EQ(solution.status, IntegerStatus::kOptimal) << solution.message;
    EXPECT_NEAR(solution.value, by_enumeration(programme), 1e-9);
    for (const double x : solution.x) EXPECT_EQ(x, std::round(x));
  }
}

// max x + y with 2 y <= 2 x + 1 and x + y <= 2.7, x whole: x = 1 gives y = 1.5, x = 2 gives y = 0.7.
TEST(IntegerProgramme, OtherVariablesStayFree) {
  IntegerProgramme programme;
  programme.whole.push_back(programme.linear.add_variable(-1.0, 0.0, 5.0));
  programme.linear.add_variable(-1.0, 0.0, kInfinity);
  programme.linear.add_row(std::vector{-2.0, 2.0}, -kInfinity, 1.0);
  programme.linear.add_row(std::vector{1.0, 1.0}, -kInfinity, 2.7);
  const IntegerSolution solution = solve_integer_programme(programme, {}, Context());
  ASSERT_EQ(solution.status, IntegerStatus::kOptimal);
  EXPECT_NEAR(solution.value, -2.7, 1e-9);
  EXPECT_EQ(solution.x[0], 2.0);
}

TEST(IntegerProgramme, ImpossibleOnesAndThoseNotWorthwhileSaySo) {
  IntegerProgramme programme;
  programme.whole.push_back(programme.linear.add_variable(1.0, 0.0, 5.0));
  programme.linear.add_row(std::vector{1.0}, 1.2, 1.8);
  EXPECT_EQ(solve_integer_programme(programme, {}, Context()).status, IntegerStatus::kInfeasible);
  programme.linear.row_upper[0] = 2.5;
  EXPECT_EQ(solve_integer_programme(programme, {}, Context()).value, 2.0);
  IntegerOptions options;
  options.cutoff = 1.5;
  EXPECT_TRUE(solve_integer_programme(programme, options, Context()).x.empty());
}

TEST(IntegerProgramme, EndsWhenInterruptedAndRefusesWholeNumbersWithoutBounds) {
  std::atomic<bool> interrupted{true};
  Context context;
  context.interrupt = &interrupted;
  EXPECT_THROW(solve_integer_programme(knapsack(30, 1), {}, context), Error);
  IntegerProgramme programme;
  programme.whole.push_back(programme.linear.add_variable(1.0, 0.0, kInfinity));
  EXPECT_THROW(solve_integer_programme(programme, {}, Context()), Error);
}

}  // namespace
}  // namespace olem::integer_programme_test
