#include "sampler/flow/spline_map.h"

#include <algorithm>
#include <cmath>

namespace olem::internal::sampling {

namespace {

constexpr double kBound = 5.0;  // of the spline: nearly all of a standard normal distribution is within
constexpr double kLargestLogScale = 2.0;
constexpr double kLeastShare = 1e-3;  // of a bin
constexpr double kLeastKnotSlope = 1e-3;
constexpr double kSlopeOffset =
    0.539742417236952;  // ln(exp(1 - kLeastKnotSlope) - 1): raw slopes of 0 give slopes of 1

// Shares of the raw sizes, and the knots that they make on [-kBound, kBound].
void set_knots(std::span<const double> raw, std::vector<double>& shares, std::vector<double>& knots) {
  const std::size_t bins = raw.size();
  const double largest = *std::max_element(raw.begin(), raw.end());
  double sum = 0.0;
  for (std::size_t k = 0; k < bins; ++k) sum += shares[k] = std::exp(raw[k] - largest);
  const double spread = 1.0 - kLeastShare * static_cast<double>(bins);
  knots[0] = -kBound;
  for (std::size_t k = 0; k < bins; ++k) {
    shares[k] /= sum;
    knots[k + 1] = knots[k] + 2.0 * kBound * (shares[k] * spread + kLeastShare);
  }
  knots[bins] = kBound;
}

// From the gradient by the sizes of bins to that by their raw parameters, which is added.
void add_share_gradient(std::span<const double> shares, std::span<const double> by_size, std::span<double> gradient) {
  const double factor = 2.0 * kBound * (1.0 - kLeastShare * static_cast<double>(shares.size()));
  double mean = 0.0;
  for (std::size_t k = 0; k < shares.size(); ++k) mean += shares[k] * by_size[k];
  for (std::size_t k = 0; k < shares.size(); ++k) gradient[k] += factor * shares[k] * (by_size[k] - mean);
}

}  // namespace

SplineMap::SplineMap(std::size_t bins)
    : width_share_(bins),
      height_share_(bins),
      x_(bins + 1),
      z_(bins + 1),
      slope_(bins + 1, 1.0),
      slope_derivative_(bins - 1),
      by_width_(bins),
      by_height_(bins) {
  set(std::vector<double>(parameters(bins), 0.0));
}

void SplineMap::set(std::span<const double> raw) {
  const std::size_t count = bins();
  location_ = raw[0];
  const double tangent = std::tanh(raw[1] / kLargestLogScale);
  log_scale_ = kLargestLogScale * tangent;
  log_scale_derivative_ = 1.0 - tangent * tangent;
  set_knots(raw.subspan(2, count), width_share_, x_);
  set_knots(raw.subspan(2 + count, count), height_share_, z_);
  for (std::size_t k = 1; k < count; ++k) {
    const double argument = raw[1 + 2 * count + k] + kSlopeOffset;
    const double small = std::exp(-std::abs(argument));
    slope_[k] = kLeastKnotSlope + std::max(argument, 0.0) + std::log1p(small);
    slope_derivative_[k - 1] = (argument >= 0.0 ? 1.0 : small) / (1.0 + small);
  }
}

RationalQuadraticBin SplineMap::bin(std::size_t k) const {
  return {x_[k + 1] - x_[k], z_[k + 1] - z_[k], slope_[k], slope_[k + 1]};
}

double SplineMap::forward(double y, double& log_slope) const {
  const double x = (y - location_) * std::exp(-log_scale_);
  log_slope = -log_scale_;
  if (!(std::abs(x) < kBound)) return x;
  const auto k = static_cast<std::size_t>(std::upper_bound(x_.begin() + 1, x_.end() - 1, x) - x_.begin()) - 1;
  double slope = 0.0;
  const double z = z_[k] + bin(k).value(x - x_[k], slope);
  log_slope += std::log(slope);
  return z;
}

double SplineMap::inverse(double z) const {
  double x = z;
  if (std::abs(z) < kBound) {
    const auto k = static_cast<std::size_t>(std::upper_bound(z_.begin() + 1, z_.end() - 1, z) - z_.begin()) - 1;
    x = x_[k] + bin(k).inverse(z - z_[k]);
  }
  return location_ + std::exp(log_scale_) * x;
}

void SplineMap::add_gradient(double y, double by_z, double by_log_slope, std::span<double> gradient) {
  const double shrink = std::exp(-log_scale_);
  const double x = (y - location_) * shrink;
  double by_x = by_z;
  if (std::abs(x) < kBound) {
    const std::size_t count = bins();
    const auto k = static_cast<std::size_t>(std::upper_bound(x_.begin() + 1, x_.end() - 1, x) - x_.begin()) - 1;
    const RationalQuadraticBin here = bin(k);
    const double width = here.width;
    const double height = here.height;
    const double left = here.slope_left;
    const double right = here.slope_right;
    const double steep = height / width;
    const double t = (x - x_[k]) / width;
    const double s = 1.0 - t;
    const double ts = t * s;
    // z - z_k = height upper / lower, and the slope is steep^2 bend / lower^2.
    const double lower = steep + (left + right - 2.0 * steep) * ts;
    const double upper = steep * t * t + left * ts;
    const double bend = right * t * t + 2.0 * steep * ts + left * s * s;
    const double lower_t = (left + right - 2.0 * steep) * (1.0 - 2.0 * t);
    const double lower_steep = 1.0 - 2.0 * ts;
    // A derivative of the sum of both outputs, from those of upper, lower, bend and of 2 ln steep.
    const auto combine = [&](double d_upper, double d_lower, double d_bend, double d_log) {
      return by_z * height * (d_upper * lower - upper * d_lower) / (lower * lower) +
             by_log_slope * (d_log + d_bend / bend - 2.0 * d_lower / lower);
    };
    const double by_t = combine(2.0 * steep * t + left * (1.0 - 2.0 * t), lower_t,
                                2.0 * (right * t + steep * (1.0 - 2.0 * t) - left * s), 0.0);
    const double by_steep = combine(t * t, lower_steep, 2.0 * ts, 2.0 / steep);
    const double by_left = combine(ts, ts, s * s, 0.0);
    const double by_right = combine(0.0, ts, t * t, 0.0);
    by_x = by_t / width;

    // The bins before this one move its lower left corner.
    std::fill(by_width_.begin(), by_width_.end(), 0.0);
    std::fill(by_height_.begin(), by_height_.end(), 0.0);
    std::fill_n(by_width_.begin(), k, -by_x);
    std::fill_n(by_height_.begin(), k, by_z);
    by_width_[k] = -(by_t * t + by_steep * steep) / width;
    by_height_[k] = by_z * upper / lower + by_steep / width;
    add_share_gradient(width_share_, by_width_, gradient.subspan(2, count));
    add_share_gradient(height_share_, by_height_, gradient.subspan(2 + count, count));
    if (k > 0) gradient[1 + 2 * count + k] += by_left * slope_derivative_[k - 1];
    if (k + 1 < count) gradient[2 + 2 * count + k] += by_right * slope_derivative_[k];
  }
  gradient[0] -= by_x * shrink;
  gradient[1] -= (by_x * x + by_log_slope) * log_scale_derivative_;
}

}  // namespace olem::internal::sampling
