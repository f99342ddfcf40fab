#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/sampler_set.h"
#include "olem/sampler_state.h"
#include "sampler/helpers.h"
#include "sampler/kinds.h"

namespace olem::test::mixture_test {

using namespace internal;
namespace {

using Models = std::vector<std::shared_ptr<const ConditionalSampler>>;

// y = slope x + 0.5 e, and z = 1 where another such number is positive.
Table table(double slope, std::uint64_t seed) {
  RandomStream random(seed, "test.mixture");
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> z;
  for (std::size_t i = 0; i < 300; ++i) {
    x.push_back(random.normal());
    y.push_back(slope * x.back() + 0.5 * random.normal());
    z.push_back(slope * x.back() + 0.5 * random.normal() > 0.0 ? 1.0 : 0.0);
  }
  std::vector<double> values = x;
  values.insert(values.end(), y.begin(), y.end());
  values.insert(values.end(), z.begin(), z.end());
  std::vector<Column> about(3);
  about[2] = {ColumnType::kBinary, {{0.0, "no"}, {1.0, "yes"}}, "", "", "", true};
  return {{"x", "y", "z"}, values, "", about};
}

SamplerSet mixed(const std::string& kind) {
  const std::vector<Table> tables = {table(1.0, 1), table(-1.0, 2), table(0.2, 3)};
  SamplerOptions options;
  options.sampler = kind;
  std::vector<VariableConditions> variables = {{"x", {}, true}, {"y", {"x"}, false}, {"z", {"x"}, false}};
  if (kind == "linear") variables.pop_back();
  return fit_samplers(tables, variables, options, Context());
}

std::vector<double> draw(const ConditionalSampler& sampler, const std::vector<double>& x, std::size_t draws,
                         double temperature = 0.0) {
  const std::vector<double> noise = normals(sampler.noise_entries() * draws, 4);
  const auto run = sampler.start(noise, draws);
  run->relax(temperature);
  std::vector<double> y(draws);
  const Condition condition{x.data(), x.size() == 1};
  run->sample({&condition, 1}, 1.0, y);
  return y;
}

TEST(Mixture, EachDrawComesFromOneComponentWhateverTheConditions) {
  const SamplerSet set = mixed("linear");
  const ConditionalSampler& sampler = *set.variables[1].sampler;
  EXPECT_EQ(sampler.state().kind, "mixture");
  EXPECT_FALSE(sampler.slopes(1.0).has_value());
  constexpr std::size_t kDraws = 3000;
  const std::vector<double> at_0 = draw(sampler, {0.0}, kDraws);
  const std::vector<double> at_1 = draw(sampler, {1.0}, kDraws);
  const std::vector<double> at_3 = draw(sampler, {3.0}, kDraws);
  // A straight line in each draw, of one of three slopes.
  std::vector<std::size_t> counts(3, 0);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double slope = at_1[i] - at_0[i];
    EXPECT_NEAR((at_3[i] - at_0[i]) / 3.0, slope, 1e-9);
    const auto known = std::find_if(slopes.begin(), slopes.end(), [&](double s) { return std::abs(s - slope) < 1e-9; });
    if (known == slopes.end()) {
      slopes.push_back(slope);
      ASSERT_LE(slopes.size(), 3U);
      ++counts[slopes.size() - 1];
    } else {
      ++counts[static_cast<std::size_t>(known - slopes.begin())];
    }
  }
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 1000.0, 120.0);  // 4.6 deviations
  // The same when a condition is repeated for each draw.
  EXPECT_EQ(draw(sampler, std::vector<double>(kDraws, 1.0), kDraws), at_1);
}

