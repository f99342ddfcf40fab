#pragma once

#include <span>

namespace olem::internal {

// One term of a weighted sum of independent chi-square variables.
struct ChiSquareTerm {
  double weight = 1.0;   // any sign; a term of weight 0 counts for nothing
  double degrees = 1.0;  // of freedom, > 0, not necessarily whole
};

// P( sum_i weight_i chi2(degrees_i) > q ), to about 1e-10 relative, also far out in the upper tail, where it
// underflows to 0 only with the exponential function itself.
//
// It is the integral of Imhof (1961), but along a path through the saddle point of the integrand (Rice 1980): there
// it neither oscillates nor cancels. Cost: some 50 to 200 evaluations of one complex logarithm per term; merge equal
// weights. Throws an internal error when the integral does not settle.
double weighted_chi_square_upper_tail(std::span<const ChiSquareTerm> terms, double q);

// P( F(r, residual_degrees) > f ), the case of one weight of each sign; 0 for f = infinity, 1 for f <= 0.
double f_upper_tail(double f, double degrees, double residual_degrees);

}  // namespace olem::internal
