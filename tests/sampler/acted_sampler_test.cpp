#include "sampler/acted_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "olem/random.h"
#include "sampler/acted_fit.h"
#include "sampler/kinds.h"

namespace olem::test {
namespace {

using namespace internal::sampling;

struct ActedTable {
  std::vector<double> lever;
  std::vector<double> outcome;
  std::vector<unsigned char> set;
  std::vector<std::size_t> groups;
};

// outcome = slope x lever + .7 h + .714 e, lever = .7 h + .714 e', or a normal number where it was set. With groups
// both have levels of their own.
ActedTable acted_table(std::size_t rows, double slope, double share_set, double hidden, double level) {
  RandomStream random(3, "acted");
  std::vector<double> levels(20);
  for (double& value : levels) value = level * random.normal();
  ActedTable table;
  for (std::size_t i = 0; i < rows; ++i) {
    const double h = random.normal();
    const double rest = std::sqrt(1.0 - hidden * hidden);
    table.groups.push_back(i % levels.size());
    table.set.push_back(random.uniform() < share_set ? 1 : 0);
    const double own = table.set.back() != 0 ? random.normal() : hidden * h + rest * random.normal();
    table.lever.push_back(own + levels[table.groups.back()]);
    table.outcome.push_back(slope * table.lever.back() + hidden * h + rest * random.normal() +
                            2.0 * levels[table.groups.back()]);
  }
  return table;
}

std::shared_ptr<const ConditionalSampler> fitted(const ActedTable& table, const RowUse& use) {
  SamplerData data{"outcome", table.outcome, {table.lever}, 1};
  data.condition_columns.resize(1);
  data.condition_names = {"lever"};
  return fit_on_rows(sampler_kind("linear"), data, SamplerOptions(), use, nullptr, Context());
}

TEST(ActedSampler, RowsThatWereSetCorrectTheSlope) {
  const ActedTable table = acted_table(4000, 0.3, 0.3, 0.7, 0.0);
  RowUse use;
  EXPECT_NEAR(fitted(table, use)->slopes(1.0)->front(), 0.3 + 0.49 * 0.7, 0.06);
  use.levers.push_back({0, table.set, {}});
  const auto sampler = fitted(table, use);
  EXPECT_NEAR(sampler->slopes(1.0)->front(), 0.3, 0.08);
  // What the hidden cause adds where the lever is left alone: .7 x .7 per standard deviation of its noise.
  ASSERT_EQ(sampler->shared_noise().size(), 1U);
  EXPECT_EQ(sampler->shared_noise().front().variable, "lever");
  EXPECT_NEAR(acted_parts(*sampler)->hidden.front().load, 0.49, 0.08);
  EXPECT_NEAR(sampler->facts().noise_sd, 1.0, 0.05);
}

TEST(ActedSampler, RowsThatAgreeCountAlike) {
  const ActedTable table = acted_table(4000, 0.3, 0.3, 0.0, 0.0);
  RowUse use;
  const double all = fitted(table, use)->slopes(1.0)->front();
  use.levers.push_back({0, table.set, {}});
  EXPECT_NEAR(fitted(table, use)->slopes(1.0)->front(), all, 0.03);
}

TEST(ActedSampler, GroupsTakeTheirLevelsFromTheSlope) {
  const ActedTable table = acted_table(2000, 0.0, 0.0, 0.0, 1.0);
  RowUse use;
  EXPECT_GT(fitted(table, use)->slopes(1.0)->front(), 0.5);
  use.groups = table.groups;
  use.group_count = 20;
  const auto sampler = fitted(table, use);
  EXPECT_NEAR(sampler->slopes(1.0)->front(), 0.0, 0.08);

  // A named group has its mean, new ones the variance of all: draws with the lever at 0.
  const auto draws = [](const ConditionalSampler& own) {
    constexpr std::size_t kDraws = 4000;
    RandomStream random(9, "draws");
    std::vector<double> noise(own.noise_entries() * kDraws);
    for (double& value : noise) value = random.normal();
    const double zero = 0.0;
    const Condition condition{&zero, true};
    std::vector<double> y(kDraws);
    own.start(noise, kDraws)->sample({&condition, 1}, 1.0, y);
    return y;
  };
  const auto moments = [](const std::vector<double>& values) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, std::sqrt(squares / static_cast<double>(values.size())));
  };
  double mean = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < table.outcome.size(); ++i) {
    if (table.groups[i] != 4) continue;
    mean += table.outcome[i];
    count += 1.0;
  }
  const auto named = moments(draws(*in_group(sampler, 4)));
  EXPECT_NEAR(named.first, mean / count, 0.25);
  EXPECT_NEAR(named.second, 1.0, 0.1);
  double squares = 0.0;
  for (const double value : table.outcome) squares += value * value;
  EXPECT_NEAR(moments(draws(*sampler)).second, std::sqrt(squares / static_cast<double>(table.outcome.size())), 0.4);
}

TEST(ActedSampler, AFileKeepsIt) {
  const ActedTable table = acted_table(2000, 0.3, 0.3, 0.7, 1.0);
  RowUse use;
  use.levers.push_back({0, table.set, {}});
  use.groups = table.groups;
  use.group_count = 20;
  const auto sampler = fitted(table, use);
  const auto again = restore_sampler(sampler->state());
  EXPECT_EQ(again->state().arrays, sampler->state().arrays);
  EXPECT_EQ(again->state().settings, sampler->state().settings);
  EXPECT_EQ(again->noise_entries(), sampler->noise_entries());
  const std::vector<double> noise(sampler->noise_entries() * 3, 0.7);
  const double value = 0.4;
  const Condition condition{&value, true};
  std::vector<double> first(3);
  std::vector<double> second(3);
  sampler->start(noise, 3)->sample({&condition, 1}, 1.0, first);
  again->start(noise, 3)->sample({&condition, 1}, 1.0, second);
  EXPECT_EQ(first, second);
  // What it says of a density integrates to one.
  double integral = 0.0;
  for (int k = -400; k <= 400; ++k) {
    const double y = 0.03 * k;
    double density = 0.0;
    sampler->log_density({&condition, 1}, {&y, 1}, 1.0, {&density, 1});
    integral += 0.03 * std::exp(density);
  }
  EXPECT_NEAR(integral, 1.0, 0.02);
}

}  // namespace
}  // namespace olem::test
