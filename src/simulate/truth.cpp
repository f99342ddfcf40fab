#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/random.h"
#include "olem/simulate.h"
#include "simulate/decision_search.h"
#include "simulate/object_reader.h"

namespace olem {

using namespace internal;

namespace {

std::vector<std::string> known_names(const ObjectReader& task, const char* key, const StructuralModel& model) {
  std::vector<std::string> names;
  for (const Json& name : task.array(key)) {
    if (!name.is_string()) task.fail(fmt::format("has a \"{}\" that is not a list of names", key));
    names.push_back(name.get<std::string>());
    static_cast<void>(find_node_name(model.names(), names.back(), task));
  }
  return names;
}

std::vector<NamedRange> known_ranges(const ObjectReader& task, const char* key, const StructuralModel& model) {
  std::vector<NamedRange> ranges;
  for (const auto& [name, sides] : task.object(key).json().items()) {
    static_cast<void>(find_node_name(model.names(), name, task));
    const std::vector<double> numbers = task.numbers(sides, key);
    if (numbers.size() != 2 || numbers[0] > numbers[1])
      task.fail(fmt::format("has a range of '{}' that is not two numbers, the lower first", name));
    ranges.push_back({name, numbers[0], numbers[1]});
  }
  return ranges;
}

}  // namespace

SimulationTruth read_simulation_truth(const std::string& path) {
  SimulationTruth truth;
  truth.model = read_structural_model(path);
  const Json json = parse_json_text(read_file(path), path);
  if (!json.contains("task")) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: There is no task in this truth: it is of a table without one, or was written before "
                            "version 0.2.0. Simulate the task again.",
                            path));
  }
  const ObjectReader task(json["task"], fmt::format("{}: The task", path));
  truth.task.context = known_names(task, "context", truth.model);
  truth.task.alterable = known_ranges(task, "alterable", truth.model);
  truth.task.outcome = known_names(task, "outcome", truth.model);
  truth.task.desired = known_ranges(task, "desired", truth.model);
  return truth;
}

double true_success(const SimulationTruth& truth, std::span<const NamedValue> observed,
                    std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                    const Context& context, std::span<const AlterationRule> rules) {
  return success_rate(simulate_decision(truth.model, observed, alterations, trials, draw, context, rules),
                      truth.task.desired);
}

NamedDecision best_decision(const SimulationTruth& truth, std::span<const NamedValue> observed,
                            const Context& context) {
  std::vector<SearchLever> levers;
  for (const NamedRange& range : truth.task.alterable) levers.push_back({range.name, range.low, range.high, false});
  const TrueSuccess success = [&](std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw) {
    return true_success(truth, observed, alterations, trials, draw, context);
  };
  return search_decision(levers, success, RandomStream(context.seed, "simulate.search"), context);
}

Task decision_task(const Simulation& simulation) {
  Task task;
  task.source = "simulated";
  task.context = simulation.task->context;
  task.alterable = lever_domains(simulation.task->alterable);
  task.outcome = simulation.task->outcome;
  std::vector<OutcomeRange> ranges;
  for (const NamedRange& range : simulation.task->desired) ranges.push_back({range.name, range.low, range.high});
  task.desired = Region::box(ranges);
  return task;
}

Dag true_dag(const StructuralModel& model) {
  std::vector<Edge> edges;
  for (const auto& [from, to] : model.edges()) edges.push_back({from, to});
  return Dag(model.names(), edges);
}

GraphFile true_graph(const Simulation& simulation) {
  GraphFile file;
  file.graph = true_dag(simulation.model);
  file.source = "the true graph";
  return file;
}

}  // namespace olem
