#include "olem/sampler.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <limits>

#include "olem/error.h"
#include "olem/sampler_state.h"
#include "sampler/helpers.h"
#include "sampler/kinds.h"

namespace olem::sampler_test {

using namespace internal;
namespace {

using Sampler = std::shared_ptr<const ConditionalSampler>;

Sampler fit(const std::string& kind, const test::Standardised& data, GpKernel kernel = GpKernel::kArcsine) {
  SamplerOptions options;
  options.sampler = kind;
  options.gp.kernel = kernel;
  return sampler_kind(kind).fit(data.data(), options, Context());
}

// Nonlinear in the first two inputs, linear in the third.
const test::Standardised& bent_data() {
  static const test::Standardised data = test::simulate(
      150, 4, [](std::span<const double> c) { return 1.5 * std::sin(c[0]) + std::tanh(c[0] + c[1]) + 0.5 * c[2]; },
      [](RandomStream& r) { return r.exponential(0.5); }, 2);
  return data;
}

constexpr std::array<const char*, 5> kCases = {"arcsine", "rbf", "linear", "gaussian", "bayesian_ridge"};

const ConditionalSampler& sampler_of(std::size_t which) {
  static std::array<Sampler, kCases.size()> fitted;
  Sampler& sampler = fitted[which];
  if (!sampler && which < 3) {
    sampler = fit(which == 2 ? "linear" : "gp", bent_data(), which == 1 ? GpKernel::kRbf : GpKernel::kArcsine);
  } else if (!sampler) {
    SamplerOptions options;
    options.gaussian.fit = which == 3 ? GaussianFit::kLeastSquares : GaussianFit::kBayesianRidge;
    sampler = sampling::fit_gaussian(bent_data().data(), options, Context());
  }
  return *sampler;
}

class Samplers : public ::testing::TestWithParam<std::size_t> {
 protected:
  const ConditionalSampler& sampler() const { return sampler_of(GetParam()); }
};

// A block of draws whose first and third condition differ between draws; `shared` says which others are shared.
struct Block {
  explicit Block(const ConditionalSampler& sampler, std::vector<bool> which_shared)
      : shared(std::move(which_shared)),
        run(sampler.start(test::normals(kDraws * sampler.noise_entries(), 1), kDraws)) {
    for (std::size_t k = 0; k < 4; ++k) {
      columns.push_back(shared[k] ? std::vector<double>(1, 0.4 - 0.3 * static_cast<double>(k))
                                  : test::normals(kDraws, 10 + k));
    }
  }

  std::vector<Condition> conditions() const {
    std::vector<Condition> result;
    for (std::size_t k = 0; k < 4; ++k) result.push_back({columns[k].data(), shared[k]});
    return result;
  }

  // sum of weights x draws
  double total(double caution, const std::vector<double>& weights) {
    std::vector<double> y(kDraws);
    run->sample(conditions(), caution, y);
    double sum = 0.0;
    for (std::size_t i = 0; i < kDraws; ++i) sum += weights[i] * y[i];
    return sum;
  }

  static constexpr std::size_t kDraws = 7;
  std::vector<bool> shared;
  std::vector<std::vector<double>> columns;
  std::unique_ptr<SamplerRun> run;
};

TEST_P(Samplers, GradientEqualsCentralDifferencesWhateverIsShared) {
  const std::vector<std::vector<bool>> arrangements = {
      {false, false, false, false}, {true, false, false, true}, {true, true, false, false}, {true, true, true, true}};
  const std::vector<double> weights = test::normals(Block::kDraws, 3);
  for (const auto& arrangement : arrangements) {
    for (const double caution : {0.0, 1.0, 2.5}) {
      // The posterior spread of a gp is rounded to about 1e-5 of the noise's standard deviation.
      const bool rounded = GetParam() < 2 && caution > 0.0;
      const double step = rounded ? 3e-3 : 1e-5;
      const double tolerance = rounded ? 1e-3 : 1e-6;
      Block block(sampler(), arrangement);
      block.total(caution, weights);
      std::vector<std::vector<double>> gradients;
      std::vector<double*> targets;
      for (const auto& column : block.columns) gradients.emplace_back(column.size(), 0.0);
      for (auto& gradient : gradients) targets.push_back(gradient.data());
      block.run->add_gradient(weights, targets);
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < block.columns[k].size(); ++i) {
          double& x = block.columns[k][i];
          const double before = x;
          x = before + step;
          const double above = block.total(caution, weights);
          x = before - step;
          const double below = block.total(caution, weights);
          x = before;
          EXPECT_NEAR(gradients[k][i], (above - below) / (2.0 * step), tolerance * (1.0 + std::abs(gradients[k][i])))
              << "condition " << k << ", caution " << caution;
        }
      }
    }
  }
}

