#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/sequence.h"

namespace olem {

namespace {

constexpr const char* kForms[] = {"affine", "scores", "table"};

double sum_of(const AlterationRule::Sum& sum, std::span<const double> seen) {
  double total = sum.constant;
  for (std::size_t k = 0; k < sum.slopes.size(); ++k) {
    total += sum.slopes[k] * seen[k];
    if (!sum.squares.empty()) total += sum.squares[k] * seen[k] * seen[k];
  }
  return total;
}

void add_sum(Json& json, const AlterationRule::Sum& sum, const std::vector<std::string>& inputs) {
  json["constant"] = sum.constant;
  json["slopes"] = Json::object();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    json["slopes"][inputs[k]] = sum.slopes[k];
    if (!sum.squares.empty()) json["squares"][inputs[k]] = sum.squares[k];
  }
}

}  // namespace

double AlterationRule::operator()(std::span<const double> seen) const {
  if (form == Form::kAffine) return std::clamp(sum_of(sums.front(), seen), low, high);
  if (form == Form::kScores) {
    const Sum* best = &sums.front();
    double highest = -std::numeric_limits<double>::infinity();
    for (const Sum& sum : sums) {
      const double score = sum_of(sum, seen);
      if (score <= highest) continue;
      highest = score;
      best = &sum;
    }
    return best->value.value_or(low);
  }
  // The cell of these levels; of other values the nearest one.
  const Cell* nearest = &cells.front();
  double least = std::numeric_limits<double>::infinity();
  for (const Cell& cell : cells) {
    double distance = 0.0;
    for (std::size_t k = 0; k < seen.size(); ++k) distance += (cell.seen[k] - seen[k]) * (cell.seen[k] - seen[k]);
    if (distance >= least) continue;
    least = distance;
    nearest = &cell;
  }
  return nearest->value;
}

Json to_json(const AlterationRule& rule, std::span<const NamedColumn> columns) {
  Json json;
  json["step"] = rule.step;
  json["form"] = kForms[static_cast<std::size_t>(rule.form)];
  json["inputs"] = rule.inputs;
  json["min"] = rule.low;
  json["max"] = rule.high;
  const Column& about = about_column(columns, rule.name);
  if (rule.form == AlterationRule::Form::kAffine) add_sum(json, rule.sums.front(), rule.inputs);
  if (rule.form == AlterationRule::Form::kScores) {
    json["scores"] = Json::array();
    for (const AlterationRule::Sum& sum : rule.sums) {
      Json& score = json["scores"].emplace_back();
      score["value"] = value_json(about, *sum.value);
      add_sum(score, sum, rule.inputs);
    }
  }
  if (rule.form == AlterationRule::Form::kTable) {
    json["cells"] = Json::array();
    for (const AlterationRule::Cell& cell : rule.cells) {
      Json& row = json["cells"].emplace_back();
      for (std::size_t k = 0; k < rule.inputs.size(); ++k)
        row["seen"][rule.inputs[k]] = value_json(about_column(columns, rule.inputs[k]), cell.seen[k]);
      row["value"] = value_json(about, cell.value);
    }
  }
  for (const AlterationRule::Limit& limit : rule.limits) {
    Json& entry = json["limits"].emplace_back(Json{{"max", limit.max}, {"weights", {{rule.name, limit.weight}}}});
    double room = limit.max;
    for (const AlterationRule::Limit::Other& other : limit.others) {
      if (other.before) entry["weights"][other.name] = other.weight;
      if (!other.before) room -= other.least;
    }
    entry["max"] = room;
  }
  return json;
}

Json to_json(const SequencePlan& plan, std::span<const NamedColumn> columns) {
  Json json;
  json["steps"] = Json::array();
  for (const SequenceStep& step : plan.steps) {
    Json& entry = json["steps"].emplace_back();
    entry["alter"] = step.alter;
    if (!step.then_observe.empty()) entry["then_observe"] = step.then_observe;
  }
  json["at_once"] = plan.at_once;
  json["rules"] = Json::object();
  for (const AlterationRule& rule : plan.rules) json["rules"][rule.name] = to_json(rule, columns);
  return json;
}

}  // namespace olem
