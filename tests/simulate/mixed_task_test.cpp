// Decision tasks with columns of all types: what is promised of them, and their truth.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "contract/contract.h"
#include "helpers.h"
#include "olem/file.h"
#include "olem/simulate.h"
#include "olem/simulate_mixed.h"
#include "olem/task.h"
#include "simulate/mixed_draws.h"
#include "support/process.h"

namespace olem::mixed_task_test {
namespace {

using namespace internal;
using test::expect_error;
using test::seeded;

MixedSimulation made(std::uint64_t index, int threads = 2, const MixedSimulationOptions& options = {}) {
  return random_mixed_task(options, index, seeded(21, threads));
}

const std::vector<MixedSimulation>& tasks() {
  static const std::vector<MixedSimulation> all = [] {
    std::vector<MixedSimulation> some;
    for (std::uint64_t index = 0; index < 8; ++index) some.push_back(made(index));
    return some;
  }();
  return all;
}

const MixedNode& node_of(const MixedSimulation& simulation, const std::string& name) {
  for (const MixedNode& node : simulation.model.nodes) {
    if (node.name == name) return node;
  }
  throw std::runtime_error("no node " + name);
}

std::size_t position_of(const MixedSimulation& simulation, const std::string& name) {
  for (std::size_t k = 0; k < simulation.model.order.size(); ++k) {
    if (simulation.model.nodes[simulation.model.order[k]].name == name) return k;
  }
  return 999;
}

// An independent reading of the equations: one draw after the other, by recursion over names.
class OneDraw {
 public:
  OneDraw(const MixedModel& model, const std::vector<NamedValue>& fixed, RandomStream& random)
      : model_(model), random_(random), values_(model.nodes.size()) {
    for (const auto& [name, value] : fixed) {
      for (std::size_t j = 0; j < model.nodes.size(); ++j) {
        if (model.nodes[j].name == name) values_[j] = value;
      }
    }
  }

  double value(std::size_t j) {
    if (!values_[j]) values_[j] = draw(model_.nodes[j]);
    return *values_[j];
  }

 private:
  double scaled(const ScaledParent& p) { return std::max(-4.0, std::min(4.0, (value(p.node) - p.mean) / p.deviation)); }

  double predictor(const LinearPredictor& sum) {
    double a = 0.0;
    for (const NumericTerm& term : sum.numeric) {
      const double x = scaled(term.parent);
      a += term.slopes.at(term.by ? static_cast<std::size_t>(value(*term.by)) : 0) *
           (term.saturating ? std::tanh(1.5 * x) : x);
    }
    for (const LevelTerm& term : sum.levels) a += term.effects.at(static_cast<std::size_t>(value(term.parent)));
    return a;
  }

  double draw(const MixedNode& node) {
    if (node.about.type == ColumnType::kCategory) {
      // The largest of a + Gumbel noise has the probabilities of the softmax.
      double best = -1e300;
      std::size_t level = 0;
      for (std::size_t k = 0; k < node.predictors.size(); ++k) {
        const double utility = predictor(node.predictors[k]) - std::log(-std::log(random_.uniform()));
        if (utility > best) level = k;
        best = std::max(best, utility);
      }
      return static_cast<double>(level);
    }
    const double a = predictor(node.predictors[0]);
    switch (node.about.type) {
      case ColumnType::kReal: {
        const double s = node.scale ? 0.8 * std::exp(0.5 * scaled(*node.scale) - 0.125) : 0.8;
        if (node.noise.kind == NoiseKind::kGaussian) return a + s * random_.normal();
        if (node.noise.kind == NoiseKind::kExponential) return a + s * (random_.exponential(1.0) - 1.0);
        const double p = node.noise.a;
        const double q = node.noise.b;
        return a + s * (random_.beta(p, q) - p / (p + q)) / std::sqrt(p * q / ((p + q) * (p + q) * (p + q + 1.0)));
      }
      case ColumnType::kPositive: return std::exp(0.6 * a + 0.4 * random_.normal());
      case ColumnType::kShare: return 1.0 / (1.0 + std::exp(-(a - 0.5 + 0.7 * random_.normal())));
      case ColumnType::kBinary: return random_.uniform() < 1.0 / (1.0 + std::exp(-1.3 * a)) ? 1.0 : 0.0;
      default: break;
    }
    // Arrivals of a Poisson process up to time exp(.8 + .5 a).
    double count = 0.0;
    for (double time = random_.exponential(1.0); time < std::exp(0.8 + 0.5 * a); time += random_.exponential(1.0))
      ++count;
    return count;
  }

