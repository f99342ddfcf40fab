#pragma once

#include <span>
#include <vector>

#include "sampler/gp/gp_model.h"
#include "sampler/noise_distribution.h"

namespace olem::internal::sampling {

// The distribution of what a function leaves over, and what else was found on the way.
struct ShapedNoise {
  NoiseDistribution distribution;
  double variance = 0.0;
  double left_out_variance = 0.0;  // of what rows left out are off
  // What each row is off the mean that the other rows give it, and the variance of that mean.
  std::vector<double> left_out;
  std::vector<double> mean_variance;
  // Where each row pulls the function to, with less noise than the target has; empty when the shape tells nothing.
  std::vector<double> pulls;
};

// Fits the regression to the target, whose noise has the variance `noise` and a shape that nobody knows, and returns
// that shape. Least squares learns from every row alike; but where noise ends abruptly, as an exponential one does, a
// row at the end says much more about the function than its variance has it. So, a few times: estimate the shape from
// the residuals of rows left out; let every row pull at the function by the slope of its log-density (expectation
// propagation with one variance for all rows, Minka 2001); and give the regression these pulls as a target with the
// smaller variance that they have. With normal noise, or too few rows to know better, it is the ordinary regression.
ShapedNoise fit_with_noise_shape(GpRegression& regression, std::span<const double> target, double noise,
                                 const Context& context);

// The ordinary regression, whatever the shape.
ShapedNoise fit_by_least_squares(GpRegression& regression, std::span<const double> target, double noise,
                                 const Context& context);

}  // namespace olem::internal::sampling
