#include "sampler/gp/gp_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/lapack.h"
#include "core/lbfgsb.h"
#include "core/special.h"

namespace olem::internal::sampling {

namespace {

// Of the signal, added to the variance of inducing rows: they were chosen for other parameters and may tell the same.
constexpr double kBoundJitter = 1e-8;

void mirror_lower(std::vector<double>& matrix, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) matrix[i * n + j] = matrix[j * n + i];
  }
}

}  // namespace

GpBound::GpBound(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
                 const GpParameters& shape, double penalty, std::span<const std::size_t> inducing,
                 const Context& context)
    : inputs_(inputs),
      target_(target),
      row_weights_(weights),
      shape_(shape),
      penalty_(penalty),
      rows_(target.size()),
      nonlinear_(shape.nonlinear_inputs()),
      inducing_(inducing.begin(), inducing.end()),
      width_(inducing.size() + 1 + inputs.size()) {
  places_.signal = places_.linear + inputs.size();
  places_.bias = places_.signal + 1;
  places_.relevance = places_.bias + (has_bias() ? 1 : 0);
  places_.size = places_.relevance + nonlinear_.size();
  context.require_memory(4 * rows_ * width_ * sizeof(double), "The search for hyper-parameters");
}

std::vector<double> GpBound::pack(const GpParameters& parameters) const {
  std::vector<double> logarithms(places_.size);
  logarithms[places_.constant] = std::log(parameters.constant);
  logarithms[places_.noise] = std::log(parameters.noise);
  for (std::size_t k = 0; k < inputs_.size(); ++k) logarithms[places_.linear + k] = std::log(parameters.linear[k]);
  logarithms[places_.signal] = std::log(parameters.signal);
  if (has_bias()) logarithms[places_.bias] = std::log(parameters.bias);
  for (std::size_t k = 0; k < nonlinear_.size(); ++k)
    logarithms[places_.relevance + k] = std::log(parameters.relevance[nonlinear_[k]]);
  return logarithms;
}

GpParameters GpBound::unpack(std::span<const double> logarithms) const {
  GpParameters parameters = shape_;
  parameters.constant = std::exp(logarithms[places_.constant]);
  parameters.noise = std::exp(logarithms[places_.noise]);
  for (std::size_t k = 0; k < inputs_.size(); ++k) parameters.linear[k] = std::exp(logarithms[places_.linear + k]);
  parameters.signal = std::exp(logarithms[places_.signal]);
  if (has_bias()) parameters.bias = std::exp(logarithms[places_.bias]);
  for (std::size_t k = 0; k < nonlinear_.size(); ++k)
    parameters.relevance[nonlinear_[k]] = std::exp(logarithms[places_.relevance + k]);
  return parameters;
}

void GpBound::fill(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns,
                   Block& block) const {
  block.values.resize(rows.points * columns.points);
  covariance_block(parameters, rows, columns, block.angles, block.values.data());
}

// Features f with f^T f' the projected covariance: L^-1 kappa(inducing, c), sqrt(constant), sqrt(linear_k) c_k.
bool GpBound::fill_features(const GpParameters& parameters, const ScaledPoints& points, const ScaledPoints& data) {
  const std::size_t m = inducing_.size();
  const std::size_t p = width_;
  fill(parameters, points, points, among_);
  fill(parameters, points, data, between_);
  factor_ = among_.values;
  for (std::size_t j = 0; j < m; ++j) factor_[j * m + j] += kBoundJitter * parameters.signal;
  if (!cholesky_lower(factor_.data(), m)) return false;
  features_.assign(p * rows_, std::sqrt(parameters.constant));
  for (std::size_t i = 0; i < rows_; ++i) std::copy_n(&between_.values[i * m], m, &features_[i * p]);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const double root = std::sqrt(parameters.linear[k]);
    for (std::size_t i = 0; i < rows_; ++i) features_[i * p + m + 1 + k] = root * inputs_[k][i];
  }
  solve_lower(MatrixView{factor_.data(), m, m}, {features_.data(), m, rows_, p});
  for (std::size_t i = 0; !row_weights_.empty() && i < rows_; ++i) {
    for (std::size_t l = 0; l < p; ++l) features_[i * p + l] *= row_weights_[i];
  }
  squares_.assign(p * p, 0.0);
  multiply_by_own_transpose(1.0, {features_.data(), p, rows_}, 0.0, squares_.data());
  return true;
}