  const MixedModel& model_;
  RandomStream& random_;
  std::vector<std::optional<double>> values_;
};

double success_by_recursion(const MixedSimulation& simulation, const TrueDecision& decision, bool act) {
  std::vector<NamedValue> fixed = decision.observed;
  if (act) fixed.insert(fixed.end(), decision.alterations.begin(), decision.alterations.end());
  RandomStream random(4, "mixed_task_test", act ? 1 : 0);
  constexpr int kDraws = 4000;
  int successes = 0;
  for (int i = 0; i < kDraws; ++i) {
    OneDraw draw(simulation.model, fixed, random);
    bool all = true;
    for (const MixedGoal& goal : simulation.task.desired)
      all = all && goal.holds(draw.value(simulation.data.index(goal.name)));
    successes += all ? 1 : 0;
  }
  return static_cast<double>(successes) / kDraws;
}

TEST(MixedTask, HasLeversOutcomesAndARegionAsPromised) {
  for (const MixedSimulation& simulation : tasks()) {
    const MixedTask& task = simulation.task;
    SCOPED_TRACE(simulation.index);
    EXPECT_EQ(task.context.size(), 3U);
    ASSERT_EQ(task.alterable.size(), 3U);
    ASSERT_EQ(task.outcome.size(), task.desired.size());
    const std::size_t first_outcome = 12 - task.outcome.size();
    std::set<std::size_t> discrete_between;
    for (const MixedNode& node : simulation.model.nodes) {
      const std::size_t at = position_of(simulation, node.name);
      if (at >= 3 && at < first_outcome && is_discrete(node.about.type)) discrete_between.insert(at);
    }
    int discrete = 0;
    for (const MixedLever& lever : task.alterable) {
      const MixedNode& node = node_of(simulation, lever.name);
      const std::size_t at = position_of(simulation, lever.name);
      EXPECT_TRUE(at >= 3 && at < first_outcome) << lever.name;
      discrete += is_discrete(node.about.type) ? 1 : 0;
      EXPECT_LT(lever.low, lever.high);
      for (const double value : lever.values) EXPECT_TRUE(is_value(node.about, value));
      EXPECT_EQ(lever.values.empty(), !is_discrete(node.about.type));
      if (has_levels(node.about.type)) {
        EXPECT_EQ(lever.values.size(), node.about.levels.size());
        continue;
      }
      const auto column = simulation.data.column(simulation.data.index(lever.name));
      const auto inside =
          std::count_if(column.begin(), column.end(), [&](double v) { return v >= lever.low && v <= lever.high; });
      EXPECT_GT(inside, 860) << lever.name;
      if (!is_discrete(node.about.type)) {
        EXPECT_LT(inside, 940) << lever.name;
      }
    }
    EXPECT_EQ(discrete > 0, !discrete_between.empty());
    bool numeric = false;
    for (const MixedGoal& goal : task.desired) {
      EXPECT_GE(position_of(simulation, goal.name), first_outcome);
      const MixedNode& node = node_of(simulation, goal.name);
      numeric |= !has_levels(node.about.type);
      EXPECT_EQ(goal.levels.empty(), !has_levels(node.about.type));
      EXPECT_LT(goal.levels.size(), std::max<std::size_t>(node.about.levels.size(), 1));
    }
    EXPECT_TRUE(numeric);
  }
}

TEST(MixedTask, TheRegionIsBetweenAFifthAndLessThanHalfAndDecisionsRaiseIt) {
  for (const MixedSimulation& simulation : tasks()) {
    EXPECT_GE(simulation.without_action, 0.2);
    EXPECT_LE(simulation.without_action, 0.45);
    ASSERT_EQ(simulation.best.size(), 20U);
    double raise = 0.0;
    for (const TrueDecision& decision : simulation.best) {
      raise += (decision.success - decision.without_action) / 20.0;
      for (const NamedValue& value : decision.alterations) {
        const auto lever = std::find_if(simulation.task.alterable.begin(), simulation.task.alterable.end(),
                                        [&](const MixedLever& one) { return one.name == value.name; });
        ASSERT_NE(lever, simulation.task.alterable.end());
        EXPECT_TRUE(value.value >= lever->low && value.value <= lever->high);
        if (!lever->values.empty()) {
          EXPECT_EQ(std::count(lever->values.begin(), lever->values.end(), value.value), 1);
        }
      }
    }
    EXPECT_GE(raise, 0.15);
    // The data are drawn without action.
    std::size_t hold = 0;
    for (std::size_t i = 0; i < simulation.data.rows(); ++i) {
      bool all = true;
      for (const MixedGoal& goal : simulation.task.desired)
        all = all && goal.holds(simulation.data.at(i, simulation.data.index(goal.name)));
      hold += all ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(hold) / 1000.0, simulation.without_action, 0.065);
  }
}

TEST(MixedTask, ItsTruthIsThatOfAnIndependentComputation) {
  for (const MixedSimulation& simulation : tasks()) {
    for (const std::size_t row : {0U, 7U}) {
      const TrueDecision& best = simulation.best[row];
      const double success = success_by_recursion(simulation, best, true);
      const double without = success_by_recursion(simulation, best, false);
      EXPECT_NEAR(best.success, success, 0.042) << simulation.index;
      EXPECT_NEAR(best.without_action, without, 0.042) << simulation.index;
      const auto evaluate = [&](const std::vector<NamedValue>& alterations) {
        return evaluate_decision(simulation.model, simulation.task, best.observed, alterations, 20000, 9, seeded(3));
      };
      EXPECT_NEAR(evaluate(best.alterations), success, 0.035) << simulation.index;
      EXPECT_NEAR(evaluate({}), without, 0.035) << simulation.index;
    }
  }
}

TEST(MixedTask, NoDecisionOfAGridIsBetterThanTheBest) {
  for (const MixedSimulation& simulation : tasks()) {
    const TrueDecision& best = simulation.best[3];
    RandomStream random(8, "mixed_task_test.grid", simulation.index);
    double top = 0.0;
    for (int i = 0; i < 60; ++i) {
      std::vector<NamedValue> alterations;
      for (const MixedLever& lever : simulation.task.alterable) {
        alterations.push_back({lever.name, lever.values.empty() ? random.uniform(lever.low, lever.high)
                                                                : lever.values[random.below(lever.values.size())]});
      }
      top = std::max(top, evaluate_decision(simulation.model, simulation.task, best.observed, alterations, 3000, 5,
                                            seeded(simulation.index)));
    }
    EXPECT_LT(top, best.success + 0.035) << simulation.index;
  }
}

TEST(MixedTask, IsTheSameOnAnyThreadsAndAnotherWithAnotherIndex) {
  const auto bytes = [](const MixedSimulation& simulation) {
    return data_csv(simulation, Context()) + task_json(simulation).dump() + to_json(simulation.model).dump() +
           fmt::format("{:a} {:a}", simulation.without_action, simulation.best[4].success);
  };
  EXPECT_EQ(bytes(made(1, 1)), bytes(tasks()[1]));
  EXPECT_EQ(bytes(made(1, 5)), bytes(tasks()[1]));
  EXPECT_NE(bytes(tasks()[2]), bytes(tasks()[1]));
  EXPECT_EQ(kind_name(tasks()[1]), "mixed");
  const Table again = draw_rows(tasks()[1].model, 1000, 1, seeded(21));
  EXPECT_TRUE(test::equal(again, tasks()[1].data));
}

TEST(MixedTask, FilesAreReadBack) {
  const test::TemporaryFolder folder;
  MixedSimulationOptions options;
  options.missing = 0.1;
  options.rounds = 4;
  const MixedSimulation simulation = made(5, 2, options);
  EXPECT_EQ(simulation.contexts.rows(), 4U);
  const std::string at = folder.file("m");
  EXPECT_THAT(write_simulation(at, simulation, false),
              testing::ElementsAre("data.csv", "graph.csv", "truth.json", "task.json", "contexts.csv"));
  const MixedTruth truth = read_mixed_truth(at + "/truth.json");
  EXPECT_EQ(truth.model, simulation.model);
  const TrueDecision& best = simulation.best[0];
  EXPECT_EQ(evaluate_decision(truth.model, truth.task, best.observed, best.alterations, 500, 1, seeded(1)),
            evaluate_decision(simulation.model, simulation.task, best.observed, best.alterations, 500, 1, seeded(1)));
  ASSERT_EQ(truth.task.alterable.size(), 3U);
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_EQ(truth.task.alterable[l].name, simulation.task.alterable[l].name);
    EXPECT_EQ(truth.task.alterable[l].low, simulation.task.alterable[l].low);
    EXPECT_EQ(truth.task.alterable[l].values, simulation.task.alterable[l].values);
  }

