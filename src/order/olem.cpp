#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "olem/error.h"
#include "olem/order_olem.h"
#include "order/gap.h"
#include "order/sink_search.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kSomeZeros = 0.01;
constexpr double kMostZeros = 0.5;
// Nats. At most .93 in models of the study and 2.15 for the reef's columns; at least 2.8 in 23 tables in natural units,
// where this learner turned more than half of the true edges round.
constexpr double kComparableRange = 2.5;

[[noreturn]] void refuse_discrete(const Table& table, std::span<const std::size_t> remaining, std::size_t without) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < remaining.size(); ++p) {
    if (p != without) names.push_back(table.name(remaining[p]));
  }
  throw Error(
      ErrorCategory::kData,
      fmt::format("{}Every distance is zero in the columns {}: they are discrete, and the entropy of a density is "
                  "not defined for them.",
                  table.prefix(), fmt::join(names, ", ")),
      {leave_out(names),
       {"Fix their place by what you know", "tier"},
       {"Fix their place by what you know", "before"},
       {"Separate equal values by jitter", "ties", "jitter"}});
}

void warn_of_zeros(const std::vector<std::pair<std::string, double>>& zero_shares, Summary& summary) {
  const auto worst = std::max_element(zero_shares.begin(), zero_shares.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (worst == zero_shares.end() || worst->second <= kSomeZeros) return;
  const bool most = worst->second > kMostZeros;
  const std::string compare = "Compare with other ways to treat them, to see whether it matters";
  std::vector<Remedy> remedies = {{compare, "ties", "distinct"}, {compare, "ties", "jitter"}};
  if (most) remedies = {{"Treat these columns as discrete"}};
  summary.warnings.push_back(
      {"zero_distances",
       fmt::format("Up to {:.1f} % of the points had a nearest neighbour at distance zero (repeated or rounded values) "
                   "when '{}' was found last.{}",
                   100.0 * worst->second, worst->first, most ? " The order of such columns means little." : ""),
       worst->first, std::move(remedies)});
}

// Noise of comparable size, which OLEM supposes, leaves every variable a like entropy given those before it. Where the
// entropies lie far apart the units of the columns decided, and a gap beyond chance says nothing about causes.
void warn_of_units(double entropy_of_first, OrderResult& result) {
  double low = entropy_of_first;
  double high = entropy_of_first;
  for (const OrderStep& step : result.steps) {
    for (const auto& [name, value] : step.values) {
      // Where knowledge left no choice, discrete columns have no entropy.
      if (name != step.sink || !std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(high - low > kComparableRange)) return;
  for (OrderStep& step : result.steps) step.decided = step.forced;
  result.summary.message = "No step counts as decided: the units of the columns decided this order.";
  result.summary.warnings.push_back(
      {"units",
       fmt::format("The conditional entropies along this order lie {:.1f} nats apart; columns in comparable units stay "
                   "within {}. The units of the columns decided this order, and no step counts as decided.",
                   high - low, kComparableRange),
       "",
       {{"Learn the order without a common unit", "method", "olem+"}}});
}

}  // namespace

OptionSet describe(OlemOptions& options) { return describe(options.entropy); }

OrderResult learn_order_olem(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                             const Context& context) {
  OlemOptions checked = options;
  describe(checked).validate();
  if (table.columns() < 2) {
    OrderResult trivial;
    trivial.criterion = "conditional_entropy";
    trivial.order = table.names();
    return trivial;
  }
  const auto entropies = start_entropy_sequence(table, checked.entropy, context);
  StepEntropies current;
  double zero_share = 0.0;     // of the current step
  double first_entropy = 0.0;  // of the variables before the current sink: in the end of the first one
  std::vector<std::pair<std::string, double>> zero_shares;  // by sink

  SinkCriterion criterion;
  criterion.name = "conditional_entropy";
  // The smallest entropy of the others is the greatest conditional entropy; the difference would round.
  criterion.sink_is = SinkIs::kSmallest;
  criterion.evaluate = [&](std::span<const std::size_t> remaining, OrderStep& step,
                           const std::function<void(double)>& progress) {
    current = entropies->evaluate(context, progress);
    const auto candidates = knowledge.last_candidates(remaining);
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      // Where knowledge leaves one candidate nothing is compared, and discrete columns do no harm.
      const bool candidate = std::find(candidates.begin(), candidates.end(), remaining[p]) != candidates.end();
      if (candidates.size() > 1 && candidate && current.without[p] == -std::numeric_limits<double>::infinity())
        refuse_discrete(table, remaining, p);
    }
    zero_share = *std::max_element(current.zero_share.begin(), current.zero_share.end());
    step.facts = {{"joint_entropy", current.joint}, {"zero_share", zero_share}};
    return current.without;
  };
  criterion.chosen = [&](std::span<const std::size_t>, std::size_t sink, std::size_t runner_up, OrderStep& step) {
    zero_shares.emplace_back(step.sink, zero_share);
    first_entropy = current.without[sink];
    for (auto& [name, value] : step.values) value = current.joint - value;
    if (!step.forced) {
      judge_gap(step, gap_standard_error(entropies->contributions(sink), entropies->contributions(runner_up)));
    }
    entropies->remove(context, sink);
  };
  OrderResult result = search_sinks(table, knowledge, criterion, context);
  warn_of_zeros(zero_shares, result.summary);
  warn_of_units(first_entropy, result);
  return result;
}

}  // namespace olem
