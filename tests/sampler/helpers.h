#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "olem/random.h"
#include "olem/sampler.h"
#include "olem/table.h"

namespace olem::test {

// The trapezoid rule.
inline double integrate(const std::function<double(double)>& f, double low, double high, int steps) {
  const double h = (high - low) / steps;
  double sum = 0.5 * (f(low) + f(high));
  for (int s = 1; s < steps; ++s) sum += f(low + h * s);
  return sum * h;
}

inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

inline double deviation(std::span<const double> values) {
  const double centre = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// Largest difference between the empirical distribution functions of two samples.
inline double ks_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double worst = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    (a[i] <= b[j] ? i : j) += 1;
    worst = std::max(worst, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                     static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return worst;
}

// Largest difference between the empirical distribution function of a sample and a distribution function.
inline double ks_distance(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  double worst = 0.0;
  const auto n = static_cast<double>(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst;
}

inline std::vector<double> normals(std::size_t count, std::uint64_t index) {
  RandomStream random(17, "test.normals", index);
  std::vector<double> values(count);
  for (double& value : values) value = random.normal();
  return values;
}

// Columns of inputs and a target, standardised, with the constants.
struct Standardised {
  std::vector<std::vector<double>> columns;  // the inputs, then the target
  std::vector<double> means;
  std::vector<double> deviations;

  std::size_t inputs() const { return columns.size() - 1; }
  std::vector<std::span<const double>> input_spans() const { return {columns.begin(), columns.end() - 1}; }
  SamplerData data() const { return {"y", columns.back(), input_spans(), 0}; }
};

inline Standardised standardise(std::vector<std::vector<double>> columns) {
  Standardised result;
  for (std::vector<double>& column : columns) {
    result.means.push_back(mean(column));
    result.deviations.push_back(deviation(column));
    for (double& value : column) value = (value - result.means.back()) / result.deviations.back();
  }
  result.columns = std::move(columns);
  return result;
}

// Standard normal inputs and target = f(inputs of the row) + noise.
inline Standardised simulate(std::size_t rows, std::size_t inputs,
                             const std::function<double(std::span<const double>)>& f,
                             const std::function<double(RandomStream&)>& noise, std::uint64_t seed) {
  RandomStream random(seed, "test.simulate");
  std::vector<std::vector<double>> columns(inputs + 1, std::vector<double>(rows));
  std::vector<double> row(inputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) columns[k][i] = row[k] = random.normal();
    columns[inputs][i] = f(row) + noise(random);
  }
  return standardise(std::move(columns));
}

}  // namespace olem::test
