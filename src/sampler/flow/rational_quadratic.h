#pragma once

namespace olem::internal::sampling {

// One bin of a monotone rational-quadratic spline (Gregory and Delbourgo 1982; Durkan et al. 2019, section 3): from
// (0, 0) to (width, height) with positive slopes at both ends.
struct RationalQuadraticBin {
  double width = 1.0;
  double height = 1.0;
  double slope_left = 1.0;
  double slope_right = 1.0;

  // The value at x in [0, width] and, in `slope`, the derivative there.
  double value(double x, double& slope) const;
  // The x in [0, width] whose value is y in [0, height].
  double inverse(double y) const;
};

}  // namespace olem::internal::sampling
