#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/observed_context.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "sampler/acted_sampler.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

// The observed values in the order of the task; NaN for those that are not known and may be so.
std::vector<double> values_by_name(const Task& task, std::span<const NamedValue> observed, UnknownPolicy unknown) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(task.context.size(), missing);
  for (const NamedValue& given : observed) {
    const auto place = std::find(task.context.begin(), task.context.end(), given.name);
    if (place == task.context.end()) {
      const std::string closest = closest_name(given.name, task.context);
      throw Error(ErrorCategory::kUsage,
                  fmt::format("'{}' is not a context variable of the model{} The context variables are: {}.",
                              given.name, closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                              task.context.empty() ? "none" : fmt::format("{}", fmt::join(task.context, ", "))));
    }
    double& value = values[static_cast<std::size_t>(place - task.context.begin())];
    if (!std::isnan(value)) {
      throw Error(ErrorCategory::kUsage, fmt::format("The context variable '{}' is given twice.", given.name));
    }
    check_finite(given.name, given.value);
    value = given.value;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isnan(values[k]) || unknown == UnknownPolicy::kDraw) continue;
    throw Error(ErrorCategory::kUsage,
                fmt::format("The context variable '{}' has no value. The context variables are: {}.", task.context[k],
                            fmt::join(task.context, ", ")),
                {{"Have it drawn from what is known of the context", "unknown", "draw"}});
  }
  return values;
}

// Half-samples hold half of the groups. One without the group takes its intercepts from the fit, whose rows they are.
std::shared_ptr<const SamplerSet> member_in_group(const SamplerSet& member, const SamplerSet& fit, std::size_t group) {
  auto chosen = std::make_shared<SamplerSet>(member);
  for (SamplerVariable& variable : chosen->variables) {
    const sampling::ActedParts* const parts = variable.sampler ? sampling::acted_parts(*variable.sampler) : nullptr;
    if (parts == nullptr || group >= parts->effects.size()) continue;
    sampling::ActedParts own = *parts;
    own.group = group;
    const SamplerVariable& of_fit = fit.variables[fit.index(variable.name)];
    const sampling::ActedParts* const known = of_fit.sampler ? sampling::acted_parts(*of_fit.sampler) : nullptr;
    if (own.effects[group] == 0.0 && known != nullptr && group < known->effects.size()) {
      const double ratio = of_fit.sd / variable.sd;
      own.effects[group] = ratio * known->effects[group];
      own.spreads[group] = ratio * known->spreads[group];
    }
    variable.sampler = sampling::make_acted(std::move(own));
  }
  return chosen;
}

}  // namespace

DecisionProblem decision_problem(const RehearsalModel& model, std::span<const NamedValue> observed,
                                 UnknownPolicy unknown) {
  DecisionProblem problem;
  fitted(model.samplers);
  problem.samplers = model.samplers;
  problem.members = model.members;
  problem.opinions = model.opinions;
  const std::vector<double> values = values_by_name(model.task, observed, unknown);
  problem.context = known_context(model.task, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k])) problem.unknown.push_back(model.task.context[k]);
  }
  problem.context_model = model.context_model;
  if (!problem.unknown.empty() && !model.context_model) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("The model cannot draw what is not known of the context ({}): it holds no models of the "
                            "context variables, as those of earlier versions.",
                            fmt::join(problem.unknown, ", ")),
                {{"Fit the model again"}, {"Give the values", "context"}});
  }
  problem.alterable = model.task.alterable;
  problem.region = model.task.desired;
  problem.cost = model.task.cost;
  problem.cost_forms = model.task.cost_forms;
  problem.max_alterations = model.task.max_alterations;
  problem.constraints = model.task.constraints;
  if (!model.task.sequence.empty()) problem.sequence = decision_steps(model.task);
  return problem;
}

