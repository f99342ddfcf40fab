#include "rehearse/lever_order.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "order/learn.h"

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

namespace {

// Orders of one table under different knowledge. Those of olem+ share their regressions, which are what takes time.
class OrdersOfTable {
 public:
  OrdersOfTable(const Table& table, const OrderOptions& options, const Context& context)
      : table_(table), options_(options) {
    if (options.method != "olem+" || options.bootstrap > 0 || table.columns() < 2) return;
    const OrderLearnerKind& kind = order_learner(options.method);
    OrderOptions checked = options;
    kind.describe(checked).validate();
    check_learnable(table, kind.least_rows(table.columns(), checked), kind.name);
    context.report_progress(0.0, "order");
    problem_.emplace(table, options.olem_plus, context);
  }

  // `start`: an order learned under less knowledge, from which to search; none: the usual start.
  OrderResult learn(const Precedence& knowledge, const Context& context, const Order& start = {},
                    OlemPlusReach reach = OlemPlusReach::kFull) {
    if (!problem_) return learn_order(table_, options_, knowledge, context);
    const auto begin = std::chrono::steady_clock::now();
    const Order from = start.empty() ? Order() : nearest(knowledge, start);
    OrderResult result = problem_->learn(knowledge, context, from, reach);
    result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }

  // Many columns, of which a search under more knowledge takes several times as long as one under less: each takes part
  // in more regressions, with more inputs.
  bool wide() const { return problem_ && table_.columns() > kWideColumns; }

  // From the end, each time the last column of `order` that may stand there.
  Order nearest(const Precedence& knowledge, const Order& order) const {
    std::vector<std::size_t> left = order_indices(order, NodeNames(table_.names()));
    Order nearest;
    while (!left.empty()) {
      const std::size_t last = knowledge.last_candidates(left).back();
      nearest.push_back(table_.name(last));
      std::erase(left, last);
    }
    std::reverse(nearest.begin(), nearest.end());
    return nearest;
  }

  // J by shape of the first order minus that of the second.
  ShapeDifference compare(const Order& first, const Order& second, const Context& context) {
    // Of all rows alike, whatever is known of them.
    const bool shared = problem_ && !options_.olem_plus.rows;
    if (!shared) {
      OlemPlusOptions by_shape;
      by_shape.units = ColumnUnits::kArbitrary;
      problem_.emplace(table_, by_shape, context);
    }
    const OrderScore learned = problem_->score(first, context);
    return compare_by_shape(learned, problem_->score(second, context));
  }

 private:
  static constexpr std::size_t kWideColumns = 20;

  const Table& table_;
  const OrderOptions& options_;
  std::optional<OlemPlusProblem> problem_;
};

// A part of the progress of `context`, which must outlive it.
Context part_of(const Context& context, double from, double to) {
  Context part = context;
  if (context.progress) {
    part.progress = [&context, from, to](double done, std::string_view phase) {
      context.report_progress(from + (to - from) * done, phase);
    };
  }
  return part;
}

// Of the progress. What comes late has more inputs in the second search; that of a long table needs few regressions
// that the first one did not make, and in a wide one it often ends at its start.
constexpr double kFirstOrderShare = 0.4;
constexpr double kFirstShareOfLong = 0.9;
constexpr double kFirstShareOfWide = 0.6;
constexpr std::size_t kLongRows = 50000;
// Nats for each column: four times what a full search was seen to gain over a near one from the learned order.
constexpr double kFarGain = 0.05;
// And, with four times what a near search was seen to gain over its start, for both.
constexpr double kSearchGain = 0.1;

// Whether shape prefers the first of two orders by kPreference standard errors, and would if the other were better by
// `margin`.
bool is_preferred(const ShapeDifference& difference, double margin = 0.0) {
  return difference.value + margin < -kPreference * difference.standard_error;
}

}  // namespace

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
  OrdersOfTable orders(table, options.order, context);
  const double first_share = orders.wide()               ? kFirstShareOfWide
                             : table.rows() >= kLongRows ? kFirstShareOfLong
                                                         : kFirstOrderShare;
  result.order = orders.learn(precedence, part_of(context, 0.0, first_share));
  const NodeNames names(table.names());
  result.placement.first =
      contradiction_text(levers_first, order_indices(result.order.order, names), table.names()).empty();
  result.knowledge = result.placement.first ? with_levers : known;
  if (result.placement.first) return result;

  const bool by_shape = options.levers == LeverRule::kAuto &&
                        table.rows() >= order_learner("olem+").least_rows(table.columns(), options.order);
  const bool near = by_shape && orders.wide();
  if (near) {
    // Where the nearest order is refuted by far, no search of it is needed.
    Order start = orders.nearest(levers_first, result.order.order);
    const ShapeDifference difference = orders.compare(result.order.order, start, context);
    if (is_preferred(difference, kSearchGain * static_cast<double>(table.columns()))) {
      result.placement.difference = difference;
      result.other = std::move(start);
      return result;
    }
  }
  const Context rest = part_of(context, first_share, 1.0);
  OrderResult first = near ? orders.learn(levers_first, rest, result.order.order, OlemPlusReach::kNear)
                           : orders.learn(levers_first, rest);
  if (by_shape) {
    result.placement.difference = orders.compare(result.order.order, first.order, context);
    if (near && !is_preferred(*result.placement.difference, kFarGain * static_cast<double>(table.columns()))) {
      first = orders.learn(levers_first, rest);
      result.placement.difference = orders.compare(result.order.order, first.order, context);
    }
    if (is_preferred(*result.placement.difference)) {
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
