#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "olem/error.h"
#include "olem/simulate.h"
#include "simulate/helpers.h"

namespace olem::auf_test {

using namespace internal;
namespace {

using test::equal;
using test::expect_error;
using test::seeded;

std::set<std::string> causes_of(const StructuralModel& model, const std::string& name) {
  std::set<std::string> found;
  const std::vector<std::string> names = model.names();
  const auto visit = [&](const auto& self, std::size_t node) -> void {
    for (const std::size_t parent : model.nodes[node].parents) {
      found.insert(names[parent]);
      self(self, parent);
    }
  };
  visit(visit, static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  return found;
}

void expect_range(const Table& data, const NamedRange& range, double width) {
  const auto values = data.column(data.index(range.name));
  double mean = 0.0;
  double squares = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  EXPECT_NEAR(range.low, mean - width * deviation, 1e-10) << range.name;
  EXPECT_NEAR(range.high, mean + width * deviation, 1e-10) << range.name;
}

class EveryAufTask : public testing::TestWithParam<AufFamily> {};

TEST_P(EveryAufTask, IsReadyToBeDecided) {
  AufSimulationOptions options;
  options.family = GetParam();
  options.rows = 200;
  options.rounds = 3;
  const bool linear = options.family == AufFamily::kLinear;
  std::set<std::size_t> outcome_counts;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Simulation simulation = random_auf_task(options, index, seeded(2));
    const StructuralModel& model = simulation.model;
    const SimulatedTask& task = simulation.task.value();
    EXPECT_EQ(model.nodes.size(), linear ? 15U : 12U);
    EXPECT_EQ(task.context.size(), linear ? 4U : 3U);
    outcome_counts.insert(task.outcome.size());

    const std::set<std::string> context(task.context.begin(), task.context.end());
    const std::set<std::string> outcome(task.outcome.begin(), task.outcome.end());
    std::set<std::string> alterable;
    for (const NamedRange& range : task.alterable) {
      alterable.insert(range.name);
      EXPECT_FALSE(context.contains(range.name) || outcome.contains(range.name)) << range.name;
      expect_range(simulation.data, range, 2.0);
    }
    for (const NamedRange& range : task.desired) expect_range(simulation.data, range, 1.0);

    // Context first, outcomes last: what simulate_decision and the stages X < Z < Y rely on.
    for (const std::string& name : task.context) {
      for (const std::string& cause : causes_of(model, name)) EXPECT_TRUE(context.contains(cause));
    }
    std::set<std::string> useful;
    for (const std::string& name : task.outcome) {
      const std::set<std::string> causes = causes_of(model, name);
      EXPECT_TRUE(std::any_of(causes.begin(), causes.end(), [&](const auto& c) { return alterable.contains(c); }));
      useful.insert(causes.begin(), causes.end());
    }
    for (const std::string& name : alterable) EXPECT_TRUE(useful.contains(name)) << name;
    for (const StructuralNode& node : model.nodes) {
      if (outcome.contains(node.name)) continue;
      for (const std::string& cause : causes_of(model, node.name)) EXPECT_FALSE(outcome.contains(cause));
    }

    EXPECT_EQ(task.contexts.names(), task.context);
    EXPECT_EQ(task.contexts.rows(), 3U);
    std::vector<NamedValue> observed;
    for (std::size_t j = 0; j < task.context.size(); ++j) observed.push_back({task.context[j], task.contexts.at(0, j)});
    const std::vector<NamedValue> decision = {{task.alterable[0].name, task.alterable[0].low}};
    const Table trials = simulate_decision(model, observed, decision, 5, 0, seeded(2));
    EXPECT_EQ(trials.at(4, trials.index(task.context[0])), task.contexts.at(0, 0));
    EXPECT_EQ(trials.at(4, trials.index(task.alterable[0].name)), task.alterable[0].low);
  }
  EXPECT_EQ(outcome_counts, (std::set<std::size_t>{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(Families, EveryAufTask, testing::Values(AufFamily::kLinear, AufFamily::kMlp));

TEST(AufTask, IsAPureFunctionOfOptionsSeedAndIndex) {
  AufSimulationOptions options;
  options.family = AufFamily::kMlp;
  options.rows = 300;
  const Simulation one = random_auf_task(options, 4, seeded(6));
  const Simulation other = random_auf_task(options, 4, seeded(6, 4));
  EXPECT_EQ(one.model, other.model);
  EXPECT_TRUE(equal(one.data, other.data));
  EXPECT_TRUE(equal(one.task->contexts, other.task->contexts));
  EXPECT_FALSE(one.model == random_auf_task(options, 5, seeded(6)).model);
}

TEST(AufTask, MlpWeightsStayAwayFromZero) {
  AufSimulationOptions options;
  options.family = AufFamily::kMlp;
  options.rows = 2;
  std::size_t seen = 0;
  const auto check = [&](const std::vector<double>& weights) {
    for (const double weight : weights) {
      ++seen;
      EXPECT_GE(std::abs(weight), 0.5);
      EXPECT_LE(std::abs(weight), 2.0);
    }
  };
  for (const StructuralNode& node : random_auf_task(options, 0, seeded(1)).model.nodes) {
    if (const auto* mlp = std::get_if<MlpFunction>(&node.function)) {
      EXPECT_EQ(mlp->output_weights.size(), 100U);
      check(mlp->input_weights);
      check(mlp->output_weights);
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST(AufTask, RefusesSizesThatLeaveNothingToAlter) {
  AufSimulationOptions options;
  options.variables = 5;
  expect_error(ErrorCategory::kUsage, "Draw more variables: variables.", [&] { random_auf_task(options, 0, {}); });
  options = {};
  options.density = 0.0;
  expect_error(ErrorCategory::kUsage, "Draw denser graphs (AufSimulationOptions::density)",
               [&] { random_auf_task(options, 0, {}); });
}

}  // namespace
}  // namespace olem::auf_test
