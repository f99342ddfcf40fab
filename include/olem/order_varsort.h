#pragma once

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem {

// Variance sorting (Reisach, Seiler and Weichwald 2021): the variable with the greatest variance is last. A control
// rather than a method: where it does well, the scales of the columns give the order away. O(n d) per step.
//
// The steps' values are variances (divisor n), in the squared units of the columns. A step is decided when its gap is
// more than twice its standard error.
OrderResult learn_order_varsort(const Table& table, const Precedence& knowledge, const Context& context);

}  // namespace olem
