#pragma once

#include <span>
#include <vector>

namespace olem::internal {

// The entropy of residuals, in nats.
struct ResidualEntropy {
  double value = 0.0;
  bool gaussian = false;             // the entropy of a normal distribution with their mean square was not larger
  std::vector<float> contributions;  // of each residual; their weighted mean is `value`
};

// The smaller of the entropy of a normal distribution with mean zero and of the m-spacing estimate (Vasicek 1976, m =
// sqrt n, with its bias taken out) plus .01, which the estimate must gain to be believed. `weights`: empty or one
// number with mean 1 for each residual; spacings are by cumulated weight. Spacings count as if neighbours were at least
// `rounding_step` / n apart, so that repeated values have a density of at most 1 / rounding_step. O(n log n).
ResidualEntropy residual_entropy(std::span<const double> residuals, std::span<const double> weights,
                                 double rounding_step);

}  // namespace olem::internal
