#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "order/olem_plus_columns.h"

namespace olem {

// The predecessors that a column depends on by a least-squares fit on all functions of all of them: those whose block
// of coefficients passes a Wald test at 5 %, or whose straight line has |t| > 1.96. Ascending. `predecessors`
// ascending, without the target. From the Gram matrix alone: O((q |predecessors|)^3).
//
// Where the functions are more than a third of the rows, only the straight lines of the n / 3q columns with the largest
// correlations enter.
std::vector<std::size_t> active_predecessors(const PlusColumns& columns, std::size_t target,
                                             std::span<const std::size_t> predecessors);

// The 95 % point of chi-square with `degrees` degrees of freedom (Wilson and Hilferty 1931); within 1 % from 2 degrees
// on.
double chi_square_95(double degrees);

}  // namespace olem
