// Decisions with rules: how a result of `decide` is read, and what a rule sets in a row of a simulator.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/options.h"
#include "olem/simulate_plan.h"
#include "simulate/object_reader.h"
#include "simulate/plan_rules.h"

namespace olem {

using namespace internal;

namespace {

// A number, or a level of 0 and 1 as its word.
double plan_value(const ObjectReader& where, const std::string& name, const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const std::string word = json.get<std::string>();
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size()) return value;
  }
  where.fail(
      fmt::format("holds {} for '{}', which is no number: rules are evaluated for simulators whose columns are "
                  "numbers",
                  json.dump(), name));
}

std::vector<NamedValue> plan_values(const ObjectReader& object) {
  std::vector<NamedValue> values;
  for (const auto& [name, value] : object.json().items()) {
    if (!value.is_null()) values.push_back({name, plan_value(object, name, value)});
  }
  return values;
}

AlterationRule::Sum plan_sum(const ObjectReader& json, const std::vector<std::string>& inputs) {
  AlterationRule::Sum sum;
  sum.constant = json.number("constant");
  const ObjectReader slopes = json.object("slopes");
  for (const std::string& input : inputs) sum.slopes.push_back(slopes.number(input.c_str()));
  if (!json.json().contains("squares")) return sum;
  const ObjectReader squares = json.object("squares");
  for (const std::string& input : inputs) sum.squares.push_back(squares.number(input.c_str()));
  return sum;
}

AlterationRule::Limit plan_limit(const ObjectReader& json, const std::string& lever) {
  AlterationRule::Limit limit;
  limit.max = json.number("max");
  const ObjectReader weights = json.object("weights");
  limit.weight = weights.number(lever.c_str());
  for (const auto& [name, weight] : weights.json().items()) {
    if (name != lever) limit.others.push_back({name, weights.number(name.c_str()), 0.0, true});
  }
  return limit;
}

AlterationRule plan_rule(const std::string& lever, const ObjectReader& json) {
  AlterationRule rule;
  rule.name = lever;
  rule.step = static_cast<std::size_t>(json.number("step"));
  rule.low = json.number("min");
  rule.high = json.number("max");
  for (const Json& input : json.array("inputs")) {
    if (!input.is_string()) json.fail("has \"inputs\" that are no list of names");
    rule.inputs.push_back(input.get<std::string>());
  }
  const std::string form = json.text("form");
  if (form == "affine") {
    rule.form = AlterationRule::Form::kAffine;
    rule.sums.push_back(plan_sum(json, rule.inputs));
  } else if (form == "scores") {
    rule.form = AlterationRule::Form::kScores;
    for (const Json& entry : json.array("scores")) {
      const ObjectReader score(entry, fmt::format("A score of '{}'", lever));
      rule.sums.push_back(plan_sum(score, rule.inputs));
      rule.sums.back().value = plan_value(score, lever, score.at("value"));
    }
  } else if (form == "table") {
    rule.form = AlterationRule::Form::kTable;
    for (const Json& entry : json.array("cells")) {
      const ObjectReader row(entry, fmt::format("A cell of '{}'", lever));
      const ObjectReader seen = row.object("seen");
      AlterationRule::Cell& cell = rule.cells.emplace_back();
      for (const std::string& input : rule.inputs) cell.seen.push_back(plan_value(seen, input, seen.at(input.c_str())));
      cell.value = plan_value(row, lever, row.at("value"));
    }
  } else {
    json.fail(fmt::format("has the form '{}', which this olem does not know", form));
  }
  if (rule.sums.empty() && rule.cells.empty()) json.fail("says no value");
  if (!json.json().contains("limits")) return rule;
  for (const Json& limit : json.array("limits"))
    rule.limits.push_back(plan_limit(ObjectReader(limit, fmt::format("A limit of '{}'", lever)), lever));
  return rule;
}

}  // namespace

