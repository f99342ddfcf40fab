#pragma once

#include <span>

namespace olem::internal {

// How the filters of the sweeps see coordinates as floats: centred, and times a power of two.
struct FilterScale {
  double scale = 1.0;
  double coordinate_error = 0.0;  // filter units: bound on the error of a distance from rounding the coordinates
};

// From the least and greatest values of the columns.
FilterScale fine_filter_scale(std::span<const double> low, std::span<const double> high);

// 1 less a bound on the relative rounding of a float sum over `width` columns.
float filter_shrink(std::size_t width);

}  // namespace olem::internal
