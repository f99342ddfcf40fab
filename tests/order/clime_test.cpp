#include "order/clime.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "olem/error.h"
#include "olem/order.h"
#include "order/precision.h"
#include "support/datasets.h"

namespace olem::clime_test {

using namespace internal;
namespace {

Eigen::MatrixXd covariance_of(const Table& table) { return centered_columns(table, Context()).covariance; }

ListenOptions clime_options(double lambda) {
  ListenOptions options;
  options.precision = PrecisionEstimator::kClime;
  options.clime_lambda = lambda;
  return options;
}

// 0 -> 1 with weight 2, 1 -> 2 with weight -0.5, unit noise.
Eigen::MatrixXd chain_covariance() {
  Eigen::MatrixXd covariance(3, 3);
  covariance << 1, 2, -1, 2, 5, -2.5, -1, -2.5, 2.25;
  return covariance;
}

TEST(Clime, WithoutToleranceItIsTheInverse) {
  const Eigen::MatrixXd inverse = chain_covariance().inverse();
  for (std::size_t j = 0; j < 3; ++j) {
    const auto column = clime_column(chain_covariance(), j, 1e-9, Context());
    ASSERT_TRUE(column.has_value());
    EXPECT_LT((*column - inverse.col(static_cast<Eigen::Index>(j))).lpNorm<Eigen::Infinity>(), 1e-7);
  }
}

TEST(Clime, OfIndependentColumnsEachEntryIsShrunk) {
  // S = diag(1, 4): |s_j b - 1| <= lambda, so the least |b| is (1 - lambda) / s_j.
  const Eigen::MatrixXd covariance = Eigen::Vector2d(1.0, 4.0).asDiagonal();
  EXPECT_LT((*clime_column(covariance, 0, 0.3, Context()) - Eigen::Vector2d(0.7, 0.0)).norm(), 1e-12);
  EXPECT_LT((*clime_column(covariance, 1, 0.3, Context()) - Eigen::Vector2d(0.0, 0.175)).norm(), 1e-12);
}

// b is optimal when some y has y^T S b = ||b||_1 with |S y|_inf <= 1 and y pushes against active constraints only. Such
// a y is found by solving for the active rows and the columns in use, as many of them as of each other.
TEST(Clime, SolutionsAreFeasibleAndOptimal) {
  const Eigen::MatrixXd covariance = covariance_of(test::linear_table(60, 12, 8));
  constexpr double kLambda = 0.1;
  for (Eigen::Index j = 0; j < 12; ++j) {
    const Eigen::VectorXd b = *clime_column(covariance, static_cast<std::size_t>(j), kLambda, Context());
    const Eigen::VectorXd distance = covariance * b - Eigen::VectorXd::Unit(12, j);
    EXPECT_LT(distance.lpNorm<Eigen::Infinity>(), kLambda + 1e-9);
    std::vector<Eigen::Index> active;
    std::vector<Eigen::Index> used;
    for (Eigen::Index i = 0; i < 12; ++i) {
      if (std::abs(distance[i]) > kLambda - 1e-9) active.push_back(i);
      if (b[i] != 0.0) used.push_back(i);
    }
    ASSERT_EQ(active.size(), used.size());
    const Eigen::VectorXd signs = b(used).cwiseSign();
    const Eigen::VectorXd multipliers = Eigen::MatrixXd(covariance(used, active)).partialPivLu().solve(signs);
    Eigen::VectorXd y = Eigen::VectorXd::Zero(12);
    y(active) = multipliers;
    EXPECT_LT((covariance * y).lpNorm<Eigen::Infinity>(), 1.0 + 1e-8);
    for (std::size_t a = 0; a < active.size(); ++a) {
      // A row at its lower side holds b up, one at its upper side holds it down.
      EXPECT_LT(multipliers[static_cast<Eigen::Index>(a)] * distance[active[a]], 1e-10);
    }
  }
}

TEST(Clime, RemovalLeavesWhatAFreshStartFinds) {
  const Table table = test::linear_table(80, 10, 12);
  constexpr double kLambda = 0.15;
  ClimePrecision precision(table, kLambda, Context());
  std::vector<std::size_t> columns = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const std::size_t position : {9U, 4U, 4U, 0U, 3U, 2U}) {
    precision.remove(position);
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(position));
    const Table left = table.with_columns(columns);
    const ClimePrecision fresh(left, kLambda, Context());
    EXPECT_LT((precision.matrix() - fresh.matrix()).lpNorm<Eigen::Infinity>(), 1e-8) << columns.size();
  }
}

