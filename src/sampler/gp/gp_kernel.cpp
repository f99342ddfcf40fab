#include "sampler/gp/gp_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/lapack.h"
#include "sampler/gp/kernel_loops.h"

namespace olem::internal::sampling {

namespace {

double amplitude(const GpParameters& parameters) {
  return parameters.kernel == GpKernel::kArcsine ? parameters.signal * 2.0 / std::numbers::pi : parameters.signal;
}

}  // namespace

std::vector<std::size_t> GpParameters::nonlinear_inputs() const {
  std::vector<std::size_t> inputs;
  for (std::size_t k = 0; k < relevance.size(); ++k) {
    if (relevance[k] > 0.0) inputs.push_back(k);
  }
  return inputs;
}

double point_scale(const GpParameters& parameters, double own_product) {
  return parameters.kernel == GpKernel::kArcsine ? 1.0 / std::sqrt(1.0 + 2.0 * own_product) : 0.5 * own_product;
}

ScaledPoints ScaledPoints::slice(std::size_t first, std::size_t count) const {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), first);
  return with_points(chosen);
}

ScaledPoints ScaledPoints::with_points(std::span<const std::size_t> chosen) const {
  ScaledPoints subset;
  subset.points = chosen.size();
  subset.coordinates = coordinates;
  for (std::size_t k = 0; k < coordinates; ++k) {
    for (const std::size_t i : chosen) subset.values.push_back(values[k * points + i]);
  }
  for (const std::size_t i : chosen) subset.scales.push_back(scales[i]);
  return subset;
}

ScaledPoints scale_points(const GpParameters& parameters, const Inputs& inputs) {
  const std::vector<std::size_t> used = parameters.nonlinear_inputs();
  ScaledPoints points;
  points.points = inputs.empty() ? 0 : inputs.front().size();
  points.coordinates = used.size() + 1;
  points.values.reserve(points.points * points.coordinates);
  std::vector<double> own(points.points, parameters.bias);
  for (const std::size_t k : used) {
    const double root = std::sqrt(parameters.relevance[k]);
    for (std::size_t i = 0; i < points.points; ++i) {
      const double x = root * inputs[k][i];
      points.values.push_back(x);
      own[i] += x * x;
    }
  }
  points.values.resize(points.points * points.coordinates, std::sqrt(parameters.bias));
  for (const double product : own) points.scales.push_back(point_scale(parameters, product));
  return points;
}

void fill_covariance(const GpParameters& parameters, std::span<const double> row_scales,
                     std::span<const double> column_scales, double* products, double* values) {
  const KernelLoops& loops = kernel_loops();
  const std::size_t n = row_scales.size();
  const double size = amplitude(parameters);
  for (std::size_t j = 0; j < column_scales.size(); ++j) {
    double* product = products + j * n;
    double* value = values + j * n;
    if (parameters.kernel == GpKernel::kArcsine) {
      loops.arcsine(n, product, row_scales.data(), 2.0 * column_scales[j], size, product, value);
    } else {
      loops.rbf(n, product, row_scales.data(), column_scales[j], size, value);
    }
  }
}

void fill_values_and_slopes(const GpParameters& parameters, std::span<const double> row_scales,
                            std::span<const double> column_scales, double* products, double* slopes) {
  const KernelLoops& loops = kernel_loops();
  const std::size_t n = row_scales.size();
  const double size = amplitude(parameters);
  for (std::size_t j = 0; j < column_scales.size(); ++j) {
    double* column = products + j * n;
    double* slope = slopes != nullptr ? slopes + j * n : nullptr;
    if (parameters.kernel == GpKernel::kRbf) {
      loops.rbf(n, column, row_scales.data(), column_scales[j], size, column);
      if (slope != nullptr) std::copy_n(column, n, slope);
    } else if (slope != nullptr) {
      loops.arcsine_with_slope(n, column, row_scales.data(), 2.0 * column_scales[j], size, column, slope);
    } else {
      loops.arcsine_value(n, column, row_scales.data(), 2.0 * column_scales[j], size, column);
    }
  }
}

void fill_slopes(const GpParameters& parameters, std::size_t count, const double* angles, const double* values,
                 const double* weights, double* slopes) {
  if (parameters.kernel == GpKernel::kArcsine) {
    kernel_loops().arcsine_slope(count, angles, weights, amplitude(parameters), slopes);
  } else {
    for (std::size_t i = 0; i < count; ++i) slopes[i] = weights[i] * values[i];
  }
}

void covariance_block(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns,
                      std::vector<double>& scratch, double* values) {
  scratch.resize(rows.points * columns.points);
  multiply(1.0, {rows.values.data(), rows.points, rows.coordinates},
           {columns.values.data(), columns.points, columns.coordinates, 0, true}, 0.0, scratch.data());
  fill_covariance(parameters, rows.scales, columns.scales, scratch.data(), values);
}

double prior_variance(const GpParameters& parameters, double own_product, double& slope) {
  if (parameters.kernel == GpKernel::kRbf) {
    slope = 0.0;
    return parameters.signal;
  }
  const double a = 1.0 + 2.0 * own_product;
  slope = parameters.signal * 4.0 / std::numbers::pi / (a * std::sqrt(2.0 * a - 1.0));
  return amplitude(parameters) * std::asin(2.0 * own_product / a);
}

}  // namespace olem::internal::sampling
