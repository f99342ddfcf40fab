#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "olem/context.h"

namespace olem::internal::nn {

// Adam (Kingma and Ba 2015, Algorithm 1) with decay rates 0.9 and 0.999 and epsilon 1e-8. Holds two numbers per weight.
template <class Scalar>
class Adam {
 public:
  explicit Adam(std::size_t size) : mean_(size), square_(size) {}

  // Moves the weights against the gradient, spread over the context's threads.
  void step(std::span<Scalar> weights, std::span<const Scalar> gradient, double learning_rate, const Context& context);

  // Forgets all gradients seen so far.
  void reset();

 private:
  std::vector<Scalar> mean_;
  std::vector<Scalar> square_;
  std::int64_t steps_ = 0;
};

// The Euclidean norm of the gradient, which is scaled down to `limit` when it is longer. Sums in a fixed order.
template <class Scalar>
double clip_norm(std::span<Scalar> gradient, double limit);

}  // namespace olem::internal::nn
