#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "olem/random.h"
#include "olem/table.h"

namespace olem::test {

inline constexpr std::size_t kAdditiveModels = 18;

// Model number 0 .. kAdditiveModels - 1: 600 rows of 8 columns x0 .. x7 in causal order, each the sum of functions of
// about 40 % of the columns before it and of noise. From model to model the share of functions that are not linear
// rises from none to all, and the noise is in turn normal, uniform and Laplace, of variance 1. Effects reach down to
// where the cutoff of pruning decides.
inline Table additive_model(std::size_t model) {
  constexpr std::size_t kRows = 600;
  constexpr std::size_t kColumns = 8;
  const double nonlinear_share = static_cast<double>(model / 3) / 5.0;
  RandomStream random(20, "additive_model", model);
  const auto noise = [&] {
    const double u = random.uniform();
    switch (model % 3) {
      case 0: return normal_quantile(u);
      case 1: return std::sqrt(12.0) * (u - 0.5);
      default: return (u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 - 2.0 * u)) / std::sqrt(2.0);
    }
  };
  std::vector<double> values(kRows * kColumns);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < kColumns; ++j) {
    names.push_back("x" + std::to_string(j));
    double* child = values.data() + j * kRows;
    for (std::size_t i = 0; i < kRows; ++i) child[i] = noise();
    for (std::size_t p = 0; p < j; ++p) {
      const bool linked = random.uniform() < 0.4;
      const double weight = random.uniform(0.1, 1.0) * (random.uniform() < 0.5 ? -1.0 : 1.0);
      const bool nonlinear = random.uniform() < nonlinear_share;
      const std::uint64_t shape = random.below(4);
      if (!linked) continue;
      for (std::size_t i = 0; i < kRows; ++i) {
        const double x = values[p * kRows + i];
        double effect = x;
        if (nonlinear) {
          switch (shape) {
            case 0: effect = std::sin(1.5 * x); break;
            case 1: effect = x * x / (1.0 + std::abs(x)); break;
            case 2: effect = std::tanh(2.0 * x); break;
            default: effect = std::cos(x) * x; break;
          }
        }
        child[i] += weight * effect;
      }
    }
  }
  return {std::move(names), std::move(values), "additive model " + std::to_string(model)};
}

// Changes when any value does; compared to nine digits, since sin and log may differ in the last bit between systems.
inline double checksum(const Table& table) {
  double sum = 0.0;
  for (std::size_t i = 0; i < table.values().size(); ++i) {
    sum += table.values()[i] * (1.0 + static_cast<double>(i % 97));
  }
  return sum;
}

}  // namespace olem::test
