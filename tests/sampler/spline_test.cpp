#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "olem/error.h"
#include "olem/sampler_set.h"
#include "olem/sampler_state.h"
#include "sampler/flow/spline_map.h"
#include "sampler/flow/spline_network.h"
#include "sampler/helpers.h"
#include "sampler/kinds.h"

namespace olem::spline_test {

using namespace internal;
namespace {

using sampling::SplineMap;
using Sampler = std::shared_ptr<const ConditionalSampler>;

std::vector<double> random_parameters(std::size_t bins, std::uint64_t index) {
  std::vector<double> raw = test::normals(SplineMap::parameters(bins), index);
  raw[1] *= 0.5;
  return raw;
}

TEST(SplineMap, ZeroIsTheIdentity) {
  const SplineMap map(16);
  for (const double y : {-7.0, -5.0, -4.99, -0.3, 0.0, 2.5, 4.9999, 5.0, 80.0}) {
    double log_slope = 1.0;
    EXPECT_NEAR(map.forward(y, log_slope), y, 1e-12);
    EXPECT_NEAR(log_slope, 0.0, 1e-12);
    EXPECT_NEAR(map.inverse(y), y, 1e-12);
  }
}

TEST(SplineMap, OutsideOfTheBinsOnlyLocationAndScaleAct) {
  std::vector<double> raw = random_parameters(8, 1);
  raw[0] = 0.7;
  raw[1] = 1.2;
  SplineMap map(8);
  map.set(raw);
  const double log_scale = 2.0 * std::tanh(0.6);
  for (const double x : {-9.0, -5.1, 5.1, 12.0}) {
    const double y = 0.7 + x * std::exp(log_scale);
    double log_slope = 0.0;
    EXPECT_NEAR(map.forward(y, log_slope), x, 1e-12);
    EXPECT_NEAR(log_slope, -log_scale, 1e-12);
    EXPECT_NEAR(map.inverse(x), y, 1e-12);
  }
}

TEST(SplineMap, InverseUndoesForwardAndTheSlopeIsTheDerivative) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SplineMap map(2 + seed);
    map.set(random_parameters(2 + seed, seed));
    double before = -std::numeric_limits<double>::infinity();
    for (double y = -12.0; y < 12.0; y += 0.0937) {
      double log_slope = 0.0;
      const double z = map.forward(y, log_slope);
      EXPECT_GT(z, before);
      before = z;
      EXPECT_NEAR(map.inverse(z), y, 1e-10);
      constexpr double kStep = 1e-6;
      double unused = 0.0;
      const double slope = (map.forward(y + kStep, unused) - map.forward(y - kStep, unused)) / (2.0 * kStep);
      EXPECT_NEAR(slope / std::exp(log_slope), 1.0, 1e-4) << y;
    }
  }
}

TEST(SplineMap, GradientEqualsCentralDifferences) {
  constexpr std::size_t kBins = 5;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<double> raw = random_parameters(kBins, seed);
    SplineMap map(kBins);
    for (const double y : {-11.0, -2.3, -0.4, 0.1, 1.7, 3.9, 9.0}) {
      const auto value = [&] {
        map.set(raw);
        double log_slope = 0.0;
        const double z = map.forward(y, log_slope);
        return 0.8 * z - 1.3 * log_slope;
      };
      value();
      std::vector<double> gradient(raw.size(), 0.0);
      map.add_gradient(y, 0.8, -1.3, gradient);
      for (std::size_t p = 0; p < raw.size(); ++p) {
        constexpr double kStep = 1e-6;
        const double before = raw[p];
        raw[p] = before + kStep;
        const double above = value();
        raw[p] = before - kStep;
        const double below = value();
        raw[p] = before;
        EXPECT_NEAR(gradient[p], (above - below) / (2.0 * kStep), 1e-6 * (1.0 + std::abs(gradient[p])))
            << "parameter " << p << " at " << y;
      }
    }
  }
}