// With S = F^T F + noise I over the rows, a = S^-1 y and M = F F^T + noise I over the features, the bound is
//   1/2 log |S| + 1/2 y^T a + n/2 log 2 pi + (sum_i kappa_ii - trace of the projection) / (2 noise)
// and its derivative by F is M^-1 F - w a^T, w = M^-1 F y = F a, less A / noise for the part A of F that is the
// projection. Since F F^T M^-1 = I - noise M^-1, sums over the rows need no further product.
double GpBound::evaluate(std::span<const double> logarithms, std::span<double> gradient) {
  const GpParameters parameters = unpack(logarithms);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const ScaledPoints data = scale_points(parameters, inputs_);
  const ScaledPoints points = data.with_points(inducing_);
  if (!fill_features(parameters, points, data)) return std::numeric_limits<double>::infinity();
  inverse_ = squares_;
  for (std::size_t l = 0; l < width_; ++l) inverse_[l * width_ + l] += parameters.noise;
  if (!cholesky_lower(inverse_.data(), width_)) return std::numeric_limits<double>::infinity();

  double value = explain_target(parameters.noise);
  const double left = add_left_variance(parameters, data, gradient);
  value += 0.5 * left / parameters.noise;
  invert_from_cholesky(inverse_.data(), width_);
  mirror_lower(inverse_, width_);
  mirror_lower(squares_, width_);
  add_linear_gradient(parameters.noise, left, gradient);
  add_nonlinear_gradient(parameters, points, data, left, gradient);
  add_penalty(parameters, value, gradient);
  return value;
}

// The bound without what the inducing rows leave; sets w and a. `inverse_` is a Cholesky factor still.
double GpBound::explain_target(double noise) {
  const std::size_t n = rows_;
  const std::size_t p = width_;
  by_feature_.resize(p);
  multiply(1.0, {features_.data(), p, n}, {target_.data(), n, 1}, 0.0, by_feature_.data());
  solve_lower(inverse_.data(), p, false, by_feature_.data(), 1);
  solve_lower(inverse_.data(), p, true, by_feature_.data(), 1);
  by_row_.assign(target_.begin(), target_.end());
  multiply(-1.0 / noise, {features_.data(), p, n, 0, true}, {by_feature_.data(), p, 1}, 1.0 / noise, by_row_.data());
  double value = static_cast<double>(n) * kHalfLog2Pi + 0.5 * freedom() * std::log(noise);
  for (std::size_t l = 0; l < p; ++l) value += std::log(inverse_[l * p + l]);
  for (std::size_t i = 0; i < n; ++i) value += 0.5 * target_[i] * by_row_[i];
  return value;
}

// What the inducing rows leave of the nonlinear part's variance, summed over the rows; adds what the prior variances
// in it say about bias and relevances.
double GpBound::add_left_variance(const GpParameters& parameters, const ScaledPoints& data,
                                  std::span<double> gradient) const {
  double left = 0.0;
  for (std::size_t l = 0; l < inducing_.size(); ++l) left -= squares_[l * width_ + l];
  std::vector<double> squares(data.coordinates);
  std::vector<double> by_coordinate(data.coordinates, 0.0);
  for (std::size_t i = 0; i < rows_; ++i) {
    double own = 0.0;
    for (std::size_t k = 0; k < data.coordinates; ++k) {
      squares[k] = data.values[k * rows_ + i] * data.values[k * rows_ + i];
      own += squares[k];
    }
    double slope = 0.0;
    const double square = row_weight(i) * row_weight(i);
    left += square * prior_variance(parameters, own, slope);
    slope *= square;
    for (std::size_t k = 0; k < data.coordinates; ++k) by_coordinate[k] += 0.5 / parameters.noise * slope * squares[k];
  }
  add_coordinates(by_coordinate, gradient);
  return left;
}

