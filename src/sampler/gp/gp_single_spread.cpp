#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/lapack.h"
#include "sampler/gp/gp_model.h"
#include "sampler/gp/kernel_loops.h"

namespace olem::internal::sampling {

namespace {

constexpr double kLeadingJitter = 1e-10;  // of the signal, as for all inducing points
// What single_rounding may be, relative to the noise: errors of the variance are an eighth of it as a rule, and half of
// it at worst, which is far less than the variance is known itself.
constexpr double kSingleRounding = 1e-3;
// With fewer points there is nothing to gain.
constexpr std::size_t kFewestPoints = 32;
static_assert(kFewestPoints >= kLeadingPoints);

// Fills whiten and weights. False when the first points cannot be told apart.
bool factor_leading(const GpModel& model, SingleSpread& single) {
  const std::size_t m = model.spread_points;
  const std::size_t s = kLeadingPoints;
  const ScaledPoints first = model.points.slice(0, s);
  std::vector<double> scratch;
  std::vector<double> factor(s * s);
  covariance_block(model.parameters, first, first, scratch, factor.data());
  for (std::size_t j = 0; j < s; ++j) factor[j * s + j] += kLeadingJitter * model.parameters.signal;
  if (!cholesky_lower(factor.data(), s)) return false;
  single.whiten.assign(s * s, 0.0);
  for (std::size_t j = 0; j < s; ++j) single.whiten[j * s + j] = 1.0;
  solve_lower(factor.data(), s, false, single.whiten.data(), s);
  std::vector<double> among(s * m);
  covariance_block(model.parameters, first, model.points.slice(0, m), scratch, among.data());
  solve_lower(factor.data(), s, false, among.data(), m);
  single.weights.assign(s * m, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    // The first points leave nothing of their own values, jitter or not.
    for (std::size_t q = 0; q < s; ++q) {
      single.weights[s * j + q] = j >= s ? among[s * j + q] : q <= j ? factor[q * s + j] : 0.0;
    }
  }
  return true;
}

// features x directions in double, for the features of a SingleSpread.
std::vector<double> turned_spread(const GpModel& model, const SingleSpread& single) {
  const std::size_t p = model.features();
  std::vector<double> spread = model.spread;
  multiply(1.0, {single.weights.data(), kLeadingPoints, model.spread_points},
           {model.spread.data(), model.spread_points, model.directions, p}, 0.0, spread.data(), p);
  return lower_trapezoid(spread, p, model.directions);
}

// How far rounding entries of features and spread to single precision moves the explained variance: one standard
// deviation, as if they rounded independently of each other. The rest of a value is at most the root of what the first
// points leave of the point's variance times what they leave of the draw's, which is most at one of the points.
double single_rounding(const GpModel& model, const SingleSpread& single, const std::vector<double>& spread) {
  constexpr double kRounding = 0.25 * std::numeric_limits<float>::epsilon();
  const GpParameters& parameters = model.parameters;
  const std::size_t p = model.features();
  const std::size_t m = model.spread_points;
  const std::size_t s = kLeadingPoints;
  double linear = parameters.constant;
  for (const double variance : parameters.linear) linear += variance;
  double most = 0.0;
  double most_left = 0.0;
  std::vector<double> sizes(p, 1.0);  // squared
  std::fill_n(sizes.begin(), s, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    double own = 0.0;
    double unused = 0.0;
    for (std::size_t c = 0; c < model.points.coordinates; ++c) {
      const double coordinate = model.points.values[c * model.points.points + j];
      own += coordinate * coordinate;
    }
    double left = prior_variance(parameters, own, unused);
    most = std::max(most, left);
    for (std::size_t q = 0; q < s; ++q) left -= std::pow(single.weights[s * j + q], 2);
    if (j < s) continue;
    sizes[j] = std::max(left, 0.0);
    most_left = std::max(most_left, left);
  }
  for (std::size_t j = s; j < m; ++j) sizes[j] *= most_left;
  double total = 0.0;
  for (std::size_t l = 0; l < model.directions; ++l) {
    double squares = 0.0;
    for (std::size_t i = l; i < p; ++i) squares += spread[l * p + i] * spread[l * p + i] * sizes[i];
    // The directions add up to no more than the prior variance of what enters them.
    total += squares * (linear + (l < s ? most : most_left));
  }
  return 2.0 * kRounding * std::sqrt(total);
}

std::vector<float> narrowed(const std::vector<double>& values) {
  std::vector<float> single(values.size());
  kernel_loops().narrow(values.size(), values.data(), single.data());
  return single;
}

}  // namespace

void set_spread(GpModel& model, std::size_t directions, std::vector<double> spread) {
  model.directions = directions;
  model.spread = std::move(spread);
  model.single = SingleSpread();
  SingleSpread single;
  if (model.spread_points < kFewestPoints || directions == 0 || !factor_leading(model, single)) return;
  const std::vector<double> turned = turned_spread(model, single);
  if (!(single_rounding(model, single, turned) <= kSingleRounding * model.parameters.noise)) return;
  const std::size_t p = model.features();
  const std::size_t m = model.spread_points;
  const std::size_t s = kLeadingPoints;
  single.spread = narrowed(turned);
  single.corner.assign(s * s, 0.0);
  for (std::size_t l = 0; l < std::min(s, directions); ++l) {
    std::copy_n(turned.data() + l * p, s, single.corner.data() + l * s);
  }
  // A value of the first points enters f, and through it the rest of the others: L^-T (rows of f - L^-1 C other rows).
  std::vector<double> first(s * directions);
  for (std::size_t l = 0; l < directions; ++l) std::copy_n(turned.data() + l * p, s, first.data() + l * s);
  multiply(-1.0, {single.weights.data() + s * s, s, m - s}, {turned.data() + s, m - s, directions, p}, 1.0,
           first.data());
  std::vector<double> rows(first.size());
  multiply(1.0, {single.whiten.data(), s, s, 0, true}, {first.data(), s, directions}, 0.0, rows.data());
  single.first = narrowed(rows);
  model.single = std::move(single);
}

}  // namespace olem::internal::sampling
