#include "order/olem_plus_screen.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/lapack.h"

namespace olem {

namespace {

constexpr double kScreenRidge = 1e-6;      // of the Gram matrix, per row
constexpr double kLineTest = 1.96 * 1.96;  // of the squared t of a straight line
constexpr double kNormal95 = 1.6448536269514722;

// A block of functions of one column in the regression.
struct Block {
  std::size_t column = 0;
  std::size_t first = 0;  // basis column
  std::size_t count = 0;
};

std::vector<Block> screened_blocks(const PlusColumns& columns, std::size_t target,
                                   std::span<const std::size_t> predecessors) {
  std::size_t size = 0;
  for (const std::size_t j : predecessors) size += columns.functions(j);
  std::vector<Block> blocks;
  if (3 * size <= columns.rows) {
    for (const std::size_t j : predecessors) blocks.push_back({j, columns.first[j], columns.functions(j)});
    return blocks;
  }
  std::vector<std::size_t> best(predecessors.begin(), predecessors.end());
  const auto correlation = [&](std::size_t j) {
    return std::abs(
        columns.gram(static_cast<Eigen::Index>(columns.first[j]), static_cast<Eigen::Index>(columns.first[target])));
  };
  std::stable_sort(best.begin(), best.end(),
                   [&](std::size_t a, std::size_t b) { return correlation(a) > correlation(b); });
  const std::size_t widest = std::max<std::size_t>(1, size / predecessors.size());
  best.resize(std::min(best.size(), std::max<std::size_t>(1, columns.rows / (3 * widest))));
  std::sort(best.begin(), best.end());
  for (const std::size_t j : best) blocks.push_back({j, columns.first[j], 1});
  return blocks;
}

}  // namespace

double chi_square_95(double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  const double root = 1.0 - spread + kNormal95 * std::sqrt(spread);
  return degrees * root * root * root;
}

std::vector<std::size_t> active_predecessors(const PlusColumns& columns, std::size_t target,
                                             std::span<const std::size_t> predecessors) {
  std::vector<std::size_t> active;
  if (predecessors.empty()) return active;
  const std::vector<Block> blocks = screened_blocks(columns, target, predecessors);
  std::vector<Eigen::Index> chosen;
  for (const Block& block : blocks) {
    for (std::size_t k = 0; k < block.count; ++k) chosen.push_back(static_cast<Eigen::Index>(block.first + k));
  }
  const std::size_t size = chosen.size();
  const auto n = static_cast<double>(columns.rows);
  const auto y = static_cast<Eigen::Index>(columns.first[target]);
  Eigen::MatrixXd inverse = columns.gram(chosen, chosen);
  inverse.diagonal().array() += kScreenRidge * n;
  const Eigen::VectorXd right = columns.gram.col(y)(chosen);
  cholesky_lower(inverse.data(), size);
  Eigen::VectorXd coefficients = right;
  solve_lower(inverse.data(), size, false, coefficients.data(), 1);
  solve_lower(inverse.data(), size, true, coefficients.data(), 1);
  invert_from_cholesky(inverse.data(), size);
  // b'(G + R) b = b'g, hence the residual sum of squares without another product.
  const double residual = columns.gram(y, y) - coefficients.dot(right) - kScreenRidge * n * coefficients.squaredNorm();
  const double variance = std::max(residual, 1e-12 * n) / (n - static_cast<double>(size) - 1.0);

  Eigen::Index at = 0;
  for (const Block& block : blocks) {
    const auto count = static_cast<Eigen::Index>(block.count);
    const auto own = coefficients.segment(at, count);
    const Eigen::MatrixXd covariance = inverse.block(at, at, count, count).selfadjointView<Eigen::Lower>();
    const double wald = own.dot(covariance.llt().solve(own)) / variance;
    const double line = own[0] * own[0] / (covariance(0, 0) * variance);
    if (wald > chi_square_95(static_cast<double>(count)) || line > kLineTest) active.push_back(block.column);
    at += count;
  }
  return active;
}

}  // namespace olem
