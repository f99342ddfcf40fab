// Decisions on data whose truth is known: true success, claimed success and success without action, for each kind of
// sampler, with the true and with the learned order, as rows of a Markdown table. Gap: mean over tasks of |claimed -
// true|. Worse: decisions more than .01 below no action. Wrong orders: tasks whose order reverses an edge.
//   decision_bench bermuda [DATASETS [CONTEXTS [VARIANT...]]]     the Bermuda simulator
//   decision_bench units [DATASETS [CONTEXTS [VARIANT...]]]       the same, every column in a random unit
//   decision_bench auf [TASKS [CONTEXTS [VARIANT...]]]            the four synthetic settings
//   decision_bench stress [TASKS [CONTEXTS [VARIANT...]]]         a column that causes both a lever and the outcome
//   decision_bench mixed [TASKS [CONTEXTS [VARIANT...]]]          columns of all types (olem simulate mixed)
//   decision_bench cases [SAMPLES [VARIANT...]]                   small tables with a switch, a rate, a count, ...
// VARIANT is SAMPLER, SAMPLER:DRAWS or SAMPLER/ORDER, with @VALUE behind it for another least_effort. DRAWS are those
// of the search, 1000 by default (the network is slow). ORDER is true, olem, olem+ (both within the stages), first
// (levers before the columns without a role, the rest by olem+) or auto (the default rule); without it both true and
// auto. Every variant is compared with the first, paired by task. Before VARIANT, members=1 gives the variants behind
// it the members of olem decide, seed=N takes other tasks and rows=N other numbers of rows; for mixed also d=N columns,
// types=NAME=SHARE,..., missing=SHARE of the cells and reading=POLICY for them (impute by default). only=NAME is one of
// the settings, or of the tables of cases. Regret is against the best decision found with the true model itself (random
// points and all decisions of the table, then a pattern search from the best four).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "decision_cases.h"
#include "decision_rows.h"
#include "decision_tasks.h"
#include "mixed_decisions.h"
#include "olem/decision.h"
#include "olem/graph.h"
#include "olem/metrics.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/simulate.h"

namespace olem::bench {
namespace {

// The best that can be done with the model itself: random points and `known` decisions, then from each of the four best
// of them steps along the coordinates, halved when none helps; judged on draws of their own.
double best_success(const Simulation& simulation, const std::vector<NamedValue>& observed,
                    const std::vector<std::vector<NamedValue>>& known, std::uint64_t round) {
  constexpr std::size_t kSearchTrials = 1000;
  constexpr std::size_t kStarts = 4;
  const auto& domains = simulation.task->alterable;
  RandomStream random(17, "best", round);
  struct Point {
    double success = 0.0;
    std::vector<NamedValue> values;
  };
  const auto evaluated = [&](std::vector<NamedValue> values) {
    const double success = true_success(simulation, observed, values, kSearchTrials, 1);
    return Point{success, std::move(values)};
  };
  std::vector<Point> points;
  for (const std::vector<NamedValue>& values : known) points.push_back(evaluated(values));
  for (int i = 0; i < 60; ++i) {
    std::vector<NamedValue> values;
    for (const NamedRange& domain : domains) values.push_back({domain.name, random.uniform(domain.low, domain.high)});
    points.push_back(evaluated(std::move(values)));
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.success > b.success; });
  points.resize(std::min(points.size(), kStarts));
  Point best = points.front();
  for (Point at : points) {
    for (double step = 0.25; step > 0.02;) {
      bool better = false;
      for (NamedValue& value : at.values) {
        const auto domain = std::find_if(domains.begin(), domains.end(),
                                         [&](const NamedRange& range) { return range.name == value.name; });
        const double before = value.value;
        for (const double sign : {-1.0, 1.0}) {
          value.value = std::clamp(before + sign * step * (domain->high - domain->low), domain->low, domain->high);
          const double success = true_success(simulation, observed, at.values, kSearchTrials, 1);
          if (success > at.success) {
            at.success = success;
            better = true;
            break;
          }
          value.value = before;
        }
      }
      if (!better) step *= 0.5;
    }
    if (at.success > best.success) best = at;
  }
  return true_success(simulation, observed, best.values);
}

// `made` collects the decisions by round.
void run_task(const Simulation& simulation, const std::vector<Round>& rounds, const Variant& variant,
              std::uint64_t index, Row& row, std::vector<std::vector<std::vector<NamedValue>>>& made) {
  std::optional<Order> given;
  if (variant.order == "true") {
    given.emplace();
    for (const std::size_t node : causal_order(simulation.model)) given->push_back(simulation.model.nodes[node].name);
  }
  Context context;
  context.seed = index;
  auto start = std::chrono::steady_clock::now();
  const RehearsalModel model =
      fit_rehearsal(decision_task(simulation), simulation.data, variant.rehearsal(), given, context);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  row.fit_seconds += seconds();
  row.div.push_back(order_divergence(true_dag(simulation.model), model.order.order));
  std::vector<DecisionProblem> problems;
  for (const Round& round : rounds)
    problems.push_back(decision_problem(model, named_values(model.task.context, round.values)));
  start = std::chrono::steady_clock::now();
  const std::vector<Decision> decisions = decide_all(problems, variant.search(), context);
  row.decide_seconds += seconds();
  std::vector<double> truth;
  std::vector<double> claimed;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::vector<NamedValue> alterations;
    for (const Alteration& alteration : decisions[r].alterations) {
      if (alteration.value) alterations.push_back({alteration.name, *alteration.value});
    }
    truth.push_back(true_success(simulation, rounds[r].named, alterations));
    claimed.push_back(decisions[r].success_probability);
    row.cost.push_back(decisions[r].cost);
    row.idle.push_back(rounds[r].without_action);
    made[r].push_back(std::move(alterations));
  }
  row.truth.insert(row.truth.end(), truth.begin(), truth.end());
  row.claimed.insert(row.claimed.end(), claimed.begin(), claimed.end());
  row.by_task.push_back(mean(truth));
  row.gap_by_task.push_back(std::abs(mean(claimed) - mean(truth)));
}

