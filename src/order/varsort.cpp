#include <numeric>

#include "olem/order_varsort.h"
#include "order/gap.h"
#include "order/sink_search.h"

namespace olem {

using namespace internal;

namespace {

std::vector<double> squared_deviations(std::span<const double> column) {
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
  std::vector<double> squares(column.size());
  for (std::size_t i = 0; i < column.size(); ++i) squares[i] = (column[i] - mean) * (column[i] - mean);
  return squares;
}

}  // namespace

OrderResult learn_order_varsort(const Table& table, const Precedence& knowledge, const Context& context) {
  std::vector<double> variances;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    context.check_interrupt();
    const std::vector<double> squares = squared_deviations(table.column(j));
    variances.push_back(std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size()));
  }
  SinkCriterion criterion;
  criterion.name = "variance";
  criterion.sink_is = SinkIs::kGreatest;
  criterion.evaluate = [&](std::span<const std::size_t> remaining, OrderStep&, const std::function<void(double)>&) {
    std::vector<double> values;
    for (const std::size_t column : remaining) values.push_back(variances[column]);
    return values;
  };
  criterion.chosen = [&](std::span<const std::size_t> remaining, std::size_t sink, std::size_t runner_up,
                         OrderStep& step) {
    if (step.forced) return;
    // The mean is estimated too, but a variance does not feel that to first order.
    judge_gap(step, gap_standard_error(squared_deviations(table.column(remaining[sink])),
                                       squared_deviations(table.column(remaining[runner_up]))));
  };
  return search_sinks(table, knowledge, criterion, context);
}

}  // namespace olem
