#include "order/olem_plus_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/lapack.h"

namespace olem {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kMostLandmarks = 100;
constexpr double kJitter = 1e-4;
// A landmark whose kernel function the others leave less of than this adds nothing that a ridge of .2 would keep.
constexpr double kLandmarkTolerance = 1e-3;

// exp(-|a_i - b_j|^2 / 2 length^2) for the rows of two matrices.
MatrixXd kernel_matrix(const MatrixXd& a, const MatrixXd& b, double length) {
  MatrixXd kernel(a.rows(), b.rows());
  const double scale = -0.5 / (length * length);
  multiply(-2.0 * scale, {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())},
           {b.data(), static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(b.cols()), 0, true}, 0.0,
           kernel.data());
  const Eigen::ArrayXd own = scale * a.rowwise().squaredNorm().array();
  for (Index j = 0; j < b.rows(); ++j) {
    const double other = scale * b.row(j).squaredNorm();
    // Rounding may leave a distance just below zero.
    kernel.col(j).array() = (kernel.col(j).array() + own + other).min(0.0).exp();
  }
  return kernel;
}

// Pivots of the Cholesky factor of a kernel matrix, until what is left of every diagonal entry is small.
std::vector<Index> chosen_landmarks(const MatrixXd& kernel) {
  const Index size = kernel.rows();
  MatrixXd factor(size, size);
  Eigen::VectorXd left = kernel.diagonal();
  std::vector<Index> pivots;
  for (Index k = 0; k < size; ++k) {
    Index pivot = 0;
    const double most = left.maxCoeff(&pivot);
    if (most < kLandmarkTolerance) break;
    factor.col(k) = kernel.col(pivot) - factor.leftCols(k) * factor.row(pivot).head(k).transpose();
    factor.col(k) /= std::sqrt(most);
    left -= factor.col(k).cwiseAbs2();
    left[pivot] = 0.0;
    pivots.push_back(pivot);
  }
  return pivots;
}

}  // namespace

MatrixXd process_functions(const PlusColumns& columns, std::span<const std::size_t> inputs, double length) {
  const std::size_t n = columns.rows;
  const auto rows = static_cast<Index>(n);
  const auto width = static_cast<Index>(inputs.size());
  MatrixXd values(rows, width);
  for (Index k = 0; k < width; ++k) {
    values.col(k) = Eigen::Map<const Eigen::VectorXd>(columns.standardised(inputs[static_cast<std::size_t>(k)]), rows);
  }
  const std::size_t landmarks = std::clamp<std::size_t>(n / 4, 1, kMostLandmarks);
  MatrixXd candidates(static_cast<Index>(landmarks), width);
  for (std::size_t k = 0; k < landmarks; ++k) {
    candidates.row(static_cast<Index>(k)) = values.row(static_cast<Index>((2 * k + 1) * n / (2 * landmarks)));
  }
  const MatrixXd between = kernel_matrix(candidates, candidates, length);
  const std::vector<Index> pivots = chosen_landmarks(between);
  const auto kept = static_cast<Index>(pivots.size());
  MatrixXd factor = between(pivots, pivots);
  factor.diagonal().array() += kJitter;
  cholesky_lower(factor.data(), pivots.size());

  MatrixXd functions(rows, kept + width + 1);
  functions.leftCols(kept) = kernel_matrix(values, candidates(pivots, Eigen::all), length);
  solve_lower_transposed_from_right({factor.data(), pivots.size(), pivots.size()},
                                    {functions.data(), n, pivots.size()});
  functions.middleCols(kept, width) = values;
  functions.col(kept + width).setOnes();
  return functions;
}

}  // namespace olem
