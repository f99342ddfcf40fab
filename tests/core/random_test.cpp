#include "olem/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "olem/error.h"

namespace olem::random_test {
namespace {

using Block = std::array<std::uint32_t, 4>;

constexpr std::size_t kDraws = 20000;

std::vector<double> draw(std::size_t count, const std::function<double()>& next) {
  std::vector<double> values(count);
  for (double& value : values) value = next();
  return values;
}

// Largest distance between the empirical and the true distribution function, times sqrt(n). Its 99.9 % point is 1.95.
double kolmogorov_smirnov(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cdf(values[i]);
    largest = std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return largest * std::sqrt(n);
}

double mean_of_power(const std::vector<double>& values, int power) {
  double sum = 0.0;
  for (const double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
  return 12.0 * sum / static_cast<double>(a.size());  // uniforms have variance 1/12
}

constexpr double kSmirnovLimit = 1.95;

// Known answers published with Random123 (Salmon, Moraes, Dror, Shaw 2011), file kat_vectors.
TEST(Philox, GivesThePublishedVectors) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, IsAFunctionOfItsKey) {
  RandomStream first(7, "purpose", 3);
  RandomStream second(7, "purpose", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.next_u64(), second.next_u64());
}

TEST(RandomStream, EveryPartOfTheKeyMakesAnIndependentStream) {
  const auto uniforms = [](std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
    RandomStream random(seed, purpose, index);
    return draw(kDraws, [&] { return random.uniform(); });
  };
  const std::vector<double> base = uniforms(1, "noise", 0);
  // High halves of seed and index must count too.
  const std::vector<std::vector<double>> others = {
      uniforms(2, "noise", 0), uniforms(1, "noisf", 0), uniforms(1, "noise", 1),
      uniforms(1 + (std::uint64_t{1} << 32), "noise", 0), uniforms(1, "noise", std::uint64_t{1} << 32)};
  for (const std::vector<double>& other : others) {
    EXPECT_LT(std::abs(correlation(base, other)), 4.0 / std::sqrt(static_cast<double>(kDraws)));
  }
}

TEST(RandomStream, FirstDrawsOfNeighbouringStreamsAreUniform) {
  std::uint64_t index = 0;
  const auto values = draw(kDraws, [&] { return RandomStream(11, "cell", index++).uniform(); });
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return x; }), kSmirnovLimit);
}

TEST(RandomStream, UniformStaysInsideItsInterval) {
  EXPECT_EQ(unit_interval(0), 0x1p-53);
  EXPECT_EQ(unit_interval(UINT64_MAX), 1.0 - 0x1p-53);
  EXPECT_TRUE(std::isfinite(normal_quantile(unit_interval(UINT64_MAX))));
  RandomStream random(3, "uniform");
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double value = random.uniform(-2.0, 5.0);
    EXPECT_GE(value, -2.0);
    EXPECT_LE(value, 5.0);
  }
}

TEST(RandomStream, NormalHasItsDistributionAndMoments) {
  RandomStream random(5, "normal");
  const auto values = draw(kDraws, [&] { return random.normal(); });
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }),
            kSmirnovLimit);
  // Standard errors sqrt(Var(x^k) / n) with variances 1, 2, 15, 96.
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(mean_of_power(values, 1), 0.0, 4.0 * 1.0 / root);
  EXPECT_NEAR(mean_of_power(values, 2), 1.0, 4.0 * std::sqrt(2.0) / root);
  EXPECT_NEAR(mean_of_power(values, 3), 0.0, 4.0 * std::sqrt(15.0) / root);
  EXPECT_NEAR(mean_of_power(values, 4), 3.0, 4.0 * std::sqrt(96.0) / root);
}

TEST(RandomStream, ExponentialHasTheMeanAsked) {
  constexpr double kScale = 2.5;
  RandomStream random(5, "exponential");
  const auto values = draw(kDraws, [&] { return random.exponential(kScale); });
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return 1.0 - std::exp(-x / kScale); }), kSmirnovLimit);
  EXPECT_NEAR(mean_of_power(values, 1), kScale, 4.0 * kScale / std::sqrt(static_cast<double>(kDraws)));
}

