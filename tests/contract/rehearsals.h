#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "contract/contract.h"
#include "olem/decision.h"
#include "olem/sampler_set.h"
#include "olem/sampler_state.h"

// What the suites share that fit samplers and decide.
namespace olem::test {

// Of the tables that samplers are fitted to.
inline constexpr std::size_t kFewRows = 40;

// Options with which every kind is fitted in a moment: small networks that hardly learn.
inline SamplerOptions quick_sampler(const std::string& kind) {
  SamplerOptions options;
  options.sampler = kind;
  options.spline.bins = 4;
  options.spline.width = 4;
  options.cinn.blocks = 2;
  options.cinn.width = 4;
  options.network.epochs = 3;
  return options;
}

// Other units of columns, by name: value x factor + shift.
struct Units {
  std::map<std::string, std::pair<double, double>> of;

  double change(const std::string& name, double value) const {
    const auto found = of.find(name);
    return found == of.end() ? value : value * found->second.first + found->second.second;
  }
  double restore(const std::string& name, double value) const {
    const auto found = of.find(name);
    return found == of.end() ? value : (value - found->second.second) / found->second.first;
  }
  Table change(const Table& table) const {
    return changed(table, [&](double value, std::size_t column) { return change(table.name(column), value); });
  }
};

// Of the columns of contract_table(). Powers of two: every number keeps its digits.
inline Units doubled() { return {{{"x", {4.0, 0.0}}, {"y", {0.125, 0.0}}, {"z", {1024.0, 0.0}}, {"w", {0.5, 0.0}}}}; }
inline Units celsius() { return {{{"x", {1.8, 32.0}}, {"y", {0.3, -5.0}}, {"z", {1e3, 7.0}}, {"w", {0.01, 1.0}}}}; }

// x is seen, y and z may be set so that w becomes great.
inline Task contract_task(const Units& units = {}) {
  Task task;
  task.source = "task.json";
  task.context = {"x"};
  for (const auto& [name, low, high] : {std::tuple{"y", -2.0, 2.0}, std::tuple{"z", -2.0, 4.0}})
    task.alterable.push_back({name, units.change(name, low), units.change(name, high)});
  task.outcome = {"w"};
  task.desired = Region::box({{"w", units.change("w", 1.5), std::nullopt}});
  return task;
}

// Options with which a decision is made in a moment.
inline DecisionOptions quick_decision() {
  DecisionOptions options;
  options.draws = 40;
  options.judge_draws = 60;
  options.steps = 10;
  options.patience = 4;
  options.screen = 4;
  options.ascent_steps = 2;
  options.grid_points = 5;
  options.random_points = 12;
  options.bayes_evaluations = 8;
  return options;
}

// Everything that was learned.
inline std::string bytes(const SamplerSet& set) {
  std::string all;
  for (const SamplerVariable& variable : set.variables) {
    all += fmt::format("{} {:a} {:a} {:a} {:a} {} ", variable.name, variable.mean, variable.sd, variable.low,
                       variable.high, fmt::join(variable.conditions, " "));
    if (!variable.sampler) continue;
    const SamplerState state = variable.sampler->state();
    all += state.kind + state.settings.dump();
    for (const SamplerState::Array& array : state.arrays)
      all += fmt::format(" {} {:a}", array.name, fmt::join(array.values, " "));
    all += '\n';
  }
  return all;
}

}  // namespace olem::test
