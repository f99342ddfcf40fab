#include "flow/gp_evaluator.h"

#include <cmath>
#include <memory>

#include "core/lapack.h"
#include "flow/kernel_loops.h"

namespace olem::flow {

namespace {

// Rounding of the difference between prior and explained variance must not make it negative; relative to the noise.
constexpr double kLeastVariance = 1e-9;
// The kernel values, their slopes and the spread of 200 points stay in a second-level cache of 1 MiB.
constexpr std::size_t kDrawsPerBlock = 256;

double sum(std::span<const double> values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

// Not kept between evaluations: a block's worth of memory that the next sampler finds warm.
struct GpEvaluator::Scratch {
  Scratch(std::size_t rows, std::size_t points, std::size_t varying, std::size_t directions)
      : values(new double[rows * points]),
        inputs(new double[rows * (varying + 1)]),
        rest(new double[rows * directions]) {}

  std::unique_ptr<double[]> values;  // of the kernel, block x points; then the directions that they enter
  std::unique_ptr<double[]> inputs;  // block x (varying inputs, 1)
  std::unique_ptr<double[]> rest;    // the other directions
};

GpEvaluator::GpEvaluator(const GpModel& model) : model_(model) {
  const ScaledPoints& points = model.points;
  if (points.points == 0) return;
  nonlinear_ = model.parameters.nonlinear_inputs();
  for (std::size_t c = 0; c < points.coordinates; ++c) {
    for (std::size_t j = 0; j < points.points; ++j) {
      const double factor = model.parameters.kernel == GpKernel::kArcsine ? 2.0 * points.scales[j] : 1.0;
      const double value = factor * points.values[c * points.points + j];
      mean_columns_.push_back(model.weights[j] * value);
      columns_.push_back(value);
    }
  }
}

double GpEvaluator::least_variance() const { return kLeastVariance * model_.parameters.noise; }

template <class Body>
void GpEvaluator::for_blocks(const Body& body) const {
  for (std::size_t first = 0; first < draws_; first += kDrawsPerBlock) {
    body(Block{first, std::min(kDrawsPerBlock, draws_ - first)});
  }
}

// What depends only on which conditions are shared.
void GpEvaluator::arrange(std::span<const Condition> conditions) {
  std::vector<bool> shared;
  for (const Condition& condition : conditions) shared.push_back(condition.shared);
  one_row_ = std::all_of(nonlinear_.begin(), nonlinear_.end(), [&](std::size_t k) { return shared[k]; });
  kernel_rows_ = model_.points.points == 0 ? 0 : one_row_ ? 1 : draws_;
  if (shared == shared_ && !spread_.empty()) return;
  shared_ = shared;
  varying_.clear();
  for (std::size_t k = 0; k < shared.size(); ++k) {
    if (!shared[k]) varying_.push_back(k);
  }
  spread_.clear();
  for (std::size_t l = 0; l < model_.directions; ++l) {
    const std::size_t first_input = l * model_.features() + model_.points.points + 1;
    for (const std::size_t k : varying_) spread_.push_back(model_.spread[first_input + k]);
    spread_.push_back(0.0);
  }
}

void GpEvaluator::evaluate(std::span<const Condition> conditions, std::size_t draws, bool with_variance) {
  conditions_ = conditions;
  draws_ = draws;
  arrange(conditions);
  const std::size_t rows = std::min(draws_, kDrawsPerBlock);
  const std::size_t extra = model_.directions - kernel_directions();
  Scratch scratch(rows, model_.points.points, varying_.size(), with_variance ? extra : 0);
  evaluate_mean();
  const std::size_t width = model_.points.coordinates;
  coordinates_.resize(kernel_rows_ * width);
  own_products_.resize(kernel_rows_);
  scales_.resize(kernel_rows_);
  products_.resize(kernel_rows_ * width);
  slopes_.resize(kernel_rows_ * model_.points.points);
  if (kernel_rows_ > 0 && one_row_) evaluate_kernel({0, 1}, scratch);
  variance_.clear();
  if (with_variance) {
    variance_.resize(draws_);
    directions_.resize(draws_ * model_.directions);
    fold_shared(scratch);
  }
  for_blocks([&](Block block) {
    if (!one_row_) evaluate_kernel(block, scratch);
    if (!with_variance) return;
    evaluate_explained(block, scratch);
  });
  if (with_variance) evaluate_prior();
}

// The linear part.
void GpEvaluator::evaluate_mean() {
  double offset = model_.intercept;
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    if (shared_[k]) offset += model_.slopes[k] * input(k, 0);
  }
  mean_.assign(draws_, offset);
  for (const std::size_t k : varying_) {
    for (std::size_t i = 0; i < draws_; ++i) mean_[i] += model_.slopes[k] * input(k, i);
  }
}

void GpEvaluator::evaluate_kernel(Block block, Scratch& scratch) {
  const GpParameters& parameters = model_.parameters;
  const ScaledPoints& points = model_.points;
  const std::size_t rows = block.count;
  const std::size_t m = points.points;
  const std::size_t width = points.coordinates;
  double* coordinates = coordinates_.data() + block.first * width;
  double* own = own_products_.data() + block.first;
  std::fill_n(own, rows, parameters.bias);
  for (std::size_t c = 0; c < nonlinear_.size(); ++c) {
    const double root = std::sqrt(parameters.relevance[nonlinear_[c]]);
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = root * input(nonlinear_[c], block.first + i);
      coordinates[c * rows + i] = x;
      own[i] += x * x;
    }
  }
  std::fill_n(coordinates + (width - 1) * rows, rows, std::sqrt(parameters.bias));
  const std::span<double> scales = std::span(scales_).subspan(block.first, rows);
  for (std::size_t i = 0; i < rows; ++i) scales[i] = point_scale(parameters, own[i]);

