#include "decide/success_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "olem/error.h"

namespace olem::internal {

namespace {

void check_arguments(std::size_t successes, std::size_t trials, const char* name, double level) {
  if (trials == 0 || successes > trials) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("{} successes in {} trials have no interval: there must be at least one trial, and not "
                            "more successes than trials.",
                            successes, trials));
  }
  if (!(level > 0.0 && level < 1.0)) {
    throw Error(ErrorCategory::kUsage, fmt::format("{}: {} is not a number between 0 and 1.", name, level));
  }
}

// Lower and upper bounds that the probability leaves with probability at most `tail` each.
Interval beta_interval(std::size_t successes, std::size_t trials, double tail) {
  const auto good = static_cast<double>(successes);
  const auto bad = static_cast<double>(trials - successes);
  Interval interval;
  if (successes > 0) interval.low = boost::math::ibeta_inv(good, bad + 1.0, tail);
  // The upper tail directly: 1 - tail would lose the digits of small tails.
  if (successes < trials) interval.high = boost::math::ibetac_inv(good + 1.0, bad, tail);
  return interval;
}

}  // namespace

Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence) {
  check_arguments(successes, trials, "confidence", confidence);
  return beta_interval(successes, trials, 0.5 * (1.0 - confidence));
}

QwzInterval qwz_interval(std::size_t successes, std::size_t trials, double delta) {
  check_arguments(successes, trials, "delta", delta);
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const Interval beta = beta_interval(successes, trials, 0.5 * delta / n);
  QwzInterval result;
  result.beta_low = beta.low;
  result.beta_high = beta.high;
  result.deviation = std::sqrt(std::log(2.0 / delta) / (2.0 * n));
  result.interval.low = std::max(beta.low, share - result.deviation);
  result.interval.high = std::min(beta.high, share + result.deviation);
  return result;
}

}  // namespace olem::internal
