#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "nn/matrix.h"
#include "olem/random.h"

namespace olem::test {

using namespace internal;

// Compares a gradient with central differences of `f`, which reads `values` where they lie: 1e-6 of the largest entry.
inline void expect_gradient(const std::function<double()>& f, std::span<double> values,
                            std::span<const double> gradient) {
  ASSERT_EQ(values.size(), gradient.size());
  constexpr double kStep = 1e-5;
  double largest = 0.0;
  for (const double entry : gradient) largest = std::max(largest, std::abs(entry));
  EXPECT_GT(largest, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double before = values[i];
    values[i] = before + kStep;
    const double above = f();
    values[i] = before - kStep;
    const double below = f();
    values[i] = before;
    EXPECT_NEAR(gradient[i], (above - below) / (2.0 * kStep), 1e-6 * largest) << "entry " << i;
  }
}

inline nn::Matrix<double> random_matrix(nn::Index rows, nn::Index columns, std::uint64_t seed) {
  RandomStream random(seed, "random_matrix");
  nn::Matrix<double> result(rows, columns);
  for (double& value : result.reshaped()) value = random.normal();
  return result;
}

inline std::span<double> span_of(nn::Matrix<double>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

}  // namespace olem::test