TEST(SplineNetwork, GradientsEqualCentralDifferences) {
  const sampling::SplineNetwork<double> network({3, 6, 4});
  std::vector<double> weights(static_cast<std::size_t>(network.weight_count()));
  network.initialise(weights.data(), random_parameters(4, 1), RandomStream(1, "test"));
  const std::vector<double> noise = test::normals(weights.size(), 2);
  for (std::size_t w = 0; w < weights.size(); ++w) weights[w] += 0.3 * noise[w];
  sampling::SplineNetwork<double>::Batch batch({3, 6, 4}, 5);
  const std::vector<double> inputs = test::normals(15, 3);
  batch.input = Eigen::Map<const Eigen::MatrixXd>(inputs.data(), 3, 5);
  const std::vector<double> target = test::normals(5, 4);
  const auto value = [&] {
    network.forward(weights.data(), batch);
    return network.loss(target, batch, true);
  };
  value();
  std::vector<double> gradient(weights.size(), 0.0);
  network.add_gradient(weights.data(), batch, gradient.data());
  network.input_gradient(weights.data(), batch);
  const Eigen::MatrixXd by_input = batch.d_input;
  const auto check = [&](double& x, double expected) {
    constexpr double kStep = 1e-6;
    const double before = x;
    x = before + kStep;
    const double above = value();
    x = before - kStep;
    const double below = value();
    x = before;
    EXPECT_NEAR(expected, (above - below) / (2.0 * kStep), 1e-6 * (1.0 + std::abs(expected)));
  };
  for (std::size_t w = 0; w < weights.size(); ++w) check(weights[w], gradient[w]);
  for (Eigen::Index i = 0; i < 15; ++i) check(batch.input.data()[i], by_input.data()[i]);
}

const test::Standardised& bent_data() {
  static const test::Standardised data = test::simulate(
      250, 3, [](std::span<const double> c) { return 1.5 * std::sin(1.5 * c[0]) + 0.5 * c[1]; },
      [](RandomStream& r) { return r.exponential(0.3); }, 2);
  return data;
}

Sampler fit(const test::Standardised& data, int ensemble = 1, int epochs = 60) {
  SamplerOptions options;
  options.network.epochs = epochs;
  options.network.ensemble = ensemble;
  options.spline.bins = 8;
  options.spline.width = 32;
  return sampling::fit_spline(data.data(), options, Context());
}

const Sampler& fitted(int ensemble) {
  static const Sampler one = fit(bent_data());
  static const Sampler three = fit(bent_data(), 3);
  return ensemble == 1 ? one : three;
}

class Spline : public ::testing::TestWithParam<int> {};

TEST_P(Spline, LogDensityIntegratesToOneAndBelongsToTheDraws) {
  const ConditionalSampler& sampler = *fitted(GetParam());
  for (const double where : {0.3, 3.0}) {
    const std::vector<double> c = {where, -0.5, 0.2};
    const std::vector<Condition> conditions = {{c.data(), true}, {&c[1], true}, {&c[2], true}};
    constexpr std::size_t kPoints = 20001;
    constexpr double kReach = 15.0;
    std::vector<double> y(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) y[i] = kReach * (2.0 * static_cast<double>(i) / (kPoints - 1) - 1.0);
    std::vector<double> density(kPoints);
    sampler.log_density(conditions, y, 1.0, density);
    std::vector<double> cdf(kPoints, 0.0);
    for (std::size_t i = 1; i < kPoints; ++i) {
      cdf[i] = cdf[i - 1] + (std::exp(density[i]) + std::exp(density[i - 1])) * kReach / (kPoints - 1);
    }
    EXPECT_NEAR(cdf.back(), 1.0, 1e-3);
    constexpr std::size_t kDraws = 4000;
    std::vector<double> draws(kDraws);
    sampler.start(test::normals(kDraws * sampler.noise_entries(), 2), kDraws)->sample(conditions, 1.0, draws);
    const double distance = test::ks_distance(draws, [&](double value) {
      const double at = std::clamp((value / kReach + 1.0) / 2.0 * (kPoints - 1), 0.0, kPoints - 1.0);
      return cdf[static_cast<std::size_t>(at)];
    });
    EXPECT_LT(distance, 1.63 / std::sqrt(static_cast<double>(kDraws)));  // 1 % level
  }
}

