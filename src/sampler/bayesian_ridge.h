#pragma once

#include <span>
#include <vector>

#include "sampler/gp/gp_kernel.h"

namespace olem::internal::sampling {

// Normal prior of precision `weight_precision` on every weight, normal noise of precision `noise_precision`.
struct BayesianRidge {
  std::vector<double> weights;     // mean of their posterior, one per input
  std::vector<double> covariance;  // of their posterior, q x q
  double noise_precision = 0.0;
  double weight_precision = 0.0;
  int iterations = 0;
  bool converged = false;
};

// Both precisions by maximum of the evidence (MacKay 1992; Tipping 2001), with gamma priors of shape and rate 1e-6 on
// them; ends when the weights move by less than 1e-3 in sum, at most 300 times. Inputs and target have mean 0; there is
// no intercept. O(rows inputs^2 + inputs^3 + iterations rows inputs).
BayesianRidge fit_bayesian_ridge(const Inputs& inputs, std::span<const double> target);

}  // namespace olem::internal::sampling
