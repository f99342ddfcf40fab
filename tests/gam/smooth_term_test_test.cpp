#include "gam/smooth_term_test.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "gam/weighted_chi_square.h"

namespace olem::smooth_term_test_test {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const MatrixXd kCovariance = VectorXd({{4.0, 1.0, 0.25, 0.01}}).asDiagonal();
const VectorXd kCoefficients{{3.0, -2.0, 0.4, 0.3}};  // squared over variance: 2.25, 4, 0.64, 9

TEST(SmoothTermTest, WholeRankIsAnFTestOnTheLeadingDirections) {
  const SmoothTermTest two = smooth_term_test(kCoefficients, kCovariance, 2.0, 97.3);
  EXPECT_NEAR(two.statistic, 6.25, 1e-12);
  EXPECT_NEAR(two.p_value, f_upper_tail(6.25 / 2.0, 2.0, 97.3), 1e-14);
  const SmoothTermTest all = smooth_term_test(kCoefficients, kCovariance, 9.0, 97.3);
  EXPECT_EQ(all.reference_df, 4.0);
  EXPECT_NEAR(all.statistic, 15.89, 1e-12);
}

TEST(SmoothTermTest, FractionalRankAddsItsShareOfTheNextDirection) {
  // Rank 2.5: 2.25 + (4 + 0.5 * 0.64 +- 2 sqrt(0.125) * 2 * 0.8), p the mean of the two.
  const double cross = 2.0 * std::sqrt(0.125) * 1.6;
  const SmoothTermTest test = smooth_term_test(kCoefficients, kCovariance, 2.5, 100.0);
  EXPECT_NEAR(test.statistic, 6.57, 1e-12);
  const double first = 0.5 * (1.5 + std::sqrt(0.75));
  double expected = 0.0;
  for (const double statistic : {6.57 + cross, 6.57 - cross}) {
    const ChiSquareTerm terms[] = {{1.0, 1.0}, {first, 1.0}, {1.5 - first, 1.0}, {-statistic / 100.0, 100.0}};
    expected += 0.5 * weighted_chi_square_upper_tail(terms, 0.0);
  }
  EXPECT_NEAR(test.p_value, expected, 1e-13);
}

TEST(SmoothTermTest, IsContinuousInTheRank) {
  const double p_value = smooth_term_test(kCoefficients, kCovariance, 2.0, 100.0).p_value;
  EXPECT_NEAR(smooth_term_test(kCoefficients, kCovariance, 2.0 + 1e-10, 100.0).p_value, p_value, 1e-5);
  EXPECT_NEAR(smooth_term_test(kCoefficients, kCovariance, 2.0 - 1e-10, 100.0).p_value, p_value, 1e-5);
}

TEST(SmoothTermTest, LessThanOneDegreeIsTestedAsOne) {
  const SmoothTermTest test = smooth_term_test(kCoefficients, kCovariance, 0.4, 50.0);
  EXPECT_NEAR(test.p_value, f_upper_tail(2.25, 1.0, 50.0), 1e-14);
}

TEST(SmoothTermTest, DirectionsWithoutVarianceAreNotTested) {
  MatrixXd line = MatrixXd::Zero(4, 4);
  line(0, 0) = 4.0;
  const SmoothTermTest test = smooth_term_test(VectorXd{{3.0, 0.0, 0.0, 0.0}}, line, 1.0 + 1e-9, 50.0);
  EXPECT_EQ(test.reference_df, 1.0);
  EXPECT_NEAR(test.p_value, f_upper_tail(2.25, 1.0, 50.0), 1e-14);
  EXPECT_EQ(smooth_term_test(VectorXd::Ones(4), MatrixXd::Zero(4, 4), 2.0, 50.0).p_value, 0.0);
}

// Whatever a regression may hand over, the answer is a probability, and it does not depend on the sign of the function.
RC_GTEST_PROP(SmoothTermTest, IsAProbability, ()) {
  const double size = std::pow(10.0, *rc::gen::inRange(-9, 9));
  const double rank = *rc::gen::inRange(0, 5) + std::pow(10.0, -*rc::gen::inRange(0, 15));
  const double residual_df = std::pow(10.0, 0.5 * *rc::gen::inRange(0, 13));
  const SmoothTermTest plus = smooth_term_test(size * kCoefficients, kCovariance, rank, residual_df);
  const SmoothTermTest minus = smooth_term_test(-size * kCoefficients, kCovariance, rank, residual_df);
  RC_ASSERT(plus.p_value >= 0.0 && plus.p_value <= 1.0);
  RC_ASSERT(plus.p_value == minus.p_value);
}

}  // namespace
}  // namespace olem::smooth_term_test_test
