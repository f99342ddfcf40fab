#include "order/stein.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "olem/error.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem::stein_test {

using namespace internal;
namespace {

std::vector<std::size_t> all_columns(const Table& table) {
  std::vector<std::size_t> columns(table.columns());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

SteinEstimate estimate(const Table& table, const SteinOptions& options = {}, const Context& context = Context()) {
  return SteinEstimator(table, options, context).estimate(all_columns(table), context);
}

Table four_points() { return {{"x", "y"}, {0, 1, -1, 0.5, 0, 0.5, 1, -1.5}}; }

// The formulas as they are written, one sum at a time, and a dense solve by Eigen.
SteinEstimate by_the_formula(const Table& table, const SteinOptions& options) {
  const std::size_t n = table.rows();
  const std::size_t m = table.columns();
  const auto size = static_cast<Eigen::Index>(n);
  std::vector<double> distances(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      double sum = 0.0;
      for (std::size_t j = 0; j < m; ++j) sum += std::pow(table.at(a, j) - table.at(b, j), 2);
      distances[b * n + a] = std::sqrt(sum);
    }
  }
  std::vector<double> sorted = distances;
  if (options.median == SteinMedian::kNonzero) std::erase(sorted, 0.0);
  std::sort(sorted.begin(), sorted.end());
  SteinEstimate result;
  const double low = sorted.empty() ? 0.0 : sorted[(sorted.size() - 1) / 2];
  const double high = sorted.empty() ? 0.0 : sorted[sorted.size() / 2];
  const double s = result.bandwidth = options.median == SteinMedian::kAll ? low : (low + high) / 2.0;

  Eigen::MatrixXd kernel(size, size);
  for (std::size_t i = 0; i < n * n; ++i) {
    kernel.data()[i] = std::exp(-distances[i] * distances[i] / (2.0 * s * s)) / s;
  }
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
  const Eigen::LDLT<Eigen::MatrixXd> for_score(kernel + options.eta_score * identity);
  const Eigen::LDLT<Eigen::MatrixXd> for_hessian(kernel + options.eta_hessian * identity);
  for (std::size_t j = 0; j < m; ++j) {
    Eigen::VectorXd first(size);
    Eigen::VectorXd second(size);
    for (std::size_t a = 0; a < n; ++a) {
      double sum = 0.0;
      double squares = 0.0;
      for (std::size_t b = 0; b < n; ++b) {
        const double difference = table.at(a, j) - table.at(b, j);
        const double weight = kernel.data()[b * n + a];
        sum -= difference * weight / (s * s);
        squares += (difference * difference / std::pow(s, 4) - 1.0 / (s * s)) * weight;
      }
      first[static_cast<Eigen::Index>(a)] = sum;
      second[static_cast<Eigen::Index>(a)] = squares;
    }
    const Eigen::VectorXd score = for_score.solve(first);
    const Eigen::VectorXd hessian = for_hessian.solve(second) - score.cwiseProduct(score);
    result.score.emplace_back(score.begin(), score.end());
    result.hessian.emplace_back(hessian.begin(), hessian.end());
  }
  return result;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

// The second derivatives were made with R: dist, chol, backsolve and the formulas as they stand.
TEST(Stein, KnownAnswersOfFourPoints) {
  const SteinEstimate found = estimate(four_points());
  EXPECT_NEAR(found.bandwidth, 1.4142135624, 1e-10);
  const std::vector<std::vector<double>> score = {{1.40078849, -1.92176378, 0.58703766, -0.29233488},
                                                  {0.96756209, -1.16648226, -0.82650031, 0.87902311}};
  const std::vector<std::vector<double>> hessian = {{-3.15681866, -3.42912272, -0.14073131, -0.43904371},
                                                    {-1.9142649, -1.57300641, -0.7444936, -0.33590969}};
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t a = 0; a < 4; ++a) {
      EXPECT_NEAR(found.score[j][a], score[j][a], 1e-8);
      EXPECT_NEAR(found.hessian[j][a], hessian[j][a], 1e-8);
    }
  }
  EXPECT_NEAR(mean_of(found.hessian[0]), -1.7914291, 1e-7);
  EXPECT_NEAR(mean_of(found.hessian[1]), -1.14191865, 1e-7);
  SteinOptions nonzero;
  nonzero.median = SteinMedian::kNonzero;
  EXPECT_NEAR(estimate(four_points(), nonzero).bandwidth, 1.8213458214, 1e-10);
}

RC_GTEST_PROP(Stein, IsTheFormula, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(3, 260);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  Table table = test::linear_table(rows, columns, seed);
  if (*rc::gen::arbitrary<bool>()) {  // points that coincide and distances that tie
    std::vector<double> values(table.values().begin(), table.values().end());
    for (double& value : values) value = std::round(2.0 * value) / 2.0;
    table = Table(table.names(), std::move(values));
  }
  SteinOptions options;
  options.median = *rc::gen::element(SteinMedian::kAll, SteinMedian::kNonzero);
  options.eta_hessian = *rc::gen::element(0.001, 0.01);
  const SteinEstimate expected = by_the_formula(table, options);
  RC_PRE(expected.bandwidth > 0.0);
  const SteinEstimate found = estimate(table, options);
  RC_ASSERT(std::abs(found.bandwidth - expected.bandwidth) < 1e-14 * expected.bandwidth);
  for (std::size_t j = 0; j < columns; ++j) {
    RC_ASSERT(relative_difference(found.score[j], expected.score[j]) < 1e-8);
    RC_ASSERT(relative_difference(found.hessian[j], expected.hessian[j]) < 1e-8);
  }
}