  double* values = scratch.values.get();
  double* slopes = slopes_.data() + block.first * m;
  multiply(1.0, {coordinates, rows, width}, {points.values.data(), m, width, 0, true}, 0.0, values);
  fill_values_and_slopes(parameters, scales, points.scales, values, slopes);
  multiply(1.0, {slopes, rows, m}, {mean_columns_.data(), m, width}, 0.0, products_.data() + block.first * width);
  if (one_row_) {
    double value = 0.0;
    for (std::size_t j = 0; j < m; ++j) value += model_.weights[j] * values[j];
    for (double& mean : mean_) mean += value;
  } else {
    multiply(1.0, {values, rows, m}, {model_.weights.data(), m, 1}, 1.0, mean_.data() + block.first);
  }
}

// Adds the prior variance to the negative explained one.
void GpEvaluator::evaluate_prior() {
  const GpParameters& parameters = model_.parameters;
  double shared_prior = parameters.constant;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k]) shared_prior += parameters.linear[k] * input(k, 0) * input(k, 0);
  }
  prior_slopes_.resize(kernel_rows_);
  if (kernel_rows_ > 0 && one_row_) shared_prior += prior_variance(parameters, own_products_[0], prior_slopes_[0]);
  for (std::size_t i = 0; i < draws_; ++i) {
    double prior = shared_prior;
    if (!one_row_) prior += prior_variance(parameters, own_products_[i], prior_slopes_[i]);
    for (const std::size_t k : varying_) prior += parameters.linear[k] * input(k, i) * input(k, i);
    variance_[i] = std::max(variance_[i] + prior, least_variance());
  }
}

// The last row of spread_: what the constant and the shared conditions add to each direction.
void GpEvaluator::fold_shared(const Scratch& scratch) {
  const std::size_t points = model_.points.points;
  for (std::size_t l = 0; l < model_.directions; ++l) {
    const double* column = model_.spread.data() + l * model_.features();
    double offset = column[points];
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (shared_[k]) offset += column[points + 1 + k] * input(k, 0);
    }
    for (std::size_t j = l; one_row_ && j < points; ++j) offset += column[j] * scratch.values[j];
    spread_[(l + 1) * (varying_.size() + 1) - 1] = offset;
  }
}

