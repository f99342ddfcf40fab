#include "gam/weighted_chi_square.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <vector>

namespace olem::weighted_chi_square_test {

using namespace internal;
namespace {

double chi_square_upper_tail(double degrees, double q) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), q));
}

void expect_relative(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected)) << "expected " << expected;
}

TEST(WeightedChiSquare, OneWeightIsAChiSquare) {
  for (const double degrees : {0.5, 1.0, 2.0, 3.0, 7.5, 60.0, 1000.0}) {
    for (const double ratio : {0.01, 0.3, 0.9, 1.0, 1.5, 4.0, 20.0}) {
      const double q = ratio * degrees;
      const std::vector<ChiSquareTerm> terms = {{2.5, degrees}};
      SCOPED_TRACE(testing::Message() << degrees << " degrees at " << q);
      expect_relative(weighted_chi_square_upper_tail(terms, 2.5 * q), chi_square_upper_tail(degrees, q), 1e-9);
    }
  }
}

TEST(WeightedChiSquare, EqualWeightsAddTheirDegrees) {
  const std::vector<ChiSquareTerm> terms = {{0.7, 1.0}, {0.7, 2.0}, {0.7, 0.5}, {0.0, 9.0}};
  for (const double q : {0.1, 1.0, 5.0, 50.0}) {
    expect_relative(weighted_chi_square_upper_tail(terms, 0.7 * q), chi_square_upper_tail(3.5, q), 1e-9);
  }
}

TEST(WeightedChiSquare, WeightsOfBothSignsAreAnFDistribution) {
  for (const double r : {1.0, 2.0, 8.0}) {
    for (const double k0 : {1.0, 5.0, 400.0, 20000.0}) {
      for (const double f : {0.05, 0.8, 2.0, 7.0, 40.0}) {
        const std::vector<ChiSquareTerm> terms = {{1.0, r}, {-f * r / k0, k0}};
        SCOPED_TRACE(testing::Message() << "F(" << r << ", " << k0 << ") at " << f);
        const double expected = boost::math::cdf(boost::math::complement(boost::math::fisher_f(r, k0), f));
        expect_relative(weighted_chi_square_upper_tail(terms, 0.0), expected, 1e-9);
        expect_relative(f_upper_tail(f, r, k0), expected, 1e-12);
      }
    }
  }
}

// Imhof (1961), table 1, four digits.
TEST(WeightedChiSquare, ImhofsTable) {
  const std::vector<ChiSquareTerm> q1 = {{0.6, 1.0}, {0.3, 1.0}, {0.1, 1.0}};
  EXPECT_NEAR(weighted_chi_square_upper_tail(q1, 0.1), 0.9458, 5e-5);
  EXPECT_NEAR(weighted_chi_square_upper_tail(q1, 0.7), 0.5064, 5e-5);
  EXPECT_NEAR(weighted_chi_square_upper_tail(q1, 2.0), 0.1240, 5e-5);
}

// With two degrees each the terms are exponential variables, and for different weights a_i the probability is
// sum over a_i > 0 of exp(-q / 2 a_i) prod_{j != i} a_i / (a_i - a_j), q >= 0.
RC_GTEST_PROP(WeightedChiSquare, SumsOfExponentialsInClosedForm, ()) {
  const int count = *rc::gen::inRange(1, 6);
  std::vector<double> weights;
  for (int i = 0; i < count; ++i) {
    // At least a quarter apart: the closed form cancels when weights are close.
    weights.push_back(0.25 * (4 * i + 1 + *rc::gen::inRange(0, 3)) * (*rc::gen::inRange(0, 3) == 0 && i > 0 ? -1 : 1));
  }
  const double q = 0.1 * *rc::gen::inRange(0, 1000);
  double expected = 0.0;
  std::vector<ChiSquareTerm> terms;
  for (const double a : weights) {
    terms.push_back({a, 2.0});
    if (a < 0.0) continue;
    double product = std::exp(-0.5 * q / a);
    for (const double b : weights) {
      if (b != a) product *= a / (a - b);
    }
    expected += product;
  }
  RC_ASSERT(std::abs(weighted_chi_square_upper_tail(terms, q) - expected) <= 1e-7 * expected);
}

TEST(WeightedChiSquare, FarTailsKeepTheirDigits) {
  const std::vector<ChiSquareTerm> terms = {{1.0, 2.0}, {0.5, 2.0}};
  expect_relative(weighted_chi_square_upper_tail(terms, 200.0), 2.0 * std::exp(-100.0) - std::exp(-200.0), 1e-9);
  expect_relative(weighted_chi_square_upper_tail(terms, 1200.0), 2.0 * std::exp(-600.0), 1e-9);
}

TEST(WeightedChiSquare, NegativeWeightsAlone) {
  const std::vector<ChiSquareTerm> terms = {{-2.0, 3.0}};
  EXPECT_EQ(weighted_chi_square_upper_tail(terms, 0.0), 0.0);
  EXPECT_EQ(weighted_chi_square_upper_tail(terms, 1.0), 0.0);
  EXPECT_NEAR(weighted_chi_square_upper_tail(terms, -5.0), 1.0 - chi_square_upper_tail(3.0, 2.5), 1e-10);
}

TEST(WeightedChiSquare, NoTermsIsTheConstantZero) {
  EXPECT_EQ(weighted_chi_square_upper_tail({}, -1.0), 1.0);
  EXPECT_EQ(weighted_chi_square_upper_tail({}, 0.0), 0.0);
  const std::vector<ChiSquareTerm> positive = {{1.0, 1.0}};
  EXPECT_EQ(weighted_chi_square_upper_tail(positive, -3.0), 1.0);
}

}  // namespace
}  // namespace olem::weighted_chi_square_test
