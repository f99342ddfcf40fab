#include "sampler/gp/gp_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lapack.h"
#include "core/special.h"
#include "olem/error.h"

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kRowsPerBlock = 512;  // features of a block stay in the cache
constexpr double kJitter = 1e-10;           // of the signal: below any pivot that was accepted
constexpr double kLeastFreedom = 1e-9;      // that a row has in its own fit: rounding must not take all of it

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// The process as a linear model y = f(c)^T b + noise with b ~ N(0, I): features are L^-1 signal kappa(points, c), where
// L L^T is the covariance of the inducing points, then sqrt(constant) and sqrt(linear_k) c_k.
class GpFeatures {
 public:
  GpFeatures(const GpParameters& parameters, const Inputs& inputs, std::size_t rows, std::span<const double> weights,
             std::span<const std::size_t> inducing)
      : parameters_(parameters), inputs_(inputs), rows_(rows), weights_(weights) {
    if (inducing.empty()) return;
    data_ = scale_points(parameters, inputs);
    points_ = data_.with_points(inducing);
    const std::size_t m = points_.points;
    factor_.resize(m * m);
    covariance_block(parameters, points_, points_, scratch_, factor_.data());
    for (std::size_t j = 0; j < m; ++j) factor_[j * m + j] += kJitter * parameters.signal;
    if (!cholesky_lower(factor_.data(), m)) {
      throw Error(ErrorCategory::kInternal, "The covariance of the inducing points is not positive definite.");
    }
  }

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return points_.points + 1 + inputs_.size(); }
  const ScaledPoints& points() const { return points_; }

  // size() x count, one column per row of data, times its weight.
  void fill(std::size_t first, std::size_t count, std::vector<double>& out) {
    fill_plain(first, count, out);
    const std::size_t p = size();
    for (std::size_t i = 0; !weights_.empty() && i < count; ++i) {
      for (std::size_t l = 0; l < p; ++l) out[i * p + l] *= weights_[first + i];
    }
  }

  void fill_plain(std::size_t first, std::size_t count, std::vector<double>& out) {
    const std::size_t p = size();
    const std::size_t m = points_.points;
    out.resize(p * count);
    for (std::size_t i = 0; i < count; ++i) out[i * p + m] = std::sqrt(parameters_.constant);
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const double root = std::sqrt(parameters_.linear[k]);
      for (std::size_t i = 0; i < count; ++i) out[i * p + m + 1 + k] = root * inputs_[k][first + i];
    }
    if (m == 0) return;
    covariances_.resize(m * count);
    covariance_block(parameters_, points_, data_.slice(first, count), scratch_, covariances_.data());
    solve_lower(factor_.data(), m, false, covariances_.data(), count);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(covariances_.data() + i * m, m, out.data() + i * p);
  }

  // Turns coefficients of the features of the first `m` points, the constant and the inputs (x columns) into those of
  // (signal kappa(points, c), 1, c). The factor is triangular, so the first points' features know of no others.
  void to_plain(std::size_t m, double* coefficients, std::size_t columns) const {
    const std::size_t p = m + 1 + inputs_.size();
    std::vector<double> block(m * columns);
    for (std::size_t l = 0; l < columns; ++l) {
      double* column = coefficients + l * p;
      std::copy_n(column, m, block.data() + l * m);
      column[m] *= std::sqrt(parameters_.constant);
      for (std::size_t k = 0; k < inputs_.size(); ++k) column[m + 1 + k] *= std::sqrt(parameters_.linear[k]);
    }
    if (m > 0) solve_lower_transposed(MatrixView{factor_.data(), m, m, points_.points}, {block.data(), m, columns});
    for (std::size_t l = 0; l < columns; ++l) std::copy_n(block.data() + l * m, m, coefficients + l * p);
  }

  // Calls body(first, count, features) for one block of rows after the other.
  template <class Body>
  void for_blocks(const Context& context, const Body& body) {
    std::vector<double> block;
    for (std::size_t first = 0; first < rows_; first += kRowsPerBlock) {
      context.check_interrupt();
      const std::size_t count = std::min(kRowsPerBlock, rows_ - first);
      fill(first, count, block);
      body(first, count, block);
    }
  }

 private:
  const GpParameters& parameters_;
  const Inputs& inputs_;
  std::size_t rows_;
  std::span<const double> weights_;
  ScaledPoints data_;
  ScaledPoints points_;
  std::vector<double> factor_;
  std::vector<double> scratch_;
  std::vector<double> covariances_;
};