// Directions: kernel values times a triangle and what is below it, then varying inputs and what all draws share. Their
// squares make the explained variance.
void GpEvaluator::evaluate_explained(Block block, Scratch& scratch) {
  const std::size_t n = block.count;
  const std::size_t r = model_.directions;
  const std::size_t t = kernel_directions();
  const std::size_t stride = model_.features();
  const std::size_t width = varying_.size() + 1;
  double* inputs = scratch.inputs.get();
  for (std::size_t v = 0; v < varying_.size(); ++v) {
    std::copy_n(conditions_[varying_[v]].values + block.first, n, inputs + v * n);
  }
  std::fill_n(inputs + varying_.size() * n, n, 1.0);
  double* values = scratch.values.get();
  if (t > 0) {
    const std::size_t below = model_.points.points - t;
    multiply_by_lower(values, n, model_.spread.data(), t, stride, false);
    multiply(1.0, {values + n * t, n, below}, {model_.spread.data() + t, below, t, stride}, 1.0, values);
    multiply(1.0, {inputs, n, width}, {spread_.data(), width, t}, 1.0, values);
  }
  multiply(1.0, {inputs, n, width}, {spread_.data() + t * width, width, r - t}, 0.0, scratch.rest.get());
  double* left = variance_.data() + block.first;
  std::fill_n(left, n, 0.0);
  double* kept = directions_.data() + block.first * r;
  const KernelLoops& loops = kernel_loops();
  for (std::size_t l = 0; l < r; ++l) {
    const double* direction = l < t ? values + l * n : scratch.rest.get() + (l - t) * n;
    loops.take_square(n, direction, kept + l * n, left);
  }
}

void GpEvaluator::add_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                               std::span<double* const> gradients) {
  const bool kernel_wanted =
      std::any_of(nonlinear_.begin(), nonlinear_.end(), [&](std::size_t k) { return gradients[k] != nullptr; });
  const std::size_t width = model_.points.coordinates;
  turned_.assign(by_variance.empty() ? 0 : model_.directions, 0.0);
  if (kernel_wanted && one_row_) {
    const double total = sum(by_mean);
    for (double& product : products_) product *= total;
  }
  for_blocks([&](Block block) {
    if (kernel_wanted && !one_row_) {
      for (std::size_t c = 0; c < width; ++c) {
        double* products = products_.data() + block.first * width + c * block.count;
        for (std::size_t i = 0; i < block.count; ++i) products[i] *= by_mean[block.first + i];
      }
    }
    if (!by_variance.empty()) add_explained_gradient(block, by_variance, kernel_wanted, gradients);
  });
  if (kernel_wanted && one_row_ && !by_variance.empty()) add_shared_explained_gradient();
  add_linear_gradient(by_mean, by_variance, gradients);
  if (kernel_wanted) add_kernel_gradient(by_variance, gradients);
}

// Through the directions of a block, whose derivatives are -2 by_variance_i times themselves: to the inputs of the
// linear part, and to products_, or turned_ when all draws share the kernel values. The factor is left for the end,
// where there are few numbers to multiply.
void GpEvaluator::add_explained_gradient(Block block, std::span<const double> by_variance, bool kernel_wanted,
                                         std::span<double* const> gradients) {
  const std::size_t n = block.count;
  const std::size_t r = model_.directions;
  const std::size_t t = kernel_directions();
  const std::size_t m = model_.points.points;
  const std::size_t width = model_.points.coordinates;
  const std::size_t stride = model_.features();
  double* directions = directions_.data() + block.first * r;
  std::vector<double> factors(n);
  for (std::size_t i = 0; i < n; ++i) factors[i] = -2.0 * by_variance[block.first + i];
  const std::size_t inputs = shared_.size();
  std::vector<double> reached(n * std::max(inputs, width));
  multiply(1.0, {directions, n, r}, {model_.spread.data() + m + 1, inputs, r, stride, true}, 0.0, reached.data());
  for (std::size_t k = 0; k < inputs; ++k) {
    if (gradients[k] == nullptr) continue;
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double gradient = factors[i] * reached[k * n + i];
      (shared_[k] ? total : gradients[k][block.first + i]) += gradient;
    }
    if (shared_[k]) gradients[k][0] += total;
  }
  if (!kernel_wanted) return;
  if (one_row_) {
    std::vector<double> turned(r);
    multiply(1.0, {directions, n, r, 0, true}, {factors.data(), n, 1}, 0.0, turned.data());
    for (std::size_t l = 0; l < r; ++l) turned_[l] += turned[l];
    return;
  }

  const std::unique_ptr<double[]> below(new double[n * (m - t)]);
  const double* slopes = slopes_.data() + block.first * m;
  multiply(1.0, {directions, n, t}, {model_.spread.data() + t, m - t, t, stride, true}, 0.0, below.get());
  multiply_by_lower(directions, n, model_.spread.data(), t, stride, true);
  const KernelLoops& loops = kernel_loops();
  loops.scale(n * t, slopes, directions);
  loops.scale(n * (m - t), slopes + n * t, below.get());
  multiply(1.0, {directions, n, t}, {columns_.data(), t, width, m}, 0.0, reached.data());
  multiply(1.0, {below.get(), n, m - t}, {columns_.data() + t, m - t, width, m}, 1.0, reached.data());
  double* products = products_.data() + block.first * width;
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t i = 0; i < n; ++i) products[c * n + i] += factors[i] * reached[c * n + i];
  }
}

