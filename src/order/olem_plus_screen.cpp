#include "order/olem_plus_screen.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/lapack.h"

namespace olem::internal {

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
    return std::abs(columns.gram(static_cast<Eigen::Index>(columns.first[j]), columns.responses[target].front()));
  };
  std::stable_sort(best.begin(), best.end(),
                   [&](std::size_t a, std::size_t b) { return correlation(a) > correlation(b); });
  const std::size_t widest = std::max<std::size_t>(1, size / predecessors.size());
  best.resize(std::min(best.size(), std::max<std::size_t>(1, columns.rows / (3 * widest))));
  std::sort(best.begin(), best.end());
  for (const std::size_t j : best) blocks.push_back({j, columns.first[j], 1});
  return blocks;
}

double residual_variance(double squares, double n, std::size_t functions) {
  return std::max(squares, 1e-12 * n) / (n - static_cast<double>(functions) - 1.0);
}

// A regression of the responses of a target on the functions of its predecessors.
struct ScreenFit {
  std::vector<Eigen::VectorXd> coefficients;  // of each response
  Eigen::MatrixXd residual;                   // sums of products of the residuals of the responses
  Eigen::MatrixXd inverse_variance;           // of the responses given the predecessors; not for a single response
  double variance = 0.0;                      // of a single response

  explicit ScreenFit(std::size_t responses)
      : coefficients(responses), residual(static_cast<Eigen::Index>(responses), static_cast<Eigen::Index>(responses)) {}

  std::size_t responses() const { return coefficients.size(); }

  // After `residual` is there.
  void find_variance(double n, std::size_t functions) {
    if (responses() == 1) {
      variance = residual_variance(residual(0, 0), n, functions);
      return;
    }
    residual.diagonal().array() += kScreenRidge * n;
    inverse_variance = residual.llt().solve(Eigen::MatrixXd::Identity(residual.rows(), residual.cols())) *
                       (n - static_cast<double>(functions) - 1.0);
  }

  // The test of one block of functions, the first a straight line unless they are indicators of levels. `covariance`:
  // of the coefficients of one response, but for the variance of the response.
  bool is_active(Eigen::Index at, Eigen::Index count, const Eigen::MatrixXd& covariance, bool indicators) const {
    if (responses() == 1) {
      const auto own = coefficients.front().segment(at, count);
      if ((!indicators || count == 1) && own[0] * own[0] > kLineTest * covariance(0, 0) * variance) return true;
      if (indicators && count == 1) return false;
      return own.dot(covariance.llt().solve(own)) > chi_square_95(static_cast<double>(count)) * variance;
    }
    Eigen::MatrixXd own(count, static_cast<Eigen::Index>(responses()));
    for (std::size_t r = 0; r < responses(); ++r) {
      own.col(static_cast<Eigen::Index>(r)) = coefficients[r].segment(at, count);
    }
    const auto degrees = static_cast<double>(responses());
    if (!indicators && own.row(0).dot(own.row(0) * inverse_variance) > chi_square_95(degrees) * covariance(0, 0)) {
      return true;
    }
    const Eigen::MatrixXd products = own.transpose() * covariance.llt().solve(own);
    return products.cwiseProduct(inverse_variance).sum() > chi_square_95(degrees * static_cast<double>(count));
  }
};

void set_product(ScreenFit& fit, std::size_t r, std::size_t other, double product) {
  const auto i = static_cast<Eigen::Index>(r);
  const auto j = static_cast<Eigen::Index>(other);
  fit.residual(i, j) = fit.residual(j, i) = product;
}

