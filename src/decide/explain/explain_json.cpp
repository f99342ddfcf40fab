#include "decide/explain/explain_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "data/column_json.h"

namespace olem {

using namespace internal;

namespace {

Json values_json(const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const NamedValue& value : values) json[value.name] = value.value;
  return json;
}

// Beside the numbers of levels that have words, which figures need, these words.
void add_words(Json& json, const SuccessCurve& curve, std::span<const NamedColumn> columns) {
  const Column& about = about_column(columns, curve.name);
  if (!has_words(about)) return;
  json["levels"] = curve.levels;
  json["expected_level"] = value_name(about, curve.expected);
  json["best"]["level"] = value_name(about, curve.best_value);
}

Json curve_json(const SuccessCurve& curve, double without_action) {
  Json json;
  json["name"] = curve.name;
  json["domain"] = {curve.low, curve.high};
  json["data_range"] = {curve.data_low, curve.data_high};
  if (!curve.data_counts.empty()) json["data_counts"] = curve.data_counts;
  json["expected"] = curve.expected;
  json["influences"] = curve.influences;
  json["values"] = curve.values;
  if (curve.is_list) json["is_list"] = true;
  json["success"] = curve.success;
  if (!curve.success_low.empty()) {
    json["success_low"] = curve.success_low;
    json["success_high"] = curve.success_high;
  }
  if (!curve.beside_decision.empty()) json["success_beside_decision"] = curve.beside_decision;
  json["extrapolated"] = Json::array();
  for (const unsigned char outside : curve.extrapolated) json["extrapolated"].push_back(outside != 0);
  json["best"] = {
      {"value", curve.best_value}, {"success", curve.best_success}, {"gain", curve.best_success - without_action}};
  if (curve.best_interval) json["best"]["interval"] = {curve.best_interval->first, curve.best_interval->second};
  return json;
}

Json map_json(const SuccessMap& map, const Explanation& explanation) {
  Json json;
  json["names"] = {explanation.curves[map.first].name, explanation.curves[map.second].name};
  json["first_values"] = map.first_values;
  json["second_values"] = map.second_values;
  json["success"] = Json::array();
  for (std::size_t row = 0; row < map.second_values.size(); ++row) {
    const auto begin = map.success.begin() + static_cast<std::ptrdiff_t>(row * map.first_values.size());
    json["success"].push_back(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(map.first_values.size())));
  }
  json["best"] = {{"values", {map.best_first, map.best_second}},
                  {"success", map.best_success},
                  {"gain", map.best_success - explanation.without_action},
                  {"gain_over_single", map.gain_over_single}};
  return json;
}

// Of levels that are words the number is that of the curve.
std::vector<NamedValue> read_values(const JsonPart& part, const JsonPart& curves) {
  std::vector<NamedValue> values;
  for (const auto& [name, value] : part.members()) {
    if (!value.json().is_string()) {
      values.push_back({name, value.finite()});
      continue;
    }
    for (const JsonPart& curve : curves.entries()) {
      if (curve["name"].text() != name || !curve.has("levels")) continue;
      const std::vector<std::string> words = curve["levels"].texts();
      const std::vector<double> numbers = curve["values"].finite_numbers();
      const auto found = std::find(words.begin(), words.end(), value.text());
      if (found == words.end() || words.size() != numbers.size()) value.fail("is none of the levels of its curve");
      values.push_back({name, numbers[static_cast<std::size_t>(found - words.begin())]});
    }
  }
  return values;
}

// Two numbers, [low, high].
std::pair<double, double> read_range(const JsonPart& part) {
  const std::vector<double> sides = part.finite_numbers();
  if (sides.size() != 2 || sides[0] > sides[1]) part.fail("is not a range [low, high]");
  return {sides[0], sides[1]};
}

std::vector<std::size_t> read_counts(const JsonPart& part, std::size_t size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  std::vector<std::size_t> counts;
  for (const JsonPart& entry : part.entries()) counts.push_back(entry.count(kMost));
  if (counts.size() != size) part.fail("does not have one number for each bin");
  return counts;
}

