// Decisions on data whose truth is known: true success, claimed success and success without action, for each kind of
// sampler, with the true and with the learned order.
//   decision_bench bermuda [DATASETS [CONTEXTS [SAMPLER...]]]     the Bermuda simulator, 1000 rows
//   decision_bench auf [TASKS [CONTEXTS [SAMPLER...]]]            the four synthetic settings
// Regret is against the best decision found with the true model itself (random points, then a pattern search).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/rehearsal.h"
#include "olem/simulate.h"

namespace olem {
namespace {

constexpr std::size_t kTrials = 5000;

struct Setting {
  std::string name;
  std::function<Simulation(std::uint64_t index)> make;
};

// Means over the decisions of one setting.
struct Row {
  std::vector<double> truth;
  std::vector<double> claimed;
  std::vector<double> idle;
  std::vector<double> best;
  std::vector<double> by_task;      // true success
  std::vector<double> gap_by_task;  // claimed - true
  double fit_seconds = 0.0;
  double decide_seconds = 0.0;
};

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

Task task_of(const Simulation& simulation) {
  Task task;
  task.source = "simulated";
  task.context = simulation.task->context;
  task.alterable = simulation.task->alterable;
  task.outcome = simulation.task->outcome;
  std::vector<OutcomeRange> ranges;
  for (const NamedRange& range : simulation.task->desired) ranges.push_back({range.name, range.low, range.high});
  task.desired = Region::box(ranges);
  return task;
}

// With noise that decisions share, so that their differences are not chance.
double true_success(const Simulation& simulation, const std::vector<NamedValue>& observed,
                    const std::vector<NamedValue>& alterations, std::size_t trials, std::uint64_t draw) {
  Context serial;
  serial.threads = 1;
  return success_rate(simulate_decision(simulation.model, observed, alterations, trials, draw, serial),
                      simulation.task->desired);
}

// The best that can be done with the model itself: random points, then steps along each coordinate, halved when none
// helps; judged on draws of their own.
double best_success(const Simulation& simulation, const std::vector<NamedValue>& observed, std::uint64_t round) {
  constexpr std::size_t kSearchTrials = 1000;
  const auto& domains = simulation.task->alterable;
  RandomStream random(17, "best", round);
  std::vector<NamedValue> best;
  double value = -1.0;
  const auto consider = [&](const std::vector<NamedValue>& at) {
    const double success = true_success(simulation, observed, at, kSearchTrials, 1);
    if (success <= value) return false;
    value = success;
    best = at;
    return true;
  };
  for (int i = 0; i < 60; ++i) {
    std::vector<NamedValue> at;
    for (const NamedRange& domain : domains) at.push_back({domain.name, random.uniform(domain.low, domain.high)});
    consider(at);
  }
  for (double step = 0.25; step > 0.02;) {
    bool better = false;
    for (std::size_t k = 0; k < domains.size(); ++k) {
      for (const double sign : {-1.0, 1.0}) {
        std::vector<NamedValue> at = best;
        at[k].value =
            std::clamp(at[k].value + sign * step * (domains[k].high - domains[k].low), domains[k].low, domains[k].high);
        better = consider(at) || better;
      }
    }
    if (!better) step *= 0.5;
  }
  return true_success(simulation, observed, best, kTrials, 2);
}

struct Observed {
  std::vector<double> values;
  std::vector<NamedValue> named;
  double best = 0.0;
  double idle = 0.0;
};

void run_task(const Simulation& simulation, const std::vector<Observed>& rounds, const std::string& sampler,
              bool true_order, std::uint64_t index, Row& row) {
  RehearsalOptions options;
  options.samplers.sampler = sampler;
  std::optional<Order> given;
  if (true_order) {
    given.emplace();
    for (const std::size_t node : causal_order(simulation.model)) given->push_back(simulation.model.nodes[node].name);
  }
  Context context;
  context.seed = index;
  auto start = std::chrono::steady_clock::now();
  const RehearsalModel model = fit_rehearsal(task_of(simulation), simulation.data, options, given, context);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  row.fit_seconds += seconds();
  std::vector<DecisionProblem> problems;
  for (const Observed& round : rounds) problems.push_back(decision_problem(model, round.values));
  start = std::chrono::steady_clock::now();
  const std::vector<Decision> decisions = decide_all(problems, {}, context);
  row.decide_seconds += seconds();
  std::vector<double> truth;
  std::vector<double> claimed;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::vector<NamedValue> alterations;
    for (const Alteration& alteration : decisions[r].alterations) {
      if (alteration.value) alterations.push_back({alteration.name, *alteration.value});
    }
    truth.push_back(true_success(simulation, rounds[r].named, alterations, kTrials, 2));
    claimed.push_back(decisions[r].success_probability);
    row.idle.push_back(rounds[r].idle);
    row.best.push_back(rounds[r].best);
  }
  row.truth.insert(row.truth.end(), truth.begin(), truth.end());
  row.claimed.insert(row.claimed.end(), claimed.begin(), claimed.end());
  row.by_task.push_back(mean(truth));
  row.gap_by_task.push_back(std::abs(mean(claimed) - mean(truth)));
}

void print_row(const std::string& setting, const std::string& name, const Row& row, int tasks, int rounds) {
  std::vector<double> regret;
  double worse = 0.0;
  for (std::size_t i = 0; i < row.truth.size(); ++i) {
    regret.push_back(row.best[i] - row.truth[i]);
    worse += row.truth[i] < row.idle[i] - 0.01 ? 1.0 : 0.0;
  }
  fmt::print("{:<14}{:<18}{:>7.4f}{:>9.4f}{:>8.4f}{:>8.4f}{:>8.4f}{:>8.4f}{:>8.4f}{:>7.1f}%{:>8.4f}{:>8.2f}{:>8.3f}\n",
             setting, name, mean(row.truth), mean(row.claimed), mean(row.gap_by_task), mean(row.idle), mean(row.best),
             mean(regret), median(regret), 100.0 * worse / static_cast<double>(row.truth.size()),
             *std::min_element(row.by_task.begin(), row.by_task.end()), row.fit_seconds / tasks,
             row.decide_seconds / tasks / rounds);
  std::fflush(stdout);
}

void compare(const Setting& setting, int tasks, int rounds, const std::vector<std::string>& samplers) {
  std::map<std::string, Row> rows;
  std::vector<std::string> order;
  for (int t = 0; t < tasks; ++t) {
    const Simulation simulation = setting.make(static_cast<std::uint64_t>(t));
    std::vector<Observed> observed(static_cast<std::size_t>(rounds));
    parallel_for(Context(), 0, observed.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        const Table& contexts = simulation.task->contexts;
        for (std::size_t k = 0; k < contexts.columns(); ++k) {
          observed[r].values.push_back(contexts.at(r, k));
          observed[r].named.push_back({contexts.name(k), contexts.at(r, k)});
        }
        observed[r].best = best_success(simulation, observed[r].named, r);
        observed[r].idle = true_success(simulation, observed[r].named, {}, kTrials, 2);
      }
    });
    for (const std::string& sampler : samplers) {
      for (const bool true_order : {true, false}) {
        const std::string name = sampler + (true_order ? ", true order" : ", learned");
        if (rows.find(name) == rows.end()) order.push_back(name);
        run_task(simulation, observed, sampler, true_order, static_cast<std::uint64_t>(t), rows[name]);
      }
    }
  }
  for (const std::string& name : order) print_row(setting.name, name, rows[name], tasks, rounds);
}

}  // namespace
}  // namespace olem

