#include "flow/gp_evaluator.h"

#include <algorithm>
#include <cmath>

#include "core/lapack.h"

namespace olem::flow {

namespace {

// Rounding of the difference between prior and explained variance must not make it negative; relative to the noise.
constexpr double kLeastVariance = 1e-9;

double sum(std::span<const double> values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

double GpEvaluator::least_variance() const { return kLeastVariance * model_.parameters.noise; }

// What depends only on which conditions are shared.
void GpEvaluator::arrange(std::span<const Condition> conditions) {
  std::vector<bool> shared;
  for (const Condition& condition : conditions) shared.push_back(condition.shared);
  const std::size_t points = model_.points.points;
  nonlinear_ = points > 0 ? model_.parameters.nonlinear_inputs() : std::vector<std::size_t>{};
  one_row_ = std::all_of(nonlinear_.begin(), nonlinear_.end(), [&](std::size_t k) { return shared[k]; });
  kernel_rows_ = points == 0 ? 0 : one_row_ ? 1 : draws_;
  if (shared == shared_) return;
  shared_ = shared;
  varying_.clear();
  for (std::size_t k = 0; k < shared.size(); ++k) {
    if (!shared[k]) varying_.push_back(k);
  }
  spread_.clear();
  for (std::size_t l = 0; l < model_.directions; ++l) {
    for (const std::size_t k : varying_) spread_.push_back(model_.spread[l * model_.features() + points + 1 + k]);
  }
}

void GpEvaluator::evaluate(std::span<const Condition> conditions, std::size_t draws, bool with_variance) {
  conditions_ = conditions;
  draws_ = draws;
  arrange(conditions);
  const std::size_t width = varying_.size() + (one_row_ ? 0 : model_.points.points);
  features_.resize(draws_ * width);
  double offset = model_.intercept;
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    if (conditions[k].shared) offset += model_.slopes[k] * conditions[k].values[0];
  }
  mean_.assign(draws_, offset);
  for (std::size_t v = 0; v < varying_.size(); ++v) {
    const double* values = conditions[varying_[v]].values;
    const double slope = model_.slopes[varying_[v]];
    double* column = features_.data() + v * draws_;
    for (std::size_t i = 0; i < draws_; ++i) {
      column[i] = values[i];
      mean_[i] += slope * values[i];
    }
  }
  if (kernel_rows_ > 0) evaluate_kernel();
  variance_.clear();
  if (with_variance) evaluate_variance();
}

void GpEvaluator::evaluate_kernel() {
  const ScaledPoints& points = model_.points;
  const std::size_t rows = kernel_rows_;
  const std::size_t width = points.coordinates;
  coordinates_.resize(rows * width);
  own_products_.assign(rows, model_.parameters.bias);
  for (std::size_t c = 0; c < nonlinear_.size(); ++c) {
    const double root = std::sqrt(model_.parameters.relevance[nonlinear_[c]]);
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = root * input(nonlinear_[c], i);
      coordinates_[c * rows + i] = x;
      own_products_[i] += x * x;
    }
  }
  std::fill(coordinates_.end() - static_cast<std::ptrdiff_t>(rows), coordinates_.end(),
            std::sqrt(model_.parameters.bias));
  scales_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) scales_[i] = point_scale(model_.parameters, own_products_[i]);
  angles_.resize(rows * points.points);
  multiply(1.0, {coordinates_.data(), rows, width}, {points.values.data(), points.points, width, 0, true}, 0.0,
           angles_.data());
  if (one_row_) shared_values_.resize(points.points);
  double* values = one_row_ ? shared_values_.data() : kernel_values();
  fill_covariance(model_.parameters, scales_, points.scales, angles_.data(), values);
  if (one_row_) {
    double value = 0.0;
    for (std::size_t j = 0; j < points.points; ++j) value += model_.weights[j] * values[j];
    for (double& mean : mean_) mean += value;
  } else {
    multiply(1.0, {values, rows, points.points}, {model_.weights.data(), points.points, 1}, 1.0, mean_.data());
  }
}

