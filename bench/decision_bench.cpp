// Decisions on data whose truth is known: true success, claimed success and success without action, for each kind of
// sampler, with the true and with the learned order, as rows of a Markdown table. Gap: mean over tasks of |claimed -
// true|. Worse: decisions more than .01 below no action. Wrong orders: tasks whose order reverses an edge.
//   decision_bench bermuda [DATASETS [CONTEXTS [VARIANT...]]]     the Bermuda simulator
//   decision_bench units [DATASETS [CONTEXTS [VARIANT...]]]       the same, every column in a random unit
//   decision_bench auf [TASKS [CONTEXTS [VARIANT...]]]            the four synthetic settings
//   decision_bench stress [TASKS [CONTEXTS [VARIANT...]]]         a column that causes both a lever and the outcome
// VARIANT is SAMPLER, SAMPLER:DRAWS or SAMPLER/ORDER. DRAWS are those of the search, 1000 by default (the network is
// slow). ORDER is true, olem, olem+ (both within the stages), first (levers before the columns without a role, the
// rest by olem+) or auto (the default rule); without it both true and auto. Every variant is compared with the first,
// paired by task. Before VARIANT, seed=N takes other tasks and rows=N other numbers of rows.
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

struct Variant {
  std::string sampler;
  int draws = 0;  // of the search; 0: the default
  std::string order;

  std::string name() const { return fmt::format("{}, {}", sampler, order); }
};

// "gp:200/auto"; without an order two variants.
std::vector<Variant> parse_variant(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string of_sampler = text.substr(0, slash);
  const std::size_t colon = of_sampler.find(':');
  Variant variant{of_sampler.substr(0, colon), 0, ""};
  if (colon != std::string::npos) variant.draws = std::stoi(of_sampler.substr(colon + 1));
  std::vector<Variant> variants;
  for (const char* const order : {"true", "olem", "olem+", "first", "auto"}) {
    const bool wanted = slash == std::string::npos ? std::string(order) == "true" || std::string(order) == "auto"
                                                   : text.substr(slash + 1) == order;
    variant.order = order;
    if (wanted) variants.push_back(variant);
  }
  if (variants.empty()) {
    fmt::print(stderr, "The order in {} must be true, olem, olem+, first or auto.\n", text);
    std::exit(2);
  }
  return variants;
}

// `made` collects the decisions by round.
void run_task(const Simulation& simulation, const std::vector<Round>& rounds, const Variant& variant,
              std::uint64_t index, Row& row, std::vector<std::vector<std::vector<NamedValue>>>& made) {
  RehearsalOptions options;
  options.samplers.sampler = variant.sampler;
  DecisionOptions search;
  if (variant.draws > 0) search.draws = variant.draws;
  options.order.method = variant.order == "olem" ? "olem" : "olem+";
  options.levers = variant.order == "auto"    ? LeverRule::kAuto
                   : variant.order == "first" ? LeverRule::kFirst
                                              : LeverRule::kLearned;
  std::optional<Order> given;
  if (variant.order == "true") {
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
  for (const Round& round : rounds)
    problems.push_back(decision_problem(model, named_values(model.task.context, round.values)));
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

// True success less that of the first row, by task, and the share of claims that are more than .1 too high.
void print_differences(const std::string& setting, const Rows& rows) {
  const Row& first = rows.front().second;
  for (const auto& [name, row] : rows) {
    std::vector<double> difference;
    double square = 0.0;
    for (std::size_t t = 0; t < row.by_task.size(); ++t) difference.push_back(row.by_task[t] - first.by_task[t]);
    const double middle = mean(difference);
    for (const double value : difference) square += (value - middle) * (value - middle);
    const auto n = static_cast<double>(difference.size());
    double too_high = 0.0;
    for (std::size_t i = 0; i < row.truth.size(); ++i) too_high += row.claimed[i] > row.truth[i] + 0.1 ? 1.0 : 0.0;
    fmt::print("{}: {} less {}: {:+.4f} ± {:.4f}; claims more than .1 too high: {:.1f} %\n", setting, name,
               rows.front().first, middle, std::sqrt(square / (n - 1.0) / n),
               100.0 * too_high / static_cast<double>(row.truth.size()));
  }
  std::fflush(stdout);
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
  int rows_of_data = 1000;
  std::vector<Variant> variants;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("seed=")) {
      seed = std::strtoull(word.c_str() + 5, nullptr, 10);
    } else if (word.starts_with("rows=")) {
      rows_of_data = std::atoi(word.c_str() + 5);
    } else {
      for (const Variant& variant : parse_variant(word)) variants.push_back(variant);
    }
  }
  if (variants.empty()) {
    for (const char* const text : {"gp", "linear"}) {
      for (const Variant& variant : parse_variant(text)) variants.push_back(variant);
    }
  }
  fmt::print("{} tasks x {} contexts; success with {} trials\n\n", tasks, rounds, kTrials);
  fmt::print(
      "| setting | sampler, order | true | claimed | gap | no action | best | regret | median | worse | lowest | wrong "
      "orders | regret right / wrong | fit s | each s |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  std::map<std::string, std::vector<Rows>> families;
  std::vector<std::pair<std::string, Rows>> all;
  for (const Setting& setting : settings_of(what, seed, rows_of_data)) {
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