int main(int argc, char** argv) {
  using namespace olem;
  const std::string what = argc > 1 ? argv[1] : "bermuda";
  const int tasks = argc > 2 ? std::atoi(argv[2]) : 20;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : (what == "bermuda" ? 20 : 5);
  std::vector<std::string> samplers(argv + std::min(argc, 4), argv + argc);
  if (samplers.empty()) samplers = {"gp", "linear"};
  std::vector<Setting> settings;
  if (what == "bermuda") {
    settings.push_back({"Bermuda", [](std::uint64_t i) { return bermuda_task({}, i, Context()); }});
  } else {
    for (const AufFamily family : {AufFamily::kLinear, AufFamily::kMlp}) {
      for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential}) {
        AufSimulationOptions options;
        options.family = family;
        options.noise = noise;
        settings.push_back({fmt::format("Syn{}{}", family == AufFamily::kLinear ? "Lr" : "Nlr",
                                        noise == NoiseKind::kBeta ? "Beta" : "Exp"),
                            [options](std::uint64_t i) { return random_auf_task(options, i, Context()); }});
      }
    }
  }
  fmt::print("{} tasks x {} contexts; success with {} trials\n\n", tasks, rounds, kTrials);
  fmt::print("{:<14}{:<18}{:>7}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "setting", "sampler", "true",
             "claimed", "|gap|", "idle", "best", "regret", "median", "worse", "lowest", "fit s", "each s");
  for (const Setting& setting : settings) compare(setting, tasks, rounds, samplers);
}