TEST(Mixture, DensityAndDistributionAreMeansOfTheComponents) {
  for (const std::size_t variable : {std::size_t{1}, std::size_t{2}}) {
    const SamplerSet set = mixed("auto");
    const ConditionalSampler& sampler = *set.variables[variable].sampler;
    const SamplerState state = sampler.state();
    Models components;
    std::vector<Table> tables = {table(1.0, 1), table(-1.0, 2), table(0.2, 3)};
    EXPECT_EQ(state.settings["components"], 3);
    const std::vector<double> x = {-1.0, 0.0, 0.7, 2.0};
    const SamplerVariable& own = set.variables[variable];
    std::vector<double> y = {-0.5, 0.3, 1.2, 0.0};
    if (variable == 2) y = {own.standardise(0.0), own.standardise(1.0), own.standardise(1.0), own.standardise(0.0)};
    std::vector<double> density(4);
    std::vector<double> below(4);
    std::vector<double> up_to(4);
    const Condition condition{x.data(), false};
    sampler.log_density({&condition, 1}, y, 1.0, density);
    ASSERT_TRUE(sampler.distribution({&condition, 1}, y, 1.0, below, up_to));
    std::vector<double> mean_density(4, 0.0);
    std::vector<double> mean_up_to(4, 0.0);
    for (std::size_t m = 0; m < 3; ++m) {
      // Each component alone, taken out of the state.
      SamplerState part;
      const std::string name = "component_" + std::to_string(m);
      part.kind = state.settings[name]["kind"];
      part.settings = state.settings[name]["settings"];
      for (const SamplerState::Array& array : state.arrays) {
        if (array.name.starts_with(name + "."))
          part.arrays.push_back({array.name.substr(name.size() + 1), array.values});
      }
      const auto alone = restore_sampler(part);
      std::vector<double> one(4);
      alone->log_density({&condition, 1}, y, 1.0, one);
      for (std::size_t i = 0; i < 4; ++i) mean_density[i] += std::exp(one[i]) / 3.0;
      alone->distribution({&condition, 1}, y, 1.0, one, up_to);
      for (std::size_t i = 0; i < 4; ++i) mean_up_to[i] += up_to[i] / 3.0;
    }
    sampler.distribution({&condition, 1}, y, 1.0, below, up_to);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(std::exp(density[i]), mean_density[i], 1e-12);
      EXPECT_NEAR(up_to[i], mean_up_to[i], 1e-12);
      EXPECT_LE(below[i], up_to[i]);
    }
    EXPECT_EQ(sampler.is_discrete(), variable == 2);
    EXPECT_THAT(sampler.facts().form, testing::HasSubstr("mean of 3 models"));
    EXPECT_TRUE(sampler.facts().inputs[0].used);
  }
}

TEST(Mixture, GradientsAreThoseOfCentralDifferences) {
  const SamplerSet set = mixed("auto");
  for (const std::size_t variable : {std::size_t{1}, std::size_t{2}}) {
    const ConditionalSampler& sampler = *set.variables[variable].sampler;
    const double temperature = variable == 2 ? 0.5 : 0.0;
    constexpr std::size_t kDraws = 60;
    constexpr double kStep = 1e-5;
    for (const bool shared : {true, false}) {
      const std::vector<double> x(shared ? 1 : kDraws, 0.4);
      const std::vector<double> noise = normals(sampler.noise_entries() * kDraws, 4);
      const auto run = sampler.start(noise, kDraws);
      run->relax(temperature);
      std::vector<double> y(kDraws);
      const Condition condition{x.data(), shared};
      run->sample({&condition, 1}, 1.0, y);
      std::vector<double> gradient(x.size(), 0.0);
      double* target = gradient.data();
      run->add_gradient(std::vector<double>(kDraws, 1.0), {&target, 1});
      const auto high = draw(sampler, std::vector<double>(x.size(), 0.4 + kStep), kDraws, temperature);
      const auto low = draw(sampler, std::vector<double>(x.size(), 0.4 - kStep), kDraws, temperature);
      double total = 0.0;
      for (std::size_t i = 0; i < kDraws; ++i) {
        const double slope = (high[i] - low[i]) / (2.0 * kStep);
        total += slope;
        if (!shared) {
          EXPECT_NEAR(gradient[i], slope, 1e-4 * (1.0 + std::abs(slope)));
        }
      }
      if (shared) {
        EXPECT_NEAR(gradient[0], total, 1e-3 * (1.0 + std::abs(total)));
      }
    }
  }
}

TEST(Mixture, AStateGivesTheSameDrawsAndDamagedOnesAreRefused) {
  const SamplerSet set = mixed("auto");
  const ConditionalSampler& sampler = *set.variables[2].sampler;
  const SamplerState state = sampler.state();
  const auto restored = restore_sampler({state.kind, Json::parse(state.settings.dump()), state.arrays});
  EXPECT_EQ(draw(*restored, {0.3}, 200), draw(sampler, {0.3}, 200));
  SamplerState damaged = state;
  damaged.settings["components"] = 4;
  EXPECT_THROW(restore_sampler(damaged), Error);
  damaged.settings["components"] = 1;
  EXPECT_THROW(restore_sampler(damaged), Error);
  damaged = state;
  damaged.settings["component_1"] = {{"kind", "mixture"}, {"settings", state.settings}};
  EXPECT_THROW(restore_sampler(damaged), Error);
}

TEST(Mixture, OneTableGivesItsOwnSampler) {
  const std::vector<Table> one = {table(1.0, 1)};
  const std::vector<VariableConditions> variables = {{"x", {}, true}, {"y", {"x"}, false}};
  SamplerOptions options;
  options.sampler = "gp";
  const SamplerSet alone = fit_samplers(one, variables, options, Context());
  EXPECT_EQ(alone.variables[1].sampler->state().kind, "gp");
}

}  // namespace
}  // namespace olem::test::mixture_test
