#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flow/gp_kernel.h"
#include "olem/context.h"

namespace olem::flow {

// The negative log marginal likelihood of a target under a Gaussian process (Rasmussen and Williams 2006,
// equation 2.30), in nats, plus `penalty` times the sum of the square roots of relevances and linear variances, as a
// function of the logarithms of the parameters. Its gradient costs one inverse beside the Cholesky factor: n^3
// operations in all, and 3 n^2 numbers of memory. `shape` says which kernel it is and which inputs the nonlinear part
// has.
class GpLikelihood {
 public:
  GpLikelihood(const Inputs& inputs, std::span<const double> target, const GpParameters& shape, double penalty);

  // The logarithms in the order: constant, noise, linear variances; when there is a nonlinear part signal, bias
  // (arcsine only), relevances of its inputs.
  std::vector<double> pack(const GpParameters& parameters) const;
  GpParameters unpack(std::span<const double> logarithms) const;

  // +infinity where the covariance is not positive definite to working precision; the gradient is zero then.
  double evaluate(std::span<const double> logarithms, std::span<double> gradient);

 private:
  void add_linear_gradient(const GpParameters& parameters, std::span<double> gradient);
  void add_nonlinear_gradient(const GpParameters& parameters, const ScaledPoints& points, std::span<double> gradient);
  void add_penalty(const GpParameters& parameters, double& value, std::span<double> gradient) const;

  Inputs inputs_;
  std::span<const double> target_;
  GpParameters shape_;
  double penalty_;
  std::size_t rows_;
  std::vector<std::size_t> nonlinear_;
  std::vector<double> covariance_;  // then its Cholesky factor, its inverse and the weights of the gradient, in turn
  std::vector<double> values_;      // of the nonlinear part
  std::vector<double> angles_;
  std::vector<double> solved_;  // inverse covariance times target
};

// Bounds of the search, of the logarithms. In standardised units nothing beyond them makes a difference, except to
// rounding.
inline constexpr double kLeastLogVariance = -16.0;
inline constexpr double kLargestLogVariance = 7.0;
inline constexpr double kLeastLogNoise = -14.0;
inline constexpr double kLargestLogNoise = 1.0;
inline constexpr double kLeastLogBias = -7.0;

struct GpSearch {
  GpParameters parameters;
  double objective = 0.0;
  int evaluations = 0;
};

// Descends from `start` by at most `iterations` of L-BFGS-B.
GpSearch optimise_parameters(const Inputs& inputs, std::span<const double> target, const GpParameters& start,
                             double penalty, int iterations, const Context& context);

// The same for the process without a nonlinear part, from the sums of squares and products of all rows: O(rows q^2)
// once and O(q^3) an evaluation, for q inputs. The start is the linear part of `start`.
GpSearch optimise_linear_parameters(const Inputs& inputs, std::span<const double> target, const GpParameters& start,
                                    double penalty, const Context& context);

// Whether the search ran into its lower bound, so that the part has no influence left.
bool is_least_variance(double variance);

}  // namespace olem::flow