TEST(Clime, SmallToleranceGivesThePlainOrder) {
  const Table table = test::ka5();
  const OrderResult plain = learn_order_listen(table, {}, {}, Context());
  const OrderResult clime = learn_order_listen(table, clime_options(1e-6), {}, Context());
  EXPECT_EQ(clime.order, plain.order);
  for (std::size_t s = 0; s < 4; ++s) {
    for (std::size_t p = 0; p < plain.steps[s].values.size(); ++p) {
      EXPECT_NEAR(clime.steps[s].values[p].second, plain.steps[s].values[p].second, 1e-4);
    }
    EXPECT_FALSE(clime.steps[s].gap_standard_error.has_value());
  }
  EXPECT_NEAR((*clime.matrix(kListenWeights))[1][3], (*plain.matrix(kListenWeights))[1][3], 1e-4);
}

TEST(Clime, FindsParentsWithFewerRowsThanColumns) {
  // Two children of one parent among 42 unrelated columns.
  constexpr std::size_t kRows = 40;
  const Table noise = test::normal_table(kRows, 45, 21);
  std::vector<double> values(noise.values().begin(), noise.values().end());
  for (std::size_t i = 0; i < kRows; ++i) {
    values[kRows + i] += values[i];
    values[2 * kRows + i] -= values[i];
  }
  OrderOptions options;
  options.method = "listen";
  options.listen = clime_options(0.0);
  const OrderResult result = learn_order(Table(noise.names(), std::move(values)), options, {}, Context());
  const auto place = [&](const std::string& name) {
    return std::find(result.order.begin(), result.order.end(), name) - result.order.begin();
  };
  EXPECT_LT(place("x0"), place("x1"));
  EXPECT_LT(place("x0"), place("x2"));
  EXPECT_GT((*result.matrix(kListenWeights))[0][1], 0.1);
  EXPECT_LT((*result.matrix(kListenWeights))[0][2], -0.1);
}

TEST(Clime, LeastToleranceIsEnoughAndMuchLessIsNot) {
  const Eigen::MatrixXd covariance = covariance_of(test::linear_table(15, 20, 2));
  const double least = least_clime_lambda(covariance, Context());
  ASSERT_GT(least, 0.01);
  const auto all_solved = [&](double lambda) {
    bool solved = true;
    for (std::size_t j = 0; j < 20; ++j) solved = solved && clime_column(covariance, j, lambda, Context()).has_value();
    return solved;
  };
  EXPECT_TRUE(all_solved(1.001 * least));
  EXPECT_FALSE(all_solved(0.95 * least));
}

TEST(Clime, ToleranceWithoutASolutionIsRefused) {
  // Two equal columns: row a and row b of S are the same, so one cannot be near 1 and the other near 0.
  const Table base = test::normal_table(40, 2, 4);
  std::vector<double> values(base.values().begin(), base.values().end());
  values.insert(values.end(), base.column(1).begin(), base.column(1).end());
  const Table table({"a", "b", "copy"}, std::move(values), "t.csv");
  try {
    learn_order_listen(table, clime_options(0.1), {}, Context());
    FAIL() << "there cannot be a solution";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what())
                  .find("t.csv: CLIME has no solution for column 'b' with a tolerance of 0.1: these rows "
                        "need 0.501"),
              std::string::npos)
        << error.what();
  }
}

TEST(Clime, ThreadsGiveEqualNumbers) {
  const Table table = test::linear_table(50, 15, 6);
  Context one;
  one.threads = 1;
  Context eight;
  eight.threads = 8;
  const OrderResult first = learn_order_listen(table, clime_options(0.0), {}, one);
  const OrderResult second = learn_order_listen(table, clime_options(0.0), {}, eight);
  EXPECT_EQ(first.order, second.order);
  EXPECT_EQ(*first.matrix(kListenWeights), *second.matrix(kListenWeights));
}

}  // namespace
}  // namespace olem::clime_test
