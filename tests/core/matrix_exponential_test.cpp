#include "core/matrix_exponential.h"

#include <gtest/gtest.h>

#include <cmath>

#include "olem/random.h"

namespace olem::matrix_exponential_test {

using namespace internal;
namespace {

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  std::vector<double> c(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) c[j * n + i] += a[k * n + i] * b[j * n + k];
    }
  }
  return c;
}

// The power series, for a matrix whose terms do not cancel.
std::vector<double> series(const std::vector<double>& a, std::size_t n) {
  std::vector<double> term(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) term[i * n + i] = 1.0;
  std::vector<double> sum = term;
  for (int k = 1; k < 200; ++k) {
    term = product(a, term, n);
    for (std::size_t i = 0; i < term.size(); ++i) {
      term[i] /= k;
      sum[i] += term[i];
    }
  }
  return sum;
}

TEST(MatrixExponential, IsTheSeriesForNonNegativeMatrices) {
  RandomStream random(1, "exponential");
  for (const std::size_t n : {1U, 2U, 5U, 20U}) {
    for (const double scale : {1e-8, 0.01, 0.5, 3.0, 20.0}) {  // 1-norms with and without squaring
      std::vector<double> a(n * n);
      for (double& value : a) value = random.uniform() * scale / static_cast<double>(n);
      const std::vector<double> expected = series(a, n);
      const std::vector<double> found = matrix_exponential(a, n);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-13 * (1.0 + expected[i])) << n << " " << scale;
      }
    }
  }
}

TEST(MatrixExponential, OfARotationIsSineAndCosine) {
  for (const double angle : {0.1, 1.0, 10.0, 30.0}) {
    const std::vector<double> found = matrix_exponential(std::vector<double>{0.0, -angle, angle, 0.0}, 2);
    EXPECT_NEAR(found[0], std::cos(angle), 1e-13);
    EXPECT_NEAR(found[1], -std::sin(angle), 1e-13);
    EXPECT_NEAR(found[2], std::sin(angle), 1e-13);
    EXPECT_NEAR(found[3], std::cos(angle), 1e-13);
  }
}

TEST(MatrixExponential, OfANilpotentMatrixIsAPolynomial) {
  // a above the diagonal of a 3 x 3 matrix: I + N + N^2 / 2.
  const double a = 100.0;
  const std::vector<double> found = matrix_exponential(std::vector<double>{0, 0, 0, a, 0, 0, 0, a, 0}, 3);
  const std::vector<double> expected = {1, 0, 0, a, 1, 0, a * a / 2, a, 1};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12 * (1.0 + expected[i]));
}

TEST(MatrixExponential, SaysWhenItIsNotFinite) {
  EXPECT_FALSE(std::isfinite(matrix_exponential(std::vector<double>{1e3}, 1)[0]));
  EXPECT_TRUE(std::isnan(matrix_exponential(std::vector<double>{std::nan("")}, 1)[0]));
  EXPECT_TRUE(matrix_exponential({}, 0).empty());
}

}  // namespace
}  // namespace olem::matrix_exponential_test
