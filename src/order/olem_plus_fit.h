#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "order/olem_plus_columns.h"

namespace olem {

// What the regression of one column on its active predecessors leaves unexplained.
struct PlusFit {
  double entropy = 0.0;              // of the leave-one-out residuals, in the units of the column, nats
  std::vector<float> contributions;  // of each row, whose weighted mean is `entropy`
};

// The leave-one-out residuals of a regression, in standard deviations of the target, with what was chosen for it.
struct PlusResiduals {
  std::vector<double> values;
  double gcv = 0.0;  // of the chosen regression
};

// The better by generalised cross-validation of an additive regression on the basis functions, its smoothness chosen
// from six values up to straight lines, and from two predecessors on of a Gaussian process with a Gaussian kernel on at
// most 100 landmark rows beside straight lines. O(n (q |active|)^2 + n M^2 + M^3). `active` ascending.
PlusResiduals regression_residuals(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active);

PlusFit fit_column(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active);

}  // namespace olem
