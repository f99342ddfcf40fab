#include "olem/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "olem/sampler_state.h"
#include "olem/version.h"

namespace olem {

namespace {

// The pairs of a given order that stand against what is known.
std::optional<Warning> contradiction(const Order& order, const Table& table, const Precedence& known) {
  const std::string pairs = contradiction_text(known, order_indices(order, NodeNames(table.names())), table.names());
  if (pairs.empty()) return std::nullopt;
  return Warning{
      "order_contradicts_stages",
      fmt::format("The given order contradicts the stages of the task: it should have {}. It is used as it is: "
                  "an outcome is not influenced by what stands after it, and a context only informs about "
                  "what stands after it.",
                  pairs),
      pairs};
}

}  // namespace

RehearsalModel fit_rehearsal(const Task& task, const Table& table, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const ResolvedTask resolved = resolve_task(task, table, context);
  RehearsalModel model;
  model.task = task;
  model.centre = resolved.centre;
  model.options = options;
  model.seed = context.seed;
  model.version = version();
  model.summary.warnings = resolved.warnings;
  for (const std::size_t column : resolved.context) model.context.push_back(resolved.columns[column]);

  if (given) {
    check_order(*given, table.names());
    model.order.method = "given order";
    model.order.order = *given;
    if (const auto warning = contradiction(*given, table, Precedence(resolved.knowledge, table.names())))
      model.summary.warnings.push_back(*warning);
  } else {
    const Knowledge known = options.ignore_stages ? task_knowledge(task, table.names(), false) : resolved.knowledge;
    model.order = learn_order(table, options.order, Precedence(known, table.names()), context);
    model.summary.warnings.insert(model.summary.warnings.end(), model.order.summary.warnings.begin(),
                                  model.order.summary.warnings.end());
  }

  std::vector<VariableConditions> variables = conditions_from_order(model.order.order);
  for (VariableConditions& variable : variables)
    variable.given = std::find(task.context.begin(), task.context.end(), variable.name) != task.context.end();
  SamplerSet samplers = fit_samplers(table, variables, options.samplers, context);
  model.summary.warnings.insert(model.summary.warnings.end(), samplers.summary.warnings.begin(),
                                samplers.summary.warnings.end());
  model.samplers = std::make_shared<const SamplerSet>(std::move(samplers));
  if (options.calibrate) model.calibration = calibrate(table, variables, options.samplers, context);
  model.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return model;
}

Json to_json(const RehearsalOptions& options) {
  RehearsalOptions copy = options;
  Json json;
  json["method"] = copy.order.method;
  json.update(order_learner(copy.order.method).describe(copy.order).json());
  json["sampler"] = copy.samplers.sampler;
  json.update(sampler_kind(copy.samplers.sampler).describe(copy.samplers).json());
  json["ignore_stages"] = copy.ignore_stages;
  json["calibrate"] = copy.calibrate;
  return json;
}

Json models_json(const RehearsalModel& model) {
  Json json = Json::object();
  const std::vector<SamplerVariable>& variables = model.samplers->variables;
  for (const SamplerVariable& variable : variables) {
    if (!variable.sampler) continue;
    const SamplerFacts facts = variable.sampler->facts();
    Json& entry = json[variable.name];
    entry["kind"] = variable.sampler->state().kind;
    entry["form"] = facts.form;
    entry["noise_sd"] = facts.noise_sd * variable.sd;
    entry["inputs"] = Json::object();
    for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
      const SamplerInput& input = facts.inputs[k];
      if (!input.used) continue;
      entry["inputs"][variables[variable.conditions[k]].name] = {{"slope", input.slope},
                                                                 {"relevance", input.relevance}};
    }
  }
  return json;
}

DecisionProblem decision_problem(const RehearsalModel& model, std::span<const double> context_values) {
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

std::vector<std::string> undecided_between(const RehearsalModel& model) {
  const Order& order = model.order.order;
  const auto place = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  std::ptrdiff_t first = std::ssize(order);
  for (const NamedRange& alterable : model.task.alterable) first = std::min(first, place(alterable.name));
  std::ptrdiff_t last = -1;
  for (const std::string& outcome : model.task.outcome) last = std::max(last, place(outcome));
  std::vector<std::string> steps;
  for (const OrderStep& step : model.order.steps) {
    const std::ptrdiff_t at = place(step.sink);
    if (!step.decided && at > first && at <= last) steps.push_back(step.runner_up + ", " + step.sink);
  }
  return steps;
}

}  // namespace olem
