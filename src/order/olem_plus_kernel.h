#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "order/olem_plus_columns.h"

namespace olem {

// The functions of a Gaussian process of some standardised columns: kernel functions exp(-|z - z'|^2 / 2 length^2) at
// landmark rows, whitened so that a ridge on their coefficients is the prior of the process; then the columns
// themselves; then the constant. rows x (at most 100 + |inputs| + 1). Landmarks that the others nearly determine are
// left out. O(n M^2).
Eigen::MatrixXd process_functions(const PlusColumns& columns, std::span<const std::size_t> inputs, double length);

}  // namespace olem
