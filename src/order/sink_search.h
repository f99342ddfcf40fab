#pragma once

#include <functional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem::internal {

enum class SinkIs { kSmallest, kGreatest };

// What an order learner that works from the end of the order brings.
struct SinkCriterion {
  std::string name;  // JSON key of the values
  SinkIs sink_is = SinkIs::kSmallest;
  // One value for each column of `remaining` (ascending), in that order. May add facts to the step, and calls
  // `progress` with the share of this step that is done when a step takes long.
  std::function<std::vector<double>(std::span<const std::size_t> remaining, OrderStep& step,
                                    const std::function<void(double)>& progress)>
      evaluate;
  // Called when the sink is chosen and the step is filled in, before the sink is removed; may be empty. `sink` and
  // `runner_up` are positions in `remaining`; runner_up equals sink when knowledge left no choice.
  std::function<void(std::span<const std::size_t> remaining, std::size_t sink, std::size_t runner_up, OrderStep& step)>
      chosen;
  // Cost of a step with r columns left grows as r^cost_exponent; for the progress.
  double cost_exponent = 1.0;
};

// Finds the sink among the remaining columns that may be last by what is known, removes it, repeats. Ties in the
// criterion go to the lowest column. Fills order, criterion and steps of the result. A criterion that is not finite for
// a candidate is a data error, unless knowledge leaves no choice.
OrderResult search_sinks(const Table& table, const Precedence& knowledge, const SinkCriterion& criterion,
                         const Context& context);

}  // namespace olem::internal
