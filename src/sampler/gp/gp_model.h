#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "olem/context.h"
#include "sampler/gp/gp_kernel.h"

namespace olem::internal::sampling {

// The spread for single precision, which must not round kernel values themselves: they are large, much alike, and the
// spread takes differences of them. So the first points (kLeadingPoints of them, as pivoted Cholesky chose them) are
// taken care of in double: with L L^T their covariance and C their covariance with all points, f = L^-1 (values of the
// first points) has independent entries, and all values are C^T L^-T f + rest, where the rest is small. The features
// are (f, rest of the other points, 1, c), and the directions are turned so that f enters the first of them alone.
struct SingleSpread {
  std::vector<double> whiten;   // kLeadingPoints x kLeadingPoints: L^-1
  std::vector<double> weights;  // kLeadingPoints x spread points: L^-1 C
  std::vector<float> spread;    // features x directions, lower trapezoidal; empty where rounding would show
  std::vector<double> corner;   // kLeadingPoints x kLeadingPoints, lower triangular: the part of the spread for f
  std::vector<float> first;     // kLeadingPoints x directions: for derivatives by the values of the first points
};

// The posterior of a Gaussian process whose nonlinear part is carried by m inducing points (projected process,
// Rasmussen and Williams 2006, section 8.3.4); the linear part is exact. With g(c) = (signal kappa(c, points), 1, c),
// and h(c) the same of the first points only:
//   mean(c)      = (weights, intercept, slopes) . g(c)
//   variance(c)  = prior(c) - |spread^T h(c)|^2,  prior(c) = constant + sum_k linear_k c_k^2 + signal kappa(c, c)
// The prior includes what the points cannot express, so the variance grows away from the data. Points cost the mean a
// product each and the variance as many as there are points, so it does with fewer; that never makes it too small.
struct GpModel {
  GpParameters parameters;
  ScaledPoints points;  // m
  double intercept = 0.0;
  std::vector<double> slopes;     // one per input
  std::vector<double> weights;    // m
  std::size_t spread_points = 0;  // of the m, the first ones, which the variance knows
  std::size_t directions = 0;
  // features() x directions, lower trapezoidal: entry (i, l) is zero for i < l, which halves the products.
  std::vector<double> spread;
  SingleSpread single;

  std::size_t features() const { return spread_points + 1 + slopes.size(); }  // of the variance
};

// The lower trapezoidal matrix L with L L^T = a a^T, for a with no more columns than rows.
std::vector<double> lower_trapezoid(const std::vector<double>& a, std::size_t rows, std::size_t columns);

// Sets directions, spread and single, when all else is in place. There is a single one where it would round the
// explained variance by less than 1e-3 of the noise's variance, not where functions are much larger than the noise, and
// not for fewer than 32 points, which are fast anyway.
void set_spread(GpModel& model, std::size_t directions, std::vector<double> spread);

// Rows that carry the nonlinear part, by pivoted Cholesky: each is the one whose value the rows before tell least
// about. Stops at `most` or when what is left of the variance is at most `tolerance` everywhere. O(rows m^2), memory
// rows m.
std::vector<std::size_t> choose_inducing(const GpParameters& parameters, const ScaledPoints& rows, std::size_t most,
                                         double tolerance, const Context& context);

// In what follows `weights` has one positive number per row, or none, which stands for ones: the target of a row is the
// function times its weight plus noise. So rows whose noise has the standard deviation s weigh 1 / s, and their target
// is divided by s.

// The negative log marginal likelihood of the target, in nats, with the nonlinear part projected on `inducing` rows
// (none when there is no nonlinear part). It is exact when these are all rows. O(rows (inputs + m)^2).
double projected_objective(const GpParameters& parameters, const Inputs& inputs, std::span<const double> target,
                           std::span<const double> weights, std::span<const std::size_t> inducing,
                           const Context& context);

class GpFeatures;

// The posterior for data. Fitting the same inputs to another target or noise again costs less than the first time.
class GpRegression {
 public:
  // `parameters`, `inputs` and `weights` must stand. O(rows (inputs + m)^2).
  GpRegression(const GpParameters& parameters, const Inputs& inputs, std::size_t rows, std::span<const double> weights,
               std::span<const std::size_t> inducing, const Context& context);
  ~GpRegression();

  // The target has one value per row; `noise` is its variance around the function.
  void fit(std::span<const double> target, double noise, const Context& context);

  // What each row's target is off the mean that the other rows alone would give it, the inducing points as they are,
  // and the variance of that mean; all of them times the weight.
  const std::vector<double>& leave_one_out() const { return leave_one_out_; }
  const std::vector<double>& left_out_variance() const { return left_out_variance_; }

  // Of the latest fit. The variance knows the first `most_spread_points`; directions in which the data takes away less
  // than `negligible` of the prior variance are left out of it. It gets the parameters as they stand.
  GpModel model(std::size_t most_spread_points, double negligible) const;

 private:
  const GpParameters& parameters_;
  std::unique_ptr<GpFeatures> features_;
  std::vector<double> squares_;  // the lower triangle of F F^T
  double noise_ = 0.0;
  std::vector<double> mean_;  // coefficients of the features
  std::vector<double> leave_one_out_;
  std::vector<double> left_out_variance_;
};

}  // namespace olem::internal::sampling