TEST_P(Samplers, GradientsAreAddedAndNullOnesLeftOut) {
  Block block(sampler(), {false, true, false, true});
  const std::vector<double> weights(Block::kDraws, 1.0);
  block.total(1.0, weights);
  std::vector<double> once(Block::kDraws, 0.0);
  block.run->add_gradient(weights, std::vector<double*>{once.data(), nullptr, nullptr, nullptr});
  block.total(1.0, weights);
  std::vector<double> onto(Block::kDraws, 5.0);
  block.run->add_gradient(weights, std::vector<double*>{onto.data(), nullptr, nullptr, nullptr});
  for (std::size_t i = 0; i < Block::kDraws; ++i) EXPECT_NEAR(onto[i], 5.0 + once[i], 1e-12);
}

TEST_P(Samplers, SharedConditionsEqualRepeatedOnes) {
  const std::vector<double> noise = test::normals(7 * sampler().noise_entries(), 1);
  const std::vector<double> varying = test::normals(7, 4);
  std::vector<double> repeated(7, 0.8);
  const double once = 0.8;
  for (const bool first_varies : {true, false}) {
    const Condition first = first_varies ? Condition{varying.data(), false} : Condition{&once, true};
    const Condition same = first_varies ? Condition{varying.data(), false} : Condition{repeated.data(), false};
    std::vector<double> a(7);
    std::vector<double> b(7);
    const Condition shared{&once, true};
    const Condition row{repeated.data(), false};
    sampler().start(noise, 7)->sample(std::vector<Condition>{first, shared, shared, shared}, 1.0, a);
    sampler().start(noise, 7)->sample(std::vector<Condition>{same, row, row, row}, 1.0, b);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(a[i], b[i], GetParam() < 2 ? 1e-4 : 1e-7);
  }
}

TEST_P(Samplers, LogDensityIntegratesToOneAndBelongsToTheDraws) {
  // Far from the data in the first condition, where the gp's own doubt is as large as the noise.
  for (const double where : {0.2, 3.5}) {
    const std::vector<double> c = {where, -0.5, 0.3, 0.0};
    std::vector<Condition> conditions;
    for (const double& value : c) conditions.push_back({&value, true});
    constexpr std::size_t kPoints = 6001;
    std::vector<double> y(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) y[i] = -10.0 + 20.0 * static_cast<double>(i) / (kPoints - 1);
    std::vector<double> density(kPoints);
    sampler().log_density(conditions, y, 1.0, density);
    std::vector<double> cdf(kPoints, 0.0);
    for (std::size_t i = 1; i < kPoints; ++i) {
      cdf[i] = cdf[i - 1] + 0.5 * (std::exp(density[i]) + std::exp(density[i - 1])) * 20.0 / (kPoints - 1);
    }
    EXPECT_NEAR(cdf.back(), 1.0, 2e-3);

    constexpr std::size_t kDraws = 4000;
    std::vector<double> draws(kDraws);
    sampler().start(test::normals(kDraws * sampler().noise_entries(), 2), kDraws)->sample(conditions, 1.0, draws);
    const double distance = test::ks_distance(draws, [&](double value) {
      const double at = std::clamp((value + 10.0) / 20.0 * (kPoints - 1), 0.0, kPoints - 1.0);
      return cdf[static_cast<std::size_t>(at)];
    });
    EXPECT_LT(distance, 1.63 / std::sqrt(static_cast<double>(kDraws)));  // 1 % level
  }
}

TEST_P(Samplers, ExtrapolationIsSmallInTheDataAndLargeOutside) {
  const test::Standardised& data = bent_data();
  std::vector<double> inside(150);
  std::vector<Condition> conditions;
  for (std::size_t k = 0; k < 4; ++k) conditions.push_back({data.columns[k].data(), false});
  sampler().extrapolation(conditions, inside);
  const auto outside_limit = [&](double value) { return value > sampler().extrapolation_limit(); };
  EXPECT_LT(std::count_if(inside.begin(), inside.end(), outside_limit), 4);
  const double far = 8.0;
  std::vector<double> outside(1);
  sampler().extrapolation(std::vector<Condition>(4, Condition{&far, true}), outside);
  EXPECT_TRUE(outside_limit(outside[0])) << outside[0];
}

