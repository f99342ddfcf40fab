#pragma once

#include <span>

#include "olem/order_result.h"

namespace olem::internal {

// Standard error of mean(a) - mean(b) for contributions of the same rows. Rows with a NaN are left out; infinite with
// fewer than 3 rows left, since two nearest distances of two points are the same and say nothing about chance.
double gap_standard_error(std::span<const double> a, std::span<const double> b);

// Enters the standard error into a step that has a gap: it is decided when the gap is more than two of them.
void judge_gap(OrderStep& step, double standard_error);

}  // namespace olem::internal
