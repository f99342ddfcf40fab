#include <fmt/format.h>

#include <algorithm>

#include "olem/error.h"
#include "olem/order.h"
#include "order/stein.h"

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

template <class Options>
OptionSet with_stein(OrderOptions& options, Options& own) {
  OptionSet set = describe(options.stein);
  set.append(with_common(options, own));
  return set;
}

// What the learners on the Stein estimator share.
OrderLearnerKind stein_kind() {
  OrderLearnerKind kind;
  kind.least_rows = [](std::size_t, const OrderOptions&) { return kFewestSteinRows; };
  kind.invariances.common_scaling = false;
  kind.invariances.why_not =
      "the ridge on the kernel matrix is absolute, while the kernel is divided by a bandwidth in the units of the data";
  return kind;
}

OrderLearnerKind score_kind() {
  OrderLearnerKind kind = stein_kind();
  kind.name = "score";
  kind.help = "by the Hessian of the log-density: where its entry varies least is last";
  kind.describe = [](OrderOptions& options) { return with_stein(options, options.score); };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) {
    return learn_order_score(table, options.stein, options.score, knowledge, context);
  };
  return kind;
}

OrderLearnerKind caps_kind() {
  OrderLearnerKind kind = stein_kind();
  kind.name = "caps";
  kind.help = "by the Hessian of the log-density: where its entry is greatest on average is last";
  kind.describe = [](OrderOptions& options) { return with_stein(options, options.caps); };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) {
    return learn_order_caps(table, options.stein, options.caps, knowledge, context);
  };
  return kind;
}

}  // namespace

const std::vector<OrderLearnerKind>& order_learners() {
  static const std::vector<OrderLearnerKind> kinds = {olem_kind(), score_kind(), caps_kind()};
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
