#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "olem/post_decision.h"
#include "olem/rehearsal.h"

namespace olem::test {

inline constexpr std::size_t kKeptDraws = 200;

// What a model that was read again must answer: everything that it says of itself, and what 200 given draws of its
// samplers become when nothing is done and when every alterable variable is set to three quarters of its domain, with
// every context variable at the mean of its column. Only loading and evaluating, nothing that is trained or searched
// for.
inline Json kept_answers(const RehearsalModel& model) {
  Json json;
  json["version"] = model.version;
  json["seed"] = model.seed;
  json["task"] = to_json(model.task);
  json["options"] = to_json(model.options);
  json["order"] = to_json(model.order);
  if (model.graph) json["graph"] = to_json(*model.graph);
  if (model.calibration) json["calibration"] = to_json(*model.calibration);
  json["centre"] = {{"centre", model.centre.centre}, {"radius", model.centre.radius}};
  json["models"] = models_json(model);
  if (!model.columns.empty()) json["column_types"] = column_types_json(model.columns);

  // A column with levels has them and nothing between.
  const auto possible = [&](const std::string& name, double value) {
    const Column& about = model.samplers->variables[model.samplers->index(name)].about;
    if (about.levels.empty()) return value;
    return std::min_element(about.levels.begin(), about.levels.end(),
                            [&](const ColumnLevel& a, const ColumnLevel& b) {
                              return std::abs(a.value - value) < std::abs(b.value - value);
                            })
        ->value;
  };
  PostDecisionPlan plan;
  for (std::size_t k = 0; k < model.task.context.size(); ++k)
    plan.context.push_back({model.task.context[k], possible(model.task.context[k], model.context[k].mean)});
  plan.outcomes = model.task.outcome;
  plan.draws = kKeptDraws;
  std::vector<Column> outcomes;
  for (const std::string& name : model.task.outcome)
    outcomes.push_back(model.samplers->variables[model.samplers->index(name)].about);
  const Region desired = model.task.desired.resolved(outcomes);
  const auto evaluate = [&](const std::vector<double>& altered) {
    PostDecisionSampler sampler(model.samplers, plan, Context());
    const Table drawn = sampler.table(altered);
    Json answer;
    for (const std::string& name : drawn.names()) {
      double sum = 0.0;
      for (const double value : drawn.column(drawn.index(name))) sum += value;
      answer["mean"][name] = sum / static_cast<double>(drawn.rows());
    }
    std::size_t inside = 0;
    for (std::size_t i = 0; i < drawn.rows(); ++i) {
      std::vector<double> y;
      for (const std::string& name : model.task.outcome) y.push_back(drawn.at(i, drawn.index(name)));
      inside += desired.contains(y) ? 1U : 0U;
    }
    answer["success"] = static_cast<double>(inside) / static_cast<double>(kKeptDraws);
    for (const VariableReach& reach : sampler.reach(altered)) answer["reach"][reach.variable] = reach.median;
    return answer;
  };
  json["without_action"] = evaluate({});
  std::vector<double> values;
  for (const LeverDomain& domain : model.task.alterable) {
    plan.altered.push_back(domain.name);
    const SamplerVariable& variable = model.samplers->variables[model.samplers->index(domain.name)];
    const LeverDomain range = resolve_lever(domain, variable.about);
    values.push_back(variable.standardise(possible(domain.name, 0.25 * range.low + 0.75 * range.high)));
  }
  json["at_three_quarters"] = evaluate(values);
  for (const SetEffect& effect : model.set_by_hand) json["set_by_hand"].push_back(to_json(effect));
  if (!model.groups.empty()) json["groups"] = model.groups;
  if (model.effective_rows) json["effective_rows"] = *model.effective_rows;
  if (model.rows) {
    for (std::size_t j = 0; j < model.rows->columns(); ++j) {
      Json& column = json["rows"][model.rows->name(j)];
      column["first"] = value_name(model.rows->about(j), model.rows->at(0, j));
      column["last"] = value_name(model.rows->about(j), model.rows->at(model.rows->rows() - 1, j));
    }
  }
  if (model.gaps) json["missing"] = to_json(*model.gaps);
  // What members and opinions draw where nothing is done.
  for (const auto& [key, members] : {std::pair("members", model.members), std::pair("opinions", model.opinions)}) {
    if (!members) continue;
    for (const ModelMember& member : members->list) {
      PostDecisionPlan own;
      own.context = plan.context;
      own.outcomes = plan.outcomes;
      own.draws = kKeptDraws;
      const Table drawn = PostDecisionSampler(member.samplers, own, Context()).table({});
      double sum = 0.0;
      for (const double value : drawn.column(drawn.index(plan.outcomes.front()))) sum += value;
      json[key].push_back({{"order", member.order},
                           {"learner", member.learner},
                           {"without_action", {{"mean", sum / static_cast<double>(drawn.rows())}}}});
    }
  }
  return json;
}

}  // namespace olem::test
