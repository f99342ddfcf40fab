#include <fmt/format.h>

#include <algorithm>

#include "core/find_kind.h"
#include "olem/error.h"
#include "olem/order.h"
#include "order/stein.h"

namespace olem {

using namespace internal;

namespace {

// The options that every method has.
void add_common(OrderOptions& options, OptionSet& set) {
  set.integer("bootstrap", options.bootstrap, 0, 1000000,
              "repeat on this many half-samples and report how stable the order is");
}

// The options of one method and those that every method has.
template <class Options>
OptionSet with_common(OrderOptions& options, Options& own) {
  OptionSet set = describe(own);
  add_common(options, set);
  return set;
}

OrderLearnerKind olem_kind() {
  OrderLearnerKind kind;
  kind.name = "olem";
  kind.help = "by entropy: what keeps the most once the others are known is last";
  kind.explanation =
      "The order is found from its end: each step takes out the variable that keeps the most entropy (nats) once all "
      "the others left are known, and says by how much it was ahead of the next best, with the standard error of that "
      "gap.";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.olem); };
  // The estimator itself says what it needs, and which of its options to change.
  kind.least_rows = [](std::size_t, const OrderOptions&) { return std::size_t{2}; };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) { return learn_order_olem(table, options.olem, knowledge, context); };
  return kind;
}

OrderLearnerKind olem_plus_kind() {
  OrderLearnerKind kind;
  kind.name = "olem+";
  kind.help = "by regressions: the order in which residuals have the least entropy, with the fewest edges";
  kind.explanation =
      "The order has the least score that was found: the entropies (nats) of what regressions on the predecessors "
      "leave unexplained, and a price for each predecessor that is needed. Each step compares two neighbours, from the "
      "end of the order: by how much the score rises when the two are swapped, with the standard error of that gap, "
      "and whether shape decided, which is free of the units of the columns, or only their scales.";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.olem_plus); };
  // With fewer rows not even a straight line on one predecessor can be told from chance.
  kind.least_rows = [](std::size_t, const OrderOptions&) { return std::size_t{8}; };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) {
    return learn_order_olem_plus(table, options.olem_plus, knowledge, context);
  };
  return kind;
}

OrderLearnerKind listen_kind() {
  OrderLearnerKind kind;
  kind.name = "listen";
  kind.help = "linear models: the smallest diagonal entry of the precision matrix is last";
  kind.explanation =
      "The order is found from its end: each step takes out the variable with the smallest precision, which is one "
      "over the variance that a linear regression on all the others left does not explain, and says by how much it "
      "was ahead of the next best, with the standard error of that gap (not for CLIME).";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.listen); };
  kind.least_rows = [](std::size_t columns, const OrderOptions& options) {
    return options.listen.precision == PrecisionEstimator::kPlain ? columns + 1 : std::size_t{2};
  };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) { return learn_order_listen(table, options.listen, knowledge, context); };
  return kind;
}

OrderLearnerKind cam_kind() {
  OrderLearnerKind kind;
  kind.name = "cam";
  kind.help = "additive models: adds the edge that explains most, for as long as there is one without a cycle";
  kind.explanation =
      "The search starts without edges and always adds the one that raises the score of its graph most, for as long "
      "as there is one that closes no cycle; the order is that of the graph. The score of a variable is minus the "
      "logarithm of the variance that smooth functions of its parents leave unexplained.";
  kind.describe = [](OrderOptions& options) { return with_common(options, options.cam); };
  kind.least_rows = [](std::size_t columns, const OrderOptions& options) {
    // With 20 rows a single parent still has seven basis functions; every parent beyond needs a row more than a
    // straight line does.
    constexpr std::size_t kFewest = 20;
    return std::max(kFewest, cam_parent_limit(kFewest, columns, options.cam) + 3);
  };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) { return learn_order_cam(table, options.cam, knowledge, context); };
  kind.invariances.column_permutation = false;
  kind.invariances.why_not =
      "a straight line gains as much in one direction as in the other, and the first column wins";
  return kind;
}

OrderLearnerKind varsort_kind() {
  OrderLearnerKind kind;
  kind.name = "varsort";
  kind.help = "the control: the greatest variance is last";
  kind.explanation =
      "The order is found from its end: each step takes out the variable with the greatest variance, and says by how "
      "much it was ahead of the next best, with the standard error of that gap. Variances depend on units and say "
      "nothing about causes: this is a control for other methods.";
  kind.describe = [](OrderOptions& options) {
    OptionSet set;
    add_common(options, set);
    return set;
  };
  kind.least_rows = [](std::size_t, const OrderOptions&) { return std::size_t{2}; };
  kind.learn = [](const Table& table, const OrderOptions&, const Precedence& knowledge, const Context& context) {
    return learn_order_varsort(table, knowledge, context);
  };
  return kind;
}

OrderLearnerKind diffan_kind() {
  OrderLearnerKind kind;
  kind.name = "diffan";
  kind.help = "by a diffusion network: whose score has the steadiest slope is last";
  kind.explanation =
      "The order is found from its end: a network learned the slope of the log-density, and at each step several noise "
      "levels vote for the variable whose slope changes most evenly along itself; most votes take it out. Training is "
      "random: another `seed` may give another order.";
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
  kind.explanation =
      "The order is found from its end: each step takes out the variable whose own second derivative of the "
      "log-density varies least over the data (for a last variable with Gaussian noise it would not vary at all), and "
      "says by how much it was ahead of the next best.";
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
  kind.explanation =
      "The order is found from its end: each step takes out the variable whose own second derivative of the "
      "log-density is greatest on average (every effect of a variable makes it more negative), and says by how much it "
      "was ahead of the next best.";
  kind.describe = [](OrderOptions& options) { return with_stein(options, options.caps); };
  kind.learn = [](const Table& table, const OrderOptions& options, const Precedence& knowledge,
                  const Context& context) {
    return learn_order_caps(table, options.stein, options.caps, knowledge, context);
  };
  return kind;
}

}  // namespace

const std::vector<OrderLearnerKind>& order_learners() {
  static const std::vector<OrderLearnerKind> kKinds = {olem_kind(),  olem_plus_kind(), listen_kind(), cam_kind(),
                                                       score_kind(), caps_kind(),      diffan_kind(), varsort_kind()};
  return kKinds;
}

const OrderLearnerKind& order_learner(const std::string& name) {
  return find_kind(order_learners(), name, "an order learner");
}

}  // namespace olem