std::vector<double> read_series(const JsonPart& part, std::size_t size) {
  std::vector<double> numbers = part.finite_numbers();
  if (numbers.size() != size) part.fail("does not have one number for each value");
  return numbers;
}

std::vector<double> read_ascending(const JsonPart& part) {
  std::vector<double> numbers = part.finite_numbers();
  if (numbers.empty() || !std::is_sorted(numbers.begin(), numbers.end())) part.fail("is not a list in ascending order");
  return numbers;
}

SuccessCurve read_curve(const JsonPart& part) {
  SuccessCurve curve;
  curve.name = part["name"].text();
  std::tie(curve.low, curve.high) = read_range(part["domain"]);
  std::tie(curve.data_low, curve.data_high) = read_range(part["data_range"]);
  if (part.has("data_counts"))
    curve.data_counts = read_counts(part["data_counts"], part["data_counts"].entries().size());
  curve.expected = part["expected"].finite();
  curve.influences = part["influences"].flag();
  curve.values = read_ascending(part["values"]);
  if (part.has("is_list")) curve.is_list = part["is_list"].flag();
  if (part.has("levels")) {
    curve.levels = part["levels"].texts();
    if (curve.levels.size() != curve.values.size()) part["levels"].fail("does not have one word for each value");
  }
  curve.success = read_series(part["success"], curve.values.size());
  if (part.has("success_low") || part.has("success_high")) {
    curve.success_low = read_series(part["success_low"], curve.values.size());
    curve.success_high = read_series(part["success_high"], curve.values.size());
  }
  if (part.has("success_beside_decision"))
    curve.beside_decision = read_series(part["success_beside_decision"], curve.values.size());
  for (const JsonPart& outside : part["extrapolated"].entries()) curve.extrapolated.push_back(outside.flag() ? 1 : 0);
  if (curve.extrapolated.size() != curve.values.size())
    part["extrapolated"].fail("does not have one entry for each value");
  curve.best_value = part["best"]["value"].finite();
  curve.best_success = part["best"]["success"].finite();
  if (part["best"].has("interval")) curve.best_interval = read_range(part["best"]["interval"]);
  return curve;
}

SuccessMap read_map(const JsonPart& part, const std::vector<SuccessCurve>& curves) {
  SuccessMap map;
  const std::vector<std::string> names = part["names"].texts();
  const auto place = [&](const std::string& name) {
    const auto found =
        std::find_if(curves.begin(), curves.end(), [&](const SuccessCurve& curve) { return curve.name == name; });
    if (found == curves.end()) part["names"].fail("names a variable without a curve");
    return static_cast<std::size_t>(found - curves.begin());
  };
  if (names.size() != 2) part["names"].fail("does not have two names");
  map.first = place(names[0]);
  map.second = place(names[1]);
  map.first_values = read_ascending(part["first_values"]);
  map.second_values = read_ascending(part["second_values"]);
  const std::vector<JsonPart> rows = part["success"].entries();
  if (rows.size() != map.second_values.size()) part["success"].fail("does not have one row for each second value");
  for (const JsonPart& row : rows) {
    const std::vector<double> numbers = read_series(row, map.first_values.size());
    map.success.insert(map.success.end(), numbers.begin(), numbers.end());
  }
  const std::vector<double> best = read_series(part["best"]["values"], 2);
  map.best_first = best[0];
  map.best_second = best[1];
  map.best_success = part["best"]["success"].finite();
  map.gain_over_single = part["best"]["gain_over_single"].finite();
  return map;
}

OutcomeHistogram read_histogram(const std::string& name, const JsonPart& part) {
  OutcomeHistogram histogram;
  histogram.name = name;
  const std::vector<JsonPart> desired = part["desired"].entries();
  if (desired.size() != 2) part["desired"].fail("is not a range [low, high]");
  histogram.desired_low = desired[0].optional_number();
  histogram.desired_high = desired[1].optional_number();
  histogram.edges = read_ascending(part["edges"]);
  histogram.without_action = read_counts(part["without_action"], histogram.edges.size() - 1);
  if (part.has("with_decision"))
    histogram.with_decision = read_counts(part["with_decision"], histogram.edges.size() - 1);
  histogram.whole = part.has("whole") && part["whole"].flag();
  if (part.has("levels")) {
    histogram.levels = part["levels"].texts();
    if (histogram.levels.size() + 1 != histogram.edges.size()) part["levels"].fail("does not have one for each bin");
    histogram.wanted = part["wanted"].texts();
  }
  return histogram;
}

