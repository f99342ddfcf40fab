#include "flow/gp_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lapack.h"
#include "core/lbfgsb.h"
#include "core/special.h"

namespace olem::flow {

GpLikelihood::GpLikelihood(const Inputs& inputs, std::span<const double> target, const GpParameters& shape,
                           double penalty)
    : inputs_(inputs),
      target_(target),
      shape_(shape),
      penalty_(penalty),
      rows_(target.size()),
      nonlinear_(shape.nonlinear_inputs()),
      covariance_(rows_ * rows_),
      values_(nonlinear_.empty() ? 0 : rows_ * rows_),
      angles_(values_.size()),
      solved_(rows_) {}

std::vector<double> GpLikelihood::pack(const GpParameters& parameters) const {
  std::vector<double> logarithms = {std::log(parameters.constant), std::log(parameters.noise)};
  for (const double variance : parameters.linear) logarithms.push_back(std::log(variance));
  if (nonlinear_.empty()) return logarithms;
  logarithms.push_back(std::log(parameters.signal));
  if (shape_.kernel == GpKernel::kArcsine) logarithms.push_back(std::log(parameters.bias));
  for (const std::size_t k : nonlinear_) logarithms.push_back(std::log(parameters.relevance[k]));
  return logarithms;
}

GpParameters GpLikelihood::unpack(std::span<const double> logarithms) const {
  GpParameters parameters = shape_;
  auto next = logarithms.begin();
  const auto take = [&next] { return std::exp(*next++); };
  parameters.constant = take();
  parameters.noise = take();
  for (double& variance : parameters.linear) variance = take();
  if (nonlinear_.empty()) return parameters;
  parameters.signal = take();
  if (shape_.kernel == GpKernel::kArcsine) parameters.bias = take();
  for (const std::size_t k : nonlinear_) parameters.relevance[k] = take();
  return parameters;
}

double GpLikelihood::evaluate(std::span<const double> logarithms, std::span<double> gradient) {
  const GpParameters parameters = unpack(logarithms);
  const std::size_t n = rows_;
  std::fill(gradient.begin(), gradient.end(), 0.0);

  std::vector<double> scaled(n * (inputs_.size() + 1), std::sqrt(parameters.constant));
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const double root = std::sqrt(parameters.linear[k]);
    for (std::size_t i = 0; i < n; ++i) scaled[k * n + i] = root * inputs_[k][i];
  }
  multiply_by_own_transpose(1.0, {scaled.data(), n, inputs_.size() + 1}, 0.0, covariance_.data());
  ScaledPoints points;
  if (!nonlinear_.empty()) {
    points = scale_points(parameters, inputs_);
    multiply_by_own_transpose(1.0, {points.values.data(), n, points.coordinates}, 0.0, angles_.data());
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = j * n + j;
      fill_covariance(parameters, std::span(points.scales).subspan(j), {&points.scales[j], 1}, &angles_[at],
                      &values_[at]);
      for (std::size_t i = 0; i < n - j; ++i) covariance_[at + i] += values_[at + i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) covariance_[i * n + i] += parameters.noise;

  if (!cholesky_lower(covariance_.data(), n)) return std::numeric_limits<double>::infinity();
  std::copy(target_.begin(), target_.end(), solved_.begin());
  solve_lower(covariance_.data(), n, false, solved_.data(), 1);
  double value = static_cast<double>(n) * kHalfLog2Pi;
  for (std::size_t i = 0; i < n; ++i) value += 0.5 * solved_[i] * solved_[i] + std::log(covariance_[i * n + i]);
  solve_lower(covariance_.data(), n, true, solved_.data(), 1);

  // d value / d K_ij = 1/2 (K^-1 - a a^T)_ij with a = K^-1 target, over all i and j.
  invert_from_cholesky(covariance_.data(), n);
  for (std::size_t j = 0; j < n; ++j) {
    double* column = covariance_.data() + j * n;
    for (std::size_t i = j; i < n; ++i) column[i] = 0.5 * (column[i] - solved_[i] * solved_[j]);
    gradient[1] += parameters.noise * column[j];
  }
  add_linear_gradient(parameters, gradient);
  if (!nonlinear_.empty()) add_nonlinear_gradient(parameters, points, gradient);
  add_penalty(parameters, value, gradient);
  return value;
}

// Of a part v x x^T the derivative by ln v is v x^T W x.
void GpLikelihood::add_linear_gradient(const GpParameters& parameters, std::span<double> gradient) {
  const std::size_t n = rows_;
  const std::size_t width = inputs_.size() + 1;
  std::vector<double> columns(n * width, 1.0);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    std::copy(inputs_[k].begin(), inputs_[k].end(), columns.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  std::vector<double> products(n * width);
  multiply_symmetric(covariance_.data(), n, columns.data(), width, products.data());
  const auto form = [&](std::size_t k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += columns[k * n + i] * products[k * n + i];
    return sum;
  };
  gradient[0] += parameters.constant * form(inputs_.size());
  for (std::size_t k = 0; k < inputs_.size(); ++k) gradient[2 + k] += parameters.linear[k] * form(k);
}

// With S_ij = W_ij dvalue_ij/dangle_ij (arcsine) and the angles 2 s_i s_j x_i x_j, a coordinate enters through the
// inner product and through both scales; the sum over j of S_ij angle_ij is itself made of the same products S (s x).
// For rbf, S_ij = W_ij value_ij, and a coordinate enters through (x_i - x_j)^2.
void GpLikelihood::add_nonlinear_gradient(const GpParameters& parameters, const ScaledPoints& points,
                                          std::span<double> gradient) {
  const std::size_t n = rows_;
  const std::size_t width = points.coordinates;
  const bool arcsine = shape_.kernel == GpKernel::kArcsine;
  // The parts' derivatives by their logarithms add up to sum_ij W_ij K_ij = (n - target^T K^-1 target) / 2.
  double by_signal = 0.5 * static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) by_signal -= 0.5 * target_[i] * solved_[i];
  for (std::size_t k = 0; k < 2 + inputs_.size(); ++k) by_signal -= gradient[k];
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t at = j * n + j;
    fill_slopes(parameters, n - j, &angles_[at], &values_[at], &covariance_[at], &covariance_[at]);
  }