DecisionProblem problem_in_group(DecisionProblem problem, const RehearsalModel& model, const std::string& name) {
  const auto found = std::find(model.groups.begin(), model.groups.end(), name);
  if (found == model.groups.end()) {
    if (model.groups.empty())
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' is no group: the model was learned without groups.", name),
                  {new_group_remedy()});
    // Names that the task observes are its data.
    const bool of_task = observed_group(model.task) == name;
    const std::string prefix = of_task && !model.task.source.empty() ? model.task.source + ": " : "";
    throw Error(of_task ? ErrorCategory::kData : ErrorCategory::kUsage,
                prefix + unknown_group_text(model.task, name, model.groups), {new_group_remedy()});
  }
  const auto group = static_cast<std::size_t>(found - model.groups.begin());
  problem.group = name;
  problem.samplers = samplers_in_group(problem.samplers, group);
  const auto chosen = [&](const std::shared_ptr<const ModelMembers>& all) -> std::shared_ptr<const ModelMembers> {
    if (!all) return nullptr;
    auto members = std::make_shared<ModelMembers>(*all);
    for (ModelMember& member : members->list)
      member.samplers = member_in_group(*member.samplers, *model.samplers, group);
    return members;
  };
  problem.members = chosen(problem.members);
  problem.opinions = chosen(problem.opinions);
  return problem;
}

std::vector<NamedValue> level_values(const RehearsalModel& model, std::span<const NamedWord> values) {
  std::vector<NamedValue> numbers;
  for (const NamedWord& given : values) {
    const Column& about = about_column(model.columns, given.name);
    const std::optional<double> value = column_value(about, given.word);
    if (!value) {
      const std::string levels = levels_sentence(about, given.word);
      throw Error(ErrorCategory::kUsage,
                  levels.empty() ? fmt::format("'{}' is '{}', which is not a finite number.", given.name, given.word)
                                 : fmt::format("'{}' is no level of '{}'. {}", given.word, given.name, levels));
    }
    numbers.push_back({given.name, *value});
  }
  return numbers;
}

Decision decide(const RehearsalModel& model, std::span<const NamedValue> observed, const DecisionOptions& options,
                const Context& context, UnknownPolicy unknown) {
  Decision decision = decide(decision_problem(model, observed, unknown), options, context);
  const std::vector<Warning> far =
      context_warnings(model.task, model.context, values_by_name(model.task, observed, unknown));
  decision.summary.warnings.insert(decision.summary.warnings.begin(), far.begin(), far.end());
  return decision;
}

std::optional<NearCalibration> calibration_near(const RehearsalModel& model, const Decision& decision) {
  if (!model.calibration) return std::nullopt;
  std::vector<NamedValue> conditions = decision.context;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) conditions.push_back({alteration.name, *alteration.value});
  }
  return calibration_near(*model.calibration, fitted(model.samplers), conditions);
}

std::vector<Warning> calibration_warnings(const RehearsalModel& model, const Decision& decision) {
  const std::optional<NearCalibration> near = calibration_near(model, decision);
  if (!near) return {};
  const auto is_lever = [&](const std::string& name) {
    return std::any_of(model.task.alterable.begin(), model.task.alterable.end(),
                       [&](const LeverDomain& lever) { return lever.name == name; });
  };
  std::vector<std::string> names;
  for (const NearCalibration::Variable& variable : near->variables) {
    if (!is_lever(variable.name)) names.push_back(variable.name);
  }
  return calibration_warnings(*near, names);
}

Json decisions_json(const RehearsalModel& model, const Task& task, const DecisionOptions& options,
                    const std::vector<Decision>& decisions) {
  const std::vector<std::string> undecided = undecided_between(model);
  Json json;
  json["method"] = options.method == DecisionMethod::kQwz23 ? "qwz23" : model.graph ? "grad-rh" : "olem-rh";
  json["task"] = to_json(task);
  json["column_types"] = column_types_json(model.columns);
  if (model.data) json["data"] = to_json(*model.data);
  json["order"] = model.order.order;
  json["order_method"] = model.order.method;
  if (model.gaps) json["missing"] = to_json(*model.gaps);
  if (model.agreement) json["agreement"] = to_json(*model.agreement);
  json.update(row_facts_json(model));
  if (model.levers) json["levers"] = to_json(*model.levers, model.options.levers);
  if (model.graph) json["graph"] = to_json(*model.graph);
  json["models"] = models_json(model);
  json["undecided_steps"] = undecided;
  json["decisions"] = Json::array();
  for (const Decision& decision : decisions) {
    json["decisions"].push_back(to_json(decision, model.columns));
    json["decisions"].back()["undecided_steps"] = undecided;
    if (const auto near = calibration_near(model, decision))
      json["decisions"].back()["calibration_near"] = to_json(*near);
  }
  return json;
}

}  // namespace olem
