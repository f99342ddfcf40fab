// The studies of decisions: success of OLEM-Rh and its rivals on tasks whose truth is known.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/simulate.h"
#include "study/kind.h"
#include "study/published.h"

namespace olem::internal {

namespace {

constexpr std::size_t kTrials = 1000;
constexpr int kRowsInPaper = 1000;

// What the conditions of a variable come from.
enum class Structure { kOrder, kLearnedGraph, kTrueGraph };

// A way to decide, and what the paper calls it.
struct DecisionMethodKind {
  std::string name;
  std::string label;
  Structure structure = Structure::kOrder;
  std::string learner;  // of the order or graph
  DecisionMethod search = DecisionMethod::kOlemRh;
  LeverRule levers = LeverRule::kLearned;  // as in the paper
  std::string sampler = "gp";
};

const std::vector<DecisionMethodKind>& decision_methods() {
  static const std::vector<DecisionMethodKind> kKinds = {
      {"olem-rh", "OLEM-Rh", Structure::kOrder, "olem"},
      {"grad-rh-olem", "Grad-Rh w/OLEM+prun", Structure::kLearnedGraph, "olem"},
      {"grad-rh-caps", "Grad-Rh w/CaPS", Structure::kLearnedGraph, "caps"},
      {"grad-rh-notears", "Grad-Rh w/NOTEARS", Structure::kLearnedGraph, "notears"},
      {"grad-rh-ges", "Grad-Rh w/GES", Structure::kLearnedGraph, "ges"},
      {"olem-rh-caps", "OLEM-Rh w/CaPS", Structure::kOrder, "caps"},
      {"grad-rh", "Grad-Rh (true graph)", Structure::kTrueGraph, ""},
      {"qwz23", "QWZ23 (true graph)", Structure::kTrueGraph, "", DecisionMethod::kQwz23, LeverRule::kLearned,
       "gaussian"},  // a method for linear models
      {"olem-rh+", "OLEM-Rh+", Structure::kOrder, "olem+", DecisionMethod::kOlemRh, LeverRule::kAuto, "auto"},
  };
  return kKinds;
}

const DecisionMethodKind& decision_method(const std::string& name) {
  for (const DecisionMethodKind& kind : decision_methods()) {
    if (kind.name == name) return kind;
  }
  throw Error(ErrorCategory::kInternal, fmt::format("'{}' is no way to decide.", name));
}

std::vector<StudyName> decision_method_names() {
  std::vector<StudyName> names;
  for (const DecisionMethodKind& kind : decision_methods()) names.push_back({kind.name, kind.label});
  return names;
}

RehearsalModel learn(const Simulation& simulation, const DecisionMethodKind& method, const Context& context) {
  RehearsalOptions options;
  options.levers = method.levers;
  options.samplers.sampler = method.sampler;
  const Task task = decision_task(simulation);
  if (method.structure == Structure::kTrueGraph) {
    return fit_rehearsal_on_graph(task, simulation.data, options, true_graph(simulation), context);
  }
  if (method.structure == Structure::kLearnedGraph) {
    options.graph.emplace();
    options.graph->method = method.learner;
  } else {
    options.order.method = method.learner;
  }
  return fit_rehearsal(task, simulation.data, options, std::nullopt, context);
}

// Means over the rounds: true success, what the sampler claimed, and success without action. The true numbers share
// their noise between methods and with doing nothing, so that differences are those of the decisions.
StudyValues decide_and_judge(const Simulation& simulation, const DecisionMethodKind& method, std::size_t rounds,
                             const Context& context) {
  const RehearsalModel model = learn(simulation, method, context);
  DecisionOptions options;
  options.method = method.search;
  const Table& contexts = simulation.task->contexts;
  double success = 0.0;
  double claimed = 0.0;
  double idle = 0.0;
  Context truth = context;
  truth.seed = simulation.seed;
  for (std::size_t round = 0; round < rounds; ++round) {
    context.check_interrupt();
    std::vector<NamedValue> observed;
    for (std::size_t k = 0; k < contexts.columns(); ++k) observed.push_back({contexts.name(k), contexts.at(round, k)});
    const Decision decision = decide(decision_problem(model, observed), options, context);
    std::vector<NamedValue> alterations;
    for (const Alteration& alteration : decision.alterations) {
      if (alteration.value) alterations.push_back({alteration.name, *alteration.value});
    }
    // Far from the draws that made the data, and different for every task: a common error would not average out.
    const std::uint64_t draw = stream_index({{1, 8}, {simulation.index, 20}, {round, 20}});
    const auto rate = [&](const std::vector<NamedValue>& altered) {
      return success_rate(simulate_decision(simulation.model, observed, altered, kTrials, draw, truth),
                          simulation.task->desired);
    };
    success += rate(alterations);
    idle += rate({});
    claimed += decision.success_probability;
  }
  const auto count = static_cast<double>(rounds);
  return {{"success", success / count}, {"claimed", claimed / count}, {"idle", idle / count}};
}

std::vector<StudyName> decision_metrics() {
  return {{"success", "success"}, {"claimed", "claimed"}, {"idle", "no action"}};
}

using MakeTask = std::function<Simulation(std::uint64_t index, const Context& context)>;

// One batch per task of a setting. `seed_text` names the data: settings with the same text share it. `decision_cost` is
// in core-seconds for one decision.
void add_batches(const StudyRequest& request, const StudySetting& setting, const std::string& seed_text, int rows,
                 double variables, double decision_cost, const MakeTask& make, std::vector<Batch>& batches) {
  for (int task = 0; task < request.tasks; ++task) {
    Batch& batch = batches.emplace_back();
    for (const std::string& method : request.methods) {
      // Measured with 1000 rows on one core of an ordinary server. Fitting is linear in the rows: a fixed number of
      // points carries the nonlinear part.
      const double size = variables / 11.0 * rows / 1000.0;
      const double cost = method == "qwz23" ? 0.05 * request.rounds : 1.8 * size + decision_cost * request.rounds;
      batch.cells.push_back(
          {setting, method, 0, task,
           fmt::format("{} rows={} rounds={} task={} method={}", setting.text(), rows, request.rounds, task, method),
           cost});
    }
    batch.cost = 0.1;
    batch.prepare = [make, task, seed = request.seed, seed_text, rounds = request.rounds](const Context& context) {
      Context own = context;
      own.seed = derived_seed(seed, seed_text);
      const auto simulation = std::make_shared<const Simulation>(make(static_cast<std::uint64_t>(task), own));
      return [simulation, seed, rounds](const Cell& cell, const Context& its_context) {
        Context of_method = its_context;
        of_method.seed = derived_seed(seed, cell.key);
        return decide_and_judge(*simulation, decision_method(cell.method), static_cast<std::size_t>(rounds), of_method);
      };
    };
  }
}

AufSimulationOptions auf_options(const std::string& name) {
  AufSimulationOptions options;
  options.family = name.find("Nlr") != std::string::npos ? AufFamily::kMlp : AufFamily::kLinear;
  options.noise = name.ends_with("Beta") ? NoiseKind::kBeta : NoiseKind::kExponential;
  return options;
}

std::vector<Batch> plan_auf(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    AufSimulationOptions options = auf_options(setting.at("data"));
    options.rows = request.rows;
    options.rounds = request.rounds;
    add_batches(
        request, setting, setting.text(), request.rows, options.family == AufFamily::kLinear ? 15.0 : 12.0,
        options.family == AufFamily::kLinear ? 0.04 : 0.85,
        [options](std::uint64_t index, const Context& context) { return random_auf_task(options, index, context); },
        batches);
  }
  return batches;
}

std::vector<Batch> plan_bermuda(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    BermudaSimulationOptions options;
    options.rows = setting.has("n") ? static_cast<int>(setting.number("n")) : request.rows;
    options.rounds = request.rounds;
    add_batches(
        request, setting, setting.text(), options.rows, 11.0, 0.045,
        [options](std::uint64_t index, const Context& context) { return bermuda_task(options, index, context); },
        batches);
  }
  return batches;
}