  // A tenth of the cells is empty; the others are what was drawn, levels as words.
  std::size_t empty = 0;
  std::size_t line = 0;
  const std::string text = read_file(at + "/data.csv");
  std::vector<std::vector<std::string>> cells(1, std::vector<std::string>(1));
  for (const char c : text) {
    if (c == '\n') {
      cells.emplace_back(1);
    } else if (c == ',') {
      cells.back().emplace_back();
    } else {
      cells.back().back() += c;
    }
  }
  cells.pop_back();
  ASSERT_EQ(cells.size(), 1001U);
  for (std::size_t i = 1; i < cells.size(); ++i, ++line) {
    ASSERT_EQ(cells[i].size(), 12U);
    for (std::size_t j = 0; j < 12; ++j) {
      const bool missing = simulation.missing[j * 1000 + line];
      EXPECT_EQ(cells[i][j].empty(), missing);
      empty += missing ? 1 : 0;
      if (!missing) {
        const auto value = column_value(simulation.data.about(j), cells[i][j]);
        ASSERT_TRUE(value.has_value()) << cells[i][j];
        EXPECT_EQ(*value, simulation.data.at(line, j));
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(empty), 1200.0, 4.0 * std::sqrt(12000.0 * 0.09));

  expect_error(ErrorCategory::kData, "mixed table", [&] { read_structural_model(at + "/truth.json"); });
  expect_error(ErrorCategory::kFile, "not empty", [&] { write_simulation(at, simulation, false); });
  EXPECT_NO_THROW(write_simulation(at, simulation, true));
}

TEST(MixedTask, WrongTruthFilesAreNamed) {
  const test::TemporaryFolder folder;
  const std::string at = folder.file("m");
  write_simulation(at, tasks()[0], false);
  const Json right = Json::parse(read_file(at + "/truth.json"));
  const auto refuse = [&](const std::string& part, const std::function<void(Json&)>& spoil) {
    Json wrong = right;
    spoil(wrong);
    const std::string path = folder.write("wrong.json", wrong.dump());
    expect_error(ErrorCategory::kData, part, [&] { read_mixed_truth(path); });
    expect_error(ErrorCategory::kData, path + ": ", [&] { read_mixed_truth(path); });
  };
  refuse("is no truth file", [](Json& j) { j["format"] = "other"; });
  refuse("newer olem", [](Json& j) { j["format_version"] = 2; });
  refuse("of the kind 'auf', not mixed", [](Json& j) { j["kind"] = "auf"; });
  refuse("has no \"task\"", [](Json& j) { j.erase("task"); });
  refuse("unknown node 'Q'", [](Json& j) { j["task"]["context"] = Json::array({"Q"}); });
  refuse("not a list of names", [](Json& j) { j["task"]["outcome"] = Json::array({1}); });
  refuse("has no range or levels", [](Json& j) { j["task"]["desired"].front() = 3; });
  refuse("no level", [](Json& j) { j["task"]["desired"].front() = "blue"; });
  refuse("has no \"values\"", [](Json& j) { j["task"]["alterable"].front() = Json::object(); });
  refuse("unknown type 'colour'", [](Json& j) { j["nodes"][0]["type"] = "colour"; });
  refuse("not a list of terms", [](Json& j) { j["nodes"][0]["predictors"][0] = 1; });
  refuse("parent that is not a name", [](Json& j) { j["nodes"][0]["parents"] = Json::array({1}); });
  refuse("order", [](Json& j) { j["order"] = Json::array({1}); });
}

TEST(MixedTask, KeepsTheContractOfSimulators) {
  MixedSimulationOptions options;
  test::expect_options_are_checked(describe(options));
  test::expect_stops([](const Context& context) { random_mixed_task({}, 1, context); });
}

TEST(MixedTask, RefusesWhatCannotBe) {
  MixedSimulationOptions options;
  Context little = seeded(1);
  little.memory_limit = 1000000;
  options.rows = 1000000;
  expect_error(ErrorCategory::kResource, "memory", [&] { random_mixed_task(options, 0, little); });
  options.rows = 1;
  expect_error(ErrorCategory::kUsage, "rows", [&] { random_mixed_task(options, 0, seeded(1)); });
  options.rows = 100;
  options.types = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  expect_error(ErrorCategory::kUsage, "types", [&] { random_mixed_task(options, 0, seeded(1)); });
  const TrueDecision& best = tasks()[0].best[0];
  expect_error(ErrorCategory::kUsage, "has no value",
               [&] { best_decision(tasks()[0].model, tasks()[0].task, {}, seeded(1)); });
  const TrueDecision found = best_decision(tasks()[0].model, tasks()[0].task, best.observed, seeded(77));
  EXPECT_NEAR(found.success, best.success, 0.035);
}

}  // namespace
}  // namespace olem::mixed_task_test
