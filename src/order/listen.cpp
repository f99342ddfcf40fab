#include <array>
#include <cmath>

#include "olem/order_listen.h"
#include "order/clime.h"
#include "order/gap.h"
#include "order/precision.h"
#include "order/sink_search.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kEstimators = {
    {{"plain", "the inverse of the covariance matrix; needs more rows than columns"},
     {"clime", "sparse, by linear programmes; for many columns and few rows"}}};

// The search with the precision matrix of the variables left, which `precision` keeps.
template <class Precision>
OrderResult search(const Table& table, Precision& precision, const Precedence& knowledge, const Context& context) {
  std::vector<std::vector<double>> weights(table.columns(), std::vector<double>(table.columns(), 0.0));
  SinkCriterion criterion;
  criterion.name = "precision";
  criterion.sink_is = SinkIs::kSmallest;
  criterion.cost_exponent = Precision::kCostExponent;
  criterion.evaluate = [&](std::span<const std::size_t>, OrderStep&, const std::function<void(double)>&) {
    const Eigen::VectorXd diagonal = precision.matrix().diagonal();
    return std::vector<double>(diagonal.data(), diagonal.data() + diagonal.size());
  };
  criterion.chosen = [&](std::span<const std::size_t> remaining, std::size_t sink, std::size_t runner_up,
                         OrderStep& step) {
    const Eigen::MatrixXd& omega = precision.matrix();
    const auto s = static_cast<Eigen::Index>(sink);
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (p != sink)
        weights[remaining[p]][remaining[sink]] =
            0.0 - omega(static_cast<Eigen::Index>(p), s) / omega(s, s);  // no negative zeros
    }
    if constexpr (Precision::kHasContributions) {
      if (!step.forced)
        judge_gap(step, gap_standard_error(precision.contributions(sink), precision.contributions(runner_up)));
    }
    precision.remove(sink);
  };
  OrderResult result = search_sinks(table, knowledge, criterion, context);
  result.matrices.push_back({kListenWeights, std::move(weights)});
  return result;
}

}  // namespace

OptionSet describe(ListenOptions& options) {
  OptionSet set;
  set.choice("listen_precision", options.precision, kEstimators,
             "how LISTEN estimates the inverse of the covariance matrix");
  set.real("clime_lambda", options.clime_lambda, 0.0, 1.0,
           "tolerance of `listen_precision` clime; 0: sqrt(ln columns / rows) / 2");
  return set;
}

OrderResult learn_order_listen(const Table& table, const ListenOptions& options, const Precedence& knowledge,
                               const Context& context) {
  ListenOptions checked = options;
  describe(checked).validate();
  if (checked.precision == PrecisionEstimator::kClime) {
    ClimePrecision precision(table, checked.clime_lambda, context);
    return search(table, precision, knowledge, context);
  }
  PlainPrecision precision(table, context);
  return search(table, precision, knowledge, context);
}

}  // namespace olem
