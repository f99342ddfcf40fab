#include "order/olem_plus_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/lapack.h"
#include "order/olem_plus_entropy.h"
#include "order/olem_plus_kernel.h"

namespace olem {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array kSmoothings = {1e-3, 0.1, 1.0, 10.0, 100.0, 1e7};  // the last leaves straight lines
constexpr double kLeastPenalty = 1e-6;
constexpr std::array kProcessRidges = {0.2, 1.0, 5.0};
constexpr double kLineRidge = 1e-3;       // of lines and constant beside a Gaussian process
constexpr double kMustGain = 1.0 - 1e-4;  // factor of the GCV of a later candidate
constexpr double kMostLeverage = 0.9;     // a row that determines its own fit says nothing
constexpr double kWide = 1.6;             // length scales, in standard deviations
constexpr double kNarrow = 0.8;

// A ridge regression that was solved: coefficients, generalised cross-validation, and L^-T with (G + P)^-1 = L^-T L^-1.
struct Ridge {
  double gcv = std::numeric_limits<double>::infinity();
  VectorXd coefficients;
  MatrixXd root;  // L^-T, upper triangular
};

// `gram` (lower triangle), `right` = X'y and `squares` = y'y of n rows. `mean_parameters`: 1 when the constant is not
// among the functions.
Ridge solve_ridge(const MatrixXd& gram, const VectorXd& right, double squares, const VectorXd& penalty, double n,
                  double mean_parameters) {
  Ridge ridge;
  const auto size = static_cast<std::size_t>(gram.rows());
  MatrixXd factor = gram;
  factor.diagonal() += penalty;
  if (!cholesky_lower(factor.data(), size)) return ridge;
  ridge.coefficients = right;
  solve_lower(factor.data(), size, false, ridge.coefficients.data(), 1);
  solve_lower(factor.data(), size, true, ridge.coefficients.data(), 1);
  ridge.root = MatrixXd::Identity(gram.rows(), gram.rows());
  solve_lower(factor.data(), size, true, ridge.root.data(), size);
  // trace of G (G + P)^-1 = size - trace of P (G + P)^-1
  const double freedom = static_cast<double>(size) - penalty.dot(ridge.root.rowwise().squaredNorm()) + mean_parameters;
  const double residual = squares - ridge.coefficients.dot(right) - ridge.coefficients.cwiseAbs2().dot(penalty);
  const double left = n - freedom;
  if (left <= 0.0) return ridge;
  ridge.gcv = n * std::max(residual, 1e-14 * squares) / (left * left);
  return ridge;
}

// y - X b divided by 1 - leverage.
std::vector<double> left_out_residuals(const PlusColumns& columns, std::size_t target, MatrixXd design,
                                       const Ridge& ridge, double mean_leverage) {
  const std::size_t n = columns.rows;
  std::vector<double> residuals(columns.standardised(target), columns.standardised(target) + n);
  const auto size = static_cast<std::size_t>(design.cols());
  multiply(-1.0, {design.data(), n, size}, {ridge.coefficients.data(), size, 1}, 1.0, residuals.data());
  VectorXd leverage = VectorXd::Constant(static_cast<Index>(n), mean_leverage);
  MatrixXd rotated(static_cast<Index>(n), static_cast<Index>(size));
  multiply(1.0, {design.data(), n, size}, {ridge.root.data(), size, size}, 0.0, rotated.data());
  for (Index k = 0; k < rotated.cols(); ++k) leverage += rotated.col(k).cwiseAbs2();
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = columns.weights.empty() ? 1.0 : columns.weights[i];
    residuals[i] /= 1.0 - std::min(kMostLeverage, weight * leverage[static_cast<Index>(i)]);
  }
  return residuals;
}

struct AdditiveProblem {
  std::vector<Index> chosen;  // basis columns
  MatrixXd gram;
  VectorXd right;
  VectorXd roughness;  // penalty of each function at smoothing 1
};

AdditiveProblem additive_problem(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active) {
  AdditiveProblem problem;
  std::vector<double> roughness;
  for (const std::size_t j : active) {
    for (std::size_t k = 0; k < columns.functions(j); ++k) {
      problem.chosen.push_back(static_cast<Index>(columns.first[j] + k));
      roughness.push_back(k == 0 ? kLeastPenalty : std::pow(static_cast<double>(k + 1), 4) / 16.0);
    }
  }
  problem.roughness = Eigen::Map<const VectorXd>(roughness.data(), static_cast<Index>(roughness.size()));
  problem.gram = columns.gram(problem.chosen, problem.chosen);
  problem.right = columns.gram.col(static_cast<Index>(columns.first[target]))(problem.chosen);
  return problem;
}

