#include "order/sink_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "olem/error.h"

namespace olem::internal {

namespace {

void check_values(const Table& table, std::span<const std::size_t> remaining, std::span<const std::size_t> candidates,
                  const std::vector<double>& values, const std::string& criterion) {
  for (const std::size_t p : candidates) {
    if (!std::isfinite(values[p])) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The criterion ({}) of column '{}' is not a finite number with {} columns left: their "
                              "values are too large, too small or too alike.",
                              table.prefix(), criterion, table.name(remaining[p]), remaining.size()),
                  {{"Rescale the data"}, leave_out({&table.name(remaining[p]), 1})});
    }
  }
}

}  // namespace

OrderResult search_sinks(const Table& table, const Precedence& knowledge, const SinkCriterion& criterion,
                         const Context& context) {
  OrderResult result;
  result.criterion = criterion.name;
  std::vector<std::size_t> remaining(table.columns());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  const auto cost = [&](std::size_t r) { return std::pow(static_cast<double>(r), criterion.cost_exponent); };
  double all_work = 0.0;
  for (std::size_t r = 2; r <= table.columns(); ++r) all_work += cost(r);
  double work = 0.0;
  while (remaining.size() > 1) {
    context.check_interrupt();
    const double share = cost(remaining.size());
    OrderStep step;
    const std::vector<double> values = criterion.evaluate(
        remaining, step, [&](double part) { context.report_progress((work + part * share) / all_work, "order"); });
    work += share;
    context.report_progress(work / all_work, "order");

    std::vector<std::size_t> candidates;
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (knowledge.may_be_last(remaining[p], remaining)) candidates.push_back(p);
    }
    if (candidates.size() > 1) check_values(table, remaining, candidates, values, criterion.name);
    const auto ahead = [&](std::size_t a, std::size_t b) {
      return criterion.sink_is == SinkIs::kSmallest ? values[a] < values[b] : values[a] > values[b];
    };
    const std::size_t sink = *std::min_element(candidates.begin(), candidates.end(), ahead);
    step.sink = table.name(remaining[sink]);
    for (std::size_t p = 0; p < remaining.size(); ++p) step.values.emplace_back(table.name(remaining[p]), values[p]);
    std::erase(candidates, sink);
    step.forced = candidates.empty();
    std::size_t runner_up = sink;
    if (!candidates.empty()) {
      runner_up = *std::min_element(candidates.begin(), candidates.end(), ahead);
      step.runner_up = table.name(remaining[runner_up]);
      step.gap = std::abs(values[runner_up] - values[sink]);
      step.decided = *step.gap > 0.0;
    }
    if (criterion.chosen) criterion.chosen(remaining, sink, runner_up, step);
    result.order.push_back(step.sink);
    result.steps.push_back(std::move(step));
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(sink));
  }
  if (!remaining.empty()) result.order.push_back(table.name(remaining.front()));
  std::reverse(result.order.begin(), result.order.end());
  return result;
}

}  // namespace olem::internal
