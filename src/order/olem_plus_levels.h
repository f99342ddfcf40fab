#pragma once

#include <cstddef>
#include <span>

#include "order/olem_plus_columns.h"
#include "order/olem_plus_fit.h"

namespace olem::internal {

// A discrete column given its active predecessors: logistic regression, multinomial for binary columns and categories,
// cumulative (proportional odds) for ordered levels, on the functions of an additive regression, whose nonlinear part
// has the ridge with the smallest likelihood by Akaike's correction. Products of straight lines and indicators of two
// predecessors enter where a score test at 1 % and then the likelihood of left-out rows, with the price of an edge for
// each, ask for them.
//
// The entropy is the mean of -ln P(level of the row), the row left out: one Newton step away from the fit of all rows.
// The levels of a category beyond the seven most frequent are one class, within which shares count. Newton's method:
// some 5 passes of O(n (q |active|)^2 K^2) with K classes.
PlusFit fit_levels(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const PlusChoice* known = nullptr);

// A count given at least one active predecessor: Poisson regression with mean exp(f(x)), f as above, and the negative
// binomial distribution with this mean that fits best.
PlusFit fit_counts(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const PlusChoice* known = nullptr);

}  // namespace olem::internal
