#pragma once

#include <Eigen/Core>

namespace olem::internal {

struct SmoothTermTest {
  double statistic = 0.0;     // t of Wood (2013), a Wald statistic with a rank that need not be whole
  double reference_df = 0.0;  // its rank
  double p_value = 1.0;
};

// Is a smooth function zero (Wood 2013)? `coefficients` and their Bayesian `covariance` are those of functions that are
// orthonormal over the observations; `reference_df` is the term's alternative degrees of freedom, trace(2F - FF);
// `residual_df` those of the variance estimate. The statistic uses the leading `reference_df` eigenvectors of the
// covariance, the last one by its fraction; its law is a weighted sum of chi-squares over an independent chi-square.
// The signs of the eigenvectors are arbitrary and matter only for the fractional part, so the p-value is the mean over
// both.
SmoothTermTest smooth_term_test(const Eigen::VectorXd& coefficients, const Eigen::MatrixXd& covariance,
                                double reference_df, double residual_df);

}  // namespace olem::internal
