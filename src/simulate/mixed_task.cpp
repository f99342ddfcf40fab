#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/simulate_mixed.h"
#include "simulate/mixed_draws.h"
#include "simulate/mixed_random.h"
#include "simulate/mixed_search.h"

namespace olem {

using namespace internal;

namespace {

constexpr int kMostAttempts = 50;
constexpr std::size_t kLevers = 3;
constexpr std::size_t kRegionRows = 6000;
constexpr std::size_t kCriterionContexts = 20;
constexpr std::size_t kFirstContexts = 5;
constexpr double kLeastIdle = 0.2;
constexpr double kMostIdle = 0.45;
constexpr double kLeastRaise = 0.15;

// Four digits, as a person would write a bound.
double rounded(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

double quantile(const std::vector<double>& sorted, double p) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(std::clamp(p, 0.0, 1.0) * last))];
}

std::vector<double> sorted_values(const std::vector<double>& column, const std::vector<std::size_t>& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(column[row]);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::size_t> rows_that_hold(const MixedGoal& goal, const std::vector<double>& column,
                                        const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> kept;
  for (const std::size_t row : rows) {
    if (goal.holds(column[row])) kept.push_back(row);
  }
  return kept;
}

// A range with about this share of the sorted values: from some value on, up to one, or, half of the time, between two,
// whose best decision is not at the end of a domain.
MixedGoal draw_range(const MixedNode& node, const std::vector<double>& sorted, double share, RandomStream& random) {
  MixedGoal goal{node.name, {}, {}, {}};
  const std::uint64_t kind = random.below(4);
  const double below = kind == 0 ? 1.0 - share : kind == 1 ? 0.0 : random.uniform(0.0, 1.0 - share);
  if (kind != 1) goal.low = rounded(quantile(sorted, below));
  if (kind != 0) goal.high = rounded(quantile(sorted, below + share));
  return goal;
}

// A set of levels, not all of them, with a share of at least `least`; the smallest share when there is a choice of
// none.
MixedGoal draw_levels(const MixedNode& node, const std::vector<double>& column, double least, RandomStream& random) {
  const std::size_t levels = node.about.levels.size();
  std::vector<double> shares(levels, 0.0);
  for (const double value : column) shares[static_cast<std::size_t>(value)] += 1.0 / static_cast<double>(column.size());
  std::vector<MixedGoal> sets;
  for (std::size_t set = 1; set + 1 < (std::size_t{1} << levels); ++set) {
    MixedGoal goal{node.name, {}, {}, {}};
    double share = 0.0;
    for (std::size_t k = 0; k < levels; ++k) {
      if (((set >> k) & 1U) == 0) continue;
      goal.levels.push_back(static_cast<double>(k));
      share += shares[k];
    }
    if (share >= least) sets.push_back(std::move(goal));
  }
  if (sets.empty()) return {node.name, {}, {}, {0.0}};
  return sets[random.below(sets.size())];
}

MixedLever make_lever(const MixedNode& node, const std::vector<double>& column) {
  MixedLever lever{node.name, 0.0, 0.0, {}};
  for (const ColumnLevel& level : node.about.levels) lever.values.push_back(level.value);
  if (!lever.values.empty()) {
    lever.high = lever.values.back();
    return lever;
  }
  std::vector<double> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  lever.low = rounded(quantile(sorted, 0.05));
  lever.high = rounded(quantile(sorted, 0.95));
  if (node.about.type == ColumnType::kCount) {
    for (double value = lever.low; value <= lever.high; value += 1.0) lever.values.push_back(value);
  }
  return lever;
}

// Three nodes between context and outcomes: causes of an outcome before others, and one that is discrete where there is
// one.
std::vector<std::size_t> draw_levers(const RandomMixedModel& drawn, RandomStream& random) {
  const MixedModel& model = drawn.model;
  const std::size_t size = model.nodes.size();
  std::vector<bool> matters(size, false);
  for (std::size_t k = size; k-- > 0;) {
    const std::size_t node = model.order[k];
    if (k + drawn.outcomes >= size) matters[node] = true;
    if (!matters[node]) continue;
    for (const std::size_t parent : model.nodes[node].parents) matters[parent] = true;
  }
  std::vector<std::size_t> between(model.order.begin() + static_cast<std::ptrdiff_t>(drawn.contexts),
                                   model.order.end() - static_cast<std::ptrdiff_t>(drawn.outcomes));
  for (std::size_t i = between.size(); i > 1; --i) std::swap(between[i - 1], between[random.below(i)]);
  std::stable_partition(between.begin(), between.end(), [&](std::size_t node) { return matters[node]; });
  const auto discrete = std::find_if(between.begin(), between.end(),
                                     [&](std::size_t node) { return is_discrete(model.nodes[node].about.type); });
  if (discrete != between.end()) std::rotate(between.begin(), discrete, discrete + 1);
  between.resize(kLevers);
  std::sort(between.begin(), between.end());
  return between;
}

MixedTask draw_task(const RandomMixedModel& drawn, const Columns& pilot, RandomStream& random) {
  const MixedModel& model = drawn.model;
  const std::size_t size = model.nodes.size();
  MixedTask task;
  std::vector<std::size_t> contexts(model.order.begin(),
                                    model.order.begin() + static_cast<std::ptrdiff_t>(drawn.contexts));
  std::sort(contexts.begin(), contexts.end());
  for (const std::size_t node : contexts) task.context.push_back(model.nodes[node].name);
  for (const std::size_t node : draw_levers(drawn, random)) {
    task.alterable.push_back(make_lever(model.nodes[node], pilot[node]));
  }
  // The numeric outcome comes last: its range can have any share of the rows in which the other goal holds.
  std::vector<std::size_t> outcomes(model.order.begin() + static_cast<std::ptrdiff_t>(size - drawn.outcomes),
                                    model.order.end());
  std::stable_partition(outcomes.begin(), outcomes.end(),
                        [&](std::size_t node) { return has_levels(model.nodes[node].about.type); });
  const double wanted = random.uniform(kLeastIdle, kMostIdle);
  std::vector<std::size_t> rows(kRegionRows);
  for (std::size_t i = 0; i < kRegionRows; ++i) rows[i] = i;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const MixedNode& node = model.nodes[outcomes[k]];
    const std::vector<double>& column = pilot[outcomes[k]];
    MixedGoal goal;
    if (k + 1 == outcomes.size()) {
      const double left = static_cast<double>(rows.size()) / static_cast<double>(kRegionRows);
      goal = draw_range(node, sorted_values(column, rows), std::min(1.0, wanted / left), random);
    } else if (has_levels(node.about.type)) {
      goal = draw_levels(node, column, wanted + 0.05, random);
    } else {
      goal = draw_range(node, sorted_values(column, rows), random.uniform(wanted + 0.1, 0.85), random);
    }
    rows = rows_that_hold(goal, column, rows);
    task.desired.push_back(std::move(goal));
    if (rows.empty()) break;
  }
  std::sort(task.desired.begin(), task.desired.end(),
            [](const MixedGoal& a, const MixedGoal& b) { return a.name < b.name; });
  for (const MixedGoal& goal : task.desired) task.outcome.push_back(goal.name);
  return task;
}