TEST_P(Spline, GradientByConditionsEqualsDifferencesInSinglePrecision) {
  const ConditionalSampler& sampler = *fitted(GetParam());
  constexpr std::size_t kDraws = 40;
  const auto run = sampler.start(test::normals(kDraws * sampler.noise_entries(), 1), kDraws);
  std::vector<double> varying = test::normals(kDraws, 5);
  std::vector<double> shared = {0.4, -0.2};
  const std::vector<Condition> conditions = {{varying.data(), false}, {shared.data(), true}, {&shared[1], true}};
  const auto total = [&] {
    std::vector<double> y(kDraws);
    run->sample(conditions, 1.0, y);
    return std::accumulate(y.begin(), y.end(), 0.0);
  };
  total();
  std::vector<double> by_varying(kDraws, 0.0);
  std::vector<double> by_shared(2, 0.0);
  run->add_gradient(std::vector<double>(kDraws, 1.0),
                    std::vector<double*>{by_varying.data(), by_shared.data(), &by_shared[1]});
  // Kinks of the ReLU may lie within a step that is wide enough for single precision: most must agree, and the sums.
  const auto difference = [&](double& x) {
    constexpr double kStep = 2e-3;
    const double before = x;
    x = before + kStep;
    const double above = total();
    x = before - kStep;
    const double below = total();
    x = before;
    return (above - below) / (2.0 * kStep);
  };
  int close = 0;
  for (std::size_t i = 0; i < kDraws; ++i) close += std::abs(by_varying[i] - difference(varying[i])) < 5e-3;
  EXPECT_GE(close, 34);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(by_shared[k], difference(shared[k]), 0.02 * kDraws);
}

