#include "simulate/gaussian_process.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <memory>

#include "core/lapack.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

// Rounding may push an eigenvalue of the kernel matrix below zero by about n times the machine precision; 1e-8 is
// far above that and shows in a draw only in the fourth digit.
constexpr double kJitter = 1e-8;

// A tile and the coordinates it reads stay in the first-level cache for a handful of parents.
constexpr std::size_t kTile = 512;
constexpr std::size_t kColumnsPerPiece = 32;
constexpr std::size_t kGpRowsPerPiece = 64;

// Vectorised and scalar exp differ in the last bit, and Eigen decides between them by address. A buffer of our own has
// always the same alignment, so that a value depends on nothing but its arguments and its place in the tile.
using Tile = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTile, 1>;
using ConstArray = Eigen::Map<const Eigen::ArrayXd>;

// tile[i] = exp(-||points[first + i] - centres[row]||^2 / 2)
void kernel_tile(const Coordinates& points, std::size_t first, std::size_t count, const Coordinates& centres,
                 std::size_t row, Tile& tile) {
  const auto length = static_cast<Eigen::Index>(count);
  tile.setZero(length);
  for (std::size_t p = 0; p < points.size(); ++p) {
    tile += (ConstArray(points[p].data() + first, length) - centres[p][row]).square();
  }
  tile = (-0.5 * tile).exp();
}

}  // namespace

void fill_rbf_kernel(const Coordinates& points, double jitter, double* matrix, const Context& context) {
  const std::size_t n = points.front().size();
  parallel_for(context, 0, n, kColumnsPerPiece, [&](std::size_t first_column, std::size_t last_column) {
    Tile tile;
    for (std::size_t first = first_column; first < n; first += kTile) {
      for (std::size_t j = first_column; j < last_column; ++j) {
        const std::size_t begin = std::max(first, j);
        const std::size_t end = std::min(n, first + kTile);
        if (begin >= end) continue;
        kernel_tile(points, begin, end - begin, points, j, tile);
        std::copy_n(tile.data(), end - begin, matrix + j * n + begin);
      }
    }
    for (std::size_t j = first_column; j < last_column; ++j) matrix[j * n + j] += jitter;
  });
}

std::vector<double> draw_rbf_weights(const Coordinates& points, RandomStream& random, const Context& context) {
  const std::size_t n = points.front().size();
  if (n > std::numeric_limits<std::size_t>::max() / sizeof(double) / std::max<std::size_t>(n, 1)) {
    throw Error(ErrorCategory::kResource, fmt::format("A Gaussian process at {} points does not fit in memory.", n));
  }
  context.require_memory(n * n * sizeof(double), fmt::format("A Gaussian-process function over {} rows", n));
  // Not a vector: 32 MB of zeros for n = 2000 would be written only to be overwritten.
  const std::unique_ptr<double[]> matrix(new double[n * n]);
  fill_rbf_kernel(points, kJitter, matrix.get(), context);
  context.check_interrupt();
  if (!cholesky_lower(matrix.get(), n)) {
    throw Error(ErrorCategory::kInternal, fmt::format("The kernel matrix over {} rows is not positive definite.", n));
  }
  std::vector<double> weights(n);
  for (double& weight : weights) weight = random.normal();
  solve_lower_transposed(matrix.get(), n, weights.data());
  return weights;
}

void add_rbf_expansion(const Coordinates& anchors, std::span<const double> weights, const Coordinates& at,
                       std::span<double> out, const Context& context) {
  parallel_for(context, 0, out.size(), kGpRowsPerPiece, [&](std::size_t first_row, std::size_t last_row) {
    Tile tile;
    std::vector<double> sums(last_row - first_row, 0.0);
    for (std::size_t first = 0; first < weights.size(); first += kTile) {
      const std::size_t count = std::min(kTile, weights.size() - first);
      const ConstArray part(weights.data() + first, static_cast<Eigen::Index>(count));
      for (std::size_t row = first_row; row < last_row; ++row) {
        kernel_tile(anchors, first, count, at, row, tile);
        tile *= part;
        sums[row - first_row] += tile.sum();
      }
    }
    for (std::size_t row = first_row; row < last_row; ++row) out[row] += sums[row - first_row];
  });
}

}  // namespace olem::internal