Rows compare(const Setting& setting, int tasks, int rounds, const std::vector<Variant>& variants) {
  Rows rows;
  for (int t = 0; t < tasks; ++t) {
    const Simulation simulation = setting.make(static_cast<std::uint64_t>(t));
    const std::vector<Round> contexts = rounds_of(simulation, static_cast<std::size_t>(rounds));
    std::vector<std::vector<std::vector<NamedValue>>> made(contexts.size());
    for (const Variant& variant : variants)
      run_task(simulation, contexts, variant, static_cast<std::uint64_t>(t), row_of(rows, variant.name()), made);
    std::vector<double> best(contexts.size());
    parallel_for(Context(), 0, contexts.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) best[r] = best_success(simulation, contexts[r].named, made[r], r);
    });
    for (auto& [name, row] : rows) row.best.insert(row.best.end(), best.begin(), best.end());
  }
  for (const auto& [name, row] : rows) print_row(setting.name, name, row, rounds);
  return rows;
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  using namespace olem::bench;
  const std::string what = argc > 1 ? argv[1] : "bermuda";
  const int tasks = argc > 2 ? std::atoi(argv[2]) : 20;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : (what == "bermuda" ? 20 : 5);
  std::uint64_t seed = 0;
  MixedSetting mixed;
  bool members = false;
  std::string only;
  std::vector<Variant> variants;
  const bool is_cases = what == "cases";
  for (int i = is_cases ? 3 : 4; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("seed=")) {
      seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word.starts_with("members=")) {
      members = value != "0";
    } else if (word.starts_with("rows=")) {
      mixed.options.rows = std::atoi(value.c_str());
    } else if (word.starts_with("only=")) {
      only = value;
    } else if (word.starts_with("d=")) {
      mixed.options.variables = std::atoi(value.c_str());
    } else if (word.starts_with("types=")) {
      mixed.options.types = olem::parse_type_shares(value);
    } else if (word.starts_with("missing=")) {
      mixed.options.missing = std::atof(value.c_str());
    } else if (word.starts_with("reading=")) {
      mixed.policy = value;
    } else {
      for (const Variant& variant : parse_variant(word)) {
        variants.push_back(variant);
        variants.back().members = members;
      }
    }
  }
  const bool is_mixed = what == "mixed" || is_cases;
  if (variants.empty()) {
    for (const char* const text : is_mixed ? std::vector{"gp/true", "auto/true"} : std::vector{"gp", "linear"}) {
      for (const Variant& variant : parse_variant(text)) variants.push_back(variant);
    }
  }
  if (is_cases) {
    print_cases(argc > 2 ? tasks : 8, variants, seed, mixed.options.rows, only);
    return 0;
  }
  if (is_mixed) {
    mixed.seed = seed;
    mixed.options.rounds = rounds;
    print_mixed(mixed, tasks, variants);
    return 0;
  }
  fmt::print("{} tasks x {} contexts; success with {} trials\n\n", tasks, rounds, kTrials);
  fmt::print(
      "| setting | sampler, order | true | claimed | gap | no action | best | regret | median | worse | lowest | wrong "
      "orders | regret right / wrong | fit s | each s |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  std::map<std::string, std::vector<Rows>> families;
  std::vector<std::pair<std::string, Rows>> all;
  for (const Setting& setting : settings_of(what, seed, mixed.options.rows)) {
    if (!only.empty() && setting.name != only) continue;
    all.emplace_back(setting.name, compare(setting, tasks, rounds, variants));
    families[setting.family].push_back(all.back().second);
  }
  for (const auto& [family, settings] : families) {
    if (settings.size() == 1) continue;
    Rows together;
    for (const Rows& rows : settings) {
      for (const auto& [name, row] : rows) row_of(together, name).add(row);
    }
    for (const auto& [name, row] : together) print_row(family + ", together", name, row, rounds);
    all.emplace_back(family + ", together", together);
  }
  fmt::print("\n");
  for (const auto& [name, rows] : all) print_differences(name, rows);
}