TEST_P(Samplers, StateRoundTripDrawsTheSameBytes) {
  const SamplerState state = sampler().state();
  // Through text, as a file would keep the settings.
  SamplerState copy{state.kind, Json::parse(state.settings.dump()), state.arrays};
  const Sampler restored = restore_sampler(copy);
  Block a(sampler(), {false, true, false, true});
  Block b(*restored, {false, true, false, true});
  std::vector<double> y(Block::kDraws);
  std::vector<double> z(Block::kDraws);
  a.run->sample(a.conditions(), 1.0, y);
  b.run->sample(b.conditions(), 1.0, z);
  EXPECT_EQ(y, z);
  sampler().log_density(a.conditions(), y, 1.0, y);
  restored->log_density(b.conditions(), z, 1.0, z);
  EXPECT_EQ(y, z);
  sampler().extrapolation(a.conditions(), y);
  restored->extrapolation(b.conditions(), z);
  EXPECT_EQ(y, z);
  EXPECT_EQ(restored->facts().form, sampler().facts().form);
  EXPECT_EQ(restored->state().arrays, state.arrays);
  EXPECT_EQ(restored->state().settings, state.settings);
}

TEST_P(Samplers, DamagedStatesAreRefused) {
  const SamplerState good = sampler().state();
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
    state.arrays.erase(state.arrays.begin() + static_cast<std::ptrdiff_t>(a));
    EXPECT_TRUE(refused(state)) << "without " << good.arrays[a].name;
    state = good;
    state.arrays[a].values.push_back(0.5);
    EXPECT_TRUE(refused(state)) << "longer " << good.arrays[a].name;
    state = good;
    state.arrays[a].values.front() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(refused(state)) << "not a number in " << good.arrays[a].name;
  }
  for (const auto& [key, value] : good.settings.items()) {
    SamplerState state = good;
    state.settings.erase(key);
    EXPECT_TRUE(refused(state)) << "without " << key;
    state.settings[key] = -1;
    EXPECT_TRUE(refused(state)) << "wrong " << key;
    state.settings[key] = 1e18;
    EXPECT_TRUE(refused(state)) << "absurd " << key;
  }
  SamplerState state = good;
  state.kind = "oracle";
  EXPECT_TRUE(refused(state));
}

INSTANTIATE_TEST_SUITE_P(All, Samplers, ::testing::Values(0, 1, 2, 3, 4),
                         [](const auto& tested) { return kCases[tested.param]; });

// Draws against the truth at contexts within the data.
struct Truth {
  std::function<double(std::span<const double>)> mean;
  std::function<double(RandomStream&)> noise;
  std::function<double(double)> cdf;  // of the noise
};

double mean_ks(const std::string& kind, const Truth& truth, std::uint64_t seed) {
  const test::Standardised data = test::simulate(1000, 2, truth.mean, truth.noise, seed);
  const Sampler sampler = fit(kind, data);
  constexpr std::size_t kContexts = 20;
  constexpr std::size_t kDraws = 2000;
  double sum = 0.0;
  for (std::size_t context = 0; context < kContexts; ++context) {
    const std::vector<double> c = {data.columns[0][context], data.columns[1][context]};
    const std::vector<Condition> conditions = {{c.data(), true}, {&c[1], true}};
    std::vector<double> y(kDraws);
    sampler->start(test::normals(kDraws * sampler->noise_entries(), context), kDraws)->sample(conditions, 1.0, y);
    const std::vector<double> raw = {data.means[0] + data.deviations[0] * c[0],
                                     data.means[1] + data.deviations[1] * c[1]};
    const double centre = truth.mean(raw);
    sum += test::ks_distance(
        y, [&](double value) { return truth.cdf(data.means[2] + data.deviations[2] * value - centre); });
  }
  return sum / kContexts;
}

double exponential_cdf(double e) { return e > 0.0 ? -std::expm1(-e) : 0.0; }

