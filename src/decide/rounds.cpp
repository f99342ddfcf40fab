#include "olem/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decide/affine_sampler.h"
#include "olem/column.h"
#include "olem/error.h"
#include "olem/task_rows.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::string_view kLagEnd = "@-1";

bool is_lagged(std::string_view name) { return name.ends_with(kLagEnd); }
std::string name_in_round(std::string_view name, int round) { return fmt::format("{}@{}", name, round); }

// The samplers of one round, one round behind the other, and the mean or sum of the outcomes behind them.
class UnrolledRounds {
 public:
  explicit UnrolledRounds(const RoundsProblem& problem) : problem_(problem), one_(*problem.samplers) {
    add_past();
    for (int round = 1; round <= problem.options.rounds; ++round) add_round(round);
    for (const std::string& outcome : problem.task.outcome) add_total(outcome);
    set_ = std::make_shared<const SamplerSet>(std::move(made_));
  }

  const std::shared_ptr<const SamplerSet>& set() const { return set_; }
  static std::string total_name(const std::string& outcome, bool sum) {
    return fmt::format("{} of {}", sum ? "sum" : "mean", outcome);
  }

 private:
  std::size_t place(std::string_view name) const { return *made_.find(name); }

  void add_past() {
    for (const SamplerVariable& variable : one_.variables) {
      if (is_lagged(variable.name)) continue;
      SamplerVariable& past = made_.variables.emplace_back(variable);
      past.name = name_in_round(variable.name, 0);
      past.conditions.clear();
      past.sampler = nullptr;
    }
  }

  void add_round(int round) {
    std::vector<std::size_t> places;  // of the variables of one round
    for (const SamplerVariable& variable : one_.variables) {
      SamplerVariable here = variable;
      if (is_lagged(variable.name)) {
        const std::string base = variable.name.substr(0, variable.name.size() - kLagEnd.size());
        const SamplerVariable& source = one_.variables[one_.index(base)];
        here.name = fmt::format("{} before {}", base, round);
        here.conditions = {place(name_in_round(base, round - 1))};
        // The two columns differ in a row, and so in their constants.
        here.sampler = make_affine_sampler((source.mean - variable.mean) / variable.sd, {source.sd / variable.sd});
      } else {
        if (!variable.sampler)
          throw Error(ErrorCategory::kUsage,
                      fmt::format("'{}' has no sampler, so that later rounds cannot be drawn.", variable.name));
        here.name = name_in_round(variable.name, round);
        here.conditions.clear();
        for (const std::size_t condition : variable.conditions) here.conditions.push_back(places[condition]);
      }
      places.push_back(made_.variables.size());
      made_.variables.push_back(std::move(here));
    }
  }

  void add_total(const std::string& outcome) {
    const SamplerVariable& source = one_.variables[one_.index(outcome)];
    const RoundsOptions& options = problem_.options;
    const double all = options.rounds + options.done;
    SamplerVariable total = source;
    total.name = total_name(outcome, options.sum);
    total.about = {};
    if (options.sum) {
      total.mean *= all;
      total.sd *= all;
    }
    total.counts.clear();
    total.conditions.clear();
    for (int round = 1; round <= options.rounds; ++round)
      total.conditions.push_back(place(name_in_round(outcome, round)));
    double past = 0.0;
    const std::size_t column = problem_.past.index(outcome);
    for (int back = 1; back <= options.done; ++back)
      past += source.standardise(problem_.past.at(problem_.past.rows() - static_cast<std::size_t>(back), column));
    total.sampler = make_affine_sampler(past / all, std::vector<double>(total.conditions.size(), 1.0 / all));
    made_.variables.push_back(std::move(total));
  }

  const RoundsProblem& problem_;
  const SamplerSet& one_;
  SamplerSet made_;
  std::shared_ptr<const SamplerSet> set_;
};

Region region_of_totals(const Region& desired, bool sum) {
  std::vector<std::string> names;
  for (const std::string& outcome : desired.outcomes()) names.push_back(UnrolledRounds::total_name(outcome, sum));
  if (!desired.ranges().empty()) {
    std::vector<OutcomeRange> ranges = desired.ranges();
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      if (ranges[k].is_list())
        throw Error(ErrorCategory::kTask, "Levels have no mean over rounds: give a range for the outcome.");
      ranges[k].outcome = names[k];
    }
    return Region::box(ranges, desired.source());
  }
  if (const auto& ellipse = desired.ellipse())
    return Region::ellipse(names, ellipse->centre, ellipse->radii, desired.source());
  std::vector<std::vector<double>> weights;
  std::vector<double> bounds;
  for (std::size_t row = 0; row < desired.rows(); ++row) {
    weights.emplace_back(desired.weights(row).begin(), desired.weights(row).end());
    bounds.push_back(desired.bound(row));
  }
  return Region::polytope(names, weights, bounds, desired.source());
}