// The part of the kernel for the one row of values that all draws share.
void GpEvaluator::add_shared_explained_gradient() {
  const std::size_t m = model_.points.points;
  for (std::size_t j = 0; j < m; ++j) {
    double weight = 0.0;
    for (std::size_t l = 0; l < std::min(j + 1, turned_.size()); ++l) {
      weight += turned_[l] * model_.spread[l * model_.features() + j];
    }
    for (std::size_t c = 0; c < products_.size(); ++c) products_[c] += weight * slopes_[j] * columns_[c * m + j];
  }
}

void GpEvaluator::add_linear_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                                      std::span<double* const> gradients) {
  const bool with_variance = !by_variance.empty();
  for (const std::size_t k : varying_) {
    if (gradients[k] == nullptr) continue;
    for (std::size_t i = 0; i < draws_; ++i) gradients[k][i] += by_mean[i] * model_.slopes[k];
    if (!with_variance) continue;
    const double twice = 2.0 * model_.parameters.linear[k];
    for (std::size_t i = 0; i < draws_; ++i) gradients[k][i] += by_variance[i] * twice * input(k, i);
  }
  const double total_mean = sum(by_mean);
  const double total_variance = sum(by_variance);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (!shared_[k] || gradients[k] == nullptr) continue;
    gradients[k][0] += total_mean * model_.slopes[k] + total_variance * 2.0 * model_.parameters.linear[k] * input(k, 0);
  }
}

// From products_ (derivatives by the angles, or the exponents, times the points' coordinates) to the inputs. As in
// GpLikelihood: through the inner products, and through the draw's own scale.
void GpEvaluator::add_kernel_gradient(std::span<const double> by_variance, std::span<double* const> gradients) {
  const GpParameters& parameters = model_.parameters;
  const std::size_t width = model_.points.coordinates;
  const bool arcsine = parameters.kernel == GpKernel::kArcsine;
  const double bias_root = std::sqrt(parameters.bias);
  const double total_variance = sum(by_variance);
  std::vector<double> totals(nonlinear_.size(), 0.0);
  const auto add_block = [&](Block block) {
    const std::size_t n = block.count;
    const double* coordinates = coordinates_.data() + block.first * width;
    const double* products = products_.data() + block.first * width;
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = scales_[block.first + i];
      double turn = 0.0;  // of the draw's own coordinates
      if (arcsine) {
        double along = 0.0;
        for (std::size_t c = 0; c < width; ++c) along += coordinates[c * n + i] * products[c * n + i];
        // Angles are s_i sum_c x_ic (2 s_j x_jc), and ds_i/dx_ic = -2 s_i^3 x_ic.
        turn = 2.0 * scale * scale * scale * along;
      } else {
        turn = products[(width - 1) * n + i] / bias_root;
      }
      if (!by_variance.empty()) {
        turn -= 2.0 * (one_row_ ? total_variance : by_variance[block.first + i]) * prior_slopes_[block.first + i];
      }
      for (std::size_t c = 0; c < nonlinear_.size(); ++c) {
        const std::size_t k = nonlinear_[c];
        if (gradients[k] == nullptr) continue;
        const double through = (arcsine ? scale : 1.0) * products[c * n + i];
        const double gradient = std::sqrt(parameters.relevance[k]) * (through - turn * coordinates[c * n + i]);
        (shared_[k] ? totals[c] : gradients[k][block.first + i]) += gradient;
      }
    }
  };
  if (one_row_) {
    add_block({0, 1});
  } else {
    for_blocks(add_block);
  }
  for (std::size_t c = 0; c < nonlinear_.size(); ++c) {
    const std::size_t k = nonlinear_[c];
    if (shared_[k] && gradients[k] != nullptr) gradients[k][0] += totals[c];
  }
}

}  // namespace olem::flow
