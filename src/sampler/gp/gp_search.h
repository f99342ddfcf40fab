#pragma once

#include <cmath>
#include <span>

#include "olem/context.h"
#include "sampler/gp/gp_kernel.h"

namespace olem::internal::sampling {

// Bounds of the search for parameters, of their logarithms. In standardised units nothing beyond them makes a
// difference, except to rounding.
inline constexpr double kLeastLogVariance = -16.0;
inline constexpr double kLargestLogVariance = 7.0;
inline constexpr double kLeastLogNoise = -14.0;
inline constexpr double kLargestLogNoise = 1.0;
inline constexpr double kLeastLogBias = -7.0;

struct GpSearch {
  GpParameters parameters;
  double objective = 0.0;
};

// Whether the search ran into its lower bound, so that the part has no influence left.
inline bool is_least_variance(double variance) { return variance <= std::exp(kLeastLogVariance) * (1.0 + 1e-9); }

// The parameters of the process without a nonlinear part that minimise its negative log marginal likelihood plus
// `penalty` times the sum of the square roots of its linear variances, from the sums of squares and products of all
// rows: O(rows q^2) once and O(q^3) an evaluation, for q inputs. The start is the linear part of `start`.
// `weights` as in gp_model.h.
GpSearch optimise_linear_parameters(const Inputs& inputs, std::span<const double> target,
                                    std::span<const double> weights, const GpParameters& start, double penalty,
                                    const Context& context);

}  // namespace olem::internal::sampling
