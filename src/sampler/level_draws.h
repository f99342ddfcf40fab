#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace olem::internal::sampling {

// The place of a value among ascending levels that it may miss by rounding; levels.size() when it is none of them.
inline std::size_t level_place(std::span<const double> levels, double y) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (std::abs(levels[k] - y) <= 1e-9 * (1.0 + std::abs(y))) return k;
  }
  return levels.size();
}

inline double logit_of(double p) {
  constexpr double kLeast = 1e-12;
  p = std::clamp(p, kLeast, 1.0 - kLeast);
  return std::log(p / (1.0 - p));
}

inline double logistic_of(double a) {
  return a >= 0.0 ? 1.0 / (1.0 + std::exp(-a)) : std::exp(a) / (1.0 + std::exp(a));
}

// A relaxed draw (SamplerRun::relax) and its derivatives by the probabilities C of the levels up to each but the last.
inline double relaxed_level(std::span<const double> levels, std::span<const double> cumulative, double logit_u,
                            double temperature, double* by_cumulative) {
  double y = levels.front();
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    const double passed = logistic_of((logit_u - logit_of(cumulative[k])) / temperature);
    const double step = levels[k + 1] - levels[k];
    y += step * passed;
    if (by_cumulative == nullptr) continue;
    const double p = std::clamp(cumulative[k], 1e-12, 1.0 - 1e-12);
    by_cumulative[k] = -step * passed * (1.0 - passed) / (temperature * p * (1.0 - p));
  }
  return y;
}

}  // namespace olem::internal::sampling
