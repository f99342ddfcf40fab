#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sampler/flow/rational_quadratic.h"

namespace olem::internal::sampling {

// The increasing map y -> z of Durkan et al. (2019, section 3.1) for one set of raw parameters, which may be any
// numbers: x = (y - location) exp(-s) with s = 2 tanh(raw / 2), then a rational-quadratic spline from [-5, 5] onto
// itself, and z = x outside. All zero is the identity. The raw parameters are, in this order: location, s, a width per
// bin, a height per bin, a slope per inner knot.
class SplineMap {
 public:
  explicit SplineMap(std::size_t bins);  // 2 to kMostBins

  static constexpr std::size_t kMostBins = 200;
  static constexpr std::size_t parameters(std::size_t bins) { return 3 * bins + 1; }
  std::size_t bins() const { return slope_.size() - 1; }

  // Makes this the map of `raw`, of which there are parameters(bins()). O(bins).
  void set(std::span<const double> raw);

  // z, and in `log_slope` the logarithm of dz/dy.
  double forward(double y, double& log_slope) const;
  double inverse(double z) const;

  // Adds by_z dz/draw + by_log_slope dlog_slope/draw at y to `gradient`. O(bins).
  void add_gradient(double y, double by_z, double by_log_slope, std::span<double> gradient);

 private:
  RationalQuadraticBin bin(std::size_t k) const;

  double location_ = 0.0;
  double log_scale_ = 0.0;
  double log_scale_derivative_ = 1.0;     // by its raw parameter
  std::vector<double> width_share_;       // softmax of the raw widths
  std::vector<double> height_share_;      // the same of the heights
  std::vector<double> x_;                 // knots, bins + 1
  std::vector<double> z_;                 // the same
  std::vector<double> slope_;             // there; 1 at both ends
  std::vector<double> slope_derivative_;  // by the raw parameter, inner knots
  std::vector<double> by_width_;          // scratch of add_gradient
  std::vector<double> by_height_;
};

}  // namespace olem::internal::sampling
