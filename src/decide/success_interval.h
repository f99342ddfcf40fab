#pragma once

#include <cstddef>

namespace olem::internal {

struct Interval {
  double low = 0.0;
  double high = 1.0;
};

// Both intervals are for the probability behind `successes` of `trials` independent draws. They cover the error of
// sampling only, not that of the model that was sampled. A usage error unless successes <= trials, trials >= 1 and the
// level lies strictly between 0 and 1.

// Clopper and Pearson 1934: covers the probability in at least the share `confidence` of all samples, whatever it is.
Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence = 0.95);

// The bound of Qin, Wang and Zhou 2023 at level delta: two-sided beta quantiles at delta / trials, and Hoeffding's
// deviation sqrt(ln(2 / delta) / (2 trials)) from the share of successes; the narrower of the two on each side.
struct QwzInterval {
  double beta_low = 0.0;
  double beta_high = 1.0;
  double deviation = 0.0;
  Interval interval;
};
QwzInterval qwz_interval(std::size_t successes, std::size_t trials, double delta = 0.05);

}  // namespace olem::internal
