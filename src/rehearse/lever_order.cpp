#include "rehearse/lever_order.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace olem {

namespace {

constexpr std::array<Choice, 3> kLeverRules = {
    {{"auto", "before the columns without a role, unless the shape of the data says otherwise"},
     {"first", "before the columns without a role"},
     {"learned", "where the order learner puts them"}}};

// Standard errors by which shape must prefer the learned order. Between 2 and 5 the decisions hardly differ.
constexpr double kPreference = 3.0;

}  // namespace

OptionSet describe(RehearsalOptions& options) {
  OptionSet set;
  set.choice("levers", options.levers, kLeverRules, "where levers stand among the columns without a role");
  return set;
}

Json to_json(const LeverPlacement& placement, LeverRule rule) {
  Json json;
  json["rule"] = kLeverRules[static_cast<std::size_t>(rule)].name;
  json["first"] = placement.first;
  json["following"] = placement.following;
  if (placement.difference) {
    json["difference"] = placement.difference->value;
    json["standard_error"] = placement.difference->standard_error;
  }
  return json;
}

}  // namespace olem

namespace olem::internal {

std::vector<std::string> following_columns(const Task& task, const Table& table, const Precedence& known) {
  std::vector<std::size_t> levers;
  for (const LeverDomain& lever : task.alterable) levers.push_back(table.index(lever.name));
  const auto has_role = [&](const std::string& name) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return is_in(task.context) || is_in(task.outcome) ||
           std::any_of(task.alterable.begin(), task.alterable.end(),
                       [&](const LeverDomain& lever) { return lever.name == name; });
  };
  std::vector<std::string> following;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const bool before =
        std::any_of(levers.begin(), levers.end(), [&](std::size_t lever) { return known.precedes(j, lever); });
    if (!before && !has_role(table.name(j))) following.push_back(table.name(j));
  }
  return following;
}

LeverOrder learn_lever_order(const Task& task, const Table& table, const RehearsalOptions& options,
                             const Knowledge& known, const Context& context) {
  const Precedence precedence(known, table.names());
  LeverOrder result;
  result.placement.following = following_columns(task, table, precedence);
  // Nothing of what follows comes before a lever, so that these pairs cannot close a circle.
  Knowledge with_levers = known;
  for (const LeverDomain& lever : task.alterable) {
    for (const std::string& name : result.placement.following) with_levers.before.emplace_back(lever.name, name);
  }
  const Precedence levers_first(with_levers, table.names());
  result.order = learn_order(table, options.order, precedence, context);
  const NodeNames names(table.names());
  result.placement.first =
      contradiction_text(levers_first, order_indices(result.order.order, names), table.names()).empty();
  result.knowledge = result.placement.first ? with_levers : known;
  if (result.placement.first) return result;

  OrderResult first = learn_order(table, options.order, levers_first, context);
  if (options.levers == LeverRule::kAuto &&
      table.rows() >= order_learner("olem+").least_rows(table.columns(), options.order)) {
    OlemPlusOptions by_shape;
    by_shape.units = ColumnUnits::kArbitrary;
    OlemPlusProblem problem(table, by_shape, context);
    const OrderScore learned = problem.score(result.order.order, context);
    result.placement.difference = compare_by_shape(learned, problem.score(first.order, context));
    const ShapeDifference& difference = *result.placement.difference;
    if (difference.value < -kPreference * difference.standard_error) {
      result.other = std::move(first.order);
      return result;
    }
  }
  result.placement.first = true;
  result.knowledge = std::move(with_levers);
  result.other = std::move(result.order.order);
  result.order = std::move(first);
  return result;
}

}  // namespace olem::internal