// By the noise and by constant and linear variances, each of which scales one feature.
void GpBound::add_linear_gradient(double noise, double left, std::span<double> gradient) const {
  const std::size_t p = width_;
  double trace = freedom() / noise;
  for (std::size_t l = 0; l < p; ++l) trace += inverse_[l * p + l];
  double squares = 0.0;
  for (const double a : by_row_) squares += a * a;
  gradient[places_.noise] += noise * 0.5 * (trace - squares - left / (noise * noise));
  const auto by_scale = [&](std::size_t l) {
    return 0.5 * (1.0 - noise * inverse_[l * p + l] - by_feature_[l] * by_feature_[l]);
  };
  const std::size_t constant = inducing_.size();
  gradient[places_.constant] += by_scale(constant);
  for (std::size_t k = 0; k < inputs_.size(); ++k) gradient[places_.linear + k] += by_scale(constant + 1 + k);
}

void GpBound::add_nonlinear_gradient(const GpParameters& parameters, const ScaledPoints& points,
                                     const ScaledPoints& data, double left, std::span<double> gradient) {
  const std::size_t n = rows_;
  const std::size_t m = inducing_.size();
  const std::size_t p = width_;
  const double noise = parameters.noise;
  // By the covariances between inducing rows and all rows: L^-T (M^-1 F - A / noise - w a^T), first m rows.
  std::vector<double> turned(m * (p + 1));
  for (std::size_t l = 0; l < p; ++l) std::copy_n(&inverse_[l * p], m, &turned[l * m]);
  for (std::size_t l = 0; l < m; ++l) turned[l * m + l] -= 1.0 / noise;
  std::copy_n(by_feature_.data(), m, &turned[p * m]);
  solve_lower(factor_.data(), m, true, turned.data(), p + 1);
  weights_.resize(m * n);
  multiply(1.0, {turned.data(), m, p}, {features_.data(), p, n}, 0.0, weights_.data());
  multiply(-1.0, {&turned[p * m], m, 1}, {by_row_.data(), 1, n}, 1.0, weights_.data());
  for (std::size_t i = 0; !row_weights_.empty() && i < n; ++i) {
    for (std::size_t l = 0; l < m; ++l) weights_[i * m + l] *= row_weights_[i];
  }
  add_block_gradient(parameters, points, data, between_, weights_, gradient);

  // By the covariances among them: -1/2 L^-T C L^-1 with C = A (M^-1 F - A / noise - w a^T)^T. The signal scales all
  // covariances, so its derivative is 1/2 tr C and the share of the prior variances.
  std::vector<double> among(m * m);
  double by_signal = 0.5 * left / noise;
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      among[j * m + i] = -noise * inverse_[j * p + i] - squares_[j * p + i] / noise - by_feature_[i] * by_feature_[j];
    }
    among[j * m + j] += 1.0;
    by_signal += 0.5 * (among[j * m + j] + squares_[j * p + j] / noise);
  }
  gradient[places_.signal] += by_signal;
  for (double& entry : among) entry *= -0.5;
  solve_lower(factor_.data(), m, true, among.data(), m);
  for (std::size_t j = 0; j < m; ++j) {  // it is symmetric only when both sides are done
    for (std::size_t i = 0; i < j; ++i) std::swap(among[j * m + i], among[i * m + j]);
  }
  solve_lower(factor_.data(), m, true, among.data(), m);
  add_block_gradient(parameters, points, points, among_, among, gradient);
}

