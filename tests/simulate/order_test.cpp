#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/simulate.h"
#include "simulate/gaussian_process.h"
#include "simulate/helpers.h"

namespace olem::order_test {

using namespace internal;
namespace {

using test::equal;
using test::expect_error;
using test::seeded;

OrderSimulationOptions small(double linearity) {
  OrderSimulationOptions options;
  options.variables = 8;
  options.rows = 150;
  options.density = 0.5;
  options.linearity = linearity;
  return options;
}

TEST(OrderModel, IsAPureFunctionOfOptionsSeedAndIndex) {
  const Simulation one = random_order_model(small(0.3), 2, seeded(9));
  const Simulation other = random_order_model(small(0.3), 2, seeded(9, 4));
  EXPECT_EQ(one.model, other.model);
  EXPECT_TRUE(equal(one.data, other.data));
  EXPECT_FALSE(one.model == random_order_model(small(0.3), 3, seeded(9)).model);
  EXPECT_FALSE(one.model == random_order_model(small(0.3), 2, seeded(10)).model);
}

TEST(OrderModel, TheTruthGivesTheDataAgain) {
  for (const double linearity : {0.0, 0.5, 1.0}) {
    const Simulation simulation = random_order_model(small(linearity), 5, seeded(1));
    const StructuralModel read = parse_structural_model(Json::parse(to_json(simulation.model).dump()), "truth");
    EXPECT_TRUE(equal(simulation.data, draw_rows(read, 150, 5, seeded(1, 3)))) << linearity;
  }
}

TEST(OrderModel, EveryPairIsAnEdgeWithTheGivenProbability) {
  OrderSimulationOptions options = small(1.0);
  options.rows = 2;
  for (const double density : {0.0, 0.3, 0.8, 1.0}) {
    options.density = density;
    double edges = 0.0;
    double along_columns = 0.0;
    constexpr int kModels = 400;
    for (std::uint64_t index = 0; index < kModels; ++index) {
      for (const auto& [from, to] : random_order_model(options, index, seeded(3)).model.edges()) {
        edges += 1.0;
        along_columns += from < to ? 1.0 : 0.0;
      }
    }
    const double pairs = kModels * 8.0 * 7.0 / 2.0;
    EXPECT_NEAR(edges / pairs, density, 5.0 * std::sqrt(density * (1.0 - density) / pairs));
    // The columns say nothing about the order. Edges of one model share its permutation, hence the wide margin.
    if (density > 0.0) {
      EXPECT_NEAR(along_columns / edges, 0.5, 0.06);
    }
  }
}

TEST(OrderModel, WeightsStayAwayFromZeroAndFunctionsFollowTheLinearity) {
  OrderSimulationOptions options = small(0.25);
  options.rows = 2;
  double functions = 0.0;
  double linear_functions = 0.0;
  double negative = 0.0;
  double weights = 0.0;
  double smallest = 1.0;
  double largest = 0.0;
  for (std::uint64_t index = 0; index < 400; ++index) {
    for (const StructuralNode& node : random_order_model(options, index, seeded(3)).model.nodes) {
      EXPECT_GE(node.noise.a, 0.75);
      EXPECT_LE(node.noise.a, 1.25);
      EXPECT_GE(node.noise.b, 0.75);
      EXPECT_LE(node.noise.b, 1.25);
      if (node.parents.empty()) continue;
      functions += 1.0;
      const auto* linear = std::get_if<LinearFunction>(&node.function);
      if (linear == nullptr) continue;
      linear_functions += 1.0;
      for (const double weight : linear->weights) {
        weights += 1.0;
        negative += weight < 0.0 ? 1.0 : 0.0;
        smallest = std::min(smallest, std::abs(weight));
        largest = std::max(largest, std::abs(weight));
      }
    }
  }
  EXPECT_NEAR(linear_functions / functions, 0.25, 5.0 * std::sqrt(0.1875 / functions));
  EXPECT_NEAR(negative / weights, 0.5, 2.5 / std::sqrt(weights));
  EXPECT_GE(smallest, 0.25);
  EXPECT_LT(smallest, 0.26);
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.99);
}

TEST(OrderModel, RefusesOptionsOutOfRange) {
  OrderSimulationOptions options;
  options.density = 1.5;
  expect_error(ErrorCategory::kUsage, "density: '1.5' is not a number from 0 to 1",
               [&] { random_order_model(options, 0, {}); });
  options = {};
  options.noise = NoiseKind::kUniform;
  expect_error(ErrorCategory::kUsage, "noise: ", [&] { random_order_model(options, 0, {}); });
}

TEST(OrderModel, AsksForMemoryBeforeItTakesIt) {
  Context context;
  context.memory_limit = 1000000;
  OrderSimulationOptions options = small(0.0);
  options.rows = 500;
  expect_error(ErrorCategory::kResource, "needs about 2 MB", [&] { random_order_model(options, 0, context); });
}

// The covariance over many draws is the kernel: exp(-||u - v||^2 / 2), jointly over both parents.
TEST(GaussianProcess, DrawsHaveTheKernelAsTheirCovariance) {
  const std::vector<double> x = {0.0, 0.3, 1.0, 2.5};
  const std::vector<double> y = {0.0, -0.4, 1.0, 0.0};
  const Coordinates points = {x, y};
  constexpr int kDraws = 20000;
  double products[4][4] = {};
  double sums[4] = {};
  RandomStream random(1, "process");
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<double> weights = draw_rbf_weights(points, random, seeded(0));
    std::vector<double> f(4, 0.0);
    add_rbf_expansion(points, weights, points, f, seeded(0));
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] += f[i];
      for (std::size_t j = 0; j < 4; ++j) products[i][j] += f[i] * f[j];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(sums[i] / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
    for (std::size_t j = 0; j < 4; ++j) {
      const double distance = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]);
      const double expected = std::exp(-0.5 * distance);
      EXPECT_NEAR(products[i][j] / kDraws, expected, 5.0 * std::sqrt((1.0 + expected * expected) / kDraws));
    }
  }
}

// More rows than a tile of the kernel: the tiles must fit together.
TEST(GaussianProcess, KernelMatrixIsTheKernelEverywhereOnAnyNumberOfThreads) {
  constexpr std::size_t n = 1100;
  RandomStream random(2, "points");
  std::vector<double> x(n);
  for (double& value : x) value = random.normal();
  const Coordinates points = {x};
  std::vector<double> matrix(n * n, -1.0);
  std::vector<double> other(n * n, -1.0);
  fill_rbf_kernel(points, 0.5, matrix.data(), seeded(0));
  fill_rbf_kernel(points, 0.5, other.data(), seeded(0, 3));
  EXPECT_EQ(matrix, other);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const double kernel = std::exp(-0.5 * (x[i] - x[j]) * (x[i] - x[j])) + (i == j ? 0.5 : 0.0);
      ASSERT_NEAR(matrix[j * n + i], i < j ? -1.0 : kernel, 1e-15) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace olem::order_test
