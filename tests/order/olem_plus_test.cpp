#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "olem/error.h"
#include "olem/order.h"
#include "olem/random.h"
#include "order/olem_plus_columns.h"
#include "order/olem_plus_entropy.h"
#include "order/olem_plus_evidence.h"
#include "order/olem_plus_fit.h"
#include "order/olem_plus_kernel.h"
#include "order/olem_plus_objective.h"
#include "order/olem_plus_screen.h"
#include "support/datasets.h"

namespace olem::olem_plus_test {

using namespace internal;
namespace {

constexpr double kNormalEntropy = 1.4189385332046727;  // ln(2 pi e) / 2

Table table_of(std::vector<std::string> names, const std::vector<std::vector<double>>& columns) {
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  return Table(std::move(names), std::move(values));
}

// A chain a -> b -> c of straight lines with exponential noise.
Table exponential_chain(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "chain");
  std::vector<std::vector<double>> columns(3, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    columns[0][i] = random.exponential(1.0);
    columns[1][i] = 1.2 * columns[0][i] + random.exponential(1.0);
    columns[2][i] = -0.9 * columns[1][i] + random.exponential(1.0);
  }
  return table_of({"a", "b", "c"}, columns);
}

// effect = cause^2 + Gaussian noise, both columns named by what they are.
Table parabola(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "parabola");
  std::vector<std::vector<double>> columns(2, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    columns[1][i] = random.normal();
    columns[0][i] = 0.7 * columns[1][i] * columns[1][i] + columns[1][i] + random.normal();
  }
  return table_of({"effect", "cause"}, columns);
}

Table rescaled(const Table& table, const std::vector<double>& factors) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i / table.rows()];
  return Table(table.names(), std::move(values));
}

OlemPlusOptions with_units(ColumnUnits units) {
  OlemPlusOptions options;
  options.units = units;
  return options;
}

Order learned(const Table& table, ColumnUnits units = ColumnUnits::kAuto) {
  return learn_order_olem_plus(table, with_units(units), {}, Context()).order;
}

TEST(OlemPlusEntropy, IsThatOfTheDistribution) {
  RandomStream random(1, "entropy");
  std::vector<double> normal(4000);
  std::vector<double> exponential(4000);
  std::vector<double> uniform(4000);
  for (double& value : normal) value = 2.0 * random.normal();
  for (double& value : exponential) value = random.exponential(3.0) - 3.0;
  for (double& value : uniform) value = random.uniform() - 0.5;
  EXPECT_NEAR(residual_entropy(normal, {}, 0.0).value, kNormalEntropy + std::log(2.0), 0.03);
  EXPECT_TRUE(residual_entropy(normal, {}, 0.0).gaussian);
  EXPECT_NEAR(residual_entropy(exponential, {}, 0.0).value, 1.0 + std::log(3.0), 0.05);
  EXPECT_NEAR(residual_entropy(uniform, {}, 0.0).value, 0.0, 0.03);
  EXPECT_FALSE(residual_entropy(uniform, {}, 0.0).gaussian);
}

TEST(OlemPlusEntropy, ContributionsAverageToTheValueAndEqualWeightsChangeNothing) {
  RandomStream random(2, "contributions");
  for (const bool skewed : {false, true}) {
    std::vector<double> residuals(500);
    for (double& value : residuals) value = skewed ? random.exponential(1.0) - 1.0 : random.normal();
    const ResidualEntropy entropy = residual_entropy(residuals, {}, 0.0);
    EXPECT_EQ(entropy.gaussian, !skewed);
    const double sum = std::accumulate(entropy.contributions.begin(), entropy.contributions.end(), 0.0);
    EXPECT_NEAR(sum / 500.0, entropy.value, 1e-6);
    EXPECT_NEAR(residual_entropy(residuals, std::vector<double>(500, 1.0), 0.0).value, entropy.value, 1e-12);
  }
}

TEST(OlemPlusEntropy, WeightsCountAsRepeatedRows) {
  RandomStream random(3, "weights");
  std::vector<double> residuals(3000);
  std::vector<double> weights(3000);
  // The weighted sample is that of an exponential distribution with half the scale.
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = random.exponential(1.0);
    weights[i] = 2.0 * std::exp(-residuals[i]);
  }
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / 3000.0;
  for (double& weight : weights) weight /= mean;
  EXPECT_NEAR(residual_entropy(residuals, weights, 0.0).value, 1.0 - std::log(2.0), 0.07);
}