// With S_ij = weight_ij dvalue_ij/dangle_ij (arcsine) and the angles 2 s_i s_j x_i x_j, a coordinate k enters by
// 2 S_ij (s_i x_ik) (s_j x_jk) and through both scales by -S_ij angle_ij ((s_i x_ik)^2 + (s_j x_jk)^2). For rbf, S_ij =
// weight_ij value_ij, and it enters by -1/2 S_ij (x_ik - x_jk)^2.
void GpBound::add_block_gradient(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns,
                                 const Block& block, std::vector<double>& weights, std::span<double> gradient) const {
  const bool arcsine = shape_.kernel == GpKernel::kArcsine;
  const std::size_t width = rows.coordinates;
  fill_slopes(parameters, weights.size(), block.angles.data(), block.values.data(), weights.data(), weights.data());
  const auto scaled = [&](const ScaledPoints& points) {
    std::vector<double> values = points.values;
    for (std::size_t k = 0; arcsine && k < width; ++k) {
      for (std::size_t i = 0; i < points.points; ++i) values[k * points.points + i] *= points.scales[i];
    }
    return values;
  };
  const std::vector<double> left = scaled(rows);
  const std::vector<double> right = scaled(columns);
  const std::size_t m = rows.points;
  const std::size_t n = columns.points;
  std::vector<double> by_row(m * width);
  std::vector<double> by_column(n * width);
  multiply(1.0, {weights.data(), m, n}, {right.data(), n, width}, 0.0, by_row.data());
  multiply(1.0, {weights.data(), m, n, 0, true}, {left.data(), m, width}, 0.0, by_column.data());

  std::vector<double> by_coordinate(width, 0.0);
  const auto take_squares = [&](const std::vector<double>& values, const std::vector<double>& products,
                                std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      double turn = 0.0;  // sum over the other side of S angle, or of S
      if (arcsine) {
        for (std::size_t k = 0; k < width; ++k) turn += 2.0 * values[k * count + i] * products[k * count + i];
      } else {
        turn = 0.5 * products[(width - 1) * count + i] / std::sqrt(parameters.bias);
      }
      for (std::size_t k = 0; k < width; ++k) by_coordinate[k] -= values[k * count + i] * values[k * count + i] * turn;
    }
  };
  take_squares(left, by_row, m);
  take_squares(right, by_column, n);
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = 0; i < m; ++i) {
      by_coordinate[k] += (arcsine ? 2.0 : 1.0) * left[k * m + i] * by_row[k * m + i];
    }
  }
  add_coordinates(by_coordinate, gradient);
}

// The last coordinate is the bias, on which rbf does not depend.
void GpBound::add_coordinates(std::span<const double> by_coordinate, std::span<double> gradient) const {
  if (has_bias()) gradient[places_.bias] += by_coordinate.back();
  for (std::size_t k = 0; k + 1 < by_coordinate.size(); ++k) gradient[places_.relevance + k] += by_coordinate[k];
}

void GpBound::add_penalty(const GpParameters& parameters, double& value, std::span<double> gradient) const {
  const auto add = [&](double variance, std::size_t at) {
    const double root = penalty_ * std::sqrt(variance);
    value += root;
    gradient[at] += 0.5 * root;
  };
  for (std::size_t k = 0; k < inputs_.size(); ++k) add(parameters.linear[k], places_.linear + k);
  for (std::size_t k = 0; k < nonlinear_.size(); ++k) add(parameters.relevance[nonlinear_[k]], places_.relevance + k);
}

GpBound::Limits GpBound::limits() const {
  Limits limits{std::vector<double>(places_.size, kLeastLogVariance),
                std::vector<double>(places_.size, kLargestLogVariance)};
  limits.low[places_.noise] = kLeastLogNoise;
  limits.high[places_.noise] = kLargestLogNoise;
  if (has_bias()) limits.low[places_.bias] = kLeastLogBias;
  return limits;
}

GpSearch optimise_parameters(GpBound& bound, const GpParameters& start, int iterations, const Context& context) {
  const GpBound::Limits limits = bound.limits();
  LbfgsbOptions options;
  options.iterations = iterations;
  options.relative_reduction = 1e-7;
  options.gradient_tolerance = 1e-3;  // nats per unit of a logarithm
  const LbfgsbResult result = minimise_lbfgsb(
      bound.pack(start), limits.low, limits.high,
      [&](std::span<const double> x, std::span<double> gradient) { return bound.evaluate(x, gradient); }, options,
      context);
  return {bound.unpack(result.x), result.value};
}

}  // namespace olem::internal::sampling
