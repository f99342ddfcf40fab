// Methods of deciding side by side, on data whose truth is known, as rows of a table in Markdown.
//   comparison_bench bermuda [DATASETS [CONTEXTS]]     the Bermuda simulator, 1000 rows
//   comparison_bench auf [TASKS [CONTEXTS [SETTING]]]  the four synthetic settings, or one, such as SynNlrExp
//   comparison_bench sweeps                            the exact searches of QWZ23 alone, against the integer programme
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "decision_tasks.h"
#include "olem/error.h"
#include "olem/random.h"

namespace olem::bench {
namespace {

struct Contestant {
  std::string name;
  std::string graph;    // "", "true", or a graph learner
  std::string sampler;  // of every variable
  DecisionMethod method = DecisionMethod::kOlemRh;
  GaussianFit fit = GaussianFit::kLeastSquares;
  std::string optimizer = "gradient";

  bool learns_as(const Contestant& other) const {
    return graph == other.graph && sampler == other.sampler && fit == other.fit;
  }
};

std::vector<Contestant> contestants(const std::string& what) {
  const DecisionMethod qwz23 = DecisionMethod::kQwz23;
  std::vector<Contestant> list = {{"OLEM-Rh", "", "gp"}};
  list.push_back({"OLEM-Rh, Bayesian optimisation", "", "gp"});
  list.back().optimizer = "bayes";
  list.push_back({"Grad-Rh, true graph", "true", "gp"});
  if (what == "bermuda") {
    list.push_back({"Grad-Rh, true graph, linear", "true", "linear"});
  } else {
    list.push_back({"Grad-Rh, OLEM + pruning", "olem", "gp"});
    list.push_back({"Grad-Rh, CaPS", "caps", "gp"});
    list.push_back({"Grad-Rh, NOTEARS", "notears", "gp"});
    list.push_back({"Grad-Rh, GES", "ges", "gp"});
  }
  list.push_back({"QWZ23, true graph", "true", "gaussian", qwz23});
  list.push_back({"QWZ23, true graph, Bayesian ridge", "true", "gaussian", qwz23, GaussianFit::kBayesianRidge});
  return list;
}

// Over all decisions of one contestant in one setting.
struct Score {
  std::vector<double> truth;
  std::vector<double> claimed;
  std::vector<double> by_task;
  double learning = 0.0;
  double deciding = 0.0;
  int refused = 0;  // tasks without a graph that could be used
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::optional<RehearsalModel> learn(const Contestant& contestant, const Simulation& simulation,
                                    const Context& context) {
  RehearsalOptions options;
  options.samplers.sampler = contestant.sampler;
  options.samplers.gaussian.fit = contestant.fit;
  const Task task = decision_task(simulation);
  if (contestant.graph == "true")
    return fit_rehearsal_on_graph(task, simulation.data, options, true_graph(simulation), context);
  if (!contestant.graph.empty()) options.graph.emplace().method = contestant.graph;
  try {
    return fit_rehearsal(task, simulation.data, options, std::nullopt, context);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kTask) throw;
    return std::nullopt;
  }
}

void play(const Contestant& contestant, const std::optional<RehearsalModel>& model, const Simulation& simulation,
          const std::vector<Round>& rounds, const Context& context, Score& score) {
  if (!model) {
    ++score.refused;
    return;
  }
  std::vector<DecisionProblem> problems;
  for (const Round& round : rounds)
    problems.push_back(decision_problem(*model, named_values(model->task.context, round.values)));
  DecisionOptions options;
  options.method = contestant.method;
  options.optimizer = contestant.optimizer;
  const Stopwatch deciding;
  const std::vector<Decision> decisions = decide_all(problems, options, context);
  score.deciding += deciding.seconds();
  std::vector<double> truth(rounds.size());
  parallel_for(context, 0, rounds.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      std::vector<NamedValue> alterations;
      for (const Alteration& alteration : decisions[r].alterations) {
        if (alteration.value) alterations.push_back({alteration.name, *alteration.value});
      }
      truth[r] = true_success(simulation, rounds[r].named, alterations);
    }
  });
  score.by_task.push_back(mean(truth));
  score.truth.insert(score.truth.end(), truth.begin(), truth.end());
  for (const Decision& decision : decisions) score.claimed.push_back(decision.success_probability);
}

