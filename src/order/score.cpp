#include <algorithm>
#include <array>
#include <cmath>

#include "core/statistics.h"
#include "olem/order_score.h"
#include "order/sink_search.h"
#include "order/stein.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kSpreads = {{{"variance", "the variance over the rows, as in the paper"},
                                             {"mad", "the mean absolute deviation from the median over the rows"}}};

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The spread of one column's second derivatives, and what each row contributes to it: the mean of the contributions
// moves with the rows as the spread does, to first order.
struct Spread {
  double value = 0.0;
  std::vector<double> contributions;
};

Spread spread_of(const std::vector<double>& hessian, const ScoreOptions& options) {
  const double mean = mean_of(hessian);
  const auto n = static_cast<double>(hessian.size());
  Spread spread;
  double power = 1.0;  // of the mean that normalising divides by
  if (options.spread == ScoreSpread::kVariance) {
    power = 2.0;
    for (const double value : hessian) spread.contributions.push_back((value - mean) * (value - mean));
    spread.value = mean_of(spread.contributions) * n / (n - 1.0);
  } else {
    const double median = lower_median(hessian);
    for (const double value : hessian) spread.contributions.push_back(std::abs(value - median));
    spread.value = mean_of(spread.contributions);
  }
  if (options.normalise) {
    const double unit = std::pow(std::abs(mean), power);
    spread.value /= unit;
    for (std::size_t a = 0; a < hessian.size(); ++a) {
      spread.contributions[a] = spread.contributions[a] / unit - power * spread.value * (hessian[a] - mean) / mean;
    }
  }
  return spread;
}

}  // namespace

OptionSet describe(ScoreOptions& options) {
  OptionSet set;
  set.flag("score_normalise", options.normalise,
           "divide each second derivative by its mean before its spread is measured");
  set.choice("score_spread", options.spread, kSpreads, "how the spread of the second derivatives is measured");
  return set;
}

OrderResult learn_order_score(const Table& table, const SteinOptions& stein, const ScoreOptions& options,
                              const Precedence& knowledge, const Context& context) {
  ScoreOptions checked = options;
  describe(checked).validate();
  SinkCriterion criterion;
  criterion.name = checked.spread == ScoreSpread::kVariance ? "hessian_variance" : "hessian_deviation";
  criterion.sink_is = SinkIs::kSmallest;
  criterion.cost_exponent = 0.0;  // the factor of the kernel matrix is the cost, and its size does not change
  if (table.columns() < 2) return search_sinks(table, knowledge, criterion, context);

  SteinEstimator estimator(table, stein, context);
  std::vector<Spread> current;
  criterion.evaluate = [&](std::span<const std::size_t> remaining, OrderStep& step,
                           const std::function<void(double)>& progress) {
    const SteinEstimate estimate = estimator.estimate(remaining, context, progress);
    step.facts = {{"bandwidth", estimate.bandwidth}};
    current.clear();
    std::vector<double> values;
    for (const std::vector<double>& hessian : estimate.hessian) {
      current.push_back(spread_of(hessian, checked));
      values.push_back(current.back().value);
    }
    return values;
  };
  criterion.chosen = [&](std::span<const std::size_t>, std::size_t sink, std::size_t runner_up, OrderStep& step) {
    judge_gap(step, current[sink].contributions, current[runner_up].contributions);
  };
  return search_sinks(table, knowledge, criterion, context);
}

}  // namespace olem