std::vector<std::size_t> sorted_screen(const PlusColumns& columns, std::size_t target,
                                       std::span<const std::size_t> predecessors, std::span<const std::size_t> added) {
  std::vector<std::size_t> all(predecessors.begin(), predecessors.end());
  all.insert(all.end(), added.begin(), added.end());
  std::sort(all.begin(), all.end());
  return active_predecessors(columns, target, all);
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
  const std::vector<Eigen::Index>& responses = columns.responses[target];
  Eigen::MatrixXd inverse = columns.gram(chosen, chosen);
  inverse.diagonal().array() += kScreenRidge * n;
  cholesky_lower(inverse.data(), size);
  ScreenFit fit(responses.size());
  for (std::size_t r = 0; r < responses.size(); ++r) {
    const Eigen::VectorXd right = columns.gram.col(responses[r])(chosen);
    Eigen::VectorXd& coefficients = fit.coefficients[r];
    coefficients = right;
    solve_lower(inverse.data(), size, false, coefficients.data(), 1);
    solve_lower(inverse.data(), size, true, coefficients.data(), 1);
    // b'(G + R) b = b'g, hence the residual sum of squares without another product.
    for (std::size_t other = 0; other <= r; ++other) {
      const Eigen::VectorXd& others = fit.coefficients[other];
      const double product = columns.gram(responses[r], responses[other]) - others.dot(right) -
                             kScreenRidge * n * (other == r ? coefficients.squaredNorm() : coefficients.dot(others));
      set_product(fit, r, other, product);
    }
  }
  invert_from_cholesky(inverse.data(), size);
  fit.find_variance(n, size);

  Eigen::Index at = 0;
  for (const Block& block : blocks) {
    const auto count = static_cast<Eigen::Index>(block.count);
    const Eigen::MatrixXd covariance = inverse.block(at, at, count, count).selfadjointView<Eigen::Lower>();
    if (fit.is_active(at, count, covariance, columns.is_indicated(block.column))) active.push_back(block.column);
    at += count;
  }
  return active;
}

PrefixScreen::PrefixScreen(const PlusColumns& columns, std::span<const std::size_t> order)
    : columns_(columns), order_(order.begin(), order.end()), start_{0} {
  for (const std::size_t j : order) start_.push_back(start_.back() + columns.functions(j));
}

void PrefixScreen::prepare() {
  if (!chosen_.empty() || order_.empty()) return;
  for (const std::size_t j : order_) {
    for (std::size_t k = columns_.first[j]; k < columns_.first[j + 1]; ++k) {
      chosen_.push_back(static_cast<Eigen::Index>(k));
    }
  }
  const std::size_t size = chosen_.size();
  Eigen::MatrixXd factor = columns_.gram(chosen_, chosen_);
  factor.diagonal().array() += kScreenRidge * static_cast<double>(columns_.rows);
  cholesky_lower(factor.data(), size);
  inverse_ = Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  // The columns of the inverse begin at the diagonal: pieces of them need only the rest of the factor.
  constexpr std::size_t kPiece = 64;
  for (std::size_t at = 0; at < size; at += kPiece) {
    solve_lower(MatrixView{factor.data() + at * size + at, size - at, size - at, size},
                MatrixBlock{inverse_.data() + at * size + at, size - at, std::min(kPiece, size - at), size});
  }
}

std::vector<std::size_t> PrefixScreen::active(std::size_t target, std::size_t count) const {
  const std::size_t functions = start_[count];
  if (!fits_rows(functions)) return sorted_screen(columns_, target, first(count), {});
  std::vector<std::size_t> active;
  const auto n = static_cast<double>(columns_.rows);
  const auto size = static_cast<Eigen::Index>(functions);
  const std::vector<Eigen::Index>& responses = columns_.responses[target];
  const auto lower = inverse_.topLeftCorner(size, size).triangularView<Eigen::Lower>();
  ScreenFit fit(responses.size());
  std::vector<Eigen::VectorXd> rotated(responses.size());
  Eigen::VectorXd right(size);
  for (std::size_t r = 0; r < responses.size(); ++r) {
    for (Eigen::Index k = 0; k < size; ++k) {
      right[k] = columns_.gram(chosen_[static_cast<std::size_t>(k)], responses[r]);
    }
    rotated[r] = lower * right;
    fit.coefficients[r] = lower.transpose() * rotated[r];
    for (std::size_t other = 0; other <= r; ++other) {
      const Eigen::VectorXd& own = fit.coefficients[r];
      const Eigen::VectorXd& others = fit.coefficients[other];
      set_product(fit, r, other,
                  columns_.gram(responses[r], responses[other]) -
                      (other == r ? rotated[r].squaredNorm() : rotated[r].dot(rotated[other])) -
                      kScreenRidge * n * (other == r ? own.squaredNorm() : own.dot(others)));
    }
  }
  fit.find_variance(n, functions);
  for (std::size_t k = 0; k < count; ++k) {
    const auto at = static_cast<Eigen::Index>(start_[k]);
    const auto own = static_cast<Eigen::Index>(start_[k + 1] - start_[k]);
    const auto below = inverse_.block(at, at, size - at, own);
    const Eigen::MatrixXd covariance = below.transpose().lazyProduct(below);
    if (fit.is_active(at, own, covariance, columns_.is_indicated(order_[k]))) active.push_back(order_[k]);
  }
  std::sort(active.begin(), active.end());
  return active;
}

