#include "sampler/gp/gp_evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/lapack.h"
#include "sampler/gp/kernel_loops.h"

namespace olem::internal::sampling {

namespace {

// Rounding of the difference between prior and explained variance must not make it negative; relative to the noise.
constexpr double kLeastVariance = 1e-9;
// The features, their slopes and the spread of 200 points in single precision stay in a second-level cache of 1 MiB.
constexpr std::size_t kDrawsPerBlock = 256;
// Points whose kernel values are made together: those of a block and their slopes stay near.
constexpr std::size_t kPointsPerStrip = 16;
static_assert(kPointsPerStrip >= kLeadingPoints);
// With more inputs that differ between draws the quadratic form pays as a product of matrices.
constexpr std::size_t kFewVarying = 20;

double sum(std::span<const double> values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

std::variant<GpSpread<float>, GpSpread<double>> choose_spread(const GpModel& model, GpEvaluator::Precision precision) {
  if (precision == GpEvaluator::Precision::kBest && !model.single.spread.empty()) {
    return GpSpread<float>(model);
  }
  return GpSpread<double>(model);
}

}  // namespace

GpEvaluator::GpEvaluator(const GpModel& model, Precision precision)
    : model_(model), explained_(choose_spread(model, precision)) {
  const ScaledPoints& points = model.points;
  if (points.points == 0) return;
  nonlinear_ = model.parameters.nonlinear_inputs();
  columns_ = angle_columns(model);
  for (std::size_t c = 0; c < points.coordinates; ++c) {
    for (std::size_t j = 0; j < points.points; ++j) {
      mean_columns_.push_back(model.weights[j] * columns_[c * points.points + j]);
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
  if (shared == shared_ && !folded_.empty()) return;
  shared_ = shared;
  varying_.clear();
  for (std::size_t k = 0; k < shared.size(); ++k) {
    if (!shared[k]) varying_.push_back(k);
  }
  folded_.clear();
  for (std::size_t l = 0; l < model_.directions; ++l) {
    const std::size_t first_input = l * model_.features() + model_.spread_points + 1;
    for (const std::size_t k : varying_) folded_.push_back(model_.spread[first_input + k]);
    folded_.push_back(0.0);
  }
}

void GpEvaluator::evaluate(std::span<const Condition> conditions, std::size_t draws, bool with_variance) {
  conditions_ = conditions;
  draws_ = draws;
  arrange(conditions);
  evaluate_mean();
  const std::size_t width = model_.points.coordinates;
  coordinates_.resize(kernel_rows_ * width);
  own_products_.resize(kernel_rows_);
  scales_.resize(kernel_rows_);
  products_.assign(kernel_rows_ * width, 0.0);
  variance_.assign(with_variance ? draws_ : 0, 0.0);
  if (one_row_) {
    row_values_.clear();
    row_slopes_.clear();
    double shared_mean = 0.0;
    if (kernel_rows_ > 0) {
      evaluate_kernel({0, 1}, &shared_mean,
                      [&](std::size_t, std::size_t count, const double* values, const double* slopes) {
                        row_values_.insert(row_values_.end(), values, values + count);
                        row_slopes_.insert(row_slopes_.end(), slopes, slopes + count);
                      });
    }
    for (double& mean : mean_) mean += shared_mean;
    if (with_variance) {
      fold_shared();
      explain_one_row();
    }
  } else if (with_variance) {
    const auto explain = [&](auto& spread) {
      using Spread = std::decay_t<decltype(spread)>;
      const auto features = spread.start(draws_, std::min(draws_, kDrawsPerBlock),
                                         gradient_ ? Spread::Keep::kForGradient : Spread::Keep::kNothing);
      for_blocks([&](Block block) {
        evaluate_kernel(block, mean_.data() + block.first,
                        [&](std::size_t first, std::size_t count, const double* values, const double* slopes) {
                          if (first >= model_.spread_points) return;
                          count = std::min(count, model_.spread_points - first);
                          spread.take_points(block.first, block.count, first, count, values, slopes, features.get());
                        });
        spread.explain(block.first, block.count, conditions_, features.get(), variance_.data() + block.first);
      });
    };
    std::visit(explain, explained_);
  } else {
    for_blocks([&](Block block) {
      evaluate_kernel(block, mean_.data() + block.first, [](std::size_t, std::size_t, const double*, const double*) {});
    });
  }
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

// Adds the nonlinear part to `mean`, and hands kernel values and slopes of a few points at a time to
// keep(first, count, values, slopes). Slopes mean nothing where nobody wants a gradient.
template <class Keep>
void GpEvaluator::evaluate_kernel(Block block, double* mean, const Keep& keep) {
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

  std::array<double, kDrawsPerBlock * kPointsPerStrip> values;
  std::array<double, kDrawsPerBlock * kPointsPerStrip> slopes;
  double* products = products_.data() + block.first * width;
  for (std::size_t j = 0; j < m; j += kPointsPerStrip) {
    const std::size_t count = std::min(kPointsPerStrip, m - j);
    const std::span<const double> point_scales = std::span(points.scales).subspan(j, count);
    multiply(1.0, {coordinates, rows, width}, {points.values.data() + j, count, width, m, true}, 0.0, values.data());
    fill_values_and_slopes(parameters, scales, point_scales, values.data(), gradient_ ? slopes.data() : nullptr);
    multiply(1.0, {values.data(), rows, count}, {model_.weights.data() + j, count, 1}, 1.0, mean);
    if (gradient_) {
      multiply(1.0, {slopes.data(), rows, count}, {mean_columns_.data() + j, count, width, m}, 1.0, products);
    }
    keep(j, count, values.data(), slopes.data());
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

// The last row of folded_: what the constant, the shared conditions and the kernel values add to each direction.
void GpEvaluator::fold_shared() {
  const std::size_t points = model_.spread_points;
  for (std::size_t l = 0; l < model_.directions; ++l) {
    const double* column = model_.spread.data() + l * model_.features();
    double offset = column[points];
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (shared_[k]) offset += column[points + 1 + k] * input(k, 0);
    }
    for (std::size_t j = l; j < points; ++j) offset += column[j] * row_values_[j];
    folded_[(l + 1) * (varying_.size() + 1) - 1] = offset;
  }
}

// Directions depend on few numbers per draw, u: the squares are u^T (folded_ folded_^T) u.
void GpEvaluator::explain_one_row() {
  const std::size_t width = varying_.size() + 1;
  std::vector<double> form(width * width);
  const MatrixView folded = {folded_.data(), width, model_.directions};
  multiply(1.0, folded, {folded_.data(), width, model_.directions, 0, true}, 0.0, form.data());
  if (varying_.size() > kFewVarying) {
    explain_by_products(form);
    return;
  }
  turned_.resize(draws_ * width);
  for (std::size_t v = 0; v < width; ++v) {
    double* turned = turned_.data() + v * draws_;
    std::fill_n(turned, draws_, form[v * width + width - 1]);
    for (std::size_t w = 0; w + 1 < width; ++w) {
      const double* u = conditions_[varying_[w]].values;
      for (std::size_t i = 0; i < draws_; ++i) turned[i] += form[v * width + w] * u[i];
    }
    if (v + 1 < width) {
      const double* u = conditions_[varying_[v]].values;
      for (std::size_t i = 0; i < draws_; ++i) variance_[i] -= u[i] * turned[i];
    } else {
      for (std::size_t i = 0; i < draws_; ++i) variance_[i] -= turned[i];
    }
  }
}

void GpEvaluator::explain_by_products(std::span<const double> form) {
  const std::size_t width = varying_.size() + 1;
  std::vector<double> values(draws_ * width, 1.0);
  for (std::size_t v = 0; v + 1 < width; ++v)
    std::copy_n(conditions_[varying_[v]].values, draws_, values.data() + v * draws_);
  // A decision has an evaluator for each variable and piece of the draws: only what a gradient needs is kept.
  std::vector<double> unkept;
  std::vector<double>& products = gradient_ ? turned_ : unkept;
  products.resize(draws_ * width);
  multiply(1.0, {values.data(), draws_, width}, {form.data(), width, width}, 0.0, products.data());
  for (std::size_t v = 0; v < width; ++v) {
    const double* u = values.data() + v * draws_;
    const double* turned = products.data() + v * draws_;
    for (std::size_t i = 0; i < draws_; ++i) variance_[i] -= u[i] * turned[i];
  }
}

void GpEvaluator::add_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                               std::span<double* const> gradients) {
  const bool kernel_wanted =
      std::any_of(nonlinear_.begin(), nonlinear_.end(), [&](std::size_t k) { return gradients[k] != nullptr; });
  const std::size_t width = model_.points.coordinates;
  if (one_row_) {
    const double total = sum(by_mean);
    for (double& product : products_) product *= total;
    if (!by_variance.empty()) add_one_row_gradient(by_variance, kernel_wanted, gradients);
  } else {
    std::vector<double> factors;
    for_blocks([&](Block block) {
      double* products = products_.data() + block.first * width;
      for (std::size_t c = 0; kernel_wanted && c < width; ++c) {
        for (std::size_t i = 0; i < block.count; ++i) products[c * block.count + i] *= by_mean[block.first + i];
      }
      if (by_variance.empty()) return;
      factors.clear();
      for (std::size_t i = 0; i < block.count; ++i) factors.push_back(-2.0 * by_variance[block.first + i]);
      const auto add = [&](const auto& spread) {
        spread.add_gradient(block.first, factors, conditions_, kernel_wanted ? products : nullptr, gradients);
      };
      std::visit(add, explained_);
    });
  }
  add_linear_gradient(by_mean, by_variance, gradients);
  if (kernel_wanted) add_kernel_gradient(by_variance, gradients);
}

// Through the explained variance. What the draws share is reached through the directions, where their derivatives can
// be added up first.
void GpEvaluator::add_one_row_gradient(std::span<const double> by_variance, bool kernel_wanted,
                                       std::span<double* const> gradients) {
  const std::size_t width = varying_.size() + 1;
  std::vector<double> totals(width, 0.0);  // sums over the draws of factor u
  for (std::size_t v = 0; v < width; ++v) {
    const double* u = v + 1 < width ? conditions_[varying_[v]].values : nullptr;
    for (std::size_t i = 0; i < draws_; ++i) totals[v] -= 2.0 * by_variance[i] * (u != nullptr ? u[i] : 1.0);
    double* gradient = u != nullptr ? gradients[varying_[v]] : nullptr;
    if (gradient == nullptr) continue;
    for (std::size_t i = 0; i < draws_; ++i) gradient[i] -= 2.0 * by_variance[i] * turned_[v * draws_ + i];
  }
  const std::size_t r = model_.directions;
  std::vector<double> by_direction(r);
  multiply(1.0, {folded_.data(), width, r, 0, true}, {totals.data(), width, 1}, 0.0, by_direction.data());
  const std::size_t m = model_.spread_points;
  std::vector<double> by_feature(model_.features());
  multiply(1.0, {model_.spread.data(), by_feature.size(), r}, {by_direction.data(), r, 1}, 0.0, by_feature.data());
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k] && gradients[k] != nullptr) gradients[k][0] += by_feature[m + 1 + k];
  }
  if (!kernel_wanted) return;
  for (std::size_t j = 0; j < m; ++j) {
    const double weight = by_feature[j] * row_slopes_[j];
    for (std::size_t c = 0; c < products_.size(); ++c) products_[c] += weight * columns_[c * model_.points.points + j];
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
// GpBound: through the inner products, and through the draw's own scale.
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

}  // namespace olem::internal::sampling
