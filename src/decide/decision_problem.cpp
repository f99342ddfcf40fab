#include <nlohmann/json.hpp>

#include "olem/decision.h"
#include "olem/error.h"
#include "sampler/fitted.h"

namespace olem {

DecisionProblem decision_problem(const RehearsalModel& model, std::span<const double> context_values) {
  fitted(model.samplers);
  check_same_size("context values", context_values.size(), "context variables", model.task.context.size());
  DecisionProblem problem;
  problem.samplers = model.samplers;
  for (std::size_t k = 0; k < model.task.context.size(); ++k)
    problem.context.push_back({model.task.context[k], context_values[k]});
  problem.alterable = model.task.alterable;
  problem.region = model.task.desired;
  problem.cost = model.task.cost;
  problem.max_alterations = model.task.max_alterations;
  problem.constraints = model.task.constraints;
  return problem;
}

Json decisions_json(const RehearsalModel& model, const Task& task, const DecisionOptions& options,
                    const std::vector<Decision>& decisions) {
  const std::vector<std::string> undecided = undecided_between(model);
  Json json;
  json["method"] = options.method == DecisionMethod::kQwz23 ? "qwz23" : model.graph ? "grad-rh" : "olem-rh";
  json["task"] = to_json(task);
  json["order"] = model.order.order;
  json["order_method"] = model.order.method;
  if (model.graph) json["graph"] = to_json(*model.graph);
  json["models"] = models_json(model);
  json["undecided_steps"] = undecided;
  json["decisions"] = Json::array();
  for (const Decision& decision : decisions) {
    json["decisions"].push_back(to_json(decision));
    json["decisions"].back()["undecided_steps"] = undecided;
  }
  return json;
}

}  // namespace olem