double share_desired(const MixedModel& model, const MixedTask& task, const Columns& columns) {
  std::vector<std::size_t> rows(columns.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  for (const MixedGoal& goal : task.desired) {
    for (std::size_t j = 0; j < model.nodes.size(); ++j) {
      if (model.nodes[j].name == goal.name) rows = rows_that_hold(goal, columns[j], rows);
    }
  }
  return static_cast<double>(rows.size()) / static_cast<double>(columns.front().size());
}

bool can_be_set(const MixedLever& lever) {
  return lever.values.empty() ? lever.low < lever.high : lever.values.size() > 1;
}

std::vector<double> row_of(const Table& table, std::size_t row) {
  std::vector<double> values;
  for (std::size_t j = 0; j < table.columns(); ++j) values.push_back(table.at(row, j));
  return values;
}

// The mean raise that a coarse search finds in the first contexts.
double coarse_raise(const MixedModel& model, const MixedTask& task, const SearchTrials& trials, const Table& contexts,
                    std::uint64_t seed) {
  double sum = 0.0;
  for (std::size_t r = 0; r < kFirstContexts; ++r) {
    ContextTrials at(trials.search, row_of(contexts, r));
    const double without = at.success(LeverValues(task.alterable.size()));
    sum += screen_decisions(at, task, model, 1, seed).front().success - without;
  }
  return sum / static_cast<double>(kFirstContexts);
}

double mean_raise(const std::vector<TrueDecision>& decisions) {
  double sum = 0.0;
  for (const TrueDecision& decision : decisions) sum += decision.success - decision.without_action;
  return sum / static_cast<double>(decisions.size());
}

Table draw_mixed_contexts(const MixedModel& model, const MixedTask& task, std::size_t rounds, std::uint64_t index,
                          const Context& context) {
  const Table units =
      as_table(model, draw_columns(model, rounds, "simulate.mixed.contexts", index, context), "simulated contexts");
  std::vector<std::size_t> columns;
  for (const std::string& name : task.context) columns.push_back(units.index(name));
  return units.with_columns(columns);
}

std::vector<bool> draw_missing(const Table& data, double share, std::uint64_t index, const Context& context) {
  if (share == 0.0) return {};
  RandomStream random(context.seed, "simulate.mixed.missing", index);
  std::vector<bool> missing(data.rows() * data.columns());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (i % 100000 == 0) context.check_interrupt();
    missing[i] = random.uniform() < share;
  }
  return missing;
}

}  // namespace

