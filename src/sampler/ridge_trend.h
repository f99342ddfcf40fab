#pragma once

#include <span>
#include <vector>

#include "sampler/gp/gp_kernel.h"

namespace olem::internal::sampling {

struct RidgeTrend {
  double intercept = 0.0;
  std::vector<double> slopes;         // one per input
  std::vector<double> leave_one_out;  // residual of each row under the trend of all other rows
};

// Least squares with an intercept and `ridge` x rows on the squares of the slopes; needs at least one row. O(rows
// inputs^2).
RidgeTrend fit_ridge(const Inputs& inputs, std::span<const double> target, double ridge);

}  // namespace olem::internal::sampling