TEST(RandomStream, BetaHasItsDistribution) {
  RandomStream random(5, "beta");
  const auto bell = draw(kDraws, [&] { return random.beta(2.0, 3.0); });
  EXPECT_LT(kolmogorov_smirnov(bell, [](double x) { return x * x * (6.0 - 8.0 * x + 3.0 * x * x); }), kSmirnovLimit);
  EXPECT_NEAR(mean_of_power(bell, 1), 0.4, 4.0 * 0.2 / std::sqrt(static_cast<double>(kDraws)));
  const auto arcsine = draw(kDraws, [&] { return random.beta(0.5, 0.5); });
  EXPECT_LT(kolmogorov_smirnov(arcsine, [](double x) { return 2.0 / std::numbers::pi * std::asin(std::sqrt(x)); }),
            kSmirnovLimit);
}

TEST(RandomStream, BelowIsWithoutBias) {
  RandomStream random(9, "below");
  std::array<double, 7> counts{};
  for (std::size_t i = 0; i < kDraws; ++i) counts[random.below(7)] += 1.0;
  double chi_squared = 0.0;
  const double expected = static_cast<double>(kDraws) / 7.0;
  for (const double count : counts) chi_squared += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_squared, 22.46);  // 99.9 % point with 6 degrees of freedom

  // A plain remainder of 64 bits would give the lowest third of this range half of the draws.
  const std::uint64_t third = std::uint64_t{1} << 62;
  double low = 0.0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(3 * third);
    ASSERT_LT(value, 3 * third);
    if (value < third) low += 1.0;
  }
  EXPECT_NEAR(low / static_cast<double>(kDraws), 1.0 / 3.0, 0.014);
}

TEST(RandomStream, BelowTakesEveryBoundButZero) {
  RandomStream random(9, "bounds");
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
  EXPECT_THROW(random.below(0), Error);
}

TEST(RandomStream, SamplesWithoutReplacement) {
  RandomStream random(13, "sample");
  constexpr std::size_t kPopulation = 10;
  constexpr std::size_t kCount = 3;
  std::array<double, kPopulation> taken{};
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto chosen = random.sample_without_replacement(kPopulation, kCount);
    ASSERT_EQ(chosen.size(), kCount);
    ASSERT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    ASSERT_EQ(std::set<std::size_t>(chosen.begin(), chosen.end()).size(), kCount);
    ASSERT_LT(chosen.back(), kPopulation);
    for (const std::size_t item : chosen) taken[item] += 1.0;
  }
  for (const double count : taken) EXPECT_NEAR(count / static_cast<double>(kDraws), 0.3, 0.014);  // 4 standard errors

  EXPECT_TRUE(random.sample_without_replacement(4, 0).empty());
  EXPECT_EQ(random.sample_without_replacement(4, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_THROW(random.sample_without_replacement(3, 4), Error);
}

TEST(StreamIndex, PutsNumbersIntoBitsOfTheirOwn) {
  EXPECT_EQ(stream_index({{5, 8}}), 5U);
  EXPECT_EQ(stream_index({{3, 40}, {7, 20}, {2, 4}}), (((std::uint64_t{3} << 20U) + 7) << 4U) + 2);
  EXPECT_EQ(stream_index({{UINT64_MAX, 64}}), UINT64_MAX);
  EXPECT_EQ(stream_index({{1, 32}, {UINT32_MAX, 32}}), (std::uint64_t{1} << 32U) | UINT32_MAX);
}

// Otherwise two streams would be one.
TEST(StreamIndex, RefusesNumbersThatDoNotFit) {
  EXPECT_THROW(stream_index({{16, 4}}), Error);
  EXPECT_THROW(stream_index({{1, 40}, {std::uint64_t{1} << 20U, 20}}), Error);
  EXPECT_THROW(stream_index({{0, 40}, {0, 25}}), Error);
  EXPECT_THROW(stream_index({{0, 0}}), Error);
}

// Reference values computed with 40 digits (mpmath: root of erfc(-x / sqrt 2) / 2 = p).
TEST(NormalQuantile, IsExactIntoTheTails) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400542, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-3), -3.0902323061678135, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.3613409024040562, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-300), -37.047096299361199, 1e-13);
  EXPECT_DOUBLE_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

}  // namespace
}  // namespace olem::random_test
