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

// Every distance is zero in these columns.
struct NoDistances {
  std::vector<std::string> columns;
};

[[noreturn]] void refuse_discrete(const Table& table, const std::vector<std::string>& names) {
  throw Error(
      ErrorCategory::kData,
      fmt::format("{}Every distance is zero in the columns {}: they are discrete, and the entropy of a density "
                  "is not defined for them.",
                  table.prefix(), fmt::join(names, ", ")),
      {leave_out(names), {"Fix their place by what you know", "tier"}, {"Fix their place by what you know", "before"}});
}

[[noreturn]] void find_no_distances(const Table& table, std::span<const std::size_t> remaining, std::size_t without) {
  NoDistances found;
  for (std::size_t p = 0; p < remaining.size(); ++p) {
    if (p != without) found.columns.push_back(table.name(remaining[p]));
  }
  throw found;
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

// By how much the weighted mean of the rows is above the plain one; rows left out and zero distances count in neither.
double weighting_gain(std::span<const double> contributions, std::span<const double> weights) {
  double sum = 0.0;
  double weighted = 0.0;
  double count = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    if (!std::isfinite(contributions[i])) continue;
    sum += contributions[i];
    weighted += weights[i] * contributions[i];
    count += 1.0;
    total += weights[i];
  }
  return count > 0.0 ? weighted / total - sum / count : 0.0;
}

// Throws NoDistances where the entropies of the candidates are not defined. `weights`: of the rows, or empty.
OrderResult learn_continuous(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                             std::span<const double> weights, const Context& context) {
  const auto entropies = start_entropy_sequence(table, options.entropy, context);
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
        find_no_distances(table, remaining, p);
    }
    zero_share = *std::max_element(current.zero_share.begin(), current.zero_share.end());
    step.facts = {{"joint_entropy", current.joint}, {"zero_share", zero_share}};
    for (std::size_t p = 0; p < remaining.size() && !weights.empty(); ++p)
      current.without[p] += weighting_gain(entropies->contributions(p), weights);
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

// Values that are rounded so coarsely that every distance is zero are spread evenly over what they may have been before
// they were rounded; what looks like levels is refused.
OrderResult learn_rounded(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                          std::span<const double> weights, const Context& context) {
  try {
    return learn_continuous(table, options, knowledge, weights, context);
  } catch (const NoDistances& found) {
    const bool levels = std::any_of(found.columns.begin(), found.columns.end(), [&](const std::string& name) {
      return has_levels(guess_column(table.column(table.index(name))).type);
    });
    if (levels || options.entropy.ties != TiePolicy::kSkip) refuse_discrete(table, found.columns);
    OlemOptions spread = options;
    spread.entropy.ties = TiePolicy::kJitter;
    OrderResult result = [&] {
      try {
        return learn_continuous(table, spread, knowledge, weights, context);
      } catch (const NoDistances& still) {
        refuse_discrete(table, still.columns);
      }
    }();
    result.summary.warnings.push_back(
        {"rounded",
         fmt::format("The values of {} are rounded so that no point has a neighbour at another place. They were spread "
                     "evenly over the step of rounding.",
                     fmt::join(found.columns, ", ")),
         fmt::format("{}", fmt::join(found.columns, ", ")),
         {{"Give the values with all their digits if you have them"}}});
    return result;
  }
}

// The columns that `column` is not known to come before or after.
std::vector<std::string> unordered_with(const Table& table, std::size_t column, const Precedence& knowledge) {
  std::vector<std::string> names;
  for (std::size_t other = 0; other < table.columns(); ++other) {
    if (other != column && !knowledge.precedes(column, other) && !knowledge.precedes(other, column))
      names.push_back(table.name(other));
  }
  return names;
}

[[noreturn]] void refuse_unplaced(const Table& table, std::span<const std::size_t> unplaced,
                                  const Precedence& knowledge) {
  constexpr std::size_t kListed = 3;
  std::vector<std::string> names;
  std::vector<std::string> items;
  for (const std::size_t column : unplaced) {
    std::vector<std::string> others = unordered_with(table, column, knowledge);
    const std::size_t more = others.size() > kListed ? others.size() - kListed : 0;
    others.resize(others.size() - more);
    names.push_back(table.name(column));
    items.push_back(fmt::format("'{}' ({}) relative to {}{}", table.name(column),
                                column_type_name(table.about(column).type), fmt::join(others, ", "),
                                more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  const std::string advice = "Give their place relative to every other column by what you know";
  throw Error(ErrorCategory::kData,
              fmt::format("{}The entropy of a density is not defined for discrete columns, so that olem cannot place "
                          "{}.",
                          table.prefix(), fmt::join(items, "; ")),
              {{advice, "tier"}, {advice, "before"}, leave_out(names)});
}

// The order of the continuous columns, which was learned, with discrete columns where knowledge puts them.
OrderResult with_placed(const Table& table, std::span<const std::size_t> placed, const Precedence& knowledge,
                        OrderResult learned) {
  std::vector<std::size_t> order;
  for (const std::string& name : learned.order) order.push_back(table.index(name));
  for (const std::size_t column : placed) {
    const auto after =
        std::find_if(order.begin(), order.end(), [&](std::size_t other) { return knowledge.precedes(column, other); });
    order.insert(after, column);
  }
  std::vector<OrderStep> steps;
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::string& name = table.name(order[i]);
    const auto step = std::find_if(learned.steps.begin(), learned.steps.end(),
                                   [&](const OrderStep& entry) { return entry.sink == name; });
    if (step != learned.steps.end()) {
      steps.push_back(std::move(*step));
    } else {
      OrderStep& forced = steps.emplace_back();
      forced.sink = name;
      forced.forced = true;
    }
  }
  learned.order.clear();
  for (const std::size_t column : order) learned.order.push_back(table.name(column));
  learned.steps = std::move(steps);
  return learned;
}

}  // namespace

OptionSet describe(OlemOptions& options) { return describe(options.entropy); }

OrderResult learn_order_olem(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                             const Context& context) {
  return learn_order_olem_weighted(table, options, knowledge, {}, context);
}

OrderResult learn_order_olem_weighted(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                                      std::span<const double> weights, const Context& context) {
  if (!weights.empty()) check_same_size("weights", weights.size(), "rows", table.rows());
  OlemOptions checked = options;
  describe(checked).validate();
  if (table.columns() < 2) {
    OrderResult trivial;
    trivial.criterion = "conditional_entropy";
    trivial.order = table.names();
    return trivial;
  }
  std::vector<std::size_t> continuous;
  std::vector<std::size_t> discrete;
  std::vector<std::size_t> unplaced;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    (has_levels(table.about(j).type) ? discrete : continuous).push_back(j);
    if (has_levels(table.about(j).type) && !unordered_with(table, j, knowledge).empty()) unplaced.push_back(j);
  }
  // Whoever says what to do with ties means discrete columns too; a normal distribution is one of any numbers.
  const bool densities = checked.entropy.ties == TiePolicy::kSkip && checked.entropy.estimator != "gaussian";
  if (discrete.empty() || !densities) return learn_rounded(table, checked, knowledge, weights, context);
  if (!unplaced.empty()) refuse_unplaced(table, unplaced, knowledge);
  OrderResult learned;
  learned.criterion = "conditional_entropy";
  if (continuous.size() == 1) learned.order = {table.name(continuous.front())};
  if (continuous.size() > 1) {
    learned =
        learn_rounded(table.with_columns(continuous), checked, knowledge.restricted_to(continuous), weights, context);
  }
  return with_placed(table, discrete, knowledge, std::move(learned));
}

}  // namespace olem
