#include "order/gap.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace olem::internal {

namespace {

// Differences below this many standard errors are what chance makes.
constexpr double kDecisive = 2.0;

}  // namespace

double gap_standard_error(std::span<const double> a, std::span<const double> b) {
  double mean = 0.0;
  double squares = 0.0;
  double used = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (std::isnan(difference)) continue;
    used += 1.0;
    const double step = difference - mean;
    mean += step / used;
    squares += step * (difference - mean);
  }
  if (used < 3.0) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares / (used - 1.0) / used);
}

void judge_gap(OrderStep& step, double standard_error) {
  step.gap_standard_error = standard_error;
  step.decided = *step.gap > kDecisive * standard_error;
}

}  // namespace olem::internal
