#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "olem/error.h"
#include "olem/order_caps.h"
#include "olem/parallel.h"
#include "order/sink_search.h"
#include "order/stein.h"

namespace olem {

using namespace internal;

namespace {

// What several estimates at once may hold when the user sets no limit.
constexpr std::size_t kUnaskedMemory = std::size_t{1} << 30;

std::vector<double> means(const SteinEstimate& estimate) {
  std::vector<double> values;
  for (const std::vector<double>& hessian : estimate.hessian) values.push_back(mean_of(hessian));
  return values;
}

// All columns but one.
std::vector<std::size_t> others(std::size_t count, std::size_t without) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < count; ++j) {
    if (j != without) columns.push_back(j);
  }
  return columns;
}

std::vector<double> values_of(const OrderStep& step) {
  std::vector<double> values;
  for (const auto& [name, value] : step.values) values.push_back(value);
  return values;
}

// Calls work(i, context) for every i, on as many threads at once as memory lets it; with one, the threads work inside.
template <class Work>
void spread_over_threads(const std::vector<std::size_t>& list, std::size_t bytes_each, const Context& context,
                         const Work& work) {
  const std::size_t budget = context.memory_limit > 0 ? context.memory_limit : kUnaskedMemory;
  const std::size_t at_once =
      std::clamp<std::size_t>(budget / bytes_each, 1, static_cast<std::size_t>(context.thread_count()));
  const Context own = at_once > 1 ? context.serial() : context;
  for (std::size_t first = 0; first < list.size(); first += at_once) {
    const std::size_t last = std::min(list.size(), first + at_once);
    if (at_once > 1) {
      parallel_for(context, first, last, 1, [&](std::size_t i, std::size_t) { work(list[i], own); });
    } else {
      work(list[first], own);
    }
    context.report_progress(static_cast<double>(last) / static_cast<double>(list.size()), "parent scores");
  }
}

}  // namespace

OptionSet describe(CapsOptions& options) {
  OptionSet set;
  set.flag("caps_parent_scores", options.parent_scores,
           "also report how much each variable looks like a parent of each other; doubles the cost");
  return set;
}

OrderResult learn_order_caps(const Table& table, const SteinOptions& stein, const CapsOptions& options,
                             const Precedence& knowledge, const Context& context) {
  SinkCriterion criterion;
  criterion.name = "hessian_mean";
  criterion.sink_is = SinkIs::kGreatest;
  criterion.cost_exponent = 0.0;  // the factor of the kernel matrix is the cost, and its size does not change
  if (table.columns() < 2) return search_sinks(table, knowledge, criterion, context);

  SteinEstimator estimator(table, stein, context);
  SteinEstimate current;
  criterion.evaluate = [&](std::span<const std::size_t> remaining, OrderStep& step,
                           const std::function<void(double)>& progress) {
    current = estimator.estimate(remaining, context, progress);
    step.facts = {{"bandwidth", current.bandwidth}};
    return means(current);
  };
  criterion.chosen = [&](std::span<const std::size_t>, std::size_t sink, std::size_t runner_up, OrderStep& step) {
    judge_gap(step, current.hessian[sink], current.hessian[runner_up]);
  };
  OrderResult result = search_sinks(table, knowledge, criterion, context);
  if (options.parent_scores)
    result.matrices.push_back({kCapsParentScores, caps_parent_scores(table, result, stein, context)});
  return result;
}

std::vector<std::vector<double>> caps_parent_scores(const Table& table, const OrderResult& order,
                                                    const SteinOptions& stein, const Context& context) {
  const std::size_t d = table.columns();
  std::vector<std::vector<double>> scores(d, std::vector<double>(d, 0.0));
  if (d < 2) return scores;
  if (order.steps.size() != d - 1 || order.criterion != "hessian_mean") {
    throw Error(ErrorCategory::kInternal, "Parent scores need an order that CaPS learned from the same table.");
  }
  const std::vector<double> with_all = values_of(order.steps[0]);
  const auto set_scores = [&](std::size_t child, const std::vector<double>& without_child) {
    const std::vector<std::size_t> parents = others(d, child);
    for (std::size_t p = 0; p < parents.size(); ++p) {
      scores[parents[p]][child] = std::abs(without_child[p] - with_all[parents[p]]);
    }
  };
  std::vector<std::size_t> children;
  for (std::size_t j = 0; j < d; ++j) {
    // What is left after the first step is the table without its sink.
    if (d > 2 && table.name(j) == order.steps[0].sink) {
      set_scores(j, values_of(order.steps[1]));
    } else {
      children.push_back(j);
    }
  }
  spread_over_threads(children, SteinEstimator::bytes(table.rows(), d, stein), context,
                      [&](std::size_t child, const Context& own) {
                        SteinEstimator estimator(table, stein, own);
                        set_scores(child, means(estimator.estimate(others(d, child), own)));
                      });
  return scores;
}

}  // namespace olem
