#pragma once

#include <limits>

namespace olem::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kHalfLog2Pi = 0.918938533204672742;  // ln(2 pi) / 2, of the normal density

// ln Gamma(x) for x > 0. Unlike std::lgamma it writes no global variable, so threads may call it at once.
double log_gamma(double x);

}  // namespace olem::internal