std::optional<PublishedNumber> published_success(const StudySetting& setting, const std::string& method,
                                                 const std::string& metric) {
  if (metric != "success") return std::nullopt;
  const std::string& data = setting.at("data");
  for (const auto& row : embedded_rows(embedded_published_auf())) {
    if (row.at("setting") != data || row.at("method") != decision_method(method).label) continue;
    return PublishedNumber{embedded_number(row.at("mean")), embedded_number(row.at("std")),
                           data == "Bermuda" ? 10 : 20};
  }
  return std::nullopt;
}

std::optional<PublishedNumber> published_by_rows(const StudySetting& setting, const std::string& method,
                                                 const std::string& metric) {
  static const std::map<std::string, std::string> kLabels = {
      {"olem-rh", "OLEM-Rh"}, {"grad-rh", "Grad-Rh"}, {"gap", "gap"}};
  const auto label = kLabels.find(method);
  if (metric != "success" || label == kLabels.end()) return std::nullopt;
  for (const auto& row : embedded_rows(embedded_published_sample_size())) {
    if (embedded_number(row.at("n")) != setting.number("n") || row.at("method") != label->second) continue;
    PublishedNumber number{embedded_number(row.at("mean")), std::nullopt, 10};
    if (!row.at("std").empty()) number.deviation = embedded_number(row.at("std"));
    return number;
  }
  return std::nullopt;
}

StudyKind decision_study() {
  StudyKind kind;
  kind.methods = decision_method_names();
  kind.metrics = decision_metrics();
  kind.units_are_tasks = true;
  kind.protocol.epochs = 0;
  kind.protocol.rounds = 50;
  kind.protocol.rows = kRowsInPaper;
  return kind;
}

}  // namespace

StudyKind auf_study() {
  StudyKind kind = decision_study();
  kind.name = "auf";
  kind.help = "success of decisions on random linear and nonlinear tasks";
  for (const char* const data : {"SynLrBeta", "SynLrExp", "SynNlrBeta", "SynNlrExp"}) {
    kind.settings.push_back(StudySetting{{"data", data}});
  }
  kind.protocol.tasks = 20;
  kind.plan = plan_auf;
  kind.published = published_success;
  return kind;
}

StudyKind bermuda_study() {
  StudyKind kind = decision_study();
  kind.name = "bermuda";
  kind.help = "success of decisions on the Bermuda simulator";
  kind.settings = {StudySetting{{"data", "Bermuda"}}};
  kind.protocol.tasks = 10;
  kind.plan = plan_bermuda;
  kind.published = published_success;
  return kind;
}

StudyKind samples_study() {
  StudyKind kind = decision_study();
  kind.name = "samples";
  kind.help = "success of decisions on the Bermuda simulator against the number of rows";
  std::erase_if(kind.methods, [](const StudyName& name) {
    return name.name != "olem-rh" && name.name != "olem-rh+" && name.name != "grad-rh";
  });
  for (int rows = 300; rows <= 1000; rows += 100) kind.settings.push_back(StudySetting{{"n", fmt::format("{}", rows)}});
  kind.axis = "n";
  kind.protocol.tasks = 10;
  kind.protocol.rows = 0;
  kind.differences = {{{"gap", "gap"}, "grad-rh", "olem-rh"}};
  kind.plan = plan_bermuda;
  kind.published = published_by_rows;
  return kind;
}

}  // namespace olem::internal