// The decision of all rounds, present and later, as one in steps.
DecisionProblem problem_in_steps(const RoundsProblem& problem, std::shared_ptr<const SamplerSet> set) {
  const Task& task = problem.task;
  const int rounds = problem.options.rounds;
  DecisionProblem steps;
  steps.samplers = std::move(set);
  const std::size_t last = problem.past.rows() - 1;
  for (const SamplerVariable& variable : problem.samplers->variables) {
    if (is_lagged(variable.name)) continue;
    steps.context.push_back(
        {name_in_round(variable.name, 0), problem.past.at(last, problem.past.index(variable.name))});
  }
  for (const std::string& name : task.context) {
    const auto given = std::find_if(problem.observed.begin(), problem.observed.end(),
                                    [&](const NamedValue& value) { return value.name == name; });
    if (given == problem.observed.end() || !std::isfinite(given->value))
      throw Error(ErrorCategory::kUsage, fmt::format("The context variable '{}' has no value for this round.", name),
                  {{"Give it", "context"}});
    steps.context.push_back({name_in_round(name, 1), given->value});
  }
  for (int round = 1; round <= rounds; ++round) {
    SequenceStep step;
    for (const LeverDomain& lever : task.alterable) {
      LeverDomain& here = steps.alterable.emplace_back(lever);
      here.name = name_in_round(lever.name, round);
      step.alter.push_back(here.name);
    }
    if (round < rounds) {
      for (const std::string& name : task.outcome) step.then_observe.push_back(name_in_round(name, round));
      for (const std::string& name : task.context) step.then_observe.push_back(name_in_round(name, round + 1));
    }
    steps.sequence.push_back(std::move(step));
  }
  for (const NamedValue& cost : task.cost) {
    for (int round = 1; round <= rounds; ++round) steps.cost.push_back({name_in_round(cost.name, round), cost.value});
  }
  for (const CostForm& form : task.cost_forms) {
    for (int round = 1; round <= rounds; ++round)
      steps.cost_forms.push_back({name_in_round(form.name, round), form.datum, form.power});
  }
  steps.region = region_of_totals(task.desired, problem.options.sum);
  return steps;
}

// Means of a set of linear samplers with normal noise, some of whose variables are given or set.
class MeanPropagation {
 public:
  // Nothing when a sampler is of another kind.
  static std::optional<MeanPropagation> of(const SamplerSet& set, const std::vector<NamedValue>& given) {
    MeanPropagation means(set);
    for (const NamedValue& value : given) means.fixed_[set.index(value.name)] = value.value;
    for (std::size_t v = 0; v < set.variables.size(); ++v) {
      const SamplerVariable& variable = set.variables[v];
      if (means.fixed_[v] || !variable.sampler) continue;
      const std::string form = variable.sampler->facts().form;
      auto slopes = variable.sampler->slopes(1.0);
      if (!slopes || (form != kAffineForm && form != "marginal" && form != "linear, normal noise")) return std::nullopt;
      means.slopes_[v] = std::move(*slopes);
      means.constants_[v] = constant_of(*variable.sampler);
    }
    return means;
  }

  // Of one variable, in the user's units.
  double mean(std::size_t wanted, const std::vector<std::size_t>& levers, const std::vector<double>& values) const {
    std::vector<std::optional<double>> fixed = fixed_;
    for (std::size_t k = 0; k < levers.size(); ++k) fixed[levers[k]] = values[k];
    std::vector<double> standardised(set_->variables.size(), 0.0);
    for (std::size_t v = 0; v < set_->variables.size(); ++v) {
      const SamplerVariable& variable = set_->variables[v];
      if (fixed[v]) {
        standardised[v] = variable.standardise(*fixed[v]);
        continue;
      }
      standardised[v] = constants_[v];
      for (std::size_t k = 0; k < slopes_[v].size(); ++k)
        standardised[v] += slopes_[v][k] * standardised[variable.conditions[k]];
    }
    return set_->variables[wanted].restore(standardised[wanted]);
  }

