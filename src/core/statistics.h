#pragma once

#include <numeric>
#include <span>

namespace olem::internal {

// The arithmetic mean, added up from first to last. NaN of nothing.
inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace olem::internal