namespace {

// The lower triangle of F F^T, and F y when there is a target, added up over the rows.
void gather(GpFeatures& features, std::span<const double> target, std::vector<double>* squares,
            std::vector<double>* products, const Context& context) {
  const std::size_t p = features.size();
  if (squares != nullptr) squares->assign(p * p, 0.0);
  if (products != nullptr) products->assign(p, 0.0);
  features.for_blocks(context, [&](std::size_t first, std::size_t count, const std::vector<double>& block) {
    if (squares != nullptr) multiply_by_own_transpose(1.0, {block.data(), p, count}, 1.0, squares->data());
    if (products == nullptr) return;
    multiply(1.0, {block.data(), p, count}, {target.data() + first, count, 1}, 1.0, products->data());
  });
}

}  // namespace

// a^T = Q R, L = R^T.
std::vector<double> lower_trapezoid(const std::vector<double>& a, std::size_t rows, std::size_t columns) {
  std::vector<double> turned(a.size());
  for (std::size_t l = 0; l < columns; ++l) {
    for (std::size_t i = 0; i < rows; ++i) turned[i * columns + l] = a[l * rows + i];
  }
  qr_factor(turned.data(), columns, rows);
  std::vector<double> lower(a.size(), 0.0);
  for (std::size_t l = 0; l < columns; ++l) {
    for (std::size_t i = l; i < rows; ++i) lower[l * rows + i] = turned[i * columns + l];
  }
  return lower;
}

std::vector<std::size_t> choose_inducing(const GpParameters& parameters, const ScaledPoints& rows, std::size_t most,
                                         double tolerance, const Context& context) {
  const std::size_t n = rows.points;
  most = std::min(most, n);
  context.require_memory(n * most * sizeof(double), "The choice of inducing points");
  std::vector<double> left(n);
  for (std::size_t i = 0; i < n; ++i) {
    double own = 0.0;
    double unused = 0.0;
    for (std::size_t k = 0; k < rows.coordinates; ++k) own += rows.values[k * n + i] * rows.values[k * n + i];
    left[i] = prior_variance(parameters, own, unused);
  }
  std::vector<std::size_t> chosen;
  std::vector<double> factor;  // n x chosen
  factor.reserve(n * most);
  std::vector<double> scratch;
  std::vector<double> pivot_row;
  while (chosen.size() < most) {
    context.check_interrupt();
    const auto largest = std::max_element(left.begin(), left.end());
    if (!(*largest > tolerance)) break;
    const auto pivot = static_cast<std::size_t>(largest - left.begin());
    const std::size_t done = chosen.size();
    chosen.push_back(pivot);
    factor.resize(n * (done + 1));
    double* column = factor.data() + n * done;
    covariance_block(parameters, rows, rows.with_points({&pivot, 1}), scratch, column);
    pivot_row.resize(done);
    for (std::size_t l = 0; l < done; ++l) pivot_row[l] = factor[l * n + pivot];
    if (done > 0) multiply(-1.0, {factor.data(), n, done}, {pivot_row.data(), done, 1}, 1.0, column);
    const double root = std::sqrt(*largest);
    for (std::size_t i = 0; i < n; ++i) {
      column[i] /= root;
      left[i] -= column[i] * column[i];
    }
    left[pivot] = 0.0;
  }
  return chosen;
}

double projected_objective(const GpParameters& parameters, const Inputs& inputs, std::span<const double> target,
                           std::span<const double> weights, std::span<const std::size_t> inducing,
                           const Context& context) {
  GpFeatures features(parameters, inputs, target.size(), weights, inducing);
  std::vector<double> squares;
  std::vector<double> products;
  gather(features, target, &squares, &products, context);
  const std::size_t p = features.size();
  const double noise = parameters.noise;
  // F^T F / noise + I, whose determinant and inverse stand for those of the covariance (Woodbury).
  for (double& value : squares) value /= noise;
  for (std::size_t l = 0; l < p; ++l) squares[l * p + l] += 1.0;
  if (!cholesky_lower(squares.data(), p)) return std::numeric_limits<double>::infinity();
  solve_lower(squares.data(), p, false, products.data(), 1);
  const double explained = dot(products.data(), products.data(), p) / noise;
  const auto n = static_cast<double>(target.size());
  const double total = dot(target.data(), target.data(), target.size());
  double value = n * (kHalfLog2Pi + 0.5 * std::log(noise)) + 0.5 * (total - explained) / noise;
  for (std::size_t l = 0; l < p; ++l) value += std::log(squares[l * p + l]);
  return value;
}