std::vector<std::size_t> PrefixScreen::active_with(std::size_t target, std::size_t count, std::size_t added) const {
  const std::size_t functions = start_[count] + columns_.functions(added);
  if (!fits_rows(functions)) return sorted_screen(columns_, target, first(count), std::span(&added, 1));
  std::vector<std::size_t> active;
  const auto n = static_cast<double>(columns_.rows);
  const auto size = static_cast<Eigen::Index>(start_[count]);
  const auto extra = static_cast<Eigen::Index>(columns_.functions(added));
  const auto own_first = static_cast<Eigen::Index>(columns_.first[added]);
  const std::vector<Eigen::Index>& responses = columns_.responses[target];
  const auto lower = inverse_.topLeftCorner(size, size).triangularView<Eigen::Lower>();
  Eigen::MatrixXd between(size, extra);
  for (Eigen::Index k = 0; k < size; ++k) {
    between.row(k) = columns_.gram.row(chosen_[static_cast<std::size_t>(k)]).segment(own_first, extra);
  }
  // The added column borders the factor: what the others leave of its functions, and its part of the solution.
  const Eigen::MatrixXd border = lower * between;
  const Eigen::MatrixXd spread = lower.transpose() * border;
  Eigen::MatrixXd left = columns_.gram.block(own_first, own_first, extra, extra) - border.transpose() * border;
  left.diagonal().array() += kScreenRidge * n;
  const Eigen::LLT<Eigen::MatrixXd> corner(left);
  const Eigen::MatrixXd root = corner.matrixL().solve(spread.transpose()).transpose();
  ScreenFit fit(responses.size());
  ScreenFit added_fit(responses.size());
  std::vector<Eigen::VectorXd> rotated(responses.size());
  std::vector<Eigen::VectorXd> own_rotated(responses.size());
  Eigen::VectorXd right(size);
  for (std::size_t r = 0; r < responses.size(); ++r) {
    const Eigen::Index y = responses[r];
    for (Eigen::Index k = 0; k < size; ++k) right[k] = columns_.gram(chosen_[static_cast<std::size_t>(k)], y);
    rotated[r] = lower * right;
    own_rotated[r] =
        corner.matrixL().solve(columns_.gram.col(y).segment(own_first, extra) - border.transpose() * rotated[r]);
    Eigen::VectorXd& own_coefficients = added_fit.coefficients[r];
    own_coefficients = corner.matrixU().solve(own_rotated[r]);
    Eigen::VectorXd& coefficients = fit.coefficients[r];
    coefficients = lower.transpose() * rotated[r] - spread * own_coefficients;
    set_product(fit, r, r,
                columns_.gram(y, y) - rotated[r].squaredNorm() - own_rotated[r].squaredNorm() -
                    kScreenRidge * n * (coefficients.squaredNorm() + own_coefficients.squaredNorm()));
    for (std::size_t other = 0; other < r; ++other) {
      set_product(
          fit, r, other,
          columns_.gram(y, responses[other]) - rotated[r].dot(rotated[other]) - own_rotated[r].dot(own_rotated[other]) -
              kScreenRidge * n *
                  (coefficients.dot(fit.coefficients[other]) + own_coefficients.dot(added_fit.coefficients[other])));
    }
  }
  added_fit.residual = fit.residual;
  fit.find_variance(n, functions);
  added_fit.find_variance(n, functions);
  for (std::size_t k = 0; k < count; ++k) {
    const auto at = static_cast<Eigen::Index>(start_[k]);
    const auto own = static_cast<Eigen::Index>(start_[k + 1] - start_[k]);
    const auto below = inverse_.block(at, at, size - at, own);
    const auto beside = root.middleRows(at, own);
    Eigen::MatrixXd covariance = below.transpose().lazyProduct(below);
    covariance += beside.lazyProduct(beside.transpose());
    if (fit.is_active(at, own, covariance, columns_.is_indicated(order_[k]))) active.push_back(order_[k]);
  }
  const Eigen::MatrixXd covariance = corner.solve(Eigen::MatrixXd::Identity(extra, extra));
  if (added_fit.is_active(0, extra, covariance, columns_.is_indicated(added))) active.push_back(added);
  std::sort(active.begin(), active.end());
  return active;
}

}  // namespace olem::internal
