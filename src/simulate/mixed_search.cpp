#include "simulate/mixed_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/error.h"
#include "olem/random.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kScreenTrials = 400;
constexpr std::size_t kSearchTrials = 1000;
constexpr std::size_t kChoiceTrials = 2000;
constexpr std::size_t kReportTrials = 5000;
constexpr std::size_t kStarts = 6;

std::size_t node_of(const MixedModel& model, const std::string& name) {
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    if (model.nodes[j].name == name) return j;
  }
  throw Error(ErrorCategory::kUsage, fmt::format("The model has no node '{}'.", name));
}

// A lever whose values are searched along a line.
bool is_line(const MixedModel& model, const MixedLever& lever) {
  return !has_levels(model.nodes[node_of(model, lever.name)].about.type);
}

// The allowed value next to low + part (high - low).
double line_value(const MixedLever& lever, double part) {
  // Rounding must not leave the domain.
  const double value = std::min(lever.high, lever.low + std::clamp(part, 0.0, 1.0) * (lever.high - lever.low));
  if (lever.values.empty()) return value;
  return *std::min_element(lever.values.begin(), lever.values.end(),
                           [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
}

double line_part(const MixedLever& lever, double value) {
  return lever.high > lever.low ? (value - lever.low) / (lever.high - lever.low) : 0.0;
}

// Steps along the lines that are set, halved when none helps.
void refine(ContextTrials& trials, const MixedTask& task, const std::vector<bool>& lines, MixedDecision& at) {
  at.success = trials.success(at.levers);
  for (double step = 0.2; step > 0.015;) {
    bool better = false;
    for (std::size_t l = 0; l < at.levers.size(); ++l) {
      if (!lines[l] || !at.levers[l]) continue;
      const MixedLever& lever = task.alterable[l];
      const double least = lever.values.empty() ? 0.0 : 1.0 / std::max(1.0, lever.high - lever.low);
      for (const double sign : {-1.0, 1.0}) {
        const double before = *at.levers[l];
        const double next = line_value(lever, line_part(lever, before) + sign * std::max(step, least));
        if (next == before) continue;
        at.levers[l] = next;
        const double success = trials.success(at.levers);
        if (success > at.success) {
          at.success = success;
          better = true;
          break;
        }
        at.levers[l] = before;
      }
    }
    if (!better) step *= 0.5;
  }
}

bool is_better(const MixedDecision& a, const MixedDecision& b) { return a.success > b.success; }

}  // namespace

bool MixedGoal::holds(double value) const {
  if (!levels.empty()) return std::find(levels.begin(), levels.end(), value) != levels.end();
  return !(low && value < *low) && !(high && value > *high);
}

namespace internal {

MixedTrials::MixedTrials(const MixedModel& model, const MixedTask& task, std::size_t trials, std::string_view purpose,
                         std::uint64_t draw, const Context& context)
    : model_(model), task_(task), trials_(trials) {
  const std::size_t size = model.nodes.size();
  std::vector<bool> is_context(size, false);
  std::vector<bool> moves(size, false);
  std::vector<bool> matters(size, false);
  for (const std::string& name : task.context) is_context[context_.emplace_back(node_of(model, name))] = true;
  for (const MixedLever& lever : task.alterable) moves[levers_.emplace_back(node_of(model, lever.name))] = true;
  for (const MixedGoal& goal : task.desired) matters[outcomes_.emplace_back(node_of(model, goal.name))] = true;
  for (auto node = model.order.rbegin(); node != model.order.rend(); ++node) {
    if (!matters[*node]) continue;
    for (const std::size_t parent : model.nodes[*node].parents) matters[parent] = true;
  }
  for (const std::size_t node : model.order) {
    if (!matters[node] || is_context[node]) continue;
    free_.push_back(node);
    for (const std::size_t parent : model.nodes[node].parents) moves[node] = moves[node] || moves[parent];
    if (moves[node]) movable_.push_back(node);
  }
  noise_ = mixed_noise(model, free_, trials, purpose, draw, context);
}

ContextTrials::ContextTrials(const MixedTrials& trials, std::span<const double> observed)
    : trials_(trials), columns_(trials.model_.nodes.size()) {
  for (std::size_t k = 0; k < trials.context_.size(); ++k) {
    columns_[trials.context_[k]].assign(trials.trials_, observed[k]);
  }
  for (const std::size_t node : trials.free_) {
    apply_equation(trials.model_, node, trials.noise_[node], trials.trials_, columns_);
  }
}

double ContextTrials::success(const LeverValues& levers, std::size_t count) {
  for (const std::size_t node : trials_.movable_) {
    const auto lever = std::find(trials_.levers_.begin(), trials_.levers_.end(), node);
    const std::optional<double> value = lever == trials_.levers_.end()
                                            ? std::nullopt
                                            : levers[static_cast<std::size_t>(lever - trials_.levers_.begin())];
    if (value) {
      std::fill_n(columns_[node].begin(), count, *value);
    } else {
      apply_equation(trials_.model_, node, trials_.noise_[node], count, columns_);
    }
  }
  std::size_t successes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool all = true;
    for (std::size_t k = 0; k < trials_.outcomes_.size(); ++k) {
      all = all && trials_.task_.desired[k].holds(columns_[trials_.outcomes_[k]][i]);
    }
    successes += all ? 1 : 0;
  }
  return static_cast<double>(successes) / static_cast<double>(count);
}

std::vector<MixedDecision> screen_decisions(ContextTrials& trials, const MixedTask& task, const MixedModel& model,
                                            std::size_t most, std::uint64_t seed) {
  const std::size_t levers = task.alterable.size();
  // Every lever is left alone, has one of its levels, or lies on its line.
  std::vector<std::vector<std::optional<double>>> choices(levers);
  std::vector<bool> lines(levers);
  for (std::size_t l = 0; l < levers; ++l) {
    lines[l] = is_line(model, task.alterable[l]);
    choices[l].emplace_back();
    if (lines[l]) {
      choices[l].emplace_back(0.0);
    } else {
      for (const double value : task.alterable[l].values) choices[l].emplace_back(value);
    }
  }
  std::vector<MixedDecision> found;
  std::vector<std::size_t> at(levers, 0);
  for (bool more = true; more;) {
    LeverValues values(levers);
    std::size_t free_lines = 0;
    for (std::size_t l = 0; l < levers; ++l) {
      values[l] = choices[l][at[l]];
      free_lines += lines[l] && values[l] ? 1 : 0;
    }
    const std::size_t points = free_lines == 0 ? 1 : 4 + 4 * free_lines;
    RandomStream random(seed, "simulate.mixed.search", free_lines);
    for (std::size_t p = 0; p < points; ++p) {
      for (std::size_t l = 0; l < levers; ++l) {
        if (lines[l] && values[l]) values[l] = line_value(task.alterable[l], random.uniform());
      }
      found.push_back({values, trials.success(values, kScreenTrials)});
    }
    more = false;
    for (std::size_t l = 0; l < levers && !more; ++l) {
      more = ++at[l] < choices[l].size();
      if (!more) at[l] = 0;
    }
  }
  std::stable_sort(found.begin(), found.end(), is_better);
  if (found.size() > most) found.resize(most);
  return found;
}

SearchTrials::SearchTrials(const MixedModel& model, const MixedTask& task, const Context& context)
    : search(model, task, kSearchTrials, "simulate.mixed.trials", 0, context),
      choice(model, task, kChoiceTrials, "simulate.mixed.trials", 1, context),
      report(model, task, kReportTrials, "simulate.mixed.trials", 2, context) {}

TrueDecision best_decision(const MixedModel& model, const MixedTask& task, const SearchTrials& trials,
                           std::span<const double> observed, std::uint64_t seed) {
  ContextTrials search(trials.search, observed);
  std::vector<MixedDecision> found = screen_decisions(search, task, model, kStarts, seed);
  std::vector<bool> lines;
  for (const MixedLever& lever : task.alterable) lines.push_back(is_line(model, lever));
  for (MixedDecision& decision : found) refine(search, task, lines, decision);
  std::stable_sort(found.begin(), found.end(), is_better);
  found.resize(std::min<std::size_t>(found.size(), 3));
  found.push_back({LeverValues(task.alterable.size()), 0.0});
  ContextTrials choice(trials.choice, observed);
  for (MixedDecision& decision : found) decision.success = choice.success(decision.levers);
  const MixedDecision best = *std::min_element(found.begin(), found.end(), is_better);
  ContextTrials report(trials.report, observed);
  TrueDecision decision;
  decision.observed = named_values(task.context, observed);
  for (std::size_t l = 0; l < best.levers.size(); ++l) {
    if (best.levers[l]) decision.alterations.push_back({task.alterable[l].name, *best.levers[l]});
  }
  decision.success = report.success(best.levers);
  decision.without_action = report.success(LeverValues(task.alterable.size()));
  return decision;
}

}  // namespace internal

