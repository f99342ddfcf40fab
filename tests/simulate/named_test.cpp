#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "olem/error.h"
#include "olem/simulate_named.h"

namespace olem::named_test {
namespace {

using ::testing::HasSubstr;

double mean_of(const Table& table, const std::string& name) {
  double sum = 0.0;
  for (const double value : table.column(table.index(name))) sum += value;
  return sum / static_cast<double>(table.rows());
}

std::vector<NamedValue> context_of(const NamedSimulation& simulation, std::size_t row) {
  std::vector<NamedValue> values;
  for (std::size_t k = 0; k < simulation.contexts.columns(); ++k)
    values.push_back({simulation.contexts.name(k), simulation.contexts.at(row, k)});
  return values;
}

struct Means {
  double idle = 0.0;
  double best = 0.0;  // over a grid of the levers, on other draws than those that chose
};

// Means over contexts.
Means means(const std::string& name, int contexts, int points, std::size_t trials) {
  const NamedModel model(name);
  const Context context;
  const NamedSimulation simulation = simulate_named(name, {10, contexts}, 0, context);
  const Task task = model.task();
  Means result;
  for (int c = 0; c < contexts; ++c) {
    const std::vector<NamedValue> observed = context_of(simulation, static_cast<std::size_t>(c));
    result.idle += model.success(observed, {}, 2000, 1, context) / contexts;
    std::vector<NamedValue> best;
    double highest = -1.0;
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < task.alterable.size(); ++k) combinations *= static_cast<std::size_t>(points);
    for (std::size_t at = 0; at < combinations; ++at) {
      std::vector<NamedValue> levers;
      std::size_t rest = at;
      for (const LeverDomain& lever : task.alterable) {
        const auto step = static_cast<double>(rest % static_cast<std::size_t>(points)) / (points - 1);
        levers.push_back({lever.name, lever.low + step * (lever.high - lever.low)});
        rest /= static_cast<std::size_t>(points);
      }
      const double found = model.success(observed, levers, trials, 2, context);
      if (found <= highest) continue;
      highest = found;
      best = levers;
    }
    result.best += model.success(observed, best, 2000, 3, context) / contexts;
  }
  return result;
}

// Figures of the specification, within three standard errors of a mean over so many contexts: the standard deviations
// over contexts are about .11 without action and .22 with it.
TEST(NamedSimulators, RideHailing) {
  const Means found = means("ride-hailing", 80, 13, 150);
  EXPECT_NEAR(found.idle, 0.100, 3.0 * 0.112 / std::sqrt(80.0));
  EXPECT_NEAR(found.best, 0.616, 3.0 * 0.218 / std::sqrt(80.0));
}

TEST(NamedSimulators, Bank) {
  const Means found = means("bank", 80, 41, 400);
  EXPECT_NEAR(found.idle, 0.599, 0.05);
  EXPECT_NEAR(found.best, 0.847, 0.03);
}

TEST(NamedSimulators, Steep) {
  const Means found = means("steep", 60, 17, 150);
  EXPECT_NEAR(found.idle, 0.13, 0.05);
  EXPECT_NEAR(found.best, 0.82, 0.06);
}

// Variances by hand: raw_cost 100 x .04 + .06, and so on.
TEST(NamedSimulators, MarketHasItsMoments) {
  const Table table = NamedModel("market").draw(40000, 0, Context());
  const auto variance = [&](const std::string& name) {
    double sum = 0.0;
    for (const double value : table.column(table.index(name))) sum += value * value;
    return sum / static_cast<double>(table.rows());
  };
  EXPECT_NEAR(variance("raw_cost"), 4.06, 4.06 * 0.03);
  EXPECT_NEAR(variance("self_pricing"), 4.0 * 4.06 + 0.16 * 4.06 + 0.06, 0.5);
  EXPECT_NEAR(variance("competitor_pricing"), 0.25 * 4.06 + 1.69 * 4.06 + 0.03, 0.25);
  // .9 (2 r + .4 c + e) - r = .8 r + .36 c + .9 e
  EXPECT_NEAR(variance("total_profit"), 0.64 * 4.06 + 0.1296 * 4.06 + 0.81 * 0.06 + 0.01, 0.1);
  EXPECT_NEAR(mean_of(table, "custom_number"), 0.0, 0.05);
}

// With the true graph one alteration reaches .832 and all .9999.
TEST(NamedSimulators, BermudaMeasured) {
  const NamedModel model("bermuda-measured");
  const Context context;
  const NamedSimulation simulation = simulate_named("bermuda-measured", {10, 40}, 0, context);
  double single = 0.0;
  double several = 0.0;
  for (std::size_t c = 0; c < 40; ++c) {
    const std::vector<NamedValue> observed = context_of(simulation, c);
    double best = 0.0;
    double both = 0.0;
    for (int i = 0; i <= 40; ++i) {
      const double omega = -1.0 + 0.05 * i;
      const std::vector<NamedValue> one = {{"Omega", omega}};
      best = std::max(best, model.success(observed, one, 400, 1, context));
      const std::vector<NamedValue> three = {{"DIC", 0.0}, {"TA", 0.0}, {"Omega", omega}};
      both = std::max(both, model.success(observed, three, 400, 1, context));
    }
    single += best / 40;
    several += both / 40;
  }
  EXPECT_NEAR(single, 0.832, 0.08);
  EXPECT_GT(several, 0.99);
}

// By hand: P(V4 = V1) = .8^3 + 3 x .8 x .04 = .608 for the trader.
TEST(NamedSimulators, BinaryOnesHaveTheirProbabilities) {
  const Context context;
  const double error = 4.0 * std::sqrt(0.25 / 40000.0);
  const NamedModel trader("trader");
  EXPECT_NEAR(trader.success({}, {}, 40000, 1, context), 0.396, error);
  const std::vector<NamedValue> on = {{"V4", 1.0}};
  EXPECT_NEAR(trader.success({}, on, 40000, 1, context), 0.5, error);
  const NamedModel farmer("farmer");
  EXPECT_NEAR(farmer.success({}, {}, 40000, 1, context), 0.1024, error);
  EXPECT_NEAR(farmer.success({}, on, 40000, 1, context), 0.64, error);
  const NamedModel doctor("doctor");
  EXPECT_NEAR(doctor.success({}, {}, 40000, 1, context), 0.42, error);
  EXPECT_NEAR(mean_of(doctor.draw(40000, 1, context), "V3"), 0.08, error);
}

TEST(NamedSimulators, SameSeedSameBytesAndUnknownNamesAreRefused) {
  const Context context;
  for (const NamedSimulator& simulator : named_simulators()) {
    const NamedSimulation first = simulate_named(simulator.name, {50, 5}, 3, context);
    const NamedSimulation second = simulate_named(simulator.name, {50, 5}, 3, context);
    const std::vector<double> a(first.data.column(0).begin(), first.data.column(0).end());
    const std::vector<double> b(second.data.column(0).begin(), second.data.column(0).end());
    EXPECT_EQ(a, b);
    EXPECT_EQ(first.data.columns(), NamedModel(simulator.name).equations().size());
    EXPECT_FALSE(NamedModel(simulator.name).edges().empty());
  }
  try {
    NamedModel("steeep");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Did you mean 'steep'?"));
  }
}

}  // namespace
}  // namespace olem::named_test
