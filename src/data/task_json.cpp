#include <cmath>
#include <nlohmann/json.hpp>

#include "data/task_keys.h"
#include "olem/task.h"

namespace olem {

using namespace internal;

namespace {

Json to_json(const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const NamedValue& value : values) json[value.name] = value.value;
  return json;
}

Json domain_json(const LeverDomain& domain) {
  Json json = Json::object();
  if (!domain.values.empty() || !domain.words.empty()) {
    for (const double value : domain.values) json["values"].push_back(value);
    for (const std::string& word : domain.words) json["values"].push_back(word);
    return json;
  }
  if (domain.step > 0.0) return {{"min", domain.low}, {"max", domain.high}, {"step", domain.step}};
  const bool all = std::isinf(domain.low) && std::isinf(domain.high);
  return all ? json : Json::array({domain.low, domain.high});
}

Json declaration_json(const ColumnDeclaration& column) {
  Json json = Json::object();
  if (column.type) json["type"] = column_type_name(*column.type);
  if (!column.levels.empty()) json["levels"] = column.levels;
  if (!column.unit.empty()) json["unit"] = column.unit;
  if (!column.label.empty()) json["label"] = column.label;
  return json;
}

Json reading_json(const Task& task) {
  Json json = Json::object();
  for (const auto& [key, text] : task.reading) {
    if (key == kRepeatedReadingKey) {
      json[key].push_back(text);
    } else {
      json[key] = text;
    }
  }
  return json;
}

}  // namespace

Json to_json(const Task& task) {
  Json json;
  if (!task.name.empty()) json["name"] = task.name;
  if (!task.note.empty()) json["note"] = task.note;
  if (!task.data.empty()) json["data"] = task.data;
  if (!task.reading.empty()) json["reading"] = reading_json(task);
  for (const ColumnDeclaration& column : task.columns) json["columns"][column.name] = declaration_json(column);
  json["context"] = task.context;
  json["alterable"] = Json::object();
  for (const LeverDomain& domain : task.alterable) json["alterable"][domain.name] = domain_json(domain);
  json["outcome"] = task.outcome;
  if (task.desired.is_given() || !task.desired.ranges().empty()) json["desired"] = to_json(task.desired);
  if (!task.observed.empty()) json["observed"] = to_json(task.observed);
  for (const NamedWord& value : task.observed_words) json["observed"][value.name] = value.word;
  for (const std::string& name : task.unknown) json["observed"][name] = nullptr;
  if (!task.cost.empty()) json["cost"] = to_json(task.cost);
  for (const CostForm& form : task.cost_forms) {
    Json& entry = json["cost"][form.name];
    entry = Json{{"weight", entry}};
    if (form.datum) entry["datum"] = *form.datum;
    if (form.power != 1) entry["power"] = form.power;
  }
  if (task.max_alterations) json["max_alterations"] = *task.max_alterations;
  for (const AlterationConstraint& constraint : task.constraints) {
    json["constraints"].push_back({{"weights", to_json(constraint.weights)}, {"max", constraint.max}});
  }
  for (const SequenceStep& step : task.sequence) {
    Json& entry = json["sequence"].emplace_back();
    entry["alter"] = step.alter;
    if (!step.then_observe.empty()) entry["then_observe"] = step.then_observe;
  }
  for (const auto& [first, second] : task.before) json["before"].push_back(Json::array({first, second}));
  if (!task.known_before.empty()) json["known_before"] = task.known_before;
  if (!task.after.empty()) json["after"] = task.after;
  if (!task.ignore.empty()) json["ignore"] = task.ignore;
  for (const SetByHand& entry : task.set_by_hand)
    json["set_by_hand"][entry.name] = entry.column.empty() ? Json(true) : Json(entry.column);
  if (!task.group.empty()) json["group"] = task.group;
  if (!task.weight.empty()) json["weight"] = task.weight;
  if (!task.time.empty()) json["time"] = task.time;
  return json;
}

}  // namespace olem