MixedSimulation random_mixed_task(const MixedSimulationOptions& options, std::uint64_t index, const Context& context) {
  check_mixed_options(options);
  const auto rounds = static_cast<std::size_t>(options.rounds);
  // Said before the search for a task, which takes longer than the rows.
  context.require_memory(
      3 * sizeof(double) * static_cast<std::size_t>(options.rows) * static_cast<std::size_t>(options.variables),
      "A simulated table");
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    context.check_interrupt();
    context.report_progress(static_cast<double>(attempt) / kMostAttempts, "drawing models");
    const auto number = static_cast<std::uint64_t>(attempt);
    const std::uint64_t stream = attempt_stream(index, number);
    RandomMixedModel drawn = draw_mixed_model(options, index, number, context);
    const Columns pilot = draw_columns(drawn.model, kRegionRows, "simulate.mixed.region", stream, context);
    RandomStream random(context.seed, "simulate.mixed.task", stream);
    MixedTask task = draw_task(drawn, pilot, random);
    if (task.desired.size() < drawn.outcomes) continue;
    if (!std::all_of(task.alterable.begin(), task.alterable.end(), can_be_set)) continue;
    const Columns fresh = draw_columns(drawn.model, kRegionRows, "simulate.mixed.idle", stream, context);
    const double without_action = share_desired(drawn.model, task, fresh);
    if (without_action < kLeastIdle || without_action > kMostIdle) continue;

    const Table units = draw_mixed_contexts(drawn.model, task, std::max(rounds, kCriterionContexts), index, context);
    const SearchTrials trials(drawn.model, task, context);
    // A hopeless task need not be searched with care.
    if (coarse_raise(drawn.model, task, trials, units, context.seed) < 0.5 * kLeastRaise) continue;
    std::vector<TrueDecision> best(kCriterionContexts);
    parallel_for(context, 0, best.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        best[r] = internal::best_decision(drawn.model, task, trials, row_of(units, r), context.seed);
      }
    });
    if (mean_raise(best) < kLeastRaise) continue;

    MixedSimulation simulation;
    simulation.options = options;
    simulation.seed = context.seed;
    simulation.index = index;
    simulation.attempts = attempt + 1;
    simulation.data = draw_rows(drawn.model, static_cast<std::size_t>(options.rows), index, context);
    simulation.missing = draw_missing(simulation.data, options.missing, index, context);
    std::vector<std::size_t> kept(rounds);
    for (std::size_t r = 0; r < rounds; ++r) kept[r] = r;
    simulation.contexts = units.with_rows(kept);
    best.resize(std::min(best.size(), rounds));
    simulation.best = std::move(best);
    simulation.without_action = without_action;
    simulation.task = std::move(task);
    simulation.model = std::move(drawn.model);
    return simulation;
  }
  throw Error(ErrorCategory::kTask,
              fmt::format("None of {} random models had a task whose best decision raises success by {}.",
                          kMostAttempts, kLeastRaise),
              {{"Draw more variables", "variables"}, {"Draw other types of columns", "types"}});
}

}  // namespace olem
