#include "core/linear_programme.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem::linear_programme_test {

using namespace internal;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LinearSolution solve(const LinearProgramme& programme) { return solve_linear_programme(programme, {}, Context()); }

// A transport problem of the textbooks: two plants with 350 and 600 units, three markets that want 325, 300 and 275
// (Dantzig 1963, chapter 3.3). The least cost is 153.675.
LinearProgramme transport() {
  const double distance[2][3] = {{2.5, 1.7, 1.8}, {2.5, 1.8, 1.4}};
  const double capacity[2] = {350.0, 600.0};
  const double demand[3] = {325.0, 300.0, 275.0};
  LinearProgramme programme;
  for (const auto& from : distance) {
    for (const double d : from) programme.add_variable(90.0 * d / 1000.0, 0.0, kInfinity);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t places[] = {3 * i, 3 * i + 1, 3 * i + 2};
    programme.add_row(places, std::vector<double>(3, 1.0), -kInfinity, capacity[i]);
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t places[] = {j, j + 3};
    programme.add_row(places, std::vector<double>(2, 1.0), demand[j], kInfinity);
  }
  return programme;
}

// cost and rows with entries in [-1, 1]; the rows are satisfied by a known point, the box makes it bounded.
LinearProgramme random_programme(std::uint64_t seed, std::size_t size, std::size_t rows) {
  RandomStream random(seed, "programme");
  LinearProgramme programme;
  std::vector<double> inside(size);
  for (double& x : inside) {
    x = random.uniform(-1.0, 1.0);
    programme.add_variable(random.uniform(-1.0, 1.0), -2.0, 3.0);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row(size);
    for (double& value : row) value = random.uniform(-1.0, 1.0);
    const double activity = std::inner_product(row.begin(), row.end(), inside.begin(), 0.0);
    programme.add_row(row, -kInfinity, activity + random.uniform());
  }
  return programme;
}

TEST(LinearProgramme, SolvesTheTransportProblem) {
  const LinearSolution solution = solve(transport());
  ASSERT_EQ(solution.status, LinearStatus::kOptimal) << solution.message;
  EXPECT_NEAR(solution.value, 153.675, 1e-9);
  // One more unit at the third market costs 0.126 to bring from the second plant.
  EXPECT_NEAR(solution.row_duals[4], 0.126, 1e-9);
}

// max x + y, x + 2 y <= 4, 4 x + 2 y <= 12, free variables otherwise: x = 8 / 3, y = 2 / 3.
TEST(LinearProgramme, FreeVariablesAndDuals) {
  LinearProgramme programme;
  programme.add_variable(-1.0, -kInfinity, kInfinity);
  programme.add_variable(-1.0, -kInfinity, kInfinity);
  programme.add_row(std::vector<double>{1.0, 2.0}, -kInfinity, 4.0);
  programme.add_row(std::vector<double>{4.0, 2.0}, -kInfinity, 12.0);
  const LinearSolution solution = solve(programme);
  ASSERT_EQ(solution.status, LinearStatus::kOptimal);
  EXPECT_NEAR(solution.x[0], 8.0 / 3.0, 1e-12);
  EXPECT_NEAR(solution.x[1], 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(solution.value, -10.0 / 3.0, 1e-12);
  EXPECT_NEAR(solution.row_duals[0], -1.0 / 3.0, 1e-12);
  EXPECT_NEAR(solution.row_duals[1], -1.0 / 6.0, 1e-12);
}

TEST(LinearProgramme, RangesEqualitiesAndFixedVariables) {
  LinearProgramme programme;
  programme.add_variable(1.0, -5.0, 5.0);
  programme.add_variable(2.0, 1.5, 1.5);
  programme.add_variable(-1.0, -kInfinity, 2.0);
  programme.add_row(std::vector<double>{1.0, 1.0, 1.0}, 2.0, 2.0);
  programme.add_row(std::vector<double>{1.0, 0.0, -1.0}, -1.0, 4.0);
  const LinearSolution solution = solve(programme);
  ASSERT_EQ(solution.status, LinearStatus::kOptimal);
  // x0 + x2 = 0.5 and x0 - x2 >= -1: x0 = -0.25, x2 = 0.75.
  EXPECT_NEAR(solution.x[0], -0.25, 1e-12);
  EXPECT_EQ(solution.x[1], 1.5);
  EXPECT_NEAR(solution.x[2], 0.75, 1e-12);
}

TEST(LinearProgramme, ProgrammesWithoutRowsOrVariables) {
  LinearProgramme programme;
  EXPECT_EQ(solve(programme).status, LinearStatus::kOptimal);
  programme.add_variable(2.0, -3.0, 4.0);
  const LinearSolution solution = solve(programme);
  ASSERT_EQ(solution.status, LinearStatus::kOptimal);
  EXPECT_EQ(solution.x, std::vector<double>{-3.0});
  programme.add_row(std::vector<double>{0.0}, 1.0, kInfinity);
  EXPECT_EQ(solve(programme).status, LinearStatus::kInfeasible);
}

TEST(LinearProgramme, TellsUnboundedFromInfeasible) {
  LinearProgramme programme;
  programme.add_variable(-1.0, 0.0, kInfinity);
  programme.add_variable(0.0, 0.0, kInfinity);
  programme.add_row(std::vector<double>{1.0, -1.0}, -kInfinity, 1.0);
  EXPECT_EQ(solve(programme).status, LinearStatus::kUnbounded);
  programme.add_row(std::vector<double>{1.0, 1.0}, -kInfinity, -1.0);
  EXPECT_EQ(solve(programme).status, LinearStatus::kInfeasible);
  programme.cost = {0.0, 0.0};
  EXPECT_EQ(solve(programme).status, LinearStatus::kInfeasible);
}

TEST(LinearProgramme, BoundsThatContradict) {
  LinearProgramme programme;
  programme.add_variable(1.0, 1.0, 0.0);
  EXPECT_EQ(solve(programme).status, LinearStatus::kInfeasible);
  EXPECT_TRUE(conflicting_rows(programme, {}, Context()).empty());
}

// Rows 1, 3 and 4 contradict (x + y >= 4 within x <= 1, y <= 2); 0 and 2 have nothing to do with it.
TEST(LinearProgramme, NamesAMinimalConflict) {
  LinearProgramme programme;
  programme.add_variable(1.0, -kInfinity, kInfinity);
  programme.add_variable(1.0, -kInfinity, kInfinity);
  programme.add_row(std::vector<double>{1.0, -1.0}, -5.0, 5.0);
  programme.add_row(std::vector<double>{1.0, 1.0}, 4.0, kInfinity);
  programme.add_row(std::vector<double>{2.0, 1.0}, 0.0, kInfinity);
  programme.add_row(std::vector<double>{1.0, 0.0}, -kInfinity, 1.0);
  programme.add_row(std::vector<double>{0.0, 1.0}, -kInfinity, 2.0);
  EXPECT_EQ(conflicting_rows(programme, {}, Context()), (std::vector<std::size_t>{1, 3, 4}));
  programme.row_upper[4] = 3.0;
  EXPECT_TRUE(conflicting_rows(programme, {}, Context()).empty());
}

TEST(LinearProgramme, UnitsOfRowsChangeNothing) {
  LinearProgramme programme = random_programme(3, 6, 12);
  const LinearSolution before = solve(programme);
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    const double factor = std::pow(10.0, 3.0 * static_cast<double>(i % 5) - 6.0);
    programme.row_upper[i] *= factor;
    for (std::size_t e = programme.row_start[i]; e < programme.row_start[i + 1]; ++e) programme.values[e] *= factor;
  }
  const LinearSolution after = solve(programme);
  ASSERT_EQ(after.status, LinearStatus::kOptimal);
  EXPECT_NEAR(after.value, before.value, 1e-10);
}

