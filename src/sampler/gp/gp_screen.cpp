#include "sampler/gp/gp_screen.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace olem::internal::sampling {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of a mean square of one: inputs that are nearly functions of others must not make the sums singular.
constexpr double kRidge = 1e-4;
constexpr double kLeastSquaredT = 2.0;  // what an input must gain, twice in nats
constexpr double kLevel = 0.01;         // of each family of tests
constexpr std::size_t kMostNonlinear = 15;
constexpr std::size_t kMostFactors = 8;  // whose products are tested

constexpr int kShapes = 3;
using Shapes = std::array<double, kShapes>;

// Bounded, so that single far values do not decide: a bump, what levels off, and their product.
Shapes shapes_of(double x) {
  const double bump = 1.0 / (1.0 + x * x);
  return {bump, x * bump, x * bump * bump};
}

double tail_1(double chi_square) { return std::erfc(std::sqrt(0.5 * chi_square)); }
double tail_3(double chi_square) {
  return tail_1(chi_square) + std::sqrt(2.0 * chi_square / std::numbers::pi) * std::exp(-0.5 * chi_square);
}

// Linear regression on the columns that are left, and what it leaves.
struct Reduced {
  std::vector<bool> active;
  VectorXd coefficients;
  VectorXd squared_t;  // of the active ones
  double variance = 0.0;
  double freedom = 0.0;
};

Reduced reduce_backward(const MatrixXd& columns, const VectorXd& target, const Context& context) {
  const Index n = columns.rows();
  const Index p = columns.cols();  // the last one is the constant, which stays
  MatrixXd inverse = columns.transpose() * columns;
  inverse.diagonal().array() += kRidge * static_cast<double>(n);
  const VectorXd products = columns.transpose() * target;
  inverse = inverse.llt().solve(MatrixXd::Identity(p, p));
  Reduced result;
  result.active.assign(static_cast<std::size_t>(p), true);
  result.coefficients = inverse * products;
  result.squared_t = VectorXd::Zero(p);
  double left = target.squaredNorm() - result.coefficients.dot(products);
  Index count = p;
  while (true) {
    context.check_interrupt();
    result.freedom = std::max(static_cast<double>(n - count), 1.0);
    result.variance = std::max(left / result.freedom, 0.0);
    Index weakest = -1;
    for (Index k = 0; k + 1 < p; ++k) {
      if (!result.active[static_cast<std::size_t>(k)]) continue;
      const double t = result.coefficients[k] * result.coefficients[k] / inverse(k, k);
      result.squared_t[k] = result.variance > 0.0 ? t / result.variance : t;
      if (weakest < 0 || result.squared_t[k] < result.squared_t[weakest]) weakest = k;
    }
    if (weakest < 0 || !(result.squared_t[weakest] < kLeastSquaredT)) break;
    // Without it, by one step of elimination.
    const double pivot = inverse(weakest, weakest);
    const double coefficient = result.coefficients[weakest];
    const VectorXd column = inverse.col(weakest);
    left += coefficient * coefficient / pivot;
    result.coefficients -= column * (coefficient / pivot);
    inverse -= column * (column.transpose() / pivot);
    result.coefficients[weakest] = 0.0;
    result.squared_t[weakest] = 0.0;
    result.active[static_cast<std::size_t>(weakest)] = false;
    --count;
  }
  return result;
}

class NonlinearTests {
 public:
  NonlinearTests(const VectorXd& residuals, const VectorXd& weights, const Reduced& linear)
      : residuals_(residuals),
        weights_(weights),
        // A residual has less variance than the noise, by what the regression has taken.
        variance_(linear.variance * linear.freedom / static_cast<double>(residuals.size())) {}

  // P-value of the shapes of `x`, without what a straight line in x says of them.
  double of_shapes(const VectorXd& x) const {
    Eigen::Matrix<double, 5, 5> squares = Eigen::Matrix<double, 5, 5>::Zero();
    Eigen::Matrix<double, 5, 1> products = Eigen::Matrix<double, 5, 1>::Zero();
    for (Index i = 0; i < x.size(); ++i) {
      const Shapes shapes = shapes_of(x[i]);
      Eigen::Matrix<double, 5, 1> row;
      row << 1.0, x[i], shapes[0], shapes[1], shapes[2];
      row *= weight(i);
      squares.noalias() += row * row.transpose();
      products += row * residuals_[i];
    }
    squares.diagonal() *= 1.0 + 1e-9;  // a column of two values
    const Eigen::Matrix2d line = squares.topLeftCorner<2, 2>();
    const Eigen::Matrix<double, kShapes, 2> share = line.ldlt().solve(squares.topRightCorner<2, kShapes>()).transpose();
    const Eigen::Matrix3d own =
        squares.bottomRightCorner<kShapes, kShapes>() - share * squares.topRightCorner<2, kShapes>();
    const Eigen::Vector3d explained = products.tail<kShapes>() - share * products.head<2>();
    const double chi_square = explained.dot(own.ldlt().solve(explained)) / variance_;
    return std::isfinite(chi_square) ? tail_3(std::max(chi_square, 0.0)) : 1.0;
  }

