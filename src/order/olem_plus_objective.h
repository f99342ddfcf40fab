#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace olem::internal {

// The terms of J that compare the residual entropies h_0, ..., h_(d-1) of an order with each other, and so depend on
// the units of the columns:
//   kappa sum_k (h_k - mean)^2 - beta sum_k k c tanh((h_k - mean) / c), c = .5
// Entropies are alike, and larger ones stand later. The tangent keeps one wide column from deciding alone. In
// mixed tables d and k count the real columns only: others have no unit, or one of their own.
struct ScaleTerms {
  double beta = 0.0;
  double kappa = 0.0;

  bool none() const { return beta == 0.0 && kappa == 0.0; }
  double value(std::span<const double> entropies) const;
  // The derivative by each entropy.
  std::vector<double> slopes(std::span<const double> entropies) const;
};

// The price of one edge: ln(n) / 2n nats per row, as in BIC.
double edge_price(std::size_t rows);

}  // namespace olem::internal
