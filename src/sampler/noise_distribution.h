#pragma once

#include <span>
#include <vector>

namespace olem::internal::sampling {

// The distribution of a residual as a smooth increasing function of a standard normal number: a rational-quadratic
// spline between knots, straight lines beyond them (Gaussian tails). So it can be drawn from, and has a density.
struct NoiseDistribution {
  std::vector<double> normal;  // knots, ascending
  std::vector<double> value;   // there, strictly increasing
  std::vector<double> slope;   // there, positive

  // The draw that belongs to the standard normal number z.
  double draw(double z) const;
  double log_density(double e) const;
  // The same for a draw plus an independent normal number of standard deviation `sd`.
  double log_density(double e, double sd) const;
  // The probability of draws up to e; the same with such a normal number.
  double probability(double e) const;
  double probability(double e, double sd) const;
};

// From at least two residuals in standardised units. The empirical quantile function, over the normal scale, is
// averaged with a Gaussian of width n^(-1/5) / 2, or more where that would hold few residuals; this keeps it increasing
// and leaves straight lines alone. Knots stand up to the score of the fifth largest residual. A final shift and stretch
// gives it the mean and variance of the residuals. Equal residuals give a normal distribution of standard deviation
// 1e-8. O(n log n + n knots).
NoiseDistribution fit_noise(std::span<const double> residuals);

// Whether the arrays have equal sizes of at least 2 and keep what is promised above.
bool is_sound(const NoiseDistribution& noise);

}  // namespace olem::internal::sampling