// The dual programme, solved on its own, has the same value: max -b^T y - u^T w + l^T v, -A^T y - w + v = c, y, w, v >=
// 0.
RC_GTEST_PROP(LinearProgrammeProperty, EqualsItsDual, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto size = *rc::gen::inRange<std::size_t>(1, 8);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 20);
  const LinearProgramme primal = random_programme(seed, size, rows);
  LinearProgramme dual;
  for (std::size_t i = 0; i < rows; ++i) dual.add_variable(primal.row_upper[i], 0.0, kInfinity);
  for (std::size_t j = 0; j < size; ++j) dual.add_variable(primal.upper[j], 0.0, kInfinity);
  for (std::size_t j = 0; j < size; ++j) dual.add_variable(-primal.lower[j], 0.0, kInfinity);
  for (std::size_t j = 0; j < size; ++j) {
    std::vector<double> row(dual.size(), 0.0);
    for (std::size_t i = 0; i < rows; ++i) row[i] = -primal.values[i * size + j];
    row[rows + j] = -1.0;
    row[rows + size + j] = 1.0;
    dual.add_row(row, primal.cost[j], primal.cost[j]);
  }
  const LinearSolution low = solve(primal);
  const LinearSolution high = solve(dual);
  RC_ASSERT(low.status == LinearStatus::kOptimal);
  RC_ASSERT(high.status == LinearStatus::kOptimal);
  RC_ASSERT(std::abs(low.value + high.value) < 1e-9 * (1.0 + std::abs(low.value)));
}

TEST(LinearProgramme, SameAnswerFromManyThreads) {
  constexpr std::size_t kProgrammes = 64;
  const auto run = [&](int threads) {
    Context context;
    context.threads = threads;
    std::vector<std::vector<double>> answers(kProgrammes);
    parallel_for(context, 0, kProgrammes, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t p = first; p < last; ++p) answers[p] = solve(random_programme(p, 20, 40)).x;
    });
    return answers;
  };
  const auto serial = run(1);
  EXPECT_FALSE(serial.front().empty());
  EXPECT_EQ(run(4), serial);
}

TEST(LinearProgramme, CanBeInterruptedAndHasADeadline) {
  std::atomic<bool> stop = false;
  Context context;
  context.interrupt = &stop;
  const LinearProgramme programme = random_programme(1, 200, 400);
  context.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  EXPECT_THROW(solve_linear_programme(programme, {}, context), Error);
  context.deadline.reset();
  stop = true;
  EXPECT_THROW(solve_linear_programme(programme, {}, context), Error);
}

TEST(LinearProgramme, ALimitOfIterationsIsNoAnswer) {
  LinearOptions options;
  options.iterations = 1;
  const LinearSolution solution = solve_linear_programme(random_programme(1, 20, 40), options, Context());
  EXPECT_EQ(solution.status, LinearStatus::kFailed);
  EXPECT_NE(solution.message.find("1 iterations"), std::string::npos) << solution.message;
}

TEST(LinearProgramme, RefusesNonsense) {
  LinearProgramme programme = transport();
  programme.cost[0] = std::nan("");
  EXPECT_THROW(solve(programme), Error);
  programme = transport();
  programme.row_upper.pop_back();
  EXPECT_THROW(solve(programme), Error);
  programme = transport();
  programme.columns[1] = programme.columns[0];
  EXPECT_THROW(solve(programme), Error);
}

}  // namespace
}  // namespace olem::linear_programme_test