TEST(Stein, AColumnOfLargeNumbersLeavesNoTraceWhenItIsGone) {
  const Table small = test::ka5();
  std::vector<double> values(small.values().begin(), small.values().end());
  for (std::size_t i = 0; i < small.rows(); ++i) values.push_back(1e9 * small.at(i, 0) * small.at(i, 1));
  std::vector<std::string> names = small.names();
  names.push_back("large");
  const Table table(names, std::move(values));
  SteinEstimator estimator(table, {}, Context());
  estimator.estimate(all_columns(table), Context());
  EXPECT_EQ(estimator.estimate(all_columns(small), Context()).hessian, estimate(small).hessian);
}

// A row far from all others: its own kernel entry is all that it has, so its derivatives are those of one point.
TEST(Stein, OutliersDoNotCancel) {
  const Table near = test::normal_table(50, 2, 8);
  std::vector<double> values(near.values().begin(), near.values().end());
  values[7] = 1e9;
  const SteinEstimate found = estimate(Table(near.names(), std::move(values)));
  const double s = found.bandwidth;
  const double alone = -1.0 / (s * s * s) / (1.0 / s + 0.001);
  EXPECT_NEAR(found.score[0][7], 0.0, 1e-12);
  EXPECT_NEAR(found.hessian[0][7], alone, 1e-9 * std::abs(alone));
  EXPECT_NEAR(found.hessian[1][7], alone, 1e-9 * std::abs(alone));
}

TEST(Stein, ThreadsGiveEqualBytes) {
  const Table table = test::linear_table(450, 4, 2);
  Context one;
  one.threads = 1;
  const SteinEstimate first = estimate(table, {}, one);
  for (const int threads : {2, 8}) {
    Context context;
    context.threads = threads;
    const SteinEstimate other = estimate(table, {}, context);
    EXPECT_EQ(other.bandwidth, first.bandwidth);
    EXPECT_EQ(other.score, first.score);
    EXPECT_EQ(other.hessian, first.hessian);
  }
}

TEST(Stein, SomeRowsAreARandomPartOfTheTable) {
  const Table table = test::ka5();
  SteinOptions options;
  options.rows = 150;
  Context context;
  context.seed = 9;
  const auto drawn = RandomStream(9, "stein_rows").sample_without_replacement(400, 150);
  EXPECT_EQ(estimate(table, options, context).hessian, estimate(table.with_rows(drawn)).hessian);
  context.seed = 10;
  EXPECT_NE(estimate(table, options, context).hessian, estimate(table.with_rows(drawn)).hessian);
  options.rows = 400;
  EXPECT_EQ(estimate(table, options, context).hessian, estimate(table).hessian);
  options.rows = 2;
  try {
    estimate(table, options, context);
    FAIL() << "two rows were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    EXPECT_NE(std::string(error.what()).find("stein_rows: "), std::string::npos) << error.what();
  }
}

TEST(Stein, RepeatedRowsAreRefusedWithTheRemedy) {
  std::vector<double> values(100, 0.0);
  for (std::size_t i = 0; i < 10; ++i) values[i] = static_cast<double>(i);
  const Table table({"mostly_zero"}, std::move(values), "cells.csv");
  try {
    estimate(table);
    FAIL() << "a bandwidth of zero was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_EQ(std::string(error.what()).rfind("cells.csv: ", 0), 0U) << error.what();
    EXPECT_NE(std::string(error.what()).find("SteinOptions::median = SteinMedian::kNonzero"), std::string::npos)
        << error.what();
  }
  SteinOptions nonzero;
  nonzero.median = SteinMedian::kNonzero;
  EXPECT_GT(estimate(table, nonzero).bandwidth, 0.0);
}

TEST(Stein, ValuesThatCannotBeSquaredAreRefused) {
  EXPECT_THROW(estimate(Table({"a"}, {0.0, 1e200, 2e200, 3e200})), Error);
  EXPECT_THROW(estimate(Table({"a"}, {0.0, 1e-200, 2e-200, 3e-200})), Error);
}

TEST(Stein, AKernelMatrixThatIsSingularIsRefused) {
  SteinOptions options;
  options.eta_score = options.eta_hessian = 1e-12;
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(1e-9 * i);
  try {
    estimate(Table({"a"}, std::move(values)), options);
    FAIL() << "a singular kernel matrix was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what())
                  .find("Regularise more: SteinOptions::eta_score or "
                        "SteinOptions::eta_hessian."),
              std::string::npos)
        << error.what();
  }
}

TEST(Stein, MemoryIsPredictedBeforeItIsUsed) {
  Context context;
  context.memory_limit = 1'000'000;  // 400 x 400 doubles are 1.28 MB
  try {
    estimate(test::ka5(), {}, context);
    FAIL() << "the memory limit was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
    EXPECT_NE(std::string(error.what()).find("The kernel matrix of 400 rows needs about 1 MB"), std::string::npos)
        << error.what();
  }
  SteinOptions fewer;
  fewer.rows = 200;
  EXPECT_NO_THROW(estimate(test::ka5(), fewer, context));
}

}  // namespace
}  // namespace olem::stein_test
