#include "order/olem_plus_screen.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/lapack.h"

namespace olem::internal {

namespace {

constexpr double kScreenRidge = 1e-6;      // of the Gram matrix, per row
constexpr double kLineTest = 1.96 * 1.96;  // of the squared t of a straight line
constexpr double kJointTest = 2.326;       // normal quantile (1 %) of the F test of what is left out together
constexpr double kNormal95 = 1.6448536269514722;

// A block of functions of one column in the regression.
struct Block {
  std::size_t column = 0;
  std::size_t first = 0;  // basis column
  std::size_t count = 0;
  bool active = false;
};

Block block_of(const PlusColumns& columns, std::size_t column, bool active) {
  return {column, columns.first[column], columns.functions(column), active};
}

std::vector<Block> screened_blocks(const PlusColumns& columns, std::size_t target,
                                   std::span<const std::size_t> predecessors) {
  std::size_t size = 0;
  for (const std::size_t j : predecessors) size += columns.functions(j);
  std::vector<Block> blocks;
  if (3 * size <= columns.rows) {
    for (const std::size_t j : predecessors) blocks.push_back(block_of(columns, j, false));
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
  for (const std::size_t j : best) blocks.push_back({j, columns.first[j], 1, false});
  return blocks;
}

// The standard normal quantile at the level of a quantile of F with a and b degrees of freedom (Paulson 1942).
double normal_score_of_f(double f, double a, double b) {
  const double root = std::cbrt(std::max(f, 0.0));
  return ((1.0 - 2.0 / (9.0 * b)) * root - (1.0 - 2.0 / (9.0 * a))) /
         std::sqrt(2.0 / (9.0 * b) * root * root + 2.0 / (9.0 * a));
}

// A regression of the responses of a target on the functions of its predecessors.
struct ScreenFit {
  std::vector<Eigen::VectorXd> coefficients;  // of each response
  Eigen::MatrixXd explained;                  // by how much the fit lowers the penalised sums of products
  Eigen::MatrixXd residual;                   // sums of products of the residuals of the responses
  Eigen::MatrixXd inverse_variance;           // of the responses given the predecessors; not for a single response
  double variance = 0.0;                      // of a single response
  double freedom = 0.0;                       // rows that the functions leave

  explicit ScreenFit(std::size_t responses)
      : coefficients(responses),
        explained(static_cast<Eigen::Index>(responses), static_cast<Eigen::Index>(responses)),
        residual(explained.rows(), explained.cols()) {}

  std::size_t responses() const { return coefficients.size(); }

  // After `residual` is there.
  void find_variance(double n, std::size_t functions) {
    freedom = n - static_cast<double>(functions) - 1.0;
    if (responses() == 1) {
      variance = std::max(residual(0, 0), 1e-12 * n) / freedom;
      return;
    }
    residual.diagonal().array() += kScreenRidge * n;
    inverse_variance = residual.llt().solve(Eigen::MatrixXd::Identity(residual.rows(), residual.cols())) * freedom;
  }

  // An F test: whether `functions` of the functions may not be left out together, since the others explain `less`.
  bool needs_more_than(const Eigen::MatrixXd& less, std::size_t functions) const {
    const auto degrees = static_cast<double>(functions * responses());
    return normal_score_of_f(weighted(explained - less) / degrees, degrees, freedom) > kJointTest;
  }

  // Sums of products of the responses, divided by their variance given the predecessors.
  double weighted(const Eigen::MatrixXd& products) const {
    return responses() == 1 ? products(0, 0) / variance : products.cwiseProduct(inverse_variance).sum();
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

// Of two responses: the sum of their products, how much of it is explained and the product of their coefficients.
// b'(G + R) b = b'g, hence the residual sum of squares without another product.
void set_product(ScreenFit& fit, std::size_t r, std::size_t other, double n, double whole, double explained,
                 double coefficients) {
  const auto i = static_cast<Eigen::Index>(r);
  const auto j = static_cast<Eigen::Index>(other);
  fit.explained(i, j) = fit.explained(j, i) = explained;
  fit.residual(i, j) = fit.residual(j, i) = whole - explained - kScreenRidge * n * coefficients;
}

// A regression of the responses on the active blocks alone.
class ActiveFit {
 public:
  ActiveFit(const PlusColumns& columns, const std::vector<Eigen::Index>& responses, std::span<const Block> blocks)
      : columns_(columns), ridge_(kScreenRidge * static_cast<double>(columns.rows)) {
    for (const Block& block : blocks) {
      for (std::size_t k = 0; block.active && k < block.count; ++k) {
        chosen_.push_back(static_cast<Eigen::Index>(block.first + k));
      }
    }
    right_ = columns.gram(Eigen::all, responses);
    factor_ = columns.gram(chosen_, chosen_);
    factor_.diagonal().array() += ridge_;
    rotated_ = right_(chosen_, Eigen::all);
    if (!chosen_.empty()) {
      cholesky_lower(factor_.data(), chosen_.size());
      solve_lower(factor_.data(), chosen_.size(), false, rotated_.data(), responses.size());
    }
  }

  Eigen::MatrixXd explained() const { return rotated_.transpose() * rotated_; }

  // What a block explains beside them.
  Eigen::MatrixXd gain(const Block& block) const {
    const auto first = static_cast<Eigen::Index>(block.first);
    const auto count = static_cast<Eigen::Index>(block.count);
    Eigen::MatrixXd left = columns_.gram.block(first, first, count, count);
    left.diagonal().array() += ridge_;
    Eigen::MatrixXd right = right_.middleRows(first, count);
    if (!chosen_.empty()) {
      Eigen::MatrixXd border = columns_.gram(chosen_, Eigen::seqN(first, count));
      solve_lower(factor_.data(), chosen_.size(), false, border.data(), block.count);
      left -= border.transpose() * border;
      right -= border.transpose() * rotated_;
    }
    return right.transpose() * left.llt().solve(right);
  }

 private:
  const PlusColumns& columns_;
  double ridge_;
  std::vector<Eigen::Index> chosen_;
  Eigen::MatrixXd right_;    // of all functions
  Eigen::MatrixXd factor_;   // lower triangle: L with L L' = G + R
  Eigen::MatrixXd rotated_;  // L^-1 g
};

// The columns that a screen keeps: those of the blocks that are active by themselves, and as many others as it takes
// until the rest may be left out together. Of two columns that determine each other each may be left out by itself. By
// column and from the Gram matrix, so that the choice does not depend on how `fit` was found.
std::vector<std::size_t> kept_columns(const PlusColumns& columns, std::size_t target, std::vector<Block> blocks,
                                      const ScreenFit& fit) {
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.column < b.column; });
  std::size_t dropped = 0;
  for (const Block& block : blocks) dropped += block.active ? 0 : block.count;
  while (dropped > 0) {
    const ActiveFit active(columns, columns.responses[target], blocks);
    if (!fit.needs_more_than(active.explained(), dropped)) break;
    Block* best = nullptr;
    double most = 0.0;
    for (Block& block : blocks) {
      if (block.active) continue;
      const double gain = fit.weighted(active.gain(block));
      if (best == nullptr || gain > most) best = &block, most = gain;
    }
    best->active = true;
    dropped -= best->count;
  }
  std::vector<std::size_t> kept;
  for (const Block& block : blocks) {
    if (block.active) kept.push_back(block.column);
  }
  return kept;
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
  if (predecessors.empty()) return {};
  std::vector<Block> blocks = screened_blocks(columns, target, predecessors);
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
    for (std::size_t other = 0; other <= r; ++other) {
      const Eigen::VectorXd& others = fit.coefficients[other];
      set_product(fit, r, other, n, columns.gram(responses[r], responses[other]), others.dot(right),
                  other == r ? coefficients.squaredNorm() : coefficients.dot(others));
    }
  }
  invert_from_cholesky(inverse.data(), size);
  fit.find_variance(n, size);

  Eigen::Index at = 0;
  for (Block& block : blocks) {
    const auto count = static_cast<Eigen::Index>(block.count);
    const Eigen::MatrixXd covariance = inverse.block(at, at, count, count).selfadjointView<Eigen::Lower>();
    block.active = fit.is_active(at, count, covariance, columns.is_indicated(block.column));
    at += count;
  }
  return kept_columns(columns, target, std::move(blocks), fit);
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
  std::vector<Block> blocks;
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
      set_product(fit, r, other, n, columns_.gram(responses[r], responses[other]),
                  other == r ? rotated[r].squaredNorm() : rotated[r].dot(rotated[other]),
                  other == r ? own.squaredNorm() : own.dot(others));
    }
  }
  fit.find_variance(n, functions);
  for (std::size_t k = 0; k < count; ++k) {
    const auto at = static_cast<Eigen::Index>(start_[k]);
    const auto own = static_cast<Eigen::Index>(start_[k + 1] - start_[k]);
    const auto below = inverse_.block(at, at, size - at, own);
    const Eigen::MatrixXd covariance = below.transpose().lazyProduct(below);
    blocks.push_back(
        block_of(columns_, order_[k], fit.is_active(at, own, covariance, columns_.is_indicated(order_[k]))));
  }
  return kept_columns(columns_, target, std::move(blocks), fit);
}

