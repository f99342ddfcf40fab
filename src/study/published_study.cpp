// Decisions on published simulators in natural units: every order learner and sampler against the equations.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/random.h"
#include "olem/simulate_named.h"
#include "study/kind.h"

namespace olem::internal {

namespace {

constexpr std::size_t kPublishedTrials = 2000;  // of the equations, behind each true number
constexpr std::string_view kDefaultsName = "defaults";
constexpr std::string_view kBestName = "best";

// What is learned, with which sampler.
struct PublishedMethod {
  enum class Structure { kDefaults, kOrder, kGraph, kTrueOrder, kBest };
  StudyName name;
  Structure structure = Structure::kOrder;
  std::string learner = "olem+";
  std::string sampler = "auto";
};

// The defaults first; then other order learners and graph learners with the default sampler, other samplers along the
// default order, the true order, and the best decision by the equations.
const std::vector<PublishedMethod>& published_methods() {
  using Structure = PublishedMethod::Structure;
  static const std::vector<PublishedMethod> kAll = [] {
    std::vector<PublishedMethod> all = {{{std::string(kDefaultsName), "the defaults"}, Structure::kDefaults}};
    for (const OrderLearnerKind& kind : order_learners())
      all.push_back({{"order-" + kind.name, "order by " + kind.name}, Structure::kOrder, kind.name});
    for (const char* const learner : {"ges", "notears"})
      all.push_back(
          {{fmt::format("graph-{}", learner), fmt::format("graph by {}", learner)}, Structure::kGraph, learner});
    for (const SamplerKind& kind : sampler_kinds()) {
      // All columns are numbers, which samplers of levels and counts do not model.
      const bool of_numbers = kind.suits == nullptr || kind.suits(ColumnType::kReal);
      if (kind.name != "auto" && of_numbers)
        all.push_back({{"sampler-" + kind.name, "sampler " + kind.name}, Structure::kOrder, "olem+", kind.name});
    }
    all.push_back({{"true-order", "the true order"}, Structure::kTrueOrder});
    all.push_back({{std::string(kBestName), "the best found"}, Structure::kBest});
    return all;
  }();
  return kAll;
}

const PublishedMethod& published_method(const std::string& name) {
  for (const PublishedMethod& method : published_methods()) {
    if (method.name.name == name) return method;
  }
  throw Error(ErrorCategory::kInternal, fmt::format("'{}' is no method of the study.", name));
}

RehearsalModel learn_published(const NamedModel& truth, const Table& data, const PublishedMethod& method,
                               const Context& context) {
  using Structure = PublishedMethod::Structure;
  RehearsalOptions options;
  if (method.structure == Structure::kDefaults) options.members.emplace();
  options.order.method = method.learner;
  options.samplers.sampler = method.sampler;
  std::optional<Order> given;
  if (method.structure == Structure::kTrueOrder) {
    options.order.method = "olem+";
    given = truth.names();
  }
  if (method.structure == Structure::kGraph) {
    options.graph.emplace().method = method.learner;
    options.order.method = "olem+";
  }
  return fit_rehearsal(truth.task(), data, options, given, context);
}

std::vector<NamedValue> set_by(const Decision& decision) {
  std::vector<NamedValue> values;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) values.push_back({alteration.name, *alteration.value});
  }
  return values;
}

