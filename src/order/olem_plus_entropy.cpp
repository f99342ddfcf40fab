#include "order/olem_plus_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/special.h"

namespace olem::internal {

namespace {

// What the spacings must gain over the normal distribution: about what they gain from normal residuals by chance.
constexpr double kSpacingMargin = 0.01;

}  // namespace

ResidualEntropy residual_entropy(std::span<const double> residuals, std::span<const double> weights,
                                 double rounding_step) {
  const std::size_t size = residuals.size();
  const auto n = static_cast<double>(size);
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double mean_square = 0.0;
  double weight_square = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    mean_square += weight(i) * residuals[i] * residuals[i];
    weight_square += weight(i) * weight(i);
  }
  mean_square = std::max(mean_square / n, std::numeric_limits<double>::min());
  const double log_density_scale = kHalfLog2Pi + 0.5 * std::log(mean_square);
  const double normal_entropy = log_density_scale + 0.5;

  std::vector<std::pair<double, std::uint32_t>> sorted(size);
  for (std::size_t i = 0; i < size; ++i) sorted[i] = {residuals[i], static_cast<std::uint32_t>(i)};
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> share(size);  // cumulated weight up to the middle of each place
  double below = 0.0;
  for (std::size_t place = 0; place < size; ++place) {
    const double own = weight(sorted[place].second);
    share[place] = below + 0.5 * own;
    below += own;
  }
  const auto reach = static_cast<std::size_t>(std::lround(std::sqrt(n)));
  // The logarithm of a spacing is 1 / 4m too small on average; random weights of variance v make that (1 - v) / 4m.
  const double bias = (2.0 - weight_square / n) / (4.0 * static_cast<double>(reach));
  ResidualEntropy entropy;
  entropy.contributions.resize(size);
  double sum = 0.0;
  for (std::size_t place = 0; place < size; ++place) {
    const std::size_t low = place < reach ? 0 : place - reach;
    const std::size_t high = std::min(size - 1, place + reach);
    const double inverse_density = (sorted[high].first - sorted[low].first) * n / (share[high] - share[low]);
    const double own = std::log(std::max({inverse_density, rounding_step, std::numeric_limits<double>::min()})) + bias +
                       kSpacingMargin;
    const std::uint32_t i = sorted[place].second;
    sum += weight(i) * own;
    entropy.contributions[i] = static_cast<float>(own);
  }
  entropy.value = sum / n;
  if (entropy.value < normal_entropy) return entropy;
  entropy.value = normal_entropy;
  entropy.gaussian = true;
  for (std::size_t i = 0; i < size; ++i) {
    entropy.contributions[i] = static_cast<float>(log_density_scale + 0.5 * residuals[i] * residuals[i] / mean_square);
  }
  return entropy;
}

}  // namespace olem::internal