double evaluate_decision(const MixedModel& model, const MixedTask& task, std::span<const NamedValue> observed,
                         std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                         const Context& context) {
  const Table rows = simulate_decision(model, observed, alterations, trials, draw, context);
  std::vector<bool> holds(rows.rows(), true);
  for (const MixedGoal& goal : task.desired) {
    const auto values = rows.column(rows.index(goal.name));
    for (std::size_t i = 0; i < values.size(); ++i) holds[i] = holds[i] && goal.holds(values[i]);
  }
  return static_cast<double>(std::count(holds.begin(), holds.end(), true)) / static_cast<double>(holds.size());
}

TrueDecision best_decision(const MixedModel& model, const MixedTask& task, std::span<const NamedValue> observed,
                           const Context& context) {
  check_model(model);
  std::vector<double> values;
  for (const std::string& name : task.context) {
    const auto given =
        std::find_if(observed.begin(), observed.end(), [&](const NamedValue& value) { return value.name == name; });
    if (given == observed.end()) {
      throw Error(ErrorCategory::kUsage, fmt::format("The context variable '{}' has no value.", name));
    }
    values.push_back(given->value);
  }
  Context serial = context;
  serial.threads = 1;
  return internal::best_decision(model, task, SearchTrials(model, task, serial), values, context.seed);
}

}  // namespace olem
