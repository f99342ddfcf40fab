#include <nlohmann/json.hpp>

#include "olem/uncertainty.h"

namespace olem {

namespace {

Json other_decision_json(const OtherDecision& decision) {
  Json json = {{"alterations", Json::object()}, {"success", decision.success}};
  for (const NamedValue& value : decision.alterations) json["alterations"][value.name] = value.value;
  return json;
}

Json next_json(const NextMeasurement& next) {
  Json json;
  switch (next.kind) {
    case NextMeasurement::Kind::kRows: json["kind"] = "rows"; break;
    case NextMeasurement::Kind::kPair:
      json["kind"] = "pair";
      json["pair"] = {next.first, next.second};
      break;
    case NextMeasurement::Kind::kRegion:
      json["kind"] = "region";
      json["variable"] = next.first;
      break;
  }
  json["reduction"] = next.reduction;
  return json;
}

}  // namespace

void add_json(Json& decision, const DecisionUncertainty& uncertainty) {
  decision["interval_80"] = {uncertainty.low_80, uncertainty.high_80};
  decision["interval_draws"] = {uncertainty.low_draws, uncertainty.high_draws};
  decision["interval_without_action"] = {uncertainty.without_action_low, uncertainty.without_action_high};
  decision["uncertainty"] = {{"draws", uncertainty.draws},
                             {"rows", uncertainty.rows},
                             {"order", uncertainty.order},
                             {"extrapolation", uncertainty.extrapolation}};
  decision["members"] = Json::array();
  for (const MemberSuccess& member : uncertainty.members) {
    decision["members"].push_back(
        {{"kind", member.kind}, {"success", member.success}, {"without_action", member.without_action}});
  }
  decision["chosen_by_members"] = uncertainty.chosen_by_members;
  if (uncertainty.question) {
    const OrderQuestion& question = *uncertainty.question;
    decision["question"] = {{"pair", {question.first, question.second}},
                            {"as_learned", question.as_learned},
                            {"other_way", question.other_way},
                            {"explained", question.explained},
                            {"other_decision", other_decision_json(question.other_decision)}};
  }
  if (uncertainty.other_order) {
    Json& json = decision["other_order"];
    json = {{"success", uncertainty.other_order->success},
            {"without_action", uncertainty.other_order->without_action},
            {"pairs", Json::array()}};
    for (const auto& [column, lever] : uncertainty.other_order->pairs) json["pairs"].push_back({column, lever});
  }
  if (uncertainty.units) {
    decision["units"] = {{"success", uncertainty.units->success},
                         {"decision", other_decision_json(uncertainty.units->decision)},
                         {"by_members", uncertainty.units->by_members}};
  }
  if (uncertainty.influence_step) {
    const InfluenceStep& step = *uncertainty.influence_step;
    decision["influence_step"] = {{"pair", {step.first, step.second}},
                                  {"by", step.by},
                                  {"without_action", step.without_action},
                                  {"decision", other_decision_json(step.decision)}};
  }
  if (uncertainty.next) decision["measure_next"] = next_json(*uncertainty.next);
}

Json to_json(const HiddenCause& cause) {
  Json json;
  json["breakdown"] = cause.breakdown ? Json(*cause.breakdown) : Json();
  if (cause.breakdown) {
    json["lever"] = cause.lever;
    json["outcome"] = cause.outcome;
  }
  json["left_out"] = cause.left_out;
  json["curve"] = Json::array();
  for (const HiddenCause::Point& point : cause.curve) json["curve"].push_back({point.strength, point.success});
  return json;
}

}  // namespace olem
