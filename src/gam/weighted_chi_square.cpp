#include "gam/weighted_chi_square.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "olem/error.h"

namespace olem::internal {

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

  // Absolute error of the exponent at a real point, which is a relative error of the integrand.
  double rounding(double s) const {
    double size = 1.0;
    for (const ChiSquareTerm& term : terms_) {
      size += 0.5 * term.degrees * std::max(1.0, std::abs(std::log(1.0 - 2.0 * term.weight * s)));
    }
    return std::numeric_limits<double>::epsilon() * size;
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
  constexpr double kUnderflow = -760.0;
  if (height + std::log(width) < kUnderflow) return 0.0;

  // The path is the branch s(x) = saddle + width (lean (cosh x - 1) + i sinh x) of a hyperbola. It leans towards the
  // side on which exp(-s q) decays, by as much as the path of steepest descent does if that leans to the same side; for
  // q = 0 both sides are open. It keeps its angle to the real axis, where all singularities are, and in x every decay
  // is exponential.
  const double side = q > 0.0 || (q == 0.0 && phi.third > 0.0) ? 1.0 : -1.0;
  const double lean = side * std::clamp(side * phi.third * width * width * width / 3.0, 0.2, 1.5);
  const auto integrand = [&](double x) {
    const double sinh = std::sinh(x);
    const double cosh = std::cosh(x);
    const Complex s = saddle + width * Complex(lean * (cosh - 1.0), sinh);
    const Complex direction(cosh, -lean * sinh);  // s'(x) / (i width)
    return (std::exp(exponent(s) - height) * direction).real() * width;
  };

  // The trapezoidal rule converges exponentially for such integrands, so halving the step until nothing moves is both
  // the rule and its error estimate.
  const double tolerance = std::max(1e-11, 16.0 * exponent.rounding(saddle));
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
    if (std::abs(fine - coarse) <= tolerance * std::abs(fine)) {
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

}  // namespace olem::internal
