#include "olem/simulate.h"

namespace olem {

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
