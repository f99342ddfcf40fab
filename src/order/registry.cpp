#include <fmt/format.h>

#include <algorithm>

#include "olem/error.h"
#include "olem/order.h"

namespace olem {

namespace {

// The options of one method and those that every method has.
template <class Options>
OptionSet with_common(OrderOptions& options, Options& own) {
  OptionSet set = describe(own);
  set.integer("bootstrap", options.bootstrap, 0, 1000000,
              "repeat on this many half-samples and report how stable the order is");
  return set;
}

OrderLearnerKind olem_kind() {
  OrderLearnerKind kind;
  kind.name = "olem";
  kind.help = "by entropy: what keeps the most once the others are known is last";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.olem); };
  // The estimator itself says what it needs, and which of its options to change.
  kind.least_rows = [](std::size_t, const OrderOptions&) { return std::size_t{2}; };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) { return learn_order_olem(table, options.olem, knowledge, context); };
  return kind;
}

OrderLearnerKind diffan_kind() {
  OrderLearnerKind kind;
  kind.name = "diffan";
  kind.help = "by a diffusion network: whose score has the steadiest slope is last";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.diffan); };
  kind.least_rows = [](std::size_t, const OrderOptions&) { return kDiffanLeastRows; };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) { return learn_order_diffan(table, options.diffan, knowledge, context); };
  kind.invariances = {
      .column_permutation = false,
      .row_permutation = false,
      .translation = false,
      .common_scaling = false,
      .why_not =
          "the random weights and noise belong to places in the table, the last fifth of the rows is held out for "
          "validation, and training magnifies the rounding of the standardised columns"};
  return kind;
}

}  // namespace

const std::vector<OrderLearnerKind>& order_learners() {
  static const std::vector<OrderLearnerKind> kinds = {olem_kind(), diffan_kind()};
  return kinds;
}

const OrderLearnerKind& order_learner(const std::string& name) {
  const auto& kinds = order_learners();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.push_back(kind.name);
  const std::string closest = closest_name(name, names);
  throw Error(ErrorCategory::kUsage,
              fmt::format("'{}' is not an order learner{}. There are: {}.", name,
                          closest.empty() ? "" : fmt::format("; did you mean '{}'?", closest), fmt::join(names, ", ")));
}

}  // namespace olem
