#include "core/matrix_exponential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/lapack.h"

namespace olem::internal {

namespace {

constexpr std::size_t kDegree = 13;
// Largest 1-norm for which the approximant is exact to double precision (Higham 2005).
constexpr double kLargestNorm = 5.371920351148152;
// A matrix this far above the largest norm overflows when squared back, unless it is nilpotent.
constexpr int kMostSquarings = 1024;

// Coefficients of the numerator, of x^0 .. x^13; those of the denominator have alternating signs.
std::array<double, kDegree + 1> numerator() {
  std::array<double, kDegree + 1> b{};
  b[0] = 1.0;
  for (std::size_t j = 1; j <= kDegree; ++j) {
    b[j] = b[j - 1] * static_cast<double>(kDegree - j + 1) / static_cast<double>((2 * kDegree - j + 1) * j);
  }
  return b;
}

double one_norm(std::span<const double> matrix, std::size_t n) {
  double largest = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += std::abs(matrix[j * n + i]);
    if (!(sum <= largest)) largest = sum;  // a NaN stays
  }
  return largest;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  std::vector<double> c(n * n);
  multiply(1.0, {a.data(), n, n}, {b.data(), n, n}, 0.0, c.data());
  return c;
}

}  // namespace

std::vector<double> matrix_exponential(std::span<const double> matrix, std::size_t n) {
  const std::size_t size = n * n;
  const double norm = one_norm(matrix, n);
  if (!std::isfinite(norm)) return std::vector<double>(size, std::numeric_limits<double>::quiet_NaN());
  int squarings = 0;
  if (norm > kLargestNorm)
    squarings = std::min(kMostSquarings, static_cast<int>(std::ceil(std::log2(norm / kLargestNorm))));
  std::vector<double> a(matrix.begin(), matrix.end());
  const double scale = std::ldexp(1.0, -squarings);
  for (double& value : a) value *= scale;

  const auto b = numerator();
  const std::vector<double> a2 = product(a, a, n);
  const std::vector<double> a4 = product(a2, a2, n);
  const std::vector<double> a6 = product(a4, a2, n);
  // c[0] + c[1] x^2 + c[2] x^4 + c[3] x^6 of the even powers, given by every second coefficient.
  const auto even = [&](double c0, double c2, double c4, double c6) {
    std::vector<double> sum(size);
    for (std::size_t i = 0; i < size; ++i) sum[i] = c6 * a6[i] + c4 * a4[i] + c2 * a2[i];
    for (std::size_t i = 0; i < size; i += n + 1) sum[i] += c0;
    return sum;
  };
  const auto with_high_powers = [&](const std::vector<double>& high, std::vector<double> low) {
    const std::vector<double> shifted = product(a6, high, n);
    for (std::size_t i = 0; i < size; ++i) low[i] += shifted[i];
    return low;
  };
  const std::vector<double> odd_over_a = with_high_powers(even(0.0, b[9], b[11], b[13]), even(b[1], b[3], b[5], b[7]));
  const std::vector<double> odd = product(a, odd_over_a, n);
  const std::vector<double> rest = with_high_powers(even(0.0, b[8], b[10], b[12]), even(b[0], b[2], b[4], b[6]));

  std::vector<double> denominator(size);
  std::vector<double> result(size);
  for (std::size_t i = 0; i < size; ++i) {
    denominator[i] = rest[i] - odd[i];
    result[i] = rest[i] + odd[i];
  }
  if (!solve_general(denominator.data(), n, result.data(), n)) {
    return std::vector<double>(size, std::numeric_limits<double>::quiet_NaN());
  }
  for (int i = 0; i < squarings; ++i) result = product(result, result, n);
  return result;
}

}  // namespace olem::internal
