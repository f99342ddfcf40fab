// Rows in which somebody acted and rows of groups: the figures of docs/methods/acted-upon.md on tables whose truth is
// known, what the task says about the rows against a task that does not say it.
//   acted_bench PART [tables=20] [first=1] [rows=1000] [threads=1] [sampler=NAME]
// PART: acted (a lever set at random in a tenth of the rows, a hidden cause in the others), acted-idle (one without
// effect, set in half of the rows), branches (decided for a new branch and for each of three that are named), no-groups
// (a table without group effects, with a column of groups that mean nothing). Tables have the seeds first, first + 1,
// ...; true success by 20 000 trials of the simulator.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/simulate_named.h"
#include "study/task_texts.h"

namespace olem::bench {
namespace {

constexpr std::size_t kActedTrials = 20000;

struct ActedArguments {
  std::string part;
  std::size_t tables = 20;
  std::uint64_t first = 1;
  int rows = 1000;
  int threads = 1;
  std::string sampler;
};

struct ActedSums {
  double count = 0;
  double off = 0;
  double distance = 0;
  double covered = 0;
  double width = 0;
  double truth = 0;

  void add(const Decision& decision, double success) {
    count += 1;
    off += decision.success_probability - success;
    distance += std::abs(decision.success_probability - success);
    covered += decision.success_low <= success && success <= decision.success_high ? 1 : 0;
    width += decision.success_high - decision.success_low;
    truth += success;
  }

  void print(const char* name) const {
    if (count == 0) return;
    fmt::print(
        "{:<28} {:>4.0f}  claimed - true {:+.3f}  mean |claimed - true| {:.3f}  95 % covers {:3.0f} %  width "
        "{:.3f}  true {:.3f}\n",
        name, count, off / count, distance / count, 100.0 * covered / count, width / count, truth / count);
  }
};

std::vector<NamedValue> altered(const Decision& decision) {
  std::vector<NamedValue> values;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) values.push_back({alteration.name, *alteration.value});
  }
  return values;
}

RehearsalModel fit_for(const Task& task, const Table& table, const ActedArguments& arguments, const Context& context) {
  RehearsalOptions options;
  options.members = MemberOptions();
  if (!arguments.sampler.empty()) options.samplers.sampler = arguments.sampler;
  return fit_rehearsal(task, table, options, std::nullopt, context);
}

Table with_meaningless_groups(const Table& table) {
  std::vector<std::string> names = table.names();
  names.emplace_back("branch");
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < table.rows(); ++i) values.push_back(1.0 + static_cast<double>(i % 20));
  return {std::move(names), std::move(values), table.source()};
}

int run_acted(const ActedArguments& arguments) {
  const bool no_groups = arguments.part == "no-groups";
  const NamedModel truth(no_groups ? "ride-hailing" : arguments.part);
  ActedSums said;
  ActedSums not_said;
  ActedSums named;
  ActedSums of_table;
  double regret = 0.0;
  double regret_squares = 0.0;
  const std::clock_t start = std::clock();
  for (std::size_t t = 0; t < arguments.tables; ++t) {
    Context context;
    context.seed = arguments.first + t;
    context.threads = arguments.threads;
    NamedSimulationOptions options;
    options.rows = arguments.rows;
    options.rounds = 1;
    const NamedSimulation simulation = simulate_named(truth.name(), options, 0, context);
    const Table table = no_groups ? with_meaningless_groups(simulation.data) : simulation.data;
    Task task = truth.task();
    if (no_groups) task.group = "branch";
    std::vector<NamedValue> observed;
    for (std::size_t j = 0; j < simulation.contexts.columns() && simulation.contexts.rows() > 0; ++j)
      observed.push_back({simulation.contexts.name(j), simulation.contexts.at(0, j)});
    const RehearsalModel model = fit_for(task, table, arguments, context);
    const Decision decision = decide(model, observed, DecisionOptions(), context);
    const double success = truth.success(observed, altered(decision), kActedTrials, 5, context);
    said.add(decision, success);
    const RehearsalModel plain = fit_for(internal::without_rows(task), table, arguments, context);
    const Decision other = decide(plain, observed, DecisionOptions(), context);
    const double other_success = truth.success(observed, altered(other), kActedTrials, 5, context);
    not_said.add(other, other_success);
    regret += other_success - success;
    regret_squares += (other_success - success) * (other_success - success);
    fmt::print("seed {}: claimed {:.3f} ({:.3f} to {:.3f}), true {:.3f}; not said: claimed {:.3f}, true {:.3f}\n",
               context.seed, decision.success_probability, decision.success_low, decision.success_high, success,
               other.success_probability, other_success);
    if (arguments.part == "branches") {
      // One of the branches of the table, each as likely: what twenty of them can tell.
      double mean = 0.0;
      for (int branch = 1; branch <= 20; ++branch) {
        const std::vector<NamedValue> known = {{"branch", static_cast<double>(branch)}};
        mean += truth.success(known, altered(decision), kActedTrials / 20, 6, context) / 20.0;
      }
      of_table.add(decision, mean);
    }
    for (int branch = 1; arguments.part == "branches" && branch <= 3; ++branch) {
      const DecisionProblem problem = problem_in_group(decision_problem(model, {}), model, std::to_string(branch));
      const Decision own = decide(problem, DecisionOptions(), context);
      const std::vector<NamedValue> known = {{"branch", static_cast<double>(branch)}};
      named.add(own, truth.success(known, altered(own), kActedTrials, 5, context));
    }
    std::fflush(stdout);
  }
  said.print("said");
  of_table.print("said, branches of the table");
  not_said.print("not said");
  named.print("said, a named branch");
  const auto n = static_cast<double>(arguments.tables);
  const double mean = regret / n;
  const double error = n > 1 ? std::sqrt(std::max(0.0, regret_squares / n - mean * mean) / (n - 1)) : 0.0;
  fmt::print("true success lost by saying it: {:+.4f} (standard error {:.4f}); CPU seconds {:.0f}\n", mean, error,
             static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  return 0;
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  using namespace olem::bench;
  ActedArguments arguments;
  if (argc < 2) {
    fmt::print(stderr, "acted_bench PART [tables=N] [first=SEED] [rows=N] [threads=N] [sampler=NAME]\n");
    return 2;
  }
  arguments.part = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key == "tables") arguments.tables = std::stoul(value);
    if (key == "first") arguments.first = std::stoull(value);
    if (key == "rows") arguments.rows = std::stoi(value);
    if (key == "threads") arguments.threads = std::stoi(value);
    if (key == "sampler") arguments.sampler = value;
  }
  return run_acted(arguments);
}