GpRegression::GpRegression(const GpParameters& parameters, const Inputs& inputs, std::size_t rows,
                           std::span<const double> weights, std::span<const std::size_t> inducing,
                           const Context& context)
    : parameters_(parameters), features_(std::make_unique<GpFeatures>(parameters, inputs, rows, weights, inducing)) {
  gather(*features_, {}, &squares_, nullptr, context);
}

GpRegression::~GpRegression() = default;

void GpRegression::fit(std::span<const double> target, double noise, const Context& context) {
  const std::size_t p = features_->size();
  std::vector<double> factor;
  // Where many rows follow a function almost exactly, rounding is larger than their noise.
  for (noise_ = noise;; noise_ *= 10.0) {
    factor = squares_;
    for (std::size_t l = 0; l < p; ++l) factor[l * p + l] += noise_;
    if (cholesky_lower(factor.data(), p)) break;
    if (!(noise_ < 1.0)) {
      throw Error(ErrorCategory::kInternal, "The posterior of a Gaussian process is not positive definite.");
    }
  }
  gather(*features_, target, nullptr, &mean_, context);
  solve_lower(factor.data(), p, false, mean_.data(), 1);
  solve_lower(factor.data(), p, true, mean_.data(), 1);

  leave_one_out_.resize(target.size());
  left_out_variance_.resize(target.size());
  std::vector<double> turned;
  features_->for_blocks(context, [&](std::size_t first, std::size_t count, const std::vector<double>& block) {
    turned.assign(block.begin(), block.end());
    solve_lower(factor.data(), p, false, turned.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      // What is left without the row: residual / (1 - its own weight in its fit).
      const double own = std::min(dot(turned.data() + i * p, turned.data() + i * p, p), 1.0 - kLeastFreedom);
      const double residual = target[first + i] - dot(block.data() + i * p, mean_.data(), p);
      leave_one_out_[first + i] = residual / (1.0 - own);
      left_out_variance_[first + i] = noise_ * own / (1.0 - own);
    }
  });
}

GpModel GpRegression::model(std::size_t most_spread_points, double negligible) const {
  GpModel model;
  model.parameters = parameters_;
  model.points = features_->points();
  const std::size_t m = model.points.points;
  std::vector<double> mean = mean_;
  features_->to_plain(m, mean.data(), 1);
  const auto at = [&mean](std::size_t i) { return mean.begin() + static_cast<std::ptrdiff_t>(i); };
  model.weights.assign(mean.begin(), at(m));
  model.intercept = mean[m];
  model.slopes.assign(at(m + 1), mean.end());

  // The variance, without the points behind the first. In the directions of the eigenvectors u_l of F F^T the posterior
  // is independent: the data takes the share lambda_l / (noise + lambda_l) of the prior variance away.
  model.spread_points = std::min(m, most_spread_points);
  const std::size_t all = features_->size();
  const std::size_t left_out = m - model.spread_points;
  const std::size_t p = all - left_out;
  const auto in_all = [&](std::size_t i) { return i < model.spread_points ? i : i + left_out; };
  std::vector<double> vectors(p * p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t i = j; i < p; ++i) vectors[j * p + i] = squares_[in_all(j) * all + in_all(i)];
  }
  std::vector<double> lambda(p);
  symmetric_eigen(vectors.data(), p, lambda.data());
  const auto share = [&](std::size_t l) { return std::max(lambda[l], 0.0) / (noise_ + std::max(lambda[l], 0.0)); };
  std::size_t first_kept = p;
  while (first_kept > 0 && share(first_kept - 1) > negligible) --first_kept;  // they ascend
  const std::size_t directions = p - first_kept;
  std::vector<double> spread(vectors.begin() + static_cast<std::ptrdiff_t>(first_kept * p), vectors.end());
  for (std::size_t l = 0; l < directions; ++l) {
    const double root = std::sqrt(share(first_kept + l));
    for (std::size_t i = 0; i < p; ++i) spread[l * p + i] *= root;
  }
  features_->to_plain(model.spread_points, spread.data(), directions);
  set_spread(model, directions, lower_trapezoid(spread, p, directions));
  return model;
}

}  // namespace olem::internal::sampling