// Means over the contexts. The true numbers share their noise between methods and with doing nothing.
StudyValues decide_published(const NamedSimulation& simulation, const PublishedMethod& method, std::size_t rounds,
                             const Context& context) {
  const NamedModel truth(simulation.name);
  const bool searches_truth = method.structure == PublishedMethod::Structure::kBest;
  std::optional<RehearsalModel> model;
  if (!searches_truth) model = learn_published(truth, simulation.data, method, context);
  Context of_truth = context;
  of_truth.seed = simulation.seed;
  const auto count = static_cast<double>(rounds);
  double success = 0.0;
  double claimed = 0.0;
  double idle = 0.0;
  double worse = 0.0;
  for (std::size_t round = 0; round < rounds; ++round) {
    context.check_interrupt();
    std::vector<NamedValue> observed;
    for (std::size_t k = 0; k < simulation.contexts.columns(); ++k)
      observed.push_back({simulation.contexts.name(k), simulation.contexts.at(round, k)});
    std::vector<NamedValue> altered;
    double claim = 0.0;
    if (searches_truth) {
      const NamedDecision best = best_decision(truth, observed, of_truth);
      altered = best.alterations;
      claim = best.success;
    } else {
      const Decision decision = decide(decision_problem(*model, observed), {}, context);
      altered = set_by(decision);
      claim = decision.success_probability;
    }
    const std::uint64_t draw = stream_index({{4, 8}, {simulation.index, 16}, {round, 20}});
    const double reached = truth.success(observed, altered, kPublishedTrials, draw, of_truth);
    const double nothing = truth.success(observed, {}, kPublishedTrials, draw, of_truth);
    success += reached / count;
    claimed += claim / count;
    idle += nothing / count;
    worse += (reached < nothing ? 1.0 : 0.0) / count;
  }
  return {{"success", success}, {"claimed", claimed}, {"idle", idle}, {"worse", worse}};
}

// Core-seconds: members take a few times the fit, and a course of glucose three times a room.
double published_cost(const std::string& simulator, const std::string& method, const StudyRequest& request) {
  const double truth = (simulator == "glucose" ? 0.5 : 0.15) * request.rounds;
  if (method == kBestName) return truth;
  const double rows = request.rows / 1000.0;
  return truth + (method == kDefaultsName ? 12.0 + 1.5 * request.rounds : 3.0 + 0.5 * request.rounds) * rows;
}

std::vector<Batch> plan_published(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    const std::string& name = setting.at("simulator");
    const NamedSimulationOptions options{request.rows, request.rounds};
    for (int task = 0; task < request.tasks; ++task) {
      Batch& batch = batches.emplace_back();
      for (const std::string& method : request.methods) {
        batch.cells.push_back({setting, method, 0, task,
                               fmt::format("{} rows={} rounds={} task={} method={}", setting.text(), request.rows,
                                           request.rounds, task, method),
                               published_cost(name, method, request)});
      }
      batch.cost = 0.01;
      batch.prepare = [name, options, task, seed = request.seed](const Context& context) {
        Context own = context;
        own.seed = derived_seed(seed, name);
        const auto simulation = std::make_shared<const NamedSimulation>(
            simulate_named(name, options, static_cast<std::uint64_t>(task), own));
        return [simulation, seed, rounds = options.rounds](const Cell& cell, const Context& its_context) {
          Context of_method = its_context;
          of_method.seed = derived_seed(seed, cell.key);
          return decide_published(*simulation, published_method(cell.method), static_cast<std::size_t>(rounds),
                                  of_method);
        };
      };
    }
  }
  return batches;
}

}  // namespace

StudyKind published_study() {
  StudyKind kind;
  kind.name = "published";
  kind.help = "success of decisions on the published simulators comfort and glucose";
  for (const PublishedMethod& method : published_methods()) kind.methods.push_back(method.name);
  kind.metrics = {{"success", "success"}, {"claimed", "claimed"}, {"idle", "no action"}, {"worse", "worse than none"}};
  for (const char* const simulator : {"comfort", "glucose"})
    kind.settings.push_back(StudySetting{{"simulator", simulator}});
  kind.units_are_tasks = true;
  kind.protocol.epochs = 0;
  kind.protocol.tasks = 4;
  kind.protocol.rounds = 20;
  kind.protocol.rows = 1000;
  kind.plan = plan_published;
  kind.published = [](const StudySetting&, const std::string&, const std::string&) {
    return std::optional<PublishedNumber>();
  };
  return kind;
}

}  // namespace olem::internal