 private:
  explicit MeanPropagation(const SamplerSet& set)
      : set_(&set),
        fixed_(set.variables.size()),
        slopes_(set.variables.size()),
        constants_(set.variables.size(), 0.0) {}

  // The draw without noise where every condition is 0.
  static double constant_of(const ConditionalSampler& sampler) {
    const std::vector<double> noise(sampler.noise_entries(), 0.0);
    const double zero = 0.0;
    const std::vector<Condition> conditions(sampler.conditions(), Condition{&zero, true});
    double y = 0.0;
    sampler.start(noise, 1)->sample(conditions, 1.0, {&y, 1});
    return y;
  }

  const SamplerSet* set_;
  std::vector<std::optional<double>> fixed_;
  std::vector<std::vector<double>> slopes_;
  std::vector<double> constants_;
};

// weight x (value - datum)^2
struct SquareCost {
  double weight = 1.0;
  double datum = 0.0;
};

// Of each lever: the plain square without any costs; nothing where they are other than squares from a datum.
std::optional<std::vector<SquareCost>> square_costs(const DecisionProblem& problem) {
  std::vector<SquareCost> costs;
  for (const LeverDomain& lever : problem.alterable) {
    SquareCost& own = costs.emplace_back();
    if (problem.cost.empty()) continue;
    const auto weight = std::find_if(problem.cost.begin(), problem.cost.end(),
                                     [&](const NamedValue& cost) { return cost.name == lever.name; });
    const auto form = std::find_if(problem.cost_forms.begin(), problem.cost_forms.end(),
                                   [&](const CostForm& one) { return one.name == lever.name; });
    if (weight == problem.cost.end() || !(weight->value > 0.0) || form == problem.cost_forms.end() ||
        form->power != 2 || !form->datum)
      return std::nullopt;
    own = {weight->value, *form->datum};
  }
  return costs;
}

// The least sum of squares of the levers of all rounds, or the least quadratic cost, that brings the mean of the total
// to the middle of its range, or as near as the domains allow. Whatever comes before the last round can be answered in
// it, so that success depends on that mean alone and is highest in the middle.
std::optional<std::vector<double>> least_squares_plan(const DecisionProblem& problem) {
  const Region& region = problem.region;
  if (region.ranges().size() != 1 || !region.ranges().front().low || !region.ranges().front().high) return std::nullopt;
  const bool plain = std::all_of(problem.alterable.begin(), problem.alterable.end(), [&](const LeverDomain& lever) {
    const Column& about = problem.samplers->variables[problem.samplers->index(lever.name)].about;
    return !has_values(lever) && !is_discrete(about.type);
  });
  const auto costs = square_costs(problem);
  if (!plain || !costs) return std::nullopt;
  const auto means = MeanPropagation::of(*problem.samplers, problem.context);
  if (!means) return std::nullopt;
  const double centre = 0.5 * (*region.ranges().front().low + *region.ranges().front().high);
  const std::size_t total = problem.samplers->index(region.outcomes().front());
  std::vector<std::size_t> levers;
  for (const LeverDomain& lever : problem.alterable) levers.push_back(problem.samplers->index(lever.name));
  std::vector<double> values(levers.size(), 0.0);
  const double without = means->mean(total, levers, values);
  std::vector<double> effects;
  for (std::size_t k = 0; k < levers.size(); ++k) {
    values[k] = 1.0;
    effects.push_back(means->mean(total, levers, values) - without);
    values[k] = 0.0;
  }
  // Where the cost is least among those with the same mean, its slopes are proportional to the effects.
  const auto at = [&](double multiplier) {
    for (std::size_t k = 0; k < levers.size(); ++k)
      values[k] = std::clamp((*costs)[k].datum + multiplier * effects[k] / (*costs)[k].weight, problem.alterable[k].low,
                             problem.alterable[k].high);
    double reached = without;
    for (std::size_t k = 0; k < levers.size(); ++k) reached += effects[k] * values[k];
    return reached;
  };
  double size = 0.0;
  for (const double effect : effects) size = std::max(size, std::abs(effect));
  if (!(size > 0.0)) return std::nullopt;
  double low = -1.0 / size;
  double high = 1.0 / size;
  constexpr int kDoublings = 200;
  for (int i = 0; i < kDoublings && at(low) > centre; ++i) low *= 2.0;
  for (int i = 0; i < kDoublings && at(high) < centre; ++i) high *= 2.0;
  constexpr int kHalvings = 400;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (at(middle) < centre ? low : high) = middle;
  }
  at(0.5 * (low + high));
  return values;
}