TEST(OlemPlusEntropy, RepeatedValuesHaveABoundedDensity) {
  std::vector<double> residuals(400);
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = i % 2 == 0 ? -1.0 : 1.0;
  const double value = residual_entropy(residuals, {}, 0.25).value;
  EXPECT_GE(value, std::log(0.25));
  EXPECT_LT(value, std::log(0.25) + 0.7);  // one spacing in five spans the gap
}

TEST(OlemPlusColumns, FunctionsAreOrthonormalAndTheArrangementIsForgotten) {
  const Table table = exponential_chain(400, 4);
  const PlusColumns columns = prepare_plus_columns(table, {}, Context());
  EXPECT_EQ(columns.functions(0), 8U);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto at = static_cast<Eigen::Index>(columns.first[j]);
    const Eigen::MatrixXd own = columns.gram.block(at, at, 8, 8) / 400.0;
    EXPECT_LT((own - Eigen::MatrixXd::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-10);
  }
  std::vector<std::size_t> rows(400);
  std::iota(rows.rbegin(), rows.rend(), std::size_t{0});
  const std::vector<std::size_t> swapped = {2, 0, 1};
  const PlusColumns other = prepare_plus_columns(table.with_rows(rows).with_columns(swapped), {}, Context());
  EXPECT_EQ(columns.basis, other.basis);
  EXPECT_EQ(columns.gram, other.gram);
}

TEST(OlemPlusScreen, FindsTheParents) {
  EXPECT_NEAR(chi_square_95(8.0), 15.507, 0.05);
  EXPECT_NEAR(chi_square_95(2.0), 5.991, 0.06);
  RandomStream random(6, "screen");
  std::vector<std::vector<double>> columns(4, std::vector<double>(1000));
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < 3; ++j) columns[j][i] = random.normal();
    columns[3][i] = std::cos(2.0 * columns[0][i]) + 0.3 * columns[1][i] + random.normal();
  }
  const PlusColumns prepared = prepare_plus_columns(table_of({"a", "b", "unused", "y"}, columns), {}, Context());
  std::vector<std::size_t> number(4);
  for (std::size_t j = 0; j < 4; ++j) number[prepared.table_column[j]] = j;
  std::vector<std::size_t> predecessors = {number[0], number[1], number[2]};
  std::vector<std::size_t> parents = {number[0], number[1]};
  std::sort(predecessors.begin(), predecessors.end());
  std::sort(parents.begin(), parents.end());
  EXPECT_EQ(active_predecessors(prepared, number[3], predecessors), parents);
  EXPECT_TRUE(active_predecessors(prepared, number[3], {}).empty());
}