DecisionPlan read_decision_plan(const std::string& path) {
  const Json json = parse_json_text(read_file(path), path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (!json.contains("decisions")) file.fail("is no JSON result of olem decide");
  const Json& decisions = file.array("decisions");
  if (decisions.size() != 1)
    file.fail(
        fmt::format("holds {} decisions, but one is evaluated at a time: decide for one context", decisions.size()));
  const ObjectReader decision(decisions.front(), fmt::format("{}: The decision", path));
  DecisionPlan plan;
  plan.observed = plan_values(decision.object("context"));
  plan.alterations = plan_values(decision.object("alterations"));
  if (decision.json().contains("so_far"))
    decision.fail(
        "was made after values had been seen, which a simulator cannot bring about: evaluate the "
        "plan of the first step");
  if (!decision.json().contains("sequence")) return plan;
  for (const auto& [lever, rule] : decision.object("sequence").object("rules").json().items())
    plan.rules.push_back(plan_rule(lever, ObjectReader(rule, fmt::format("{}: The rule of '{}'", path, lever))));
  return plan;
}

}  // namespace olem

namespace olem::internal {

std::vector<std::size_t> PlacedRule::before() const {
  std::vector<std::size_t> all = inputs;
  for (const std::vector<std::size_t>& of_limit : others) all.insert(all.end(), of_limit.begin(), of_limit.end());
  return all;
}

// As the plan was evaluated: limits first, and the lever's own domain where they leave nothing.
double PlacedRule::within(std::span<const double> seen, double low, double high) const {
  constexpr double kSlack = 1e-9;
  const auto cut = [&](double value) {
    if (value > high) return std::max(high, rule->low);
    return value < low ? std::min(low, rule->high) : value;
  };
  if (rule->form != AlterationRule::Form::kScores) return cut((*rule)(seen));
  AlterationRule allowed = *rule;
  std::erase_if(allowed.sums, [&](const AlterationRule::Sum& sum) {
    return sum.value.value_or(rule->low) < low - kSlack || sum.value.value_or(rule->low) > high + kSlack;
  });
  return allowed.sums.empty() ? cut((*rule)(seen)) : allowed(seen);
}

std::vector<PlacedRule> place_rules(std::span<const AlterationRule> rules, const std::vector<std::string>& names) {
  const auto place = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() || name.empty())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("A rule names '{}', which is no column of the simulator. {}", name,
                              closest_name(name, names).empty()
                                  ? "Evaluate it in the simulation that it was decided for."
                                  : fmt::format("Did you mean '{}'?", closest_name(name, names))));
    return static_cast<std::size_t>(found - names.begin());
  };
  std::vector<PlacedRule> placed;
  for (const AlterationRule& rule : rules) {
    PlacedRule one;
    one.rule = &rule;
    one.lever = place(rule.name);
    if (rule_of(placed, one.lever) != nullptr)
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' has two rules.", rule.name));
    for (const std::string& input : rule.inputs) one.inputs.push_back(place(input));
    for (const AlterationRule::Limit& limit : rule.limits) {
      std::vector<std::size_t>& others = one.others.emplace_back();
      for (const AlterationRule::Limit::Other& other : limit.others) others.push_back(place(other.name));
    }
    placed.push_back(std::move(one));
  }
  return placed;
}

const PlacedRule* rule_of(const std::vector<PlacedRule>& rules, std::size_t column) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const PlacedRule& rule) { return rule.lever == column; });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<std::size_t> order_with_rules(std::vector<std::vector<std::size_t>> parents,
                                          const std::vector<PlacedRule>& rules) {
  for (const PlacedRule& rule : rules) parents[rule.lever] = rule.before();
  std::vector<std::size_t> order;
  std::vector<bool> done(parents.size(), false);
  while (order.size() < parents.size()) {
    std::size_t next = 0;
    while (next < parents.size() && (done[next] || !std::all_of(parents[next].begin(), parents[next].end(),
                                                                [&](std::size_t parent) { return done[parent]; })))
      ++next;
    if (next == parents.size()) {
      const auto waiting =
          std::find_if(rules.begin(), rules.end(), [&](const PlacedRule& rule) { return !done[rule.lever]; });
      throw Error(ErrorCategory::kTask, fmt::format("The rule of '{}' answers to what '{}' itself changes.",
                                                    waiting->rule->name, waiting->rule->name));
    }
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace olem::internal