// 0.019 is what chance makes with 2000 draws. Networks of the published kind reach 0.06 to 0.09 on the last of them.
TEST(SamplerTruth, DrawsFollowKnownConditionals) {
  const auto line = [](std::span<const double> c) { return 0.8 * c[0] - 0.6 * c[1]; };
  const auto sine = [](std::span<const double> c) { return 1.5 * std::sin(c[0]) + 0.5 * c[1]; };
  const auto beta = [](RandomStream& r) { return r.beta(0.9, 1.1); };
  const auto exponential = [](RandomStream& r) { return r.exponential(1.0); };
  const auto beta_cdf = [](double e) {
    return boost::math::cdf(boost::math::beta_distribution<>(0.9, 1.1), std::clamp(e, 0.0, 1.0));
  };
  for (const std::string kind : {"gp", "linear"}) {
    EXPECT_LT(mean_ks(kind, {line, beta, beta_cdf}, 1), 0.05) << kind;
    EXPECT_LT(mean_ks(kind, {line, exponential, exponential_cdf}, 2), 0.05) << kind;
  }
  EXPECT_LT(mean_ks("gp", {sine, exponential, exponential_cdf}, 3), 0.065);
}

TEST(Sampler, WithoutConditionsTheMarginal) {
  const test::Standardised data = test::simulate(
      400, 0, [](auto) { return 0.0; }, [](RandomStream& r) { return r.exponential(2.0); }, 5);
  for (const SamplerKind& kind : sampler_kinds()) {
    if (kind.suits != nullptr) continue;
    const Sampler sampler = kind.fit(data.data(), {}, Context());
    EXPECT_EQ(sampler->conditions(), 0U);
    EXPECT_EQ(sampler->facts().form, "marginal");
    std::vector<double> y(3000);
    sampler->start(test::normals(3000 * sampler->noise_entries(), 1), 3000)->sample({}, 1.0, y);
    // Only one of them insists on a normal distribution.
    if (kind.name != "gaussian") {
      EXPECT_LT(test::ks_distance(y, data.columns.back()), 0.06) << kind.name;
    }
    EXPECT_NEAR(sampler->facts().noise_sd, 1.0, 0.02);
  }
}

TEST(Sampler, AConstantConditionIsNotListenedTo) {
  test::Standardised data = test::simulate(
      100, 2, [](std::span<const double> c) { return c[0]; }, [](RandomStream& r) { return r.normal(); }, 5);
  data.columns[1].assign(100, 0.0);
  for (const SamplerKind& kind : sampler_kinds()) {
    const SamplerFacts facts = kind.fit(data.data(), {}, Context())->facts();
    EXPECT_TRUE(facts.inputs[0].used) << kind.name;
    EXPECT_FALSE(facts.inputs[1].used) << kind.name;
    EXPECT_EQ(facts.inputs[1].slope, 0.0) << kind.name;
  }
}

TEST(Sampler, LinearLeaveOneOutEqualsFittingWithoutTheRow) {
  // With leave-one-out residuals as noise, its standard deviation is the root mean square prediction error.
  const test::Standardised data = test::simulate(
      12, 2, [](std::span<const double> c) { return c[0]; }, [](RandomStream& r) { return r.normal(); }, 5);
  SamplerOptions options;
  options.linear.ridge = 1e-12;
  double squares = 0.0;
  for (std::size_t left_out = 0; left_out < 12; ++left_out) {
    test::Standardised rest = data;
    for (auto& column : rest.columns) column.erase(column.begin() + static_cast<std::ptrdiff_t>(left_out));
    const Sampler sampler = sampling::fit_linear(rest.data(), options, Context());
    const SamplerState state = sampler->state();
    const auto array = [&](const std::string& name) {
      return std::find_if(state.arrays.begin(), state.arrays.end(), [&](const auto& a) { return a.name == name; })
          ->values;
    };
    const double predicted = array("intercept")[0] + array("slopes")[0] * data.columns[0][left_out] +
                             array("slopes")[1] * data.columns[1][left_out];
    squares += std::pow(data.columns[2][left_out] - predicted, 2);
  }
  const Sampler sampler = sampling::fit_linear(data.data(), options, Context());
  EXPECT_NEAR(sampler->facts().noise_sd, std::sqrt(squares / 12.0), 1e-9);
}

TEST(Sampler, UnknownKindSuggestsTheClosest) {
  try {
    sampler_kind("lineer");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'linear'?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace olem::sampler_test