void GpEvaluator::evaluate_variance() {
  const GpParameters& parameters = model_.parameters;
  const std::size_t r = model_.directions;
  double shared_prior = parameters.constant;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k]) shared_prior += parameters.linear[k] * input(k, 0) * input(k, 0);
  }
  prior_slopes_.resize(kernel_rows_);
  variance_.assign(draws_, shared_prior);
  if (kernel_rows_ > 0 && one_row_) {
    const double prior = prior_variance(parameters, own_products_[0], prior_slopes_[0]);
    for (double& variance : variance_) variance += prior;
  } else {
    for (std::size_t i = 0; i < kernel_rows_; ++i) {
      variance_[i] += prior_variance(parameters, own_products_[i], prior_slopes_[i]);
    }
  }
  for (std::size_t v = 0; v < varying_.size(); ++v) {
    const double* values = features_.data() + v * draws_;
    const double scale = parameters.linear[varying_[v]];
    for (std::size_t i = 0; i < draws_; ++i) variance_[i] += scale * values[i] * values[i];
  }

  // Directions: kernel values times a triangle and what is below it, then the varying inputs, then what all draws
  // share.
  const std::size_t points = model_.points.points;
  const std::size_t stride = model_.features();
  const std::size_t t = kernel_directions();
  directions_.assign(draws_ * r, 0.0);
  if (!one_row_) {
    std::copy_n(kernel_values(), draws_ * t, directions_.data());
    multiply_by_lower(directions_.data(), draws_, model_.spread.data(), t, stride, false);
    multiply(1.0, {kernel_values() + draws_ * t, draws_, points - t}, {model_.spread.data() + t, points - t, t, stride},
             1.0, directions_.data());
  }
  multiply(1.0, {features_.data(), draws_, varying_.size()}, {spread_.data(), varying_.size(), r}, 1.0,
           directions_.data());
  for (std::size_t l = 0; l < r; ++l) {
    const double* column = model_.spread.data() + l * stride;
    double offset = column[points];
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (shared_[k]) offset += column[points + 1 + k] * input(k, 0);
    }
    if (one_row_) {
      for (std::size_t j = l; j < points; ++j) offset += column[j] * shared_values_[j];
    }
    double* own = directions_.data() + l * draws_;
    for (std::size_t i = 0; i < draws_; ++i) {
      own[i] += offset;
      variance_[i] -= own[i] * own[i];
    }
  }
  for (double& variance : variance_) variance = std::max(variance, least_variance());
}

void GpEvaluator::add_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                               std::span<double* const> gradients) {
  const std::size_t r = model_.directions;
  const std::size_t points = model_.points.points;
  const bool kernel_wanted =
      std::any_of(nonlinear_.begin(), nonlinear_.end(), [&](std::size_t k) { return gradients[k] != nullptr; });
  // The derivative by the directions is -2 by_variance_i times themselves; turned_ is its sum over the draws.
  turned_.assign(r, 0.0);
  weights_.resize(draws_ * (varying_.size() + points));
  if (by_variance.empty()) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
  } else {
    multiply(-2.0, {directions_.data(), draws_, r, 0, true}, {by_variance.data(), draws_, 1}, 0.0, turned_.data());
    for (std::size_t l = 0; l < r; ++l) {
      double* column = directions_.data() + l * draws_;
      for (std::size_t i = 0; i < draws_; ++i) column[i] *= -2.0 * by_variance[i];
    }
    multiply(1.0, {directions_.data(), draws_, r}, {spread_.data(), varying_.size(), r, 0, true}, 0.0, weights_.data());
    if (!one_row_ && kernel_wanted) {
      const std::size_t t = kernel_directions();
      double* weights = weights_.data() + varying_.size() * draws_;
      multiply(1.0, {directions_.data(), draws_, t}, {model_.spread.data() + t, points - t, t, model_.features(), true},
               0.0, weights + draws_ * t);
      std::copy_n(directions_.data(), draws_ * t, weights);
      multiply_by_lower(weights, draws_, model_.spread.data(), t, model_.features(), true);
    }
  }
  add_linear_gradient(by_mean, by_variance, gradients);
  if (kernel_wanted) add_kernel_gradient(by_mean, by_variance, gradients);
}