TEST_P(Spline, StateRoundTripDrawsTheSameBytes) {
  const ConditionalSampler& sampler = *fitted(GetParam());
  const Sampler restored = restore_sampler(sampler.state());
  const std::vector<double> noise = test::normals(100 * sampler.noise_entries(), 1);
  const std::vector<double> c = test::normals(100, 2);
  const std::vector<Condition> conditions = {{c.data(), false}, {&c[3], true}, {&c[7], true}};
  std::vector<double> a(100);
  std::vector<double> b(100);
  sampler.start(noise, 100)->sample(conditions, 1.0, a);
  restored->start(noise, 100)->sample(conditions, 1.0, b);
  EXPECT_EQ(a, b);
  sampler.log_density(conditions, a, 1.0, a);
  restored->log_density(conditions, b, 1.0, b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(sampler.facts().form, restored->facts().form);
  EXPECT_EQ(sampler.facts().noise_sd, restored->facts().noise_sd);
}

INSTANTIATE_TEST_SUITE_P(Members, Spline, ::testing::Values(1, 3));

TEST(SplineSampler, StraightLineWithExponentialNoise) {
  const auto line = [](std::span<const double> c) { return 0.8 * c[0] - 0.6 * c[1]; };
  const test::Standardised data = test::simulate(
      600, 2, line, [](RandomStream& r) { return r.exponential(1.0); }, 2);
  const Sampler sampler = fit(data);
  double sum = 0.0;
  for (std::size_t row = 0; row < 10; ++row) {
    const std::vector<double> c = {data.columns[0][row], data.columns[1][row]};
    std::vector<double> y(2000);
    sampler->start(test::normals(2000, row), 2000)
        ->sample(std::vector<Condition>{{c.data(), true}, {&c[1], true}}, 1.0, y);
    const double centre =
        line(std::vector<double>{data.means[0] + data.deviations[0] * c[0], data.means[1] + data.deviations[1] * c[1]});
    sum += test::ks_distance(y, [&](double value) {
      const double e = data.means[2] + data.deviations[2] * value - centre;
      return e > 0.0 ? -std::expm1(-e) : 0.0;
    });
  }
  EXPECT_LT(sum / 10.0, 0.08);  // 0.019 is chance
  EXPECT_NEAR(sampler->facts().noise_sd, 1.0 / data.deviations[2], 0.08);
}

// The first stage stays when the network is worse on the validation rows, and the sampler says that it is linear.
TEST(SplineSampler, TheFirstStageIsKeptWhenTheNetworkIsWorse) {
  const test::Standardised data = test::simulate(
      60, 6, [](std::span<const double> c) { return c[0]; }, [](RandomStream& r) { return r.normal(); }, 3);
  SamplerOptions options;
  options.network.learning_rate = 1.0;  // the only step goes too far
  options.network.epochs = 1;
  const Sampler sampler = sampling::fit_spline(data.data(), options, Context());
  const auto slopes = sampler->slopes(1.0);
  ASSERT_TRUE(slopes.has_value());
  EXPECT_EQ(sampler->facts().form, "linear in 6 of 6 inputs");
  const std::vector<double> noise = test::normals(1, 1);
  std::vector<double> c = test::normals(6, 4);
  std::vector<Condition> conditions;
  for (const double& value : c) conditions.push_back({&value, true});
  std::vector<double> at(1);
  std::vector<double> moved(1);
  sampler->start(noise, 1)->sample(conditions, 1.0, at);
  c[0] += 2.0;
  sampler->start(noise, 1)->sample(conditions, 1.0, moved);
  EXPECT_NEAR(moved[0] - at[0], 2.0 * (*slopes)[0], 1e-5);
  EXPECT_FALSE(fitted(1)->slopes(1.0).has_value());
}

TEST(SplineSampler, DamagedStatesAreRefused) {
  const SamplerState good = fitted(3)->state();
  const auto refused = [](const SamplerState& state) {
    try {
      restore_sampler(state);
    } catch (const Error& error) {
      return error.category() == ErrorCategory::kData;
    }
    return false;
  };
  for (std::size_t a = 0; a < good.arrays.size(); ++a) {
    SamplerState state = good;
    state.arrays[a].values.push_back(0.5);
    EXPECT_TRUE(refused(state)) << "longer " << good.arrays[a].name;
    state = good;
    state.arrays[a].values.front() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(refused(state)) << "not a number in " << good.arrays[a].name;
    if (good.arrays[a].name.rfind("weights", 0) != 0) continue;
    state.arrays[a].values.front() = 1e300;
    EXPECT_TRUE(refused(state)) << "too large for single precision";
  }
  for (const auto& [key, value] : good.settings.items()) {
    SamplerState state = good;
    state.settings.erase(key);
    EXPECT_TRUE(refused(state)) << "without " << key;
    state.settings[key] = std::size_t{0};
    EXPECT_TRUE(refused(state)) << "zero " << key;
    state.settings[key] = 1e18;
    EXPECT_TRUE(refused(state)) << "absurd " << key;
  }
}

// Members see different rows, so they disagree; the mixture's density is the mean of theirs.
TEST(SplineSampler, AnEnsembleIsTheMixtureOfItsMembers) {
  const SamplerState all = fitted(3)->state();
  const std::vector<double> c = {0.5, -1.0, 0.2};
  const std::vector<Condition> conditions = {{c.data(), true}, {&c[1], true}, {&c[2], true}};
  const std::vector<double> y = {-0.4, 0.6, 2.0};
  std::vector<double> mixture(3);
  fitted(3)->log_density(conditions, y, 1.0, mixture);
  std::vector<double> sum(3, 0.0);
  std::vector<double> first;
  for (const char member : {'0', '1', '2'}) {
    SamplerState one = all;
    one.settings["members"] = std::size_t{1};
    std::erase_if(one.arrays, [&](const auto& array) {
      return array.name[array.name.size() - 2] == '_' && array.name.back() != member;
    });
    for (auto& array : one.arrays) {
      if (array.name[array.name.size() - 2] == '_') array.name.back() = '0';
    }
    std::vector<double> density(3);
    restore_sampler(one)->log_density(conditions, y, 1.0, density);
    for (std::size_t i = 0; i < 3; ++i) sum[i] += std::exp(density[i]) / 3.0;
    if (first.empty()) first = density;
    EXPECT_TRUE(member == '0' || density != first);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::exp(mixture[i]), sum[i], 1e-12);
}

}  // namespace
}  // namespace olem::spline_test
