// Decisions on data whose truth is known: true success, claimed success and success without action, for each kind of
// sampler, with the true and with the learned order, as rows of a Markdown table. Gap: mean over tasks of |claimed -
// true|. Worse: decisions more than .01 below no action. Wrong orders: tasks whose order reverses an edge.
//   decision_bench bermuda [DATASETS [CONTEXTS [SAMPLER...]]]     the Bermuda simulator, 1000 rows
//   decision_bench auf [TASKS [CONTEXTS [SAMPLER...]]]            the four synthetic settings
// SAMPLER:DRAWS searches with that many draws instead of 1000 (the network is slow).
// Regret is against the best decision found with the true model itself (random points and all decisions of the table,
// then a pattern search from the best four).
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

#include "decision_tasks.h"
#include "olem/decision.h"
#include "olem/graph.h"
#include "olem/metrics.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/simulate.h"

namespace olem::bench {
namespace {

// Means over the decisions of one setting.
struct Row {
  std::vector<double> truth;
  std::vector<double> claimed;
  std::vector<double> idle;
  std::vector<double> best;
  std::vector<double> by_task;      // true success
  std::vector<double> gap_by_task;  // claimed - true
  std::vector<std::size_t> div;     // of the order, by task
  double fit_seconds = 0.0;
  double decide_seconds = 0.0;

  void add(const Row& other) {
    truth.insert(truth.end(), other.truth.begin(), other.truth.end());
    claimed.insert(claimed.end(), other.claimed.begin(), other.claimed.end());
    idle.insert(idle.end(), other.idle.begin(), other.idle.end());
    best.insert(best.end(), other.best.begin(), other.best.end());
    by_task.insert(by_task.end(), other.by_task.begin(), other.by_task.end());
    gap_by_task.insert(gap_by_task.end(), other.gap_by_task.begin(), other.gap_by_task.end());
    div.insert(div.end(), other.div.begin(), other.div.end());
    fit_seconds += other.fit_seconds;
    decide_seconds += other.decide_seconds;
  }
};

// By sampler and order, as they are printed.
using Rows = std::vector<std::pair<std::string, Row>>;

Row& row_of(Rows& rows, const std::string& name) {
  for (auto& [known, row] : rows) {
    if (known == name) return row;
  }
  return rows.emplace_back(name, Row()).second;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

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

// `sampler` may be followed by a colon and the number of draws of the search. `made` collects the decisions by round.
void run_task(const Simulation& simulation, const std::vector<Round>& rounds, const std::string& sampler,
              bool true_order, std::uint64_t index, Row& row, std::vector<std::vector<std::vector<NamedValue>>>& made) {
  RehearsalOptions options;
  const std::size_t colon = sampler.find(':');
  options.samplers.sampler = sampler.substr(0, colon);
  DecisionOptions search;
  if (colon != std::string::npos) search.draws = std::stoi(sampler.substr(colon + 1));
  std::optional<Order> given;
  if (true_order) {
    given.emplace();
    for (const std::size_t node : causal_order(simulation.model)) given->push_back(simulation.model.nodes[node].name);
  }
  Context context;
  context.seed = index;
  auto start = std::chrono::steady_clock::now();
  const RehearsalModel model = fit_rehearsal(decision_task(simulation), simulation.data, options, given, context);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  row.fit_seconds += seconds();
  row.div.push_back(order_divergence(true_dag(simulation.model), model.order.order));
  std::vector<DecisionProblem> problems;
  for (const Round& round : rounds) problems.push_back(decision_problem(model, round.values));
  start = std::chrono::steady_clock::now();
  const std::vector<Decision> decisions = decide_all(problems, search, context);
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
    row.idle.push_back(rounds[r].without_action);
    made[r].push_back(std::move(alterations));
  }
  row.truth.insert(row.truth.end(), truth.begin(), truth.end());
  row.claimed.insert(row.claimed.end(), claimed.begin(), claimed.end());
  row.by_task.push_back(mean(truth));
  row.gap_by_task.push_back(std::abs(mean(claimed) - mean(truth)));
}

void print_row(const std::string& setting, const std::string& name, const Row& row, int rounds) {
  const auto tasks = static_cast<double>(row.by_task.size());
  std::vector<double> regret;
  std::vector<double> right;  // regret of the tasks whose order has no edge reversed
  std::vector<double> wrong;
  double worse = 0.0;
  for (std::size_t i = 0; i < row.truth.size(); ++i) {
    regret.push_back(row.best[i] - row.truth[i]);
    (row.div[i / static_cast<std::size_t>(rounds)] == 0 ? right : wrong).push_back(regret.back());
    worse += row.truth[i] < row.idle[i] - 0.01 ? 1.0 : 0.0;
  }
  fmt::print(
      "| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.1f} % | {:.4f} | {} | {:.4f} / "
      "{:.4f} | {:.2f} | {:.3f} |\n",
      setting, name, mean(row.truth), mean(row.claimed), mean(row.gap_by_task), mean(row.idle), mean(row.best),
      mean(regret), median(regret), 100.0 * worse / static_cast<double>(row.truth.size()),
      *std::min_element(row.by_task.begin(), row.by_task.end()), wrong.size() / static_cast<std::size_t>(rounds),
      mean(right), mean(wrong), row.fit_seconds / tasks, row.decide_seconds / tasks / rounds);
  std::fflush(stdout);
}

Rows compare(const Setting& setting, int tasks, int rounds, const std::vector<std::string>& samplers) {
  Rows rows;
  for (int t = 0; t < tasks; ++t) {
    const Simulation simulation = setting.make(static_cast<std::uint64_t>(t));
    const std::vector<Round> contexts = rounds_of(simulation, static_cast<std::size_t>(rounds));
    std::vector<std::vector<std::vector<NamedValue>>> made(contexts.size());
    for (const std::string& sampler : samplers) {
      for (const bool true_order : {true, false}) {
        const std::string name = sampler + (true_order ? ", true order" : ", learned");
        run_task(simulation, contexts, sampler, true_order, static_cast<std::uint64_t>(t), row_of(rows, name), made);
      }
    }
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
  std::vector<std::string> samplers(argv + std::min(argc, 4), argv + argc);
  if (samplers.empty()) samplers = {"gp", "linear"};
  fmt::print("{} tasks x {} contexts; success with {} trials\n\n", tasks, rounds, kTrials);
  fmt::print(
      "| setting | sampler, order | true | claimed | gap | no action | best | regret | median | worse | lowest | wrong "
      "orders | regret right / wrong | fit s | each s |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  std::map<std::string, std::vector<Rows>> families;
  for (const Setting& setting : settings_of(what)) {
    families[setting.family].push_back(compare(setting, tasks, rounds, samplers));
  }
  for (const auto& [family, settings] : families) {
    if (settings.size() == 1) continue;
    Rows together;
    for (const Rows& rows : settings) {
      for (const auto& [name, row] : rows) row_of(together, name).add(row);
    }
    for (const auto& [name, row] : together) print_row(family + ", both noises", name, row, rounds);
  }
}
