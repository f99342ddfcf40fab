#include "sampler/noise_distribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>

#include "olem/random.h"
#include "sampler/flow/rational_quadratic.h"
#include "sampler/helpers.h"

namespace olem::internal::sampling::noise_distribution_test {

using namespace internal;
namespace {

using Draw = std::function<double(RandomStream&)>;

std::vector<double> residuals(const Draw& draw, std::size_t n) {
  RandomStream random(4, "residuals");
  std::vector<double> values(n);
  for (double& value : values) value = draw(random);
  return values;
}

// By hand: width 2, height 1, slopes 0.5 and 2, at the middle. D = 0.5, den = 0.5 + 1.5 / 4 =
// 0.875, value = (0.125 + 0.125) / 0.875, slope = 0.25 (0.5 + 0.25 + 0.125) / 0.875^2.
TEST(RationalQuadratic, KnownAnswer) {
  const RationalQuadraticBin bin{2.0, 1.0, 0.5, 2.0};
  double slope = 0.0;
  EXPECT_NEAR(bin.value(1.0, slope), 0.25 / 0.875, 1e-15);
  EXPECT_NEAR(slope, 0.25 / 0.875, 1e-15);
}

RC_GTEST_PROP(RationalQuadratic, InverseUndoesValueAndSlopeIsItsDerivative, ()) {
  const auto size = [] { return *rc::gen::inRange(1, 1000) / 100.0; };
  const RationalQuadraticBin bin{size(), size(), size(), size()};
  const double x = bin.width * *rc::gen::inRange(1, 999) / 1000.0;
  double slope = 0.0;
  double unused = 0.0;
  const double y = bin.value(x, slope);
  RC_ASSERT(std::abs(bin.inverse(y) - x) < 1e-9 * bin.width);
  const double h = 1e-5 * bin.width;
  const double difference = (bin.value(x + h, unused) - bin.value(x - h, unused)) / (2.0 * h);
  RC_ASSERT(std::abs(difference - slope) < 1e-4 * (1.0 + slope));
  RC_ASSERT(slope > 0.0);
}

class NoiseShapes : public ::testing::TestWithParam<std::pair<const char*, Draw>> {};

TEST_P(NoiseShapes, DensityIntegratesToOneAndDrawsFollowTheResiduals) {
  const std::vector<double> sample = residuals(GetParam().second, 1000);
  const NoiseDistribution noise = fit_noise(sample);
  ASSERT_TRUE(is_sound(noise));
  const double low = noise.draw(-12.0);
  const double high = noise.draw(12.0);
  EXPECT_NEAR(test::integrate([&](double e) { return std::exp(noise.log_density(e)); }, low, high, 200000), 1.0, 1e-4);
  for (const double sd : {0.05, 0.4, 3.0}) {
    const auto density = [&](double e) { return std::exp(noise.log_density(e, sd)); };
    EXPECT_NEAR(test::integrate(density, low - 7.0 * sd, high + 7.0 * sd, 5000), 1.0, 1e-3) << sd;
  }

  // Draws at evenly spaced probabilities: no chance on their side.
  std::vector<double> draws(4000);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i] = noise.draw(normal_quantile((static_cast<double>(i) + 0.5) / 4000.0));
  }
  EXPECT_LT(test::ks_distance(draws, sample), GetParam().first == std::string("two_peaks") ? 0.08 : 0.025);
  EXPECT_NEAR(test::mean(draws), test::mean(sample), 1e-3 * test::deviation(sample));
  EXPECT_NEAR(test::deviation(draws), test::deviation(sample), 5e-3 * test::deviation(sample));
}

// The density is that of the draws: P(e < draw(z)) = Phi(z).
TEST_P(NoiseShapes, DensityBelongsToTheDraws) {
  const NoiseDistribution noise = fit_noise(residuals(GetParam().second, 400));
  for (const double z : {-4.0, -1.3, 0.2, 2.5, 5.0}) {
    const double h = 1e-6;
    const double width = noise.draw(z + h) - noise.draw(z - h);
    const double expected = std::log(2.0 * h / width) - 0.5 * z * z - 0.918938533204672742;
    EXPECT_NEAR(noise.log_density(noise.draw(z)), expected, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NoiseShapes,
    ::testing::Values(std::pair<const char*, Draw>{"normal", [](RandomStream& r) { return r.normal(); }},
                      std::pair<const char*, Draw>{"exponential", [](RandomStream& r) { return r.exponential(1.0); }},
                      std::pair<const char*, Draw>{"uniform", [](RandomStream& r) { return r.uniform(-1.0, 1.0); }},
                      std::pair<const char*, Draw>{
                          "two_peaks",
                          [](RandomStream& r) { return r.normal() * 0.3 + (r.uniform() < 0.5 ? -2.0 : 2.0); }}),
    [](const auto& tested) { return std::string(tested.param.first); });

// Normal noise plus normal doubt is normal.
TEST(NoiseDistribution, DoubtIsConvolved) {
  const NoiseDistribution noise{{-1.0, 1.0}, {-0.3, 0.3}, {0.3, 0.3}};
  for (const double sd : {1e-9, 0.1, 0.3, 2.0}) {
    const double total = std::sqrt(0.09 + sd * sd);
    for (const double e : {-0.9, 0.0, 0.4}) {
      const double expected = -0.5 * e * e / (total * total) - std::log(total) - 0.918938533204672742;
      EXPECT_NEAR(noise.log_density(e, sd), expected, 1e-7) << sd;
    }
  }
}

TEST(NoiseDistribution, RepeatedValuesStillHaveADensity) {
  std::vector<double> coin(100, 0.0);
  for (std::size_t i = 0; i < 50; ++i) coin[i] = 1.0;
  EXPECT_TRUE(is_sound(fit_noise(coin)));
  const NoiseDistribution equal = fit_noise(std::vector<double>(10, 0.25));
  ASSERT_TRUE(is_sound(equal));
  EXPECT_NEAR(equal.draw(3.0), 0.25, 1e-7);
  EXPECT_TRUE(is_sound(fit_noise(std::vector<double>{-1.0, 1.0})));
}

}  // namespace
}  // namespace olem::internal::sampling::noise_distribution_test
