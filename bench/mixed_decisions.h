#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "decision_rows.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/graph.h"
#include "olem/metrics.h"
#include "olem/parallel.h"
#include "olem/simulate_mixed.h"
#include "task_fit.h"

// Decisions on tasks with columns of all types.
namespace olem::bench {

struct MixedSetting {
  MixedSimulationOptions options;
  std::uint64_t seed = 0;
  std::string policy = "impute";  // of missing cells, where there are any
};

// What one variant did on one task; vectors have one entry per context.
struct MixedOutcome {
  std::vector<double> truth;
  std::vector<double> claimed;
  std::vector<std::vector<NamedValue>> alterations;
  int impossible_levers = 0;     // values that the lever cannot have
  int impossible_forecasts = 0;  // means, or tenths, of an outcome that its column cannot have
  std::size_t reversed = 0;      // edges against the order
  double fit_seconds = 0.0;
  double decide_seconds = 0.0;
  std::string failure;  // why there is no decision
};

// All variants on one task.
struct MixedTaskRow {
  std::string group;
  std::vector<double> idle;
  std::vector<double> searched;        // of the best decision that the search with the true model found
  std::vector<double> best;            // of this and all decisions of the variants
  std::vector<MixedOutcome> outcomes;  // by variant
};

inline Context serial_context() {
  Context context;
  context.threads = 1;
  return context;
}

inline double mixed_success(const MixedSimulation& simulation, std::size_t round,
                            const std::vector<NamedValue>& alterations) {
  return evaluate_decision(simulation.model, simulation.task, simulation.best[round].observed, alterations, kTrials, 4,
                           serial_context());
}

inline const Column& mixed_column(const MixedSimulation& simulation, const std::string& name) {
  return simulation.data.about(simulation.data.index(name));
}

inline MixedOutcome run_mixed(const MixedSimulation& simulation, const Variant& variant, const std::string& policy) {
  MixedOutcome outcome;
  std::optional<Order> given;
  if (variant.order == "true") {
    given.emplace();
    for (const std::size_t node : simulation.model.order) given->push_back(simulation.model.nodes[node].name);
  }
  Context context;
  context.seed = simulation.index;
  auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const TaskTexts texts{task_json(simulation).dump(), data_csv(simulation, context),
                        simulation.missing.empty() ? "error" : policy};
  try {
    const RehearsalModel model = fit_texts(texts, variant, given, context);
    outcome.fit_seconds = seconds();
    std::vector<Edge> edges;
    for (const auto& [from, to] : simulation.model.edges()) edges.push_back({from, to});
    outcome.reversed = order_divergence(Dag(simulation.model.names(), edges), model.order.order);
    std::vector<DecisionProblem> problems;
    for (const TrueDecision& round : simulation.best) problems.push_back(decision_problem(model, round.observed));
    start = std::chrono::steady_clock::now();
    const std::vector<Decision> decisions = decide_all(problems, variant.search(), context);
    outcome.decide_seconds = seconds();
    for (std::size_t r = 0; r < decisions.size(); ++r) {
      std::vector<NamedValue> set;
      for (const Alteration& alteration : decisions[r].alterations) {
        if (!alteration.value) continue;
        const auto lever = std::find_if(simulation.task.alterable.begin(), simulation.task.alterable.end(),
                                        [&](const MixedLever& one) { return one.name == alteration.name; });
        const double possible = internal::possible_value(*lever, *alteration.value);
        const double tolerance = lever->values.empty() ? 1e-9 * (lever->high - lever->low) : 0.0;
        outcome.impossible_levers += std::abs(possible - *alteration.value) > tolerance ? 1 : 0;
        set.push_back({alteration.name, possible});
      }
      for (const OutcomeForecast& forecast : decisions[r].outcomes)
        outcome.impossible_forecasts +=
            internal::is_possible_forecast(mixed_column(simulation, forecast.name), forecast) ? 0 : 1;
      outcome.truth.push_back(mixed_success(simulation, r, set));
      outcome.claimed.push_back(decisions[r].success_probability);
      outcome.alterations.push_back(std::move(set));
    }
  } catch (const Error& error) {
    outcome = {};
    outcome.failure = error.what();
  }
  return outcome;
}

// By what the levers and the outcomes are.
inline std::string mixed_group(const MixedSimulation& simulation) {
  bool levers = false;
  bool outcomes = false;
  for (const MixedLever& lever : simulation.task.alterable)
    levers |= is_discrete(mixed_column(simulation, lever.name).type);
  for (const std::string& name : simulation.task.outcome) outcomes |= is_discrete(mixed_column(simulation, name).type);
  return fmt::format("{} levers, {} outcomes", levers ? "discrete" : "continuous",
                     outcomes ? "discrete" : "continuous");
}

inline double standard_error(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double middle = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return n > 1.0 ? std::sqrt(squares / (n - 1.0) / n) : 0.0;
}

inline void print_mixed_row(const std::string& group, const Variant& variant, std::size_t v,
                            const std::vector<const MixedTaskRow*>& rows) {
  std::vector<double> truth, claimed, idle, best, task_gap, decision_gap, task_regret, regret;
  double worse = 0.0, too_high = 0.0, fit = 0.0, decide = 0.0;
  int levers = 0, forecasts = 0, wrong_orders = 0, failures = 0;
  for (const MixedTaskRow* row : rows) {
    const MixedOutcome& made = row->outcomes[v];
    if (!made.failure.empty()) {
      ++failures;
      continue;
    }
    std::vector<double> of_task;
    for (std::size_t r = 0; r < made.truth.size(); ++r) {
      truth.push_back(made.truth[r]);
      claimed.push_back(made.claimed[r]);
      idle.push_back(row->idle[r]);
      best.push_back(row->best[r]);
      decision_gap.push_back(std::abs(made.claimed[r] - made.truth[r]));
      of_task.push_back(row->best[r] - made.truth[r]);
      worse += made.truth[r] < row->idle[r] - 0.01 ? 1.0 : 0.0;
      too_high += made.claimed[r] > made.truth[r] + 0.1 ? 1.0 : 0.0;
    }
    task_gap.push_back(std::abs(mean(made.claimed) - mean(made.truth)));
    task_regret.push_back(mean(of_task));
    levers += made.impossible_levers;
    forecasts += made.impossible_forecasts;
    wrong_orders += made.reversed > 0 ? 1 : 0;
    fit += made.fit_seconds;
    decide += made.decide_seconds;
  }
  const auto decisions = std::max(1.0, static_cast<double>(truth.size()));
  const auto tasks = std::max(1.0, static_cast<double>(task_gap.size()));
  fmt::print(
      "| {} | {} | {} | {} | {:.4f} | {:.4f} | {:.4f} ± {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} ± {:.4f} | {:.1f} % "
      "| "
      "{:.1f} % | {} / {} | {} | {:.2f} | {:.3f} |\n",
      group, variant.name(), task_gap.size(), failures, mean(truth), mean(claimed), mean(task_gap),
      standard_error(task_gap), mean(decision_gap), mean(idle), mean(best), mean(task_regret),
      standard_error(task_regret), 100.0 * worse / decisions, 100.0 * too_high / decisions, levers, forecasts,
      wrong_orders, fit / tasks, decide / decisions);
}

inline void print_mixed_differences(const std::vector<Variant>& variants, const std::vector<MixedTaskRow>& rows) {
  for (std::size_t v = 1; v < variants.size(); ++v) {
    std::vector<double> success, gap;
    for (const MixedTaskRow& row : rows) {
      const MixedOutcome& one = row.outcomes[v];
      const MixedOutcome& first = row.outcomes[0];
      if (!one.failure.empty() || !first.failure.empty()) continue;
      success.push_back(mean(one.truth) - mean(first.truth));
      gap.push_back(std::abs(mean(one.claimed) - mean(one.truth)) - std::abs(mean(first.claimed) - mean(first.truth)));
    }
    fmt::print("{} less {}, {} tasks: true success {:+.4f} ± {:.4f}, gap per task {:+.4f} ± {:.4f}\n",
               variants[v].name(), variants[0].name(), success.size(), mean(success), standard_error(success),
               mean(gap), standard_error(gap));
  }
}

inline void print_mixed(const MixedSetting& setting, int tasks, const std::vector<Variant>& variants) {
  Context seeded;
  seeded.seed = setting.seed;
  std::vector<MixedTaskRow> rows;
  double making = 0.0;
  for (int t = 0; t < tasks; ++t) {
    const auto start = std::chrono::steady_clock::now();
    const MixedSimulation simulation = random_mixed_task(setting.options, static_cast<std::uint64_t>(t), seeded);
    making += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MixedTaskRow& row = rows.emplace_back();
    row.group = mixed_group(simulation);
    for (const Variant& variant : variants) row.outcomes.push_back(run_mixed(simulation, variant, setting.policy));
    const std::size_t rounds = simulation.best.size();
    row.idle.resize(rounds);
    row.searched.resize(rounds);
    row.best.resize(rounds);
    parallel_for(Context(), 0, rounds, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        row.idle[r] = mixed_success(simulation, r, {});
        row.searched[r] = mixed_success(simulation, r, simulation.best[r].alterations);
        row.best[r] = std::max(row.idle[r], row.searched[r]);
        for (const MixedOutcome& made : row.outcomes) {
          if (made.failure.empty()) row.best[r] = std::max(row.best[r], made.truth[r]);
        }
      }
    });
    fmt::print(stderr, "task {} ({}):", t, row.group);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const MixedOutcome& made = row.outcomes[v];
      if (made.failure.empty()) {
        fmt::print(stderr, " [{}] true {:.3f} claimed {:.3f} best {:.3f} without {:.3f}", variants[v].name(),
                   mean(made.truth), mean(made.claimed), mean(row.best), mean(row.idle));
      } else {
        fmt::print(stderr, " [{}] {}", variants[v].name(), made.failure);
      }
    }
    fmt::print(stderr, "\n");
  }
  fmt::print(
      "{} tasks x {} contexts, {} columns, {} rows, {} % missing; success with {} trials; {:.2f} s to make a task\n\n",
      tasks, setting.options.rounds, setting.options.variables, setting.options.rows, 100.0 * setting.options.missing,
      kTrials, making / tasks);
  fmt::print(
      "| group | sampler, order | tasks | failed | true | claimed | gap per task | gap per decision | no action | best "
      "| "
      "regret | worse | claims > .1 too high | impossible levers / forecasts | wrong orders | fit s | each s |\n| --- "
      "| "
      "--- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  std::map<std::string, std::vector<const MixedTaskRow*>> groups;
  std::vector<const MixedTaskRow*> all;
  for (const MixedTaskRow& row : rows) {
    groups[row.group].push_back(&row);
    all.push_back(&row);
  }
  std::vector<double> missed;
  for (const MixedTaskRow& row : rows) missed.push_back(mean(row.best) - mean(row.searched));
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (const auto& [group, of_group] : groups) print_mixed_row(group, variants[v], v, of_group);
    print_mixed_row("all", variants[v], v, all);
  }
  fmt::print("\nThe search with the true model falls short of the best by {:.4f} ± {:.4f}, at most {:.4f}.\n",
             mean(missed), standard_error(missed), *std::max_element(missed.begin(), missed.end()));
  print_mixed_differences(variants, rows);
}

}  // namespace olem::bench
