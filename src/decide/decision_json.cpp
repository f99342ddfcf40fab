#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/column_json.h"
#include "olem/decision.h"

namespace olem {

using namespace internal;

namespace {

Json forecast_json(const std::vector<OutcomeForecast>& forecasts) {
  Json json = Json::object();
  for (const OutcomeForecast& forecast : forecasts) {
    json[forecast.name] = {{"mean", forecast.mean}, {"interval", {forecast.low, forecast.high}}};
    for (const NamedValue& level : forecast.levels) json[forecast.name]["levels"][level.name] = level.value;
  }
  return json;
}

Json proposal_json(const Proposal& proposal, std::span<const NamedColumn> columns) {
  Json json;
  json["alterations"] = Json::object();
  for (const Proposal::Value& alteration : proposal.alterations)
    json["alterations"][alteration.name] = alteration.value ? Json(*alteration.value) : Json();
  name_levels(json["alterations"], columns);
  json["success_probability"] = proposal.success_probability;
  json["interval"] = {proposal.success_low, proposal.success_high};
  json["cost"] = proposal.cost;
  json["found_by"] = found_by_name(proposal.found_by);
  return json;
}

}  // namespace

bool Decision::acts() const {
  return std::any_of(alterations.begin(), alterations.end(), [](const Alteration& a) { return a.value.has_value(); });
}

Json to_json(const Decision& decision, std::span<const NamedColumn> columns) {
  Json json;
  if (!decision.group.empty()) json["group"] = decision.group;
  json["context"] = Json::object();
  for (const NamedValue& value : decision.context) json["context"][value.name] = value.value;
  for (const UnknownContext& unknown : decision.unknown) json["context"][unknown.name] = nullptr;
  if (!decision.so_far.empty()) {
    for (const NamedValue& value : decision.so_far) json["so_far"][value.name] = value.value;
    name_levels(json["so_far"], columns);
  }
  json["alterations"] = Json::object();
  json["expected"] = Json::object();
  json["success_if_released"] = Json::object();
  for (const Alteration& alteration : decision.alterations) {
    json["alterations"][alteration.name] = alteration.value ? Json(*alteration.value) : Json();
    json["expected"][alteration.name] = alteration.expected;
    json["success_if_released"][alteration.name] = alteration.success_if_released;
  }
  name_levels(json["context"], columns);
  name_levels(json["alterations"], columns);
  name_levels(json["expected"], columns);
  json["success_probability"] = decision.success_probability;
  json["interval"] = {decision.success_low, decision.success_high};
  if (decision.uncertainty) {
    add_json(json, *decision.uncertainty);
  } else {
    json["interval_draws"] = json["interval"];
  }
  for (const Opinion& opinion : decision.opinions) {
    json["opinions"].push_back(
        {{"learner", opinion.learner}, {"success", opinion.success}, {"without_action", opinion.without_action}});
  }
  if (decision.hidden_cause) json["hidden_cause"] = to_json(*decision.hidden_cause);
  if (decision.qwz23_interval)
    json["qwz23_interval"] = {decision.qwz23_interval->first, decision.qwz23_interval->second};
  json["plug_in_probability"] = decision.plug_in_probability;
  json["without_action"] = decision.without_action;
  json["cost"] = decision.cost;
  json["outcomes"] = forecast_json(decision.outcomes);
  json["outcomes_without_action"] = forecast_json(decision.outcomes_without_action);
  json["extrapolation"] = !decision.extrapolated.empty();
  json["extrapolated"] = decision.extrapolated;
  json["no_influence"] = Json::array();
  for (const Alteration& alteration : decision.alterations) {
    if (!alteration.influences) json["no_influence"].push_back(alteration.name);
  }
  const auto is_fixed = [](const Alteration& alteration) { return alteration.fixed; };
  if (std::any_of(decision.alterations.begin(), decision.alterations.end(), is_fixed)) {
    json["fixed"] = Json::array();
    for (const Alteration& alteration : decision.alterations) {
      if (alteration.fixed) json["fixed"].push_back(alteration.name);
    }
  }
  if (!decision.unknown.empty()) {
    json["unknown"] = Json::array();
    for (const UnknownContext& unknown : decision.unknown) {
      json["unknown"].push_back({{"name", unknown.name},
                                 {"worth", unknown.worth ? Json(*unknown.worth) : Json()},
                                 {"standard_error", unknown.standard_error ? Json(*unknown.standard_error) : Json()}});
    }
  }
  if (!decision.proposals.empty()) {
    json["proposals"] = Json::array();
    for (const Proposal& proposal : decision.proposals) json["proposals"].push_back(proposal_json(proposal, columns));
  }
  if (decision.sequence) json["sequence"] = to_json(*decision.sequence, columns);
  json["found_by"] = found_by_name(decision.found_by);
  json["excluded_draws"] = decision.excluded_draws;
  json["status"] = status_name(decision.summary.status);
  json["message"] = decision.summary.message;
  json["seconds"] = decision.summary.seconds;
  return json;
}

}  // namespace olem
