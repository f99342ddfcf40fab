#include "order/olem_plus_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/lapack.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostLandmarks = 100;
constexpr double kJitter = 1e-4;
// A landmark whose kernel function the others leave less of than this adds nothing that a ridge of .2 would keep.
constexpr double kLandmarkTolerance = 3e-3;

// e^x = 2^k e^r with |r| <= ln(2) / 2, the latter by its Taylor polynomial. Adding 1.5 * 2^52 rounds to a whole number
// and leaves it in the low bits, so the loop has no branch and no call and becomes vectors.
[[gnu::always_inline]] inline void exponentials_loop(double* values, std::size_t count) {
  constexpr double kRounder = 0x1.8p52;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::max(values[i], -700.0);
    const double shifted = x * 1.4426950408889634 + kRounder;
    const double whole = shifted - kRounder;
    const double r = (x - whole * 0x1.62e42fefa3800p-1) - whole * 0x1.ef35793c76730p-45;
    double sum = 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
    values[i] = sum * std::bit_cast<double>(power);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void exponentials_avx512(double* values, std::size_t count) {
  exponentials_loop(values, count);
}
[[gnu::target("avx2")]] void exponentials_avx2(double* values, std::size_t count) { exponentials_loop(values, count); }
#endif

// The kernel matrix of the rows of a.
MatrixXd kernel_matrix(const MatrixXd& a, double scale) {
  MatrixXd kernel(a.rows(), a.rows());
  for (Index j = 0; j < a.rows(); ++j) {
    kernel.col(j) = scale * (a.rowwise() - a.row(j)).rowwise().squaredNorm();
  }
  exponentials(kernel.data(), static_cast<std::size_t>(kernel.size()));
  return kernel;
}

// Pivots of the Cholesky factor of a kernel matrix, until what is left of every diagonal entry is small.
std::vector<Index> chosen_landmarks(const MatrixXd& kernel) {
  const Index size = kernel.rows();
  MatrixXd factor(size, size);
  VectorXd left = kernel.diagonal();
  std::vector<Index> pivots;
  for (Index k = 0; k < size; ++k) {
    Index pivot = 0;
    const double most = left.maxCoeff(&pivot);
    if (most < kLandmarkTolerance) break;
    factor.col(k) = kernel.col(pivot);
    factor.col(k).noalias() -= factor.leftCols(k) * factor.row(pivot).head(k).transpose();
    factor.col(k) /= std::sqrt(most);
    left -= factor.col(k).cwiseAbs2();
    left[pivot] = 0.0;
    pivots.push_back(pivot);
  }
  return pivots;
}

}  // namespace

void exponentials(double* values, std::size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return exponentials_avx512(values, count);
  if (__builtin_cpu_supports("avx2") != 0) return exponentials_avx2(values, count);
#endif
  exponentials_loop(values, count);
}

ProcessFunctions::ProcessFunctions(const PlusColumns& columns, std::span<const std::size_t> inputs, double length)
    : scale_(-0.5 / (length * length)) {
  for (const std::size_t j : inputs) {
    if (!columns.is_indicated(j)) {
      lines_.push_back(columns.standardised(j));
      coordinates_.push_back(lines_.back());
      continue;
    }
    for (std::size_t k = columns.first[j]; k < columns.first[j + 1]; ++k) lines_.push_back(columns.function(k));
    const MatrixXd& own = columns.coordinates[j];
    for (Index k = 0; k < own.cols(); ++k) coordinates_.push_back(own.col(k).data());
  }
  const std::size_t n = columns.rows;
  const std::size_t most = std::clamp<std::size_t>(n / 4, 1, kMostLandmarks);
  MatrixXd candidates(static_cast<Index>(most), static_cast<Index>(coordinates_.size()));
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t row = (2 * k + 1) * n / (2 * most);
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      candidates(static_cast<Index>(k), static_cast<Index>(j)) = coordinates_[j][row];
    }
  }
  const MatrixXd between = kernel_matrix(candidates, scale_);
  const std::vector<Index> pivots = chosen_landmarks(between);
  landmarks_ = candidates(pivots, Eigen::all);
  own_ = scale_ * landmarks_.rowwise().squaredNorm();
  factor_ = between(pivots, pivots);
  factor_.diagonal().array() += kJitter;
  cholesky_lower(factor_.data(), pivots.size());
}

void ProcessFunctions::fill(std::size_t first, Eigen::Ref<MatrixXd> block) const {
  const Index rows = block.rows();
  const auto width = static_cast<Index>(lines_.size());
  const Index kernels = landmarks_.rows();
  for (Index j = 0; j < width; ++j) {
    block.col(kernels + j) = Eigen::Map<const VectorXd>(lines_[static_cast<std::size_t>(j)] + first, rows);
  }
  block.col(kernels + width).setOnes();
  VectorXd lengths;
  const auto multiply_landmarks = [&](const Eigen::Ref<const MatrixXd>& values) {
    lengths = scale_ * values.rowwise().squaredNorm();
    multiply(-2.0 * scale_,
             {values.data(), static_cast<std::size_t>(rows), coordinates_.size(),
              static_cast<std::size_t>(values.outerStride())},
             {landmarks_.data(), this->kernels(), coordinates_.size(), 0, true}, 0.0, block.data(),
             static_cast<std::size_t>(block.outerStride()));
  };
  if (coordinates_ == lines_) {
    multiply_landmarks(block.middleCols(kernels, width));
  } else {
    MatrixXd values(rows, static_cast<Index>(coordinates_.size()));
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      values.col(static_cast<Index>(j)) = Eigen::Map<const VectorXd>(coordinates_[j] + first, rows);
    }
    multiply_landmarks(values);
  }
  for (Index k = 0; k < kernels; ++k) {
    // Rounding may leave a distance just below zero.
    block.col(k) = (block.col(k) + lengths).array() + own_[k];
    block.col(k) = block.col(k).cwiseMin(0.0);
    exponentials(block.col(k).data(), static_cast<std::size_t>(rows));
  }
}

void ProcessFunctions::whiten(MatrixXd& gram, VectorXd& right) const {
  const std::size_t count = kernels();
  const auto whole = static_cast<std::size_t>(gram.rows());
  const MatrixView factor{factor_.data(), count, count};
  solve_lower(factor, {gram.data(), count, whole, whole});
  solve_lower_transposed_from_right(factor, {gram.data(), whole, count, whole});
  solve_lower(factor, {right.data(), count, 1, whole});
}

void ProcessFunctions::unwhiten(Eigen::Ref<MatrixXd> coefficients) const {
  const std::size_t count = kernels();
  solve_lower_transposed({factor_.data(), count, count},
                         {coefficients.data(), count, static_cast<std::size_t>(coefficients.cols()),
                          static_cast<std::size_t>(coefficients.outerStride())});
}

}  // namespace olem::internal