void check_rounds_problem(const RoundsProblem& problem) {
  const RoundsOptions& options = problem.options;
  if (problem.samplers == nullptr) throw Error(ErrorCategory::kUsage, "The problem has no samplers.");
  check_at_least("rounds", options.rounds, 1);
  check_at_least("done", options.done, 0);
  check_at_least("number of past rounds", static_cast<long long>(problem.past.rows()), std::max(1, options.done));
  const Task& task = problem.task;
  if (!task.sequence.empty() || task.max_alterations || !task.constraints.empty())
    throw Error(ErrorCategory::kTask,
                "Several rounds cannot be planned together with a sequence, with constraints or with a largest number "
                "of alterations.");
}

}  // namespace

std::string lagged_name(std::string_view name) { return fmt::format("{}{}", name, kLagEnd); }

Table with_lag(const Table& table) {
  constexpr std::size_t kFewest = 3;
  if (table.rows() < kFewest)
    throw Error(ErrorCategory::kData,
                fmt::format("{}There are {} rows, but rows with the one before them need at least "
                            "{}.",
                            table.prefix(), table.rows(), kFewest));
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<Column> about;
  for (const bool lag : {true, false}) {
    for (std::size_t j = 0; j < table.columns(); ++j) {
      names.push_back(lag ? lagged_name(table.name(j)) : table.name(j));
      about.push_back(table.about(j));
      const auto cells = lag ? table.column(j).first(table.rows() - 1) : table.column(j).last(table.rows() - 1);
      values.insert(values.end(), cells.begin(), cells.end());
    }
  }
  return {std::move(names), std::move(values), table.source(), std::move(about)};
}

Task with_lag(const Task& task, const std::vector<std::string>& columns) {
  Task lagged = task;
  lagged.known_before.insert(lagged.known_before.begin(), task.context.begin(), task.context.end());
  lagged.context.clear();
  const std::vector<std::string> unused = unused_columns(task);
  for (const std::string& name : columns) {
    if (std::find(unused.begin(), unused.end(), name) == unused.end()) lagged.context.push_back(lagged_name(name));
  }
  lagged.observed.clear();
  lagged.observed_words.clear();
  lagged.unknown.clear();
  return lagged;
}

RoundsRows rounds_rows(const Task& task, const Table& table) {
  if (!task.group.empty())
    throw Error(ErrorCategory::kTask, "Rounds of several groups cannot be planned together.",
                {{"Give the rows of one group, without \"group\""}});
  RoundsRows rows;
  Table ordered = table;
  const std::vector<double> times = task_rows(task, declare_columns(table, task)).times;
  if (!times.empty()) {
    std::vector<std::size_t> places(times.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    ordered = table.with_rows(places);
  }
  rows.past = without_unused(task, ordered);
  rows.lagged = with_lag(rows.past);
  rows.task = with_lag(task, rows.past.names());
  rows.task.time.clear();
  std::vector<std::string> names = rows.lagged.names();
  std::vector<double> values(rows.lagged.values().begin(), rows.lagged.values().end());
  std::vector<Column> about = rows.lagged.about();
  for (const std::string& name : row_columns(rows.task)) {
    const std::size_t column = ordered.index(name);
    const auto cells = ordered.column(column).last(rows.lagged.rows());
    names.push_back(name);
    values.insert(values.end(), cells.begin(), cells.end());
    about.push_back(ordered.about(column));
  }
  rows.lagged = Table(std::move(names), std::move(values), table.source(), std::move(about));
  return rows;
}

RoundsDecision decide_rounds(const RoundsProblem& problem, const DecisionOptions& options, const Context& context) {
  check_rounds_problem(problem);
  DecisionProblem steps = problem_in_steps(problem, UnrolledRounds(problem).set());
  RoundsDecision result;
  const auto plan = options.target > 0.0 ? std::nullopt : least_squares_plan(steps);
  if (plan) {
    const std::size_t levers = problem.task.alterable.size();
    for (std::size_t k = 0; k < plan->size(); ++k) {
      if (k % levers == 0) result.plan.emplace_back();
      result.plan.back().push_back({problem.task.alterable[k % levers].name, (*plan)[k]});
      if (k < levers) steps.fixed.push_back({steps.alterable[k].name, (*plan)[k]});
    }
  }
  result.decision = decide(steps, options, context);
  return result;
}

}  // namespace olem
