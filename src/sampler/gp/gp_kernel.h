#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/sampler.h"

namespace olem::internal::sampling {

// One span per input, all of the same length.
using Inputs = std::vector<std::span<const double>>;

// The covariance of a Gaussian process on standardised inputs c, each part with its variance:
//   constant + sum_k linear_k c_k c'_k + signal kappa(c, c') + noise on the diagonal
// with q(c, c') = bias + sum_k relevance_k c_k c'_k and
//   arcsine  kappa = (2 / pi) asin(2 q(c, c') / sqrt((1 + 2 q(c, c)) (1 + 2 q(c', c'))))   (Williams 1998)
//   rbf      kappa = exp(-1/2 sum_k relevance_k (c_k - c'_k)^2)
// Inputs with relevance 0 are not in the nonlinear part; when none is, there is no nonlinear part.
struct GpParameters {
  GpKernel kernel = GpKernel::kArcsine;
  double constant = 1.0;
  double noise = 0.3;
  double signal = 1.0;
  double bias = 1.0;              // rbf does not depend on it
  std::vector<double> linear;     // one per input
  std::vector<double> relevance;  // one per input

  std::vector<std::size_t> nonlinear_inputs() const;
};

// Points as the nonlinear part sees them: coordinate k is sqrt(relevance_k) c_k, and a last one is sqrt(bias), so that
// q(c, c') is the plain inner product.
struct ScaledPoints {
  std::size_t points = 0;
  std::size_t coordinates = 0;
  std::vector<double> values;  // points x coordinates
  std::vector<double> scales;  // point_scale of each

  ScaledPoints with_points(std::span<const std::size_t> chosen) const;
  ScaledPoints slice(std::size_t first, std::size_t count) const;
};

ScaledPoints scale_points(const GpParameters& parameters, const Inputs& inputs);

// What the covariance needs of a point beside inner products, from its own one: 1 / sqrt(1 + 2 q(c, c)) for arcsine,
// q(c, c) / 2 for rbf.
double point_scale(const GpParameters& parameters, double own_product);

// signal kappa between n points, given by their scales, and m points, from their n x m inner products. For arcsine the
// products are replaced by the angles, whose arc-sines the values are multiples of.
void fill_covariance(const GpParameters& parameters, std::span<const double> row_scales,
                     std::span<const double> column_scales, double* products, double* values);

// The same for derivatives by the rows alone: the values replace the products, and the slopes are dvalue/dangle for
// arcsine, the values once more for rbf; a null pointer leaves them out.
void fill_values_and_slopes(const GpParameters& parameters, std::span<const double> row_scales,
                            std::span<const double> column_scales, double* products, double* slopes);

// weight dvalue/dangle for arcsine, weight value for rbf: what fill_covariance made, of `count` entries. In place when
// `slopes` is `weights`.
void fill_slopes(const GpParameters& parameters, std::size_t count, const double* angles, const double* values,
                 const double* weights, double* slopes);

// signal kappa between all points of `rows` and of `columns`: rows.points x columns.points values.
void covariance_block(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns,
                      std::vector<double>& scratch, double* values);

// signal kappa(c, c) from q(c, c), and its derivative by that.
double prior_variance(const GpParameters& parameters, double own_product, double& slope);

}  // namespace olem::internal::sampling