void GpEvaluator::add_linear_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                                      std::span<double* const> gradients) {
  const bool with_variance = !by_variance.empty();
  const std::size_t first_input = model_.points.points + 1;
  for (std::size_t v = 0; v < varying_.size(); ++v) {
    const std::size_t k = varying_[v];
    if (gradients[k] == nullptr) continue;
    const double* weights = weights_.data() + v * draws_;
    for (std::size_t i = 0; i < draws_; ++i) gradients[k][i] += by_mean[i] * model_.slopes[k] + weights[i];
    if (!with_variance) continue;
    const double twice = 2.0 * model_.parameters.linear[k];
    for (std::size_t i = 0; i < draws_; ++i) gradients[k][i] += by_variance[i] * twice * input(k, i);
  }
  const double total_mean = sum(by_mean);
  const double total_variance = sum(by_variance);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (!shared_[k] || gradients[k] == nullptr) continue;
    double total = total_mean * model_.slopes[k] + total_variance * 2.0 * model_.parameters.linear[k] * input(k, 0);
    const double* spread = model_.spread.data() + first_input + k;
    for (std::size_t l = 0; l < turned_.size(); ++l) total += turned_[l] * spread[l * model_.features()];
    gradients[k][0] += total;
  }
}

void GpEvaluator::add_kernel_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                                      std::span<double* const> gradients) {
  const GpParameters& parameters = model_.parameters;
  const ScaledPoints& points = model_.points;
  const std::size_t rows = kernel_rows_;
  const std::size_t m = points.points;
  const std::size_t width = points.coordinates;
  const bool arcsine = parameters.kernel == GpKernel::kArcsine;

  // Derivative by the kernel values, rows x points.
  const double total_mean = sum(by_mean);
  const double total_variance = sum(by_variance);
  double* weights = one_row_ ? weights_.data() : weights_.data() + varying_.size() * draws_;
  for (std::size_t j = 0; j < m; ++j) {
    if (one_row_) {
      weights[j] = total_mean * model_.weights[j];
      for (std::size_t l = 0; l < std::min(j + 1, turned_.size()); ++l) {
        weights[j] += turned_[l] * model_.spread[l * model_.features() + j];
      }
    } else {
      for (std::size_t i = 0; i < rows; ++i) weights[j * rows + i] += by_mean[i] * model_.weights[j];
    }
  }
  const double* values = one_row_ ? shared_values_.data() : kernel_values();
  fill_slopes(parameters, rows * m, angles_.data(), values, weights, weights);

  // As in GpLikelihood: through the inner products, and through the draw's own scale.
  std::vector<double> columns = points.values;
  for (std::size_t c = 0; arcsine && c < width; ++c) {
    for (std::size_t j = 0; j < m; ++j) columns[c * m + j] *= 2.0 * points.scales[j];
  }
  std::vector<double> products(rows * width);
  multiply(1.0, {weights, rows, m}, {columns.data(), m, width}, 0.0, products.data());
  std::vector<double> turns(rows, 0.0);  // of each draw's own coordinates
  for (std::size_t i = 0; i < rows; ++i) {
    if (arcsine) {
      double along = 0.0;
      for (std::size_t c = 0; c < width; ++c) along += coordinates_[c * rows + i] * products[c * rows + i];
      // Angles are s_i sum_c x_ic (2 s_j x_jc), and ds_i/dx_ic = -2 s_i^3 x_ic.
      turns[i] = 2.0 * scales_[i] * scales_[i] * scales_[i] * along;
    } else {
      turns[i] = products[(width - 1) * rows + i] / std::sqrt(parameters.bias);
    }
    if (!by_variance.empty()) {
      turns[i] -= 2.0 * (one_row_ ? total_variance : by_variance[i]) * prior_slopes_[i];
    }
  }
  for (std::size_t c = 0; c < nonlinear_.size(); ++c) {
    const std::size_t k = nonlinear_[c];
    if (gradients[k] == nullptr) continue;
    const double root = std::sqrt(parameters.relevance[k]);
    double total = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double through = (arcsine ? scales_[i] : 1.0) * products[c * rows + i];
      const double gradient = root * (through - turns[i] * coordinates_[c * rows + i]);
      if (shared_[k]) {
        total += gradient;
      } else {
        gradients[k][i] += gradient;
      }
    }
    if (shared_[k]) gradients[k][0] += total;
  }
}

}  // namespace olem::flow
