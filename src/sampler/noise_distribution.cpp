#include "sampler/noise_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/special.h"
#include "olem/random.h"
#include "sampler/flow/rational_quadratic.h"

namespace olem::internal::sampling {

namespace {

constexpr double kWidth = 0.5;                // of the smoothing, times n^(-1/5)
constexpr double kPoints = 5.0;               // residuals that half of its width holds at least
constexpr double kSpacing = 1.5;              // of the knots, in widths
constexpr double kTailPoints = 5.0;           // residuals beyond the outermost knots
constexpr double kLargestTail = 0.1;          // but not more than this share of them
constexpr double kLeastSlope = 1e-3;          // relative to the standard deviation: repeated values leave a density
constexpr std::size_t kMostSorted = 100000;   // residuals that are looked at
constexpr std::size_t kMostQuantiles = 5000;  // that the shape is made of
constexpr double kNoVariance = 1e-16;         // residuals that differ by rounding alone

double normal_cdf(double z) { return 0.5 * std::erfc(-z * std::numbers::sqrt2 / 2.0); }
double normal_density(double z) { return std::exp(-0.5 * z * z - kHalfLog2Pi); }

RationalQuadraticBin bin_of(const NoiseDistribution& noise, std::size_t k) {
  return {noise.normal[k + 1] - noise.normal[k], noise.value[k + 1] - noise.value[k], noise.slope[k],
          noise.slope[k + 1]};
}

// The last k with knots[k] <= x, but not the last knot.
std::size_t bin_at(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
  return static_cast<std::size_t>(above - knots.begin()) - 1;
}

// Mean and variance of the draws, by the trapezoid rule over the normal scale.
std::pair<double, double> moments(const NoiseDistribution& noise) {
  constexpr int kSteps = 400;
  constexpr double kReach = 8.0;
  double mass = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (int s = -kSteps; s <= kSteps; ++s) {
    const double z = kReach * s / kSteps;
    const double weight = normal_density(z);
    const double e = noise.draw(z);
    mass += weight;
    first += weight * e;
    second += weight * e * e;
  }
  const double mean = first / mass;
  return {mean, second / mass - mean * mean};
}

}  // namespace

double NoiseDistribution::draw(double z) const {
  if (z <= normal.front()) return value.front() + (z - normal.front()) * slope.front();
  if (z >= normal.back()) return value.back() + (z - normal.back()) * slope.back();
  const std::size_t k = bin_at(normal, z);
  double unused = 0.0;
  return value[k] + bin_of(*this, k).value(z - normal[k], unused);
}

namespace {

// The normal number that belongs to a draw, and the derivative of the draw by it.
double normal_of(const NoiseDistribution& noise, double e, double& derivative) {
  if (e <= noise.value.front()) {
    derivative = noise.slope.front();
    return noise.normal.front() + (e - noise.value.front()) / derivative;
  }
  if (e >= noise.value.back()) {
    derivative = noise.slope.back();
    return noise.normal.back() + (e - noise.value.back()) / derivative;
  }
  const std::size_t k = bin_at(noise.value, e);
  const RationalQuadraticBin bin = bin_of(noise, k);
  const double x = bin.inverse(e - noise.value[k]);
  bin.value(x, derivative);
  return noise.normal[k] + x;
}

}  // namespace

double NoiseDistribution::probability(double e) const {
  double unused = 0.0;
  return normal_cdf(normal_of(*this, e, unused));
}

double NoiseDistribution::probability(double e, double sd) const {
  if (!(sd > 0.0)) return probability(e);
  constexpr int kSteps = 24;
  constexpr double kReach = 5.0;
  double mass = 0.0;
  double sum = 0.0;
  for (int s = -kSteps; s <= kSteps; ++s) {
    const double t = kReach * s / kSteps;
    const double weight = normal_density(t);
    mass += weight;
    sum += weight * probability(e - sd * t);
  }
  return sum / mass;
}

double NoiseDistribution::log_density(double e) const {
  double derivative = 0.0;
  const double z = normal_of(*this, e, derivative);
  return -0.5 * z * z - kHalfLog2Pi - std::log(derivative);
}

double NoiseDistribution::log_density(double e, double sd) const {
  if (!(sd > 0.0)) return log_density(e);
  // The trapezoid rule over one of the two standard normal numbers, the one that spreads less; given it the other has a
  // density. The terms are densities with weights that add up to one, so the result is a density whatever the step.
  constexpr int kSteps = 48;
  constexpr double kReach = 6.0;
  const double mean_slope = (value.back() - value.front()) / (normal.back() - normal.front());
  double mass = 0.0;
  double density = 0.0;
  for (int s = -kSteps; s <= kSteps; ++s) {
    const double t = kReach * s / kSteps;
    const double weight = normal_density(t);
    mass += weight;
    density += weight * (sd < mean_slope ? std::exp(log_density(e - sd * t)) : normal_density((e - draw(t)) / sd) / sd);
  }
  return std::log(std::max(density / mass, std::numeric_limits<double>::min()));
}

namespace {

// Of very many, every k-th.
std::vector<double> some_of(std::span<const double> residuals) {
  const std::size_t step = std::max<std::size_t>(1, residuals.size() / kMostSorted);
  std::vector<double> chosen;
  chosen.reserve(residuals.size() / step + 1);
  for (std::size_t i = 0; i < residuals.size(); i += step) chosen.push_back(residuals[i]);
  return chosen;
}

// Of many ascending numbers as many quantiles as the smoothing can use.
std::vector<double> quantiles_of(std::vector<double> sorted) {
  if (sorted.size() <= kMostQuantiles) return sorted;
  std::vector<double> chosen(kMostQuantiles);
  for (std::size_t j = 0; j < kMostQuantiles; ++j)
    chosen[j] = sorted[(2 * j + 1) * sorted.size() / (2 * kMostQuantiles)];
  return chosen;
}

}  // namespace

NoiseDistribution fit_noise(std::span<const double> residuals) {
  std::vector<double> sorted = some_of(residuals);
  std::sort(sorted.begin(), sorted.end());
  const auto all = static_cast<double>(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / all;
  double variance = 0.0;
  for (const double e : sorted) variance += (e - mean) * (e - mean) / all;
  sorted = quantiles_of(std::move(sorted));
  const std::size_t n = sorted.size();
  const auto count = static_cast<double>(n);

  if (!(variance > kNoVariance)) {
    const double sd = std::sqrt(kNoVariance);
    return {{-1.0, 1.0}, {mean - sd, mean + sd}, {sd, sd}};
  }

  const double least_width = kWidth * std::pow(count, -0.2);
  const double reach = -normal_quantile(std::min(kTailPoints / count, kLargestTail));
  const auto bins = static_cast<std::size_t>(std::ceil(2.0 * reach / (kSpacing * least_width)));
  // Where the empirical quantile function steps from one residual to the next.
  std::vector<double> steps(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) steps[i] = normal_quantile(static_cast<double>(i + 1) / count);

  NoiseDistribution noise;
  const double least_slope = kLeastSlope * std::sqrt(variance);
  for (std::size_t k = 0; k <= bins; ++k) {
    const double z = reach * (2.0 * static_cast<double>(k) / static_cast<double>(bins) - 1.0);
    const double width = std::max(least_width, kPoints / (count * normal_density(z)));
    double value = sorted.back();
    double slope = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double jump = sorted[i + 1] - sorted[i];
      const double t = (steps[i] - z) / width;
      value -= jump * normal_cdf(t);
      slope += jump * normal_density(t) / width;
    }
    if (k > 0) value = std::max(value, noise.value.back() + least_slope * (z - noise.normal.back()));
    noise.normal.push_back(z);
    noise.value.push_back(value);
    noise.slope.push_back(std::max(slope, least_slope));
  }

  const auto [smooth_mean, smooth_variance] = moments(noise);
  const double stretch = std::sqrt(variance / smooth_variance);
  for (double& value : noise.value) value = mean + (value - smooth_mean) * stretch;
  for (double& slope : noise.slope) slope *= stretch;
  return noise;
}

bool is_sound(const NoiseDistribution& noise) {
  const std::size_t n = noise.normal.size();
  const auto increasing = [](const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), [](double a, double b) { return !(a < b); }) ==
           values.end();
  };
  return n >= 2 && noise.value.size() == n && noise.slope.size() == n && increasing(noise.normal) &&
         increasing(noise.value) &&
         std::all_of(noise.slope.begin(), noise.slope.end(), [](double slope) { return slope > 0.0; });
}

}  // namespace olem::internal::sampling
