#include "gam/smooth_term_test.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gam/weighted_chi_square.h"

namespace olem::internal {

namespace {

using Eigen::Index;

// P( (sum_i v_i chi2_1) / (chi2_k0 / k0) > statistic ) for the weights of a rank of `whole` + `fraction`.
double fractional_p_value(double statistic, Index whole, double fraction, double residual_df) {
  const double first = 0.5 * (fraction + 1.0 + std::sqrt(1.0 - fraction * fraction));
  const double k0 = std::max(1.0, std::round(residual_df));
  std::vector<ChiSquareTerm> terms = {{first, 1.0}, {fraction + 1.0 - first, 1.0}, {-statistic / k0, k0}};
  if (whole > 1) terms.push_back({1.0, static_cast<double>(whole - 1)});
  return weighted_chi_square_upper_tail(terms, 0.0);
}

}  // namespace

SmoothTermTest smooth_term_test(const Eigen::VectorXd& coefficients, const Eigen::MatrixXd& covariance,
                                double reference_df, double residual_df) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  const Eigen::VectorXd variances = solver.eigenvalues().reverse();
  const Eigen::VectorXd scores = (solver.eigenvectors().transpose() * coefficients).reverse();

  double rank = std::min(reference_df, static_cast<double>(coefficients.size()));
  Index whole = static_cast<Index>(std::floor(rank));
  double fraction = rank - static_cast<double>(whole);
  const double noise = variances[0] * std::pow(std::numeric_limits<double>::epsilon(), 0.9);
  const Index available = (variances.array() > noise).count();
  if (available == 0) return {0.0, 0.0, coefficients.isZero(0.0) ? 1.0 : 0.0};
  if (available < whole + (fraction > 0.0 ? 1 : 0)) {
    whole = available;
    fraction = 0.0;
    rank = static_cast<double>(available);
  }

  SmoothTermTest test;
  if (whole == 0) {
    // Less than one degree of freedom is tested as one.
    test.statistic = scores[0] * scores[0] / variances[0];
    test.reference_df = rank;
    test.p_value = f_upper_tail(test.statistic, 1.0, std::max(1.0, std::round(residual_df)));
    return test;
  }
  test.reference_df = rank;
  const Index plain = fraction > 0.0 ? whole - 1 : whole;
  double sum = 0.0;
  for (Index i = 0; i < plain; ++i) sum += scores[i] * scores[i] / variances[i];
  if (fraction == 0.0) {
    test.statistic = sum;
    test.p_value = f_upper_tail(sum / rank, rank, residual_df);
    return test;
  }
  const double a = scores[plain] / std::sqrt(variances[plain]);
  const double b = scores[plain + 1] / std::sqrt(variances[plain + 1]);
  const double cross = 2.0 * std::sqrt(0.5 * fraction * (1.0 - fraction)) * a * b;
  const double square = a * a + fraction * b * b;
  const double with_plus = std::max(0.0, sum + square + cross);
  const double with_minus = std::max(0.0, sum + square - cross);
  test.statistic = 0.5 * (with_plus + with_minus);
  test.p_value = 0.5 * (fractional_p_value(with_plus, whole, fraction, residual_df) +
                        fractional_p_value(with_minus, whole, fraction, residual_df));
  return test;
}

}  // namespace olem::internal