void compare(const Setting& setting, const std::vector<Contestant>& list, int tasks, std::size_t contexts) {
  std::vector<Score> scores(list.size());
  std::vector<double> idle;
  for (int t = 0; t < tasks; ++t) {
    const auto index = static_cast<std::uint64_t>(t);
    const Simulation simulation = setting.make(index);
    const std::vector<Round> rounds = rounds_of(simulation, contexts);
    for (const Round& round : rounds) idle.push_back(round.without_action);
    Context context;
    context.seed = index;
    std::optional<RehearsalModel> model;
    double seconds = 0.0;
    for (std::size_t c = 0; c < list.size(); ++c) {
      if (c == 0 || !list[c].learns_as(list[c - 1])) {
        const Stopwatch learning;
        model = learn(list[c], simulation, context);
        seconds = learning.seconds();
      }
      scores[c].learning += seconds;
      play(list[c], model, simulation, rounds, context, scores[c]);
    }
  }
  for (std::size_t c = 0; c < list.size(); ++c) {
    const Score& score = scores[c];
    if (score.truth.empty()) continue;
    fmt::print("| {} | {}{} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {:.4f} |\n", setting.name, list[c].name,
               score.refused > 0 ? fmt::format(" ({} tasks refused)", score.refused) : "", mean(score.truth),
               *std::min_element(score.by_task.begin(), score.by_task.end()), mean(score.claimed), mean(idle),
               score.learning / tasks, score.deciding / static_cast<double>(score.truth.size()));
    std::fflush(stdout);
  }
}

// Random draws and effects, wanted within one deviation of a middle; five alterable variables.
struct SweepInstance {
  AffineOutcomes outcomes;
  Region region;
  std::vector<double> low = std::vector<double>(5, -2.0);
  std::vector<double> high = std::vector<double>(5, 2.0);
};

SweepInstance sweep_instance(std::size_t outcomes, std::size_t draws) {
  RandomStream random(3, "bench.sweeps", outcomes);
  SweepInstance instance;
  instance.outcomes = {draws, outcomes, 5, {}, {}};
  for (std::size_t i = 0; i < draws * outcomes; ++i) instance.outcomes.base.push_back(random.normal());
  for (std::size_t i = 0; i < outcomes * 5; ++i) instance.outcomes.response.push_back(0.5 * random.normal());
  std::vector<OutcomeRange> ranges;
  for (std::size_t o = 0; o < outcomes; ++o) ranges.push_back({"y" + std::to_string(o), 0.0, 2.0});
  instance.region = Region::box(ranges);
  return instance;
}

void time_sweeps() {
  fmt::print(
      "| outcomes | draws | search | satisfied | at most | milliseconds |\n| --- | --- | --- | --- | --- | --- |\n");
  const auto row = [](std::size_t outcomes, std::size_t draws, Qwz23Search search) {
    const SweepInstance instance = sweep_instance(outcomes, draws);
    Qwz23Options options;
    if (search == Qwz23Search::kProgramme) options.nodes = 1000000;
    const std::vector<double> preferred(5, 0.0);
    const Stopwatch watch;
    const Qwz23Answer answer = maximise_satisfied(instance.outcomes, instance.region, instance.low, instance.high,
                                                  preferred, options, Context(), search);
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} |\n", outcomes, draws,
               search == Qwz23Search::kProgramme ? "integer programme alone" : found_by_name(answer.found_by),
               answer.satisfied, answer.at_most, 1e3 * watch.seconds());
    std::fflush(stdout);
  };
  for (const std::size_t draws : {std::size_t{50}, std::size_t{1000}, std::size_t{4000}}) {
    row(1, draws, Qwz23Search::kSweep);
    row(2, draws, Qwz23Search::kSweep);
  }
  row(1, 50, Qwz23Search::kProgramme);
  row(2, 50, Qwz23Search::kProgramme);
  row(3, 50, Qwz23Search::kAuto);
  row(3, 1000, Qwz23Search::kAuto);
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  using namespace olem::bench;
  const std::string what = argc > 1 ? argv[1] : "bermuda";
  if (what == "sweeps") {
    time_sweeps();
    return 0;
  }
  const int tasks = argc > 2 ? std::atoi(argv[2]) : 20;
  const int contexts = argc > 3 ? std::atoi(argv[3]) : (what == "bermuda" ? 20 : 10);
  fmt::print("{} tasks x {} contexts; success by {} trials\n\n", tasks, contexts, kTrials);
  fmt::print(
      "| setting | method | true success | lowest task | claimed | without action | seconds to learn | per "
      "decision |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const std::string only = argc > 4 ? argv[4] : "";
  for (const Setting& setting : settings_of(what)) {
    if (only.empty() || only == setting.name)
      compare(setting, contestants(what), tasks, static_cast<std::size_t>(contexts));
  }
}
