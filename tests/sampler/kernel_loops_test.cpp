#include "sampler/gp/kernel_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace olem::internal::sampling::kernel_loops_test {

using namespace internal;
namespace {

std::vector<const KernelLoops*> all_loops() {
  std::vector<const KernelLoops*> loops = {&portable_loops()};
  if (&kernel_loops() != &portable_loops()) loops.push_back(&kernel_loops());
#if defined(__x86_64__)
  if (&kernel_loops() == &avx512_loops()) loops.push_back(&avx2_loops());
#endif
  return loops;
}

// An odd number, so that what is left over of whole vectors is tested, too.
std::vector<double> grid(double low, double high) {
  constexpr std::size_t kSize = 4003;
  std::vector<double> values(kSize);
  for (std::size_t i = 0; i < kSize; ++i) values[i] = low + (high - low) * static_cast<double>(i) / (kSize - 1);
  return values;
}

TEST(KernelLoops, ArcsineAgreesWithTheLibrary) {
  const std::vector<double> x = grid(-1.0, 1.0);
  const std::vector<double> twice(x.size(), 2.0);
  for (const KernelLoops* loops : all_loops()) {
    std::vector<double> angle(x.size());
    std::vector<double> value(x.size());
    loops->arcsine(x.size(), x.data(), twice.data(), 0.5, 3.0, angle.data(), value.data());
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      ASSERT_DOUBLE_EQ(angle[i], x[i]);
      ASSERT_NEAR(value[i], 3.0 * std::asin(x[i]), 3.0 * 5e-16) << x[i];
    }
    EXPECT_LT(angle.back(), 1.0);
    EXPECT_NEAR(value.back(), 1.5 * std::numbers::pi, 1e-6);
  }
}

TEST(KernelLoops, ValueAndSlopeAtOnceAgreeWithTheLibrary) {
  const std::vector<double> x = grid(-0.9999, 0.9999);
  const std::vector<double> twice(x.size(), 2.0);
  for (const KernelLoops* loops : all_loops()) {
    std::vector<double> value = x;
    std::vector<double> alone = x;
    std::vector<double> slope(x.size());
    loops->arcsine_with_slope(x.size(), value.data(), twice.data(), 0.5, 3.0, value.data(), slope.data());
    loops->arcsine_value(x.size(), alone.data(), twice.data(), 0.5, 3.0, alone.data());
    EXPECT_EQ(alone, value);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(value[i], 3.0 * std::asin(x[i]), 3.0 * 5e-16) << x[i];
      ASSERT_NEAR(slope[i] * std::sqrt((1.0 - x[i]) * (1.0 + x[i])), 3.0, 1e-13) << x[i];
    }
  }
}

TEST(KernelLoops, SlopesMayOverwriteTheirWeights) {
  const std::vector<double> x = grid(-0.999, 0.999);
  for (const KernelLoops* loops : all_loops()) {
    std::vector<double> weights(x.size(), 2.0);
    loops->arcsine_slope(x.size(), x.data(), weights.data(), 0.25, weights.data());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(weights[i] * std::sqrt(1.0 - x[i] * x[i]), 0.5, 1e-13);
  }
}

TEST(KernelLoops, ExponentialAgreesWithTheLibraryAndNeverExceedsItsAmplitude) {
  std::vector<double> x = grid(-700.0, 0.0);
  x.insert(x.end(), {-1e-300, 1e-12, 3.0, -5000.0});
  const std::vector<double> half(x.size(), 0.5);
  std::vector<double> product(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) product[i] = x[i] + 1.0;
  for (const KernelLoops* loops : all_loops()) {
    std::vector<double> value(x.size());
    loops->rbf(x.size(), product.data(), half.data(), 0.5, 2.0, value.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exponent = std::min(0.0, product[i] - 0.5 - 0.5);
      ASSERT_NEAR(value[i], 2.0 * std::exp(std::max(exponent, -708.0)), 1e-15 * value[i]) << exponent;
    }
  }
}

// Five columns: four are taken at once. Whole numbers, so that single precision is exact.
TEST(KernelLoops, SquaresAreTakenInDouble) {
  constexpr std::size_t kRows = 19;
  std::vector<float> single;
  std::vector<double> expected(kRows, 1e9);
  for (std::size_t k = 0; k < 5 * kRows; ++k) {
    single.push_back(static_cast<float>(1000 + 37 * k));
    expected[k % kRows] -= static_cast<double>(single.back()) * static_cast<double>(single.back());
  }
  const std::vector<double> twice(single.begin(), single.end());
  for (const KernelLoops* loops : all_loops()) {
    std::vector<double> left(kRows, 1e9);
    loops->subtract_squares_single(kRows, 5, single.data(), left.data());
    EXPECT_EQ(left, expected);
    left.assign(kRows, 1e9);
    loops->subtract_squares(kRows, 5, twice.data(), left.data());
    EXPECT_EQ(left, expected);
  }
}

TEST(KernelLoops, TheRestIsRoundedAfterTheDifference) {
  constexpr std::size_t kRows = 21;
  std::vector<double> leading;
  for (std::size_t k = 0; k < kLeadingPoints * kRows; ++k) leading.push_back(1.0 + std::sin(static_cast<double>(k)));
  std::vector<double> weights;
  for (std::size_t q = 0; q < kLeadingPoints; ++q) weights.push_back(std::cos(static_cast<double>(q)));
  std::vector<double> x(kRows, 1e-6);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t q = 0; q < kLeadingPoints; ++q) x[i] += weights[q] * leading[q * kRows + i];
  }
  for (const KernelLoops* loops : all_loops()) {
    std::vector<float> rest(kRows);
    loops->narrow_rest(kRows, leading.data(), weights.data(), x.data(), rest.data());
    for (const float value : rest) EXPECT_NEAR(value, 1e-6, 1e-13);
  }
}

}  // namespace
}  // namespace olem::internal::sampling::kernel_loops_test