  double of_product(const VectorXd& x, const VectorXd& y) const {
    double mass = 0.0;
    double mean = 0.0;
    for (Index i = 0; i < x.size(); ++i) {
      mean += weight(i) * weight(i) * factor(x[i]) * factor(y[i]);
      mass += weight(i) * weight(i);
    }
    mean /= mass;
    double square = 0.0;
    double product = 0.0;
    for (Index i = 0; i < x.size(); ++i) {
      const double value = weight(i) * (factor(x[i]) * factor(y[i]) - mean);
      square += value * value;
      product += value * residuals_[i];
    }
    return square > 0.0 ? tail_1(product * product / (square * variance_)) : 1.0;
  }

 private:
  static double factor(double x) { return x / std::sqrt(1.0 + x * x); }
  double weight(Index i) const { return weights_.size() == 0 ? 1.0 : weights_[i]; }

  const VectorXd& residuals_;
  const VectorXd& weights_;
  double variance_;
};

}  // namespace

GpScreen screen_inputs(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
                       bool linear, const Context& context) {
  const auto n = static_cast<Index>(target.size());
  const std::size_t q = inputs.size();
  const auto column = [&](std::size_t k) { return Eigen::Map<const VectorXd>(inputs[k].data(), n); };
  VectorXd by_row;
  if (!weights.empty()) by_row = Eigen::Map<const VectorXd>(weights.data(), n);
  MatrixXd columns(n, static_cast<Index>(q) + 1);
  for (std::size_t k = 0; k < q; ++k) columns.col(static_cast<Index>(k)) = column(k);
  columns.col(static_cast<Index>(q)).setOnes();
  if (!weights.empty()) columns = by_row.asDiagonal() * columns;
  const VectorXd y = Eigen::Map<const VectorXd>(target.data(), n);
  const Reduced reduced = reduce_backward(columns, y, context);

  std::vector<bool> kept(reduced.active.begin(), reduced.active.end() - 1);
  std::vector<double> shape_tests(q, 1.0);
  bool found = false;
  if (!linear && reduced.variance > 0.0) {
    const VectorXd fitted = columns * reduced.coefficients;
    const VectorXd residuals = y - fitted;
    const NonlinearTests tests(residuals, by_row, reduced);
    for (std::size_t k = 0; k < q; ++k) {
      shape_tests[k] = tests.of_shapes(column(k));
      found = found || shape_tests[k] < kLevel / static_cast<double>(q);
    }
    VectorXd value = weights.empty() ? fitted : VectorXd(fitted.cwiseQuotient(by_row));
    value.array() -= value.mean();
    const double sd = std::sqrt(value.squaredNorm() / static_cast<double>(n));
    found = found || (sd > 0.0 && tests.of_shapes(value / sd) < kLevel);
    std::vector<std::size_t> strongest;
    for (std::size_t k = 0; k < q; ++k) {
      if (kept[k]) strongest.push_back(k);
    }
    std::stable_sort(strongest.begin(), strongest.end(), [&](std::size_t a, std::size_t b) {
      return reduced.squared_t[static_cast<Index>(a)] > reduced.squared_t[static_cast<Index>(b)];
    });
    strongest.resize(std::min(strongest.size(), kMostFactors));
    const auto factors = static_cast<double>(strongest.size());
    const double pairs = 0.5 * factors * (factors - 1.0);
    for (std::size_t a = 0; a < strongest.size() && !found; ++a) {
      for (std::size_t b = 0; b < a && !found; ++b)
        found = tests.of_product(column(strongest[a]), column(strongest[b])) < kLevel / pairs;
    }
  }

  // Of those that may be nonlinear, the ones that say most: by their shapes or by a straight line.
  std::vector<std::size_t> candidates;
  const auto evidence = [&](std::size_t k) {
    return std::max(-2.0 * std::log(std::max(shape_tests[k], 1e-300)), reduced.squared_t[static_cast<Index>(k)]);
  };
  for (std::size_t k = 0; k < q && found; ++k) {
    if (shape_tests[k] < kLevel) kept[k] = true;
    if (kept[k]) candidates.push_back(k);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](std::size_t a, std::size_t b) { return evidence(a) > evidence(b); });
  candidates.resize(std::min(candidates.size(), kMostNonlinear));
  GpScreen screen;
  for (std::size_t k = 0; k < q; ++k) {
    if (!kept[k]) continue;
    if (std::find(candidates.begin(), candidates.end(), k) != candidates.end())
      screen.nonlinear.push_back(screen.inputs.size());
    screen.inputs.push_back(k);
  }
  return screen;
}

}  // namespace olem::internal::sampling
