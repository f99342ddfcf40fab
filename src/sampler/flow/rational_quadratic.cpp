#include "sampler/flow/rational_quadratic.h"

#include <algorithm>
#include <cmath>

namespace olem::internal::sampling {

double RationalQuadraticBin::value(double x, double& slope) const {
  const double mean_slope = height / width;
  const double t = x / width;
  const double s = 1.0 - t;
  const double denominator = mean_slope + (slope_left + slope_right - 2.0 * mean_slope) * t * s;
  slope = mean_slope * mean_slope * (slope_right * t * t + 2.0 * mean_slope * t * s + slope_left * s * s) /
          (denominator * denominator);
  return height * (mean_slope * t * t + slope_left * t * s) / denominator;
}

double RationalQuadraticBin::inverse(double y) const {
  const double mean_slope = height / width;
  const double bend = y * (slope_left + slope_right - 2.0 * mean_slope);
  const double a = height * (mean_slope - slope_left) + bend;
  const double b = height * slope_left - bend;
  const double c = -mean_slope * y;
  // The form of the root in which nothing cancels for a -> 0.
  const double root = std::sqrt(std::max(0.0, b * b - 4.0 * a * c));
  return width * std::clamp(-2.0 * c / (b + root), 0.0, 1.0);
}

}  // namespace olem::internal::sampling