  std::vector<double> columns = points.values;
  for (std::size_t k = 0; arcsine && k < width; ++k) {
    for (std::size_t i = 0; i < n; ++i) columns[k * n + i] *= points.scales[i];
  }
  std::vector<double> products(n * width);
  multiply_symmetric(covariance_.data(), n, columns.data(), width, products.data());
  std::vector<double> turns(n, 0.0);
  if (arcsine) {
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t i = 0; i < n; ++i) turns[i] += 2.0 * columns[k * n + i] * products[k * n + i];
    }
  } else {
    const double root = std::sqrt(parameters.bias);
    for (std::size_t i = 0; i < n; ++i) turns[i] = products[(width - 1) * n + i] / root;
  }
  const auto by_coordinate = [&](std::size_t k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = columns[k * n + i];
      sum += x * products[k * n + i] - x * x * turns[i];
    }
    return arcsine ? 2.0 * sum : sum;
  };
  std::size_t at = 2 + inputs_.size();
  gradient[at++] += by_signal;
  if (arcsine) gradient[at++] += by_coordinate(width - 1);
  for (std::size_t k = 0; k + 1 < width; ++k) gradient[at++] += by_coordinate(k);
}

void GpLikelihood::add_penalty(const GpParameters& parameters, double& value, std::span<double> gradient) const {
  const auto add = [&](double variance, std::size_t at) {
    const double root = penalty_ * std::sqrt(variance);
    value += root;
    gradient[at] += 0.5 * root;
  };
  for (std::size_t k = 0; k < inputs_.size(); ++k) add(parameters.linear[k], 2 + k);
  const std::size_t first = gradient.size() - nonlinear_.size();
  for (std::size_t k = 0; k < nonlinear_.size(); ++k) add(parameters.relevance[nonlinear_[k]], first + k);
}

GpSearch optimise_parameters(const Inputs& inputs, std::span<const double> target, const GpParameters& start,
                             double penalty, int iterations, const Context& context) {
  context.require_memory(3 * target.size() * target.size() * sizeof(double), "The search for hyper-parameters");
  GpLikelihood likelihood(inputs, target, start, penalty);
  const std::vector<double> logarithms = likelihood.pack(start);
  std::vector<double> low(logarithms.size(), kLeastLogVariance);
  std::vector<double> high(logarithms.size(), kLargestLogVariance);
  low[1] = kLeastLogNoise;
  high[1] = kLargestLogNoise;
  const std::size_t bias = 3 + inputs.size();
  if (start.kernel == GpKernel::kArcsine && bias < low.size()) low[bias] = kLeastLogBias;

  LbfgsbOptions options;
  options.iterations = iterations;
  options.relative_reduction = 1e-7;
  options.gradient_tolerance = 1e-3;  // nats per unit of a logarithm
  const LbfgsbResult result = minimise_lbfgsb(
      logarithms, low, high,
      [&](std::span<const double> x, std::span<double> gradient) { return likelihood.evaluate(x, gradient); }, options,
      context);
  return {likelihood.unpack(result.x), result.value, result.evaluations};
}

bool is_least_variance(double variance) { return variance <= std::exp(kLeastLogVariance) * (1.0 + 1e-9); }

}  // namespace olem::flow