// Places of things in the order of their success.
template <class Part>
std::vector<std::size_t> ranked(const std::vector<Part>& parts) {
  std::vector<std::size_t> places(parts.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].best_success > parts[b].best_success; });
  return places;
}

}  // namespace

Json to_json(const Explanation& explanation, std::span<const NamedColumn> columns) {
  Json json;
  json["context"] = values_json(explanation.context);
  name_levels(json["context"], columns);
  json["without_action"] = explanation.without_action;
  if (explanation.with_decision) {
    json["decision"] = values_json(explanation.decision);
    name_levels(json["decision"], columns);
    json["with_decision"] = *explanation.with_decision;
  }
  const auto add_interval = [&](const char* key, const std::optional<std::pair<double, double>>& interval) {
    if (interval) json[key] = {interval->first, interval->second};
  };
  add_interval("interval_without_action", explanation.without_action_interval);
  add_interval("interval_with_decision", explanation.with_decision_interval);
  json["variables"] = Json::array();
  for (const SuccessCurve& curve : explanation.curves) {
    json["variables"].push_back(curve_json(curve, explanation.without_action));
    add_words(json["variables"].back(), curve, columns);
  }
  json["pairs"] = Json::array();
  for (const SuccessMap& map : explanation.maps) json["pairs"].push_back(map_json(map, explanation));
  json["alone"] = Json::array();
  for (const std::size_t place : explanation.alone) json["alone"].push_back(explanation.curves[place].name);
  json["together"] = Json::array();
  for (const std::size_t place : explanation.together) {
    const SuccessMap& map = explanation.maps[place];
    json["together"].push_back({explanation.curves[map.first].name, explanation.curves[map.second].name});
  }
  json["outcomes"] = Json::object();
  for (const OutcomeHistogram& histogram : explanation.outcomes) {
    Json& outcome = json["outcomes"][histogram.name];
    const auto side = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    outcome["desired"] = {side(histogram.desired_low), side(histogram.desired_high)};
    outcome["edges"] = histogram.edges;
    outcome["without_action"] = histogram.without_action;
    if (!histogram.with_decision.empty()) outcome["with_decision"] = histogram.with_decision;
    if (histogram.whole) outcome["whole"] = true;
    if (!histogram.levels.empty()) outcome["levels"] = histogram.levels;
    if (!histogram.levels.empty()) outcome["wanted"] = histogram.wanted;
  }
  json["draws"] = explanation.draws;
  return json;
}

}  // namespace olem

namespace olem::internal {

void rank_by_success(Explanation& explanation) {
  explanation.alone = ranked(explanation.curves);
  explanation.together = ranked(explanation.maps);
}

Explanation read_explanation(const JsonPart& part) {
  Explanation explanation;
  // Of levels that are words the number is not known here, and not needed.
  for (const auto& [name, value] : part["context"].members())
    explanation.context.push_back({name, value.json().is_string() ? std::nan("") : value.number()});
  explanation.without_action = part["without_action"].finite();
  if (part.has("with_decision")) {
    explanation.decision = read_values(part["decision"], part["variables"]);
    explanation.with_decision = part["with_decision"].finite();
  }
  if (part.has("interval_without_action"))
    explanation.without_action_interval = read_range(part["interval_without_action"]);
  if (part.has("interval_with_decision"))
    explanation.with_decision_interval = read_range(part["interval_with_decision"]);
  for (const JsonPart& entry : part["variables"].entries()) explanation.curves.push_back(read_curve(entry));
  for (const JsonPart& entry : part["pairs"].entries()) explanation.maps.push_back(read_map(entry, explanation.curves));
  rank_by_success(explanation);
  for (const auto& [name, entry] : part["outcomes"].members())
    explanation.outcomes.push_back(read_histogram(name, entry));
  explanation.draws = part["draws"].count(std::uint64_t{1} << 53U);
  return explanation;
}

}  // namespace olem::internal
