#pragma once

#include <functional>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem::internal {

// The order of a sample of the rows, learned in the calling thread.
using LearnOn = std::function<Order(const Table& sample, const Context& context)>;

// How an order learner fares on half-samples drawn without replacement (drawing with replacement repeats rows, and
// repeated rows have distance zero). Spread over the context's threads, the same for any number of them. Fails with a
// data error when there are too few rows to halve.
OrderStability measure_stability(const Table& table, int repetitions, const Precedence& knowledge, const LearnOn& learn,
                                 const Context& context);

}  // namespace olem::internal