// One factorisation along an order gives the screens that each has by itself.
TEST(OlemPlusScreen, PrefixesAgreeWithScreensOfTheirOwn) {
  const PlusColumns columns = prepare_plus_columns(test::linear_table(700, 9, 5), {}, Context());
  const std::vector<std::size_t> order = {4, 0, 7, 2, 8, 5};
  PrefixScreen screen(columns, order);
  screen.prepare();
  std::size_t edges = 0;
  for (const std::size_t target : {std::size_t{1}, std::size_t{3}, std::size_t{6}}) {
    for (std::size_t count = 0; count <= order.size(); ++count) {
      std::vector<std::size_t> before(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
      std::sort(before.begin(), before.end());
      const std::vector<std::size_t> own = active_predecessors(columns, target, before);
      EXPECT_EQ(screen.active(target, count), own);
      edges += own.size();
      const std::size_t added = target == 1 ? 3 : 1;
      before.push_back(added);
      std::sort(before.begin(), before.end());
      EXPECT_EQ(screen.active_with(target, count, added), active_predecessors(columns, target, before));
    }
  }
  EXPECT_GT(edges, 10U);
}

// x and its noisy copy explain y equally well: neither is needed beside the other, but one of them is.
TEST(OlemPlusScreen, KeepsOneOfTwoThatDetermineEachOther) {
  constexpr int kTables = 20;
  int needed = 0;
  int one_of_them = 0;
  int unneeded = 0;
  for (int t = 0; t < kTables; ++t) {
    RandomStream random(9, "copies", static_cast<std::uint64_t>(t));
    std::vector<std::vector<double>> columns(4, std::vector<double>(800));
    for (std::size_t i = 0; i < 800; ++i) {
      columns[0][i] = random.normal();
      columns[1][i] = columns[0][i] + 0.003 * random.normal();
      columns[2][i] = random.normal();
      columns[3][i] = 0.5 * (columns[0][i] + columns[1][i]) + random.normal();
    }
    const PlusColumns prepared = prepare_plus_columns(table_of({"x", "copy", "unused", "y"}, columns), {}, Context());
    std::vector<std::size_t> number(4);
    for (std::size_t j = 0; j < 4; ++j) number[prepared.table_column[j]] = j;
    std::vector<std::size_t> predecessors = {number[0], number[1], number[2]};
    std::sort(predecessors.begin(), predecessors.end());
    const std::vector<std::size_t> active = active_predecessors(prepared, number[3], predecessors);
    const auto has = [&](std::size_t column) { return std::count(active.begin(), active.end(), number[column]); };
    needed += has(0) + has(1) > 0 ? 1 : 0;
    one_of_them += has(0) + has(1) == 1 ? 1 : 0;
    unneeded += static_cast<int>(has(2));
  }
  EXPECT_EQ(needed, kTables);
  EXPECT_GT(one_of_them, kTables / 2);  // one of them suffices in most tables
  EXPECT_LE(unneeded, 6);               // some 10 % by one test of its line and one of its block
}

TEST(OlemPlusKernel, ExponentialsAreThoseOfTheLibrary) {
  std::vector<double> values;
  for (double x = -690.0; x <= 0.0; x += 0.37) values.push_back(x);
  std::vector<double> own = values;
  exponentials(own.data(), own.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(own[i] / std::exp(values[i]), 1.0, 1e-14) << values[i];
}

// Whitened, the kernel functions F of all rows stand for the kernel: F F' is close to K.
TEST(OlemPlusKernel, FunctionsReproduceTheKernel) {
  RandomStream random(7, "kernel");
  std::vector<std::vector<double>> columns(2, std::vector<double>(300));
  for (auto& column : columns) {
    for (double& value : column) value = random.normal();
  }
  const PlusColumns prepared = prepare_plus_columns(table_of({"a", "b"}, columns), {}, Context());
  const std::vector<std::size_t> inputs = {0, 1};
  const ProcessFunctions functions(prepared, inputs, 1.6);
  const auto size = static_cast<Eigen::Index>(functions.size());
  const auto kernels = static_cast<Eigen::Index>(functions.kernels());
  Eigen::MatrixXd values(300, size);
  functions.fill(0, values);
  Eigen::MatrixXd whitening = Eigen::MatrixXd::Identity(size, size);
  functions.unwhiten(whitening);
  const Eigen::MatrixXd white = values * whitening;
  double worst = 0.0;
  for (Eigen::Index i = 0; i < 300; i += 7) {
    for (Eigen::Index k = 0; k < 300; k += 11) {
      double square = 0.0;
      for (std::size_t j = 0; j < 2; ++j) {
        square += std::pow(prepared.standardised(j)[i] - prepared.standardised(j)[k], 2);
      }
      const double kernel = std::exp(-square / (2.0 * 1.6 * 1.6));
      worst = std::max(worst, std::abs(white.row(i).head(kernels).dot(white.row(k).head(kernels)) - kernel));
    }
  }
  EXPECT_LT(worst, 0.05);
  // The Gram matrix is whitened as the functions are.
  Eigen::MatrixXd gram = values.transpose() * values;
  Eigen::VectorXd right = values.transpose() * Eigen::VectorXd::Ones(300);
  functions.whiten(gram, right);
  EXPECT_LT((gram - white.transpose() * white).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((right - white.transpose() * Eigen::VectorXd::Ones(300)).cwiseAbs().maxCoeff(), 1e-8);
}

// Residuals are those of leaving each row out, to first order: for a straight line exactly.
TEST(OlemPlusFit, EntropyOfAKnownRegression) {
  RandomStream random(8, "fit");
  std::vector<std::vector<double>> columns(3, std::vector<double>(2000));
  for (std::size_t i = 0; i < 2000; ++i) {
    columns[0][i] = random.normal();
    columns[1][i] = random.normal();
    columns[2][i] = columns[0][i] * columns[1][i] + 0.5 * random.normal();
  }
  const PlusColumns prepared = prepare_plus_columns(table_of({"a", "b", "y"}, columns), {}, Context());
  std::vector<std::size_t> number(3);
  for (std::size_t j = 0; j < 3; ++j) number[prepared.table_column[j]] = j;
  std::vector<std::size_t> both = {number[0], number[1]};
  std::sort(both.begin(), both.end());
  // The product needs the Gaussian process: no additive function explains any of it.
  EXPECT_NEAR(fit_column(prepared, number[2], both, Context()).entropy, kNormalEntropy + std::log(0.5), 0.12);
  EXPECT_NEAR(fit_column(prepared, number[0], {}, Context()).entropy, kNormalEntropy, 0.06);
}

TEST(OlemPlusObjective, SlopesAreDerivatives) {
  const ScaleTerms terms{0.02, 0.05};
  const std::vector<double> entropies = {0.3, -0.4, 1.7, 0.9};
  const std::vector<double> slopes = terms.slopes(entropies);
  for (std::size_t k = 0; k < entropies.size(); ++k) {
    std::vector<double> up = entropies;
    std::vector<double> down = entropies;
    up[k] += 1e-6;
    down[k] -= 1e-6;
    EXPECT_NEAR(slopes[k], (terms.value(up) - terms.value(down)) / 2e-6, 1e-8);
  }
  // By hand, mean 0: kappa (.25 + .25) - beta c (0 tanh(1) ... ) with c = .5.
  EXPECT_NEAR((ScaleTerms{0.02, 0.05}.value(std::vector<double>{-0.5, 0.5})), 0.05 * 0.5 - 0.02 * 0.5 * std::tanh(1.0),
              1e-14);
}

// A linear Gaussian pair: both orders have entropy ln(2 pi e) + ln(det) / 2 = h(a) + h(b | a) = h(b) + h(a | b).
TEST(OlemPlus, ScoreOfAPairIsItsClosedForm) {
  RandomStream random(9, "pair");
  std::vector<std::vector<double>> columns(2, std::vector<double>(4000));
  for (std::size_t i = 0; i < 4000; ++i) {
    columns[0][i] = random.normal();
    columns[1][i] = 2.0 * columns[0][i] + random.normal();
  }
  const Table table = table_of({"a", "b"}, columns);
  const double expected = 2.0 * kNormalEntropy + std::log(4000.0) / 8000.0;  // the noises have variance 1
  const OrderScore forward = score_order_by_shape(table, Order{"a", "b"}, Context());
  const OrderScore backward = score_order_by_shape(table, Order{"b", "a"}, Context());
  EXPECT_NEAR(forward.shape, expected, 0.03);
  EXPECT_EQ(forward.scale, 0.0);
  const ShapeDifference difference = compare_by_shape(forward, backward);
  EXPECT_NEAR(difference.value, 0.0, 0.01);
  EXPECT_LT(std::abs(difference.value), 3.0 * difference.standard_error + 1e-3);
  const double mean = std::accumulate(forward.row_shape.begin(), forward.row_shape.end(), 0.0) / 4000.0;
  EXPECT_NEAR(mean, forward.shape - std::log(4000.0) / 8000.0, 1e-5);
}

// Exponential noise with scale 1 has entropy 1: the true order of three scores 3 and two edges.
TEST(OlemPlus, LinearNonGaussianChain) {
  const Table table = exponential_chain(3000, 10);
  const OrderScore truth = score_order_by_shape(table, Order{"a", "b", "c"}, Context());
  // Spacings smooth the jump of the density, and must gain .01: each entropy comes out a little large.
  EXPECT_NEAR(truth.shape, 3.0 + 2.0 * std::log(3000.0) / 6000.0, 0.13);
  EXPECT_GT(truth.shape, 3.0);
  const OrderResult result = learn_order_olem_plus(table, {}, {}, Context());
  EXPECT_EQ(result.order, (Order{"a", "b", "c"}));
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].sink, "c");
  EXPECT_EQ(result.steps[0].runner_up, "b");
  for (const OrderStep& step : result.steps) {
    ASSERT_TRUE(step.evidence.has_value());
    EXPECT_EQ(step.evidence->decided_by, DecidedBy::kShape);
    EXPECT_TRUE(step.decided);
    EXPECT_NEAR(*step.gap, step.evidence->gap_shape + step.evidence->gap_scale, 1e-12);
  }
  const OrderScore swapped = score_order_by_shape(table, Order{"a", "c", "b"}, Context());
  EXPECT_NEAR(result.steps[0].evidence->gap_shape, swapped.shape - truth.shape, 1e-9);
}

TEST(OlemPlus, NonlinearGaussianPairInAnyUnits) {
  const Table table = parabola(1000, 11);
  for (const double factor : {1e-3, 1.0, 1e3}) {
    const Table other = rescaled(table, {factor, 1.0});
    EXPECT_EQ(learned(other, ColumnUnits::kArbitrary), (Order{"cause", "effect"})) << factor;
  }
}

// What the scales decide is never called decided without saying so.
TEST(OlemPlus, ALinearGaussianPairIsNotDecidedByShape) {
  RandomStream random(12, "linear");
  std::vector<std::vector<double>> columns(2, std::vector<double>(2000));
  for (std::size_t i = 0; i < 2000; ++i) {
    columns[0][i] = random.normal();
    columns[1][i] = columns[0][i] + random.normal();
  }
  const Table table = table_of({"a", "b"}, columns);
  const OrderResult comparable = learn_order_olem_plus(table, with_units(ColumnUnits::kComparable), {}, Context());
  EXPECT_EQ(comparable.order, (Order{"a", "b"}));
  EXPECT_EQ(comparable.steps[0].evidence->decided_by, DecidedBy::kScale);
  EXPECT_FALSE(comparable.steps[0].decided);
  EXPECT_GT(comparable.steps[0].evidence->gap_scale, 2.0 * comparable.steps[0].evidence->gap_scale_standard_error);
  const OrderResult arbitrary = learn_order_olem_plus(table, with_units(ColumnUnits::kArbitrary), {}, Context());
  EXPECT_EQ(arbitrary.steps[0].evidence->decided_by, DecidedBy::kNone);
  EXPECT_EQ(arbitrary.steps[0].evidence->gap_scale, 0.0);
}

TEST(OlemPlus, ArbitraryUnitsDoNotDependOnUnits) {
  const Table table = test::ka5();
  const OrderResult base = learn_order_olem_plus(table, with_units(ColumnUnits::kArbitrary), {}, Context());
  const Table other = rescaled(table, {30.0, 0.01, 1.0, 700.0, 0.2});
  const OrderResult result = learn_order_olem_plus(other, with_units(ColumnUnits::kArbitrary), {}, Context());
  EXPECT_EQ(result.order, base.order);
  for (std::size_t s = 0; s < base.steps.size(); ++s) {
    EXPECT_NEAR(*result.steps[s].gap, *base.steps[s].gap, 1e-9);
    EXPECT_EQ(result.steps[s].evidence->decided_by, base.steps[s].evidence->decided_by);
  }
}

TEST(OlemPlus, StandardisedColumnsLeaveScalesOut) {
  const Table table = exponential_chain(1000, 13);
  std::vector<double> factors;
  for (std::size_t j = 0; j < 3; ++j) {
    const auto column = table.column(j);
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / 1000.0;
    double square = 0.0;
    for (const double value : column) square += (value - mean) * (value - mean);
    factors.push_back(1.0 / std::sqrt(square / 999.0));
  }
  const OrderResult result =
      learn_order_olem_plus(rescaled(table, factors), with_units(ColumnUnits::kComparable), {}, Context());
  EXPECT_EQ(result.order, (Order{"a", "b", "c"}));
  for (const OrderStep& step : result.steps) EXPECT_EQ(step.evidence->gap_scale, 0.0);
}

// Knowledge that contradicts the data is obeyed, and the search moves within it.
TEST(OlemPlus, ObeysKnowledgeAgainstTheData) {
  const Table table = exponential_chain(600, 14);
  Knowledge knowledge;
  knowledge.before = {{"c", "a"}};
  const OrderResult result = learn_order_olem_plus(table, {}, Precedence(knowledge, table.names()), Context());
  const auto place = [&](const std::string& name) {
    return std::find(result.order.begin(), result.order.end(), name) - result.order.begin();
  };
  EXPECT_LT(place("c"), place("a"));
  double best = std::numeric_limits<double>::infinity();
  Order expected;
  for (const Order& order : {Order{"c", "a", "b"}, Order{"c", "b", "a"}, Order{"b", "c", "a"}}) {
    OlemPlusProblem problem(table, {}, Context());
    const double score = problem.score(order, Context()).total();
    if (score < best) best = score, expected = order;
  }
  EXPECT_EQ(result.order, expected);
}

TEST(OlemPlus, OneProblemServesManyQuestions) {
  const Table table = test::ka5();
  OlemPlusProblem problem(table, {}, Context());
  const OrderResult free = problem.learn({}, Context());
  Knowledge knowledge;
  knowledge.before = {{free.order[4], free.order[0]}};
  const OrderResult bound = problem.learn(Precedence(knowledge, table.names()), Context());
  const OrderScore first = problem.score(free.order, Context());
  const OrderScore second = problem.score(bound.order, Context());
  EXPECT_LT(first.total(), second.total());
  const ShapeDifference difference = compare_by_shape(first, second);
  EXPECT_NEAR(difference.value, first.shape - second.shape, 1e-12);
  EXPECT_GT(difference.standard_error, 0.0);
  EXPECT_THROW(problem.score(Order{"x0"}, Context()), Error);
}

TEST(OlemPlus, EqualWeightsAreNoWeights) {
  const Table table = exponential_chain(500, 15);
  const OrderResult plain = learn_order_olem_plus(table, {}, {}, Context());
  const std::vector<double> weights(500, 3.0);
  const OrderResult weighted = learn_order_olem_plus_weighted(table, {}, {}, weights, {}, Context());
  EXPECT_EQ(plain.order, weighted.order);
  for (std::size_t s = 0; s < plain.steps.size(); ++s) EXPECT_NEAR(*plain.steps[s].gap, *weighted.steps[s].gap, 1e-9);
  std::vector<double> bad = weights;
  bad[3] = 0.0;
  EXPECT_THROW(learn_order_olem_plus_weighted(table, {}, {}, bad, {}, Context()), Error);
}

// With the weights that it has already, a reweighted problem gives what the problem gives.
TEST(OlemPlus, AReweightedProblemKeepsWhatWasChosen) {
  const Table table = test::ka5();
  OlemPlusProblem problem(table, {}, Context());
  const OrderResult base = problem.learn({}, Context());
  OlemPlusProblem same = problem.reweighted(std::vector<double>(table.rows(), 2.0), Context());
  const OrderResult again = same.learn({}, Context(), base.order);
  EXPECT_EQ(again.order, base.order);
  for (std::size_t s = 0; s < base.steps.size(); ++s) EXPECT_NEAR(*again.steps[s].gap, *base.steps[s].gap, 1e-6);
  RandomStream random(18, "bootstrap");
  std::vector<double> weights(table.rows());
  for (double& weight : weights) weight = random.exponential(1.0);
  OlemPlusProblem other = problem.reweighted(weights, Context());
  const OrderScore score = other.score(base.order, Context());
  EXPECT_NE(score.shape, problem.score(base.order, Context()).shape);
  EXPECT_NEAR(score.shape, problem.score(base.order, Context()).shape, 0.4);
  // The numbers of a weighted problem that chooses for itself are near.
  OlemPlusProblem fresh(table, {}, Context(), weights);
  EXPECT_NEAR(fresh.score(base.order, Context()).shape, score.shape, 0.1);
}

// Half of the rows come from a chain the other way round; weights choose which half counts.
TEST(OlemPlus, WeightsChooseTheRowsThatCount) {
  RandomStream random(16, "halves");
  std::vector<std::vector<double>> columns(2, std::vector<double>(2000));
  std::vector<double> weights(2000);
  for (std::size_t i = 0; i < 2000; ++i) {
    const bool first = i % 2 == 0;
    const double cause = random.exponential(1.0);
    const double effect = cause + random.exponential(1.0);
    columns[first ? 0 : 1][i] = cause;
    columns[first ? 1 : 0][i] = effect;
    weights[i] = first ? 1.0 : 0.01;
  }
  const Table table = table_of({"a", "b"}, columns);
  const auto order = [&] {
    return learn_order_olem_plus_weighted(table, with_units(ColumnUnits::kArbitrary), {}, weights, {}, Context()).order;
  };
  EXPECT_EQ(order(), (Order{"a", "b"}));
  for (double& weight : weights) weight = 1.01 - weight;
  EXPECT_EQ(order(), (Order{"b", "a"}));
}

// Normal noise and units of their own: by shape nothing tells the two apart. Where the lever was set at random it is
// independent of what comes before it and moves what comes after it.
TEST(OlemPlus, RowsThatWereSetTellWhatComesFirst) {
  for (const bool lever_first : {true, false}) {
    RandomStream random(19, "set");
    std::vector<std::vector<double>> columns(2, std::vector<double>(1000));
    auto rows = std::make_shared<TaskRows>();
    rows->set.push_back({"lever", std::vector<unsigned char>(1000)});
    for (std::size_t i = 0; i < 1000; ++i) {
      const bool was_set = i % 2 == 0;
      rows->set.front().rows[i] = was_set ? 1 : 0;
      const double first = random.normal();
      const double second = random.normal();
      double& lever = columns[0][i];
      double& other = columns[1][i];
      lever = first;
      other = lever_first ? lever + second : second;
      if (!lever_first && !was_set) lever = other + first;
    }
    const Table table = table_of({"lever", "other"}, columns);
    OlemPlusOptions options = with_units(ColumnUnits::kArbitrary);
    EXPECT_FALSE(learn_order_olem_plus(table, options, {}, Context()).steps.front().decided);
    options.rows = rows;
    const OrderResult told = learn_order_olem_plus(table, options, {}, Context());
    EXPECT_EQ(told.order, lever_first ? (Order{"lever", "other"}) : (Order{"other", "lever"}));
    EXPECT_TRUE(told.steps.front().decided);
  }
}

// Rounded and repeated values, columns with few values, rows that repeat.
TEST(OlemPlus, TakesDiscreteColumns) {
  RandomStream random(17, "discrete");
  std::vector<std::vector<double>> columns(3, std::vector<double>(300));
  for (std::size_t i = 0; i < 300; ++i) {
    columns[0][i] = random.uniform() < 0.5 ? 0.0 : 1.0;
    columns[1][i] = std::round(2.0 * columns[0][i] + random.normal());
    columns[2][i] = std::round(10.0 * (columns[1][i] + random.normal())) / 10.0;
  }
  const OrderResult result = learn_order_olem_plus(table_of({"a", "b", "c"}, columns), {}, {}, Context());
  EXPECT_EQ(result.order.size(), 3U);
  for (const OrderStep& step : result.steps) EXPECT_TRUE(std::isfinite(*step.gap));
}

// From 50 000 rows on a sample is searched first, and regressions of all rows are cut into tasks.
TEST(OlemPlus, LongTables) {
  constexpr std::size_t kRows = 50000;
  RandomStream random(21, "long");
  std::vector<std::vector<double>> columns(4, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    columns[0][i] = random.exponential(1.0);
    columns[1][i] = random.normal();
    columns[2][i] = columns[0][i] + std::sin(2.0 * columns[1][i]) + 0.5 * random.normal();
    columns[3][i] = std::tanh(columns[2][i]) + 0.5 * columns[0][i] + 0.5 * random.normal();
  }
  const Table table = table_of({"a", "b", "c", "d"}, columns);
  std::vector<OrderResult> results;
  for (const int threads : {1, 3}) {
    Context context;
    context.threads = threads;
    double last = 0.0;
    std::size_t reports = 0;
    context.progress = [&](double fraction, std::string_view) {
      EXPECT_GE(fraction, last);
      last = fraction;
      ++reports;
    };
    results.push_back(learn_order_olem_plus(table, {}, {}, context));
    EXPECT_EQ(last, 1.0);
    EXPECT_GT(reports, 10U);
  }
  EXPECT_EQ(results[0].order, results[1].order);
  EXPECT_EQ(results[0].facts, results[1].facts);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(results[0].steps[s].gap, results[1].steps[s].gap);
  EXPECT_EQ(results[0].order.back(), "d");
  EXPECT_EQ(results[0].order[2], "c");
  // The score is that of all rows.
  OlemPlusProblem problem(table, {}, Context());
  const OrderScore score = problem.score(results[0].order, Context());
  for (const auto& [name, value] : results[0].facts) {
    if (name == "score_shape") {
      EXPECT_DOUBLE_EQ(value, score.shape);
    }
  }
  // What is known holds for the sample and for all rows.
  const Precedence known(make_knowledge({{"d"}, {"c"}}, {}), table.names());
  const Order obedient = learn_order_olem_plus(table, {}, known, Context()).order;
  EXPECT_LT(std::find(obedient.begin(), obedient.end(), "d"), std::find(obedient.begin(), obedient.end(), "c"));
}

}  // namespace
}  // namespace olem::olem_plus_test