std::vector<std::size_t> PrefixScreen::active_with(std::size_t target, std::size_t count, std::size_t added) const {
  const std::size_t functions = start_[count] + columns_.functions(added);
  if (!fits_rows(functions)) return sorted_screen(columns_, target, first(count), std::span(&added, 1));
  std::vector<Block> blocks;
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
    set_product(fit, r, r, n, columns_.gram(y, y), rotated[r].squaredNorm() + own_rotated[r].squaredNorm(),
                coefficients.squaredNorm() + own_coefficients.squaredNorm());
    for (std::size_t other = 0; other < r; ++other) {
      set_product(fit, r, other, n, columns_.gram(y, responses[other]),
                  rotated[r].dot(rotated[other]) + own_rotated[r].dot(own_rotated[other]),
                  coefficients.dot(fit.coefficients[other]) + own_coefficients.dot(added_fit.coefficients[other]));
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
    blocks.push_back(
        block_of(columns_, order_[k], fit.is_active(at, own, covariance, columns_.is_indicated(order_[k]))));
  }
  const Eigen::MatrixXd covariance = corner.solve(Eigen::MatrixXd::Identity(extra, extra));
  blocks.push_back(block_of(columns_, added, added_fit.is_active(0, extra, covariance, columns_.is_indicated(added))));
  return kept_columns(columns_, target, std::move(blocks), fit);
}

}  // namespace olem::internal
