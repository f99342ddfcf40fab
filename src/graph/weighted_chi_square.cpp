#include "graph/weighted_chi_square.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "olem/error.h"

namespace olem {

namespace {

using Complex = std::complex<double>;

// Phi(s) = ln E exp(s Q) - s q - ln s, whose exponential divided by 2 pi i integrates to P(Q > q) along any path that
// crosses the real axis once, between 0 and the first branch point on the right.
class Exponent {
 public:
  Exponent(std::vector<ChiSquareTerm> terms, double q) : terms_(std::move(terms)), q_(q) {}

  Complex operator()(Complex s) const {
    Complex sum = -s * q_ - std::log(s);
    for (const ChiSquareTerm& term : terms_) sum -= 0.5 * term.degrees * std::log(1.0 - 2.0 * term.weight * s);
    return sum;
  }

  struct Derivatives {
    double first = 0.0;
    double second = 0.0;
    double third = 0.0;
  };
  Derivatives derivatives(double s) const {
    Derivatives phi{-q_ - 1.0 / s, 1.0 / (s * s), -2.0 / (s * s * s)};
    for (const ChiSquareTerm& term : terms_) {
      const double ratio = 2.0 * term.weight / (1.0 - 2.0 * term.weight * s);
      phi.first += 0.5 * term.degrees * ratio;
      phi.second += 0.5 * term.degrees * ratio * ratio;
      phi.third += term.degrees * ratio * ratio * ratio;
    }
    return phi;
  }

  // Phi is convex between 0 and `high` and infinite at both ends: bracketed Newton steps for ln s.
  double saddle_point(double high) const {
    double low = 0.0;
    double s = std::isfinite(high) ? 0.5 * high : 1.0;
    for (int i = 0; i < 200; ++i) {
      const Derivatives phi = derivatives(s);
      (phi.first > 0.0 ? high : low) = s;
      double next = s * std::exp(std::clamp(-phi.first / (s * phi.second), -30.0, 30.0));
      if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * s;
      if (std::abs(next - s) <= 1e-6 * s) return next;  // anywhere near it will do: the path is only a choice
      s = next;
    }
    return s;
  }

 private:
  std::vector<ChiSquareTerm> terms_;
  double q_;
};

}  // namespace

double weighted_chi_square_upper_tail(std::span<const ChiSquareTerm> terms, double q) {
  double scale = 0.0;
  double largest = 0.0;
  for (const ChiSquareTerm& term : terms) {
    scale = std::max(scale, std::abs(term.weight));
    largest = std::max(largest, term.weight);
  }
  if (scale == 0.0) return q < 0.0 ? 1.0 : 0.0;
  if (largest == 0.0 && q >= 0.0) return 0.0;
  const bool has_negative = std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term.weight < 0.0; });
  if (!has_negative && q <= 0.0) return 1.0;

  // Below the mean the other tail is the one with a small probability, and its path the shorter one.
  double mean = 0.0;
  for (const ChiSquareTerm& term : terms) mean += term.weight * term.degrees;
  if (q < mean) {
    std::vector<ChiSquareTerm> negated(terms.begin(), terms.end());
    for (ChiSquareTerm& term : negated) term.weight = -term.weight;
    return 1.0 - weighted_chi_square_upper_tail(negated, -q);
  }

  std::vector<ChiSquareTerm> scaled;
  for (const ChiSquareTerm& term : terms) {
    if (term.weight != 0.0) scaled.push_back({term.weight / scale, term.degrees});
  }
  q /= scale;
  const Exponent exponent(std::move(scaled), q);
  const double first_branch_point = largest > 0.0 ? 0.5 * scale / largest : std::numeric_limits<double>::infinity();
  const double saddle = exponent.saddle_point(first_branch_point);
  const auto phi = exponent.derivatives(saddle);
  const double width = 1.0 / std::sqrt(phi.second);
  const double height = exponent(Complex(saddle, 0.0)).real();

  // The path s(y) = saddle + i y + bend y^2 leans towards the side on which exp(-s q) decays, by as much as the path of
  // steepest descent does if that leans to the same side.
  const double side = q > 0.0 ? 1.0 : (q < 0.0 ? -1.0 : 0.0);
  const double bend = side * std::clamp(side * phi.third * width * width * width / 6.0, 0.1, 1.0) / width;
  const auto integrand = [&](double x) {
    // y = width sinh(x) turns an algebraic decay into an exponential one.
    const double y = width * std::sinh(x);
    const Complex s(saddle + bend * y * y, y);
    const Complex direction(1.0, -2.0 * bend * y);  // s'(y) / i
    return (std::exp(exponent(s) - height) * direction).real() * width * std::cosh(x);
  };

  // The trapezoidal rule converges exponentially for such integrands, so halving the step until nothing moves is both
  // the rule and its error estimate.
  constexpr double kLimit = 300.0;
  double end = 0.0;
  for (int quiet = 0; quiet < 8 && end < kLimit; end += 0.25) {
    quiet = std::abs(integrand(end)) < 1e-18 * width ? quiet + 1 : 0;
  }
  int intervals = static_cast<int>(std::lround(end * 4.0));
  double step = 0.25;
  double sum = 0.5 * integrand(0.0);
  for (int i = 1; i <= intervals; ++i) sum += integrand(i * step);
  for (int halving = 0; halving < 12; ++halving) {
    double middle = 0.0;
    for (int i = 0; i < intervals; ++i) middle += integrand((i + 0.5) * step);
    const double coarse = sum * step;
    sum += middle;
    step *= 0.5;
    intervals *= 2;
    const double fine = sum * step;
    if (std::abs(fine - coarse) <= 1e-11 * std::abs(fine)) {
      return std::clamp(std::exp(height) * fine / std::numbers::pi, 0.0, 1.0);
    }
  }
  throw Error(ErrorCategory::kInternal,
              fmt::format("The weighted chi-square probability of {} terms at {} did not converge.", terms.size(), q));
}

double f_upper_tail(double f, double degrees, double residual_degrees) {
  if (!(f > 0.0)) return 1.0;
  if (std::isinf(f)) return 0.0;
  return boost::math::cdf(
      boost::math::complement(boost::math::fisher_f_distribution<double>(degrees, residual_degrees), f));
}

}  // namespace olem
