#include "sampler/ridge_trend.h"

#include <algorithm>

#include "core/lapack.h"

namespace olem::internal::sampling {

RidgeTrend fit_ridge(const Inputs& inputs, std::span<const double> target, double ridge) {
  const std::size_t n = target.size();
  const std::size_t q = inputs.size();
  const std::size_t p = q + 1;
  // Columns: the inputs, then ones, on which there is no ridge.
  std::vector<double> design(n * p, 1.0);
  for (std::size_t k = 0; k < q; ++k) {
    std::copy(inputs[k].begin(), inputs[k].end(), design.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  std::vector<double> squares(p * p);
  multiply_by_own_transpose(1.0, {design.data(), n, p, 0, true}, 0.0, squares.data());
  for (std::size_t k = 0; k < q; ++k) squares[k * p + k] += ridge * static_cast<double>(n);
  std::vector<double> coefficients(p);
  multiply(1.0, {design.data(), n, p, 0, true}, {target.data(), n, 1}, 0.0, coefficients.data());
  // With the ridge on every slope and a constant column beside them the matrix is positive definite.
  cholesky_lower(squares.data(), p);
  solve_lower(squares.data(), p, false, coefficients.data(), 1);
  solve_lower(squares.data(), p, true, coefficients.data(), 1);

  // Residual of a row when it is left out: its residual / (1 - its leverage).
  RidgeTrend trend;
  trend.leave_one_out.resize(n);
  std::vector<double> rows(p * n);
  for (std::size_t i = 0; i < n; ++i) {
    double fitted = 0.0;
    for (std::size_t k = 0; k < p; ++k) {
      rows[i * p + k] = design[k * n + i];
      fitted += design[k * n + i] * coefficients[k];
    }
    trend.leave_one_out[i] = target[i] - fitted;
  }
  solve_lower(squares.data(), p, false, rows.data(), n);
  constexpr double kLeastFreedom = 1e-8;  // a row that alone determines a slope has nothing left to compare with
  for (std::size_t i = 0; i < n; ++i) {
    double leverage = 0.0;
    for (std::size_t k = 0; k < p; ++k) leverage += rows[i * p + k] * rows[i * p + k];
    trend.leave_one_out[i] /= std::max(1.0 - leverage, kLeastFreedom);
  }
  trend.intercept = coefficients.back();
  coefficients.pop_back();
  trend.slopes = std::move(coefficients);
  return trend;
}

}  // namespace olem::internal::sampling
