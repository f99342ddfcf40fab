#include "olem/independence.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace olem {

IndependenceTest fisher_z_test(const Covariance& covariance) {
  IndependenceTest test;
  test.largest_set = static_cast<long long>(std::ceil(std::clamp(covariance.rows - 4.0, -1.0, 1e18)));
  test.p_value = [&covariance](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    const double z = std::atanh(partial_correlation(covariance, i, j, given));
    const double freedom = covariance.rows - static_cast<double>(given.size()) - 3.0;
    return std::erfc(std::sqrt(freedom) * std::abs(z) / std::numbers::sqrt2);
  };
  return test;
}

OptionSet describe(IndependenceOptions& options) {
  OptionSet set;
  set.real("independence_alpha", options.alpha, 0.0, 1.0, "variables with a p-value above this count as independent");
  set.integer("max_conditioning", options.max_conditioning, -1, 1000000,
              "most variables in a conditioning set; -1: any number");
  return set;
}

const SeparatingSet* SeparatingSets::find(std::size_t a, std::size_t b) const {
  if (b < a) std::swap(a, b);
  const auto found = std::lower_bound(list.begin(), list.end(), std::pair(a, b),
                                      [](const auto& set, const auto& pair) { return std::pair(set.a, set.b) < pair; });
  return found != list.end() && found->a == a && found->b == b ? &*found : nullptr;
}

}  // namespace olem