Ridge best_additive(const AdditiveProblem& problem, double n) {
  Ridge best;
  for (const double smoothing : kSmoothings) {
    const VectorXd penalty = (smoothing * problem.roughness).cwiseMax(kLeastPenalty);
    Ridge ridge = solve_ridge(problem.gram, problem.right, n, penalty, n, 1.0);
    if (ridge.gcv < best.gcv) best = std::move(ridge);
  }
  return best;
}

// The best ridge of a Gaussian process of one length scale, with its functions.
struct ProcessFit {
  Ridge ridge;
  MatrixXd design;
};

ProcessFit best_process(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                        double length) {
  ProcessFit fit;
  const std::size_t n = columns.rows;
  fit.design = process_functions(columns, active, length);
  const auto lines = static_cast<Index>(active.size()) + 1;
  const Index size = fit.design.cols();
  const auto width = static_cast<std::size_t>(size);
  MatrixXd gram(size, size);
  VectorXd right(size);
  const MatrixXd* left = &fit.design;
  MatrixXd weighted;
  if (columns.weights.empty()) {
    multiply_by_own_transpose(1.0, {fit.design.data(), n, width, 0, true}, 0.0, gram.data());
  } else {
    const Eigen::Map<const VectorXd> weights(columns.weights.data(), static_cast<Index>(n));
    weighted = weights.cwiseSqrt().asDiagonal() * fit.design;
    multiply_by_own_transpose(1.0, {weighted.data(), n, width, 0, true}, 0.0, gram.data());
    weighted = weights.asDiagonal() * fit.design;
    left = &weighted;
  }
  multiply(1.0, {left->data(), n, width, 0, true}, {columns.standardised(target), n, 1}, 0.0, right.data());
  for (const double ridge_value : kProcessRidges) {
    VectorXd penalty = VectorXd::Constant(size, ridge_value);
    penalty.tail(lines).setConstant(kLineRidge);
    Ridge ridge = solve_ridge(gram, right, static_cast<double>(n), penalty, static_cast<double>(n), 0.0);
    if (ridge.gcv < fit.ridge.gcv) fit.ridge = std::move(ridge);
  }
  return fit;
}

}  // namespace

PlusResiduals regression_residuals(const PlusColumns& columns, std::size_t target,
                                   std::span<const std::size_t> active) {
  PlusResiduals result;
  const std::size_t rows = columns.rows;
  const auto n = static_cast<double>(rows);
  if (active.empty()) {
    result.values.assign(columns.standardised(target), columns.standardised(target) + rows);
    for (double& value : result.values) value *= n / (n - 1.0);
    result.gcv = n * n / ((n - 1.0) * (n - 1.0));
    return result;
  }
  const AdditiveProblem problem = additive_problem(columns, target, active);
  const Ridge additive = best_additive(problem, n);
  ProcessFit process;
  double best = additive.gcv;
  if (active.size() >= 2) {
    for (const double length : {kWide, kNarrow}) {
      ProcessFit candidate = best_process(columns, target, active, length);
      if (!(candidate.ridge.gcv < best * kMustGain)) break;
      best = candidate.ridge.gcv;
      process = std::move(candidate);
    }
  }
  result.gcv = best;
  if (process.design.size() > 0) {
    result.values = left_out_residuals(columns, target, std::move(process.design), process.ridge, 0.0);
  } else {
    result.values = left_out_residuals(columns, target, columns.basis(Eigen::all, problem.chosen), additive, 1.0 / n);
  }
  return result;
}

PlusFit fit_column(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active) {
  const PlusResiduals residuals = regression_residuals(columns, target, active);
  ResidualEntropy entropy = residual_entropy(residuals.values, columns.weights, columns.rounding_step[target]);
  PlusFit fit;
  fit.entropy = entropy.value + columns.log_scale[target];
  fit.contributions = std::move(entropy.contributions);
  const auto shift = static_cast<float>(columns.log_scale[target]);
  for (float& own : fit.contributions) own += shift;
  return fit;
}

}  // namespace olem
