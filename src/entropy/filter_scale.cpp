#include "entropy/filter_scale.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

FilterScale fine_filter_scale(std::span<const double> low, std::span<const double> high) {
  // Squares of it add up without overflow, and its 2^-80th part still counts.
  constexpr double kLargest = 0x1p50;
  double squares = 0.0;
  double largest = 0.0;
  for (std::size_t v = 0; v < low.size(); ++v) {
    const double half = high[v] / 2.0 - low[v] / 2.0;
    squares += half * half;
    largest = std::max(largest, half);
  }
  FilterScale result;
  result.scale = largest > 0.0 ? std::exp2(std::floor(std::log2(kLargest / largest))) : 1.0;
  // A coordinate is off by half a unit of its size, a difference by twice that; as much again for the centring.
  result.coordinate_error = 4.0 * std::sqrt(squares) * result.scale * 0x1p-24;
  return result;
}

float filter_shrink(std::size_t width) {
  // Each of the additions and a few more operations round by at most half a unit; twice that is left as margin.
  return static_cast<float>(1.0 - static_cast<double>(width + 8) * 0x1p-22);
}

}  // namespace olem::internal
