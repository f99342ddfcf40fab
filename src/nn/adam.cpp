#include "nn/adam.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "olem/parallel.h"

namespace olem::internal::nn {

namespace {

constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.999;
constexpr double kEpsilon = 1e-8;
constexpr std::size_t kWeightsPerPiece = 65536;
constexpr std::size_t kNormBlock = 4096;  // short enough for a sum in single precision

template <class Scalar>
using ParameterArray = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

}  // namespace

template <class Scalar>
void Adam<Scalar>::step(std::span<Scalar> weights, std::span<const Scalar> gradient, double learning_rate,
                        const Context& context) {
  ++steps_;
  const auto count = static_cast<double>(steps_);
  const auto rate = static_cast<Scalar>(learning_rate / (1.0 - std::pow(kMeanDecay, count)));
  const auto correction = static_cast<Scalar>(1.0 / std::sqrt(1.0 - std::pow(kSquareDecay, count)));
  parallel_for(context, 0, weights.size(), kWeightsPerPiece, [&](std::size_t first, std::size_t last) {
    const auto size = static_cast<Eigen::Index>(last - first);
    const Eigen::Map<const ParameterArray<Scalar>> slope(gradient.data() + first, size);
    Eigen::Map<ParameterArray<Scalar>> weight(weights.data() + first, size);
    Eigen::Map<ParameterArray<Scalar>> mean(mean_.data() + first, size);
    Eigen::Map<ParameterArray<Scalar>> square(square_.data() + first, size);
    // One sweep per short block, which stays in the first-level cache between the three statements.
    constexpr Eigen::Index kBlock = 1024;
    for (Eigen::Index at = 0; at < size; at += kBlock) {
      const Eigen::Index n = std::min(kBlock, size - at);
      const auto g = slope.segment(at, n);
      mean.segment(at, n) =
          mean.segment(at, n) * static_cast<Scalar>(kMeanDecay) + g * static_cast<Scalar>(1.0 - kMeanDecay);
      square.segment(at, n) = square.segment(at, n) * static_cast<Scalar>(kSquareDecay) +
                              g.square() * static_cast<Scalar>(1.0 - kSquareDecay);
      weight.segment(at, n) -=
          rate * mean.segment(at, n) / (square.segment(at, n).sqrt() * correction + static_cast<Scalar>(kEpsilon));
    }
  });
}

template <class Scalar>
void Adam<Scalar>::reset() {
  std::fill(mean_.begin(), mean_.end(), Scalar{0});
  std::fill(square_.begin(), square_.end(), Scalar{0});
  steps_ = 0;
}

template <class Scalar>
double clip_norm(std::span<Scalar> gradient, double limit) {
  double sum = 0.0;
  for (std::size_t first = 0; first < gradient.size(); first += kNormBlock) {
    const std::size_t size = std::min(kNormBlock, gradient.size() - first);
    const Eigen::Map<const ParameterArray<Scalar>> block(gradient.data() + first, static_cast<Eigen::Index>(size));
    sum += static_cast<double>(block.square().sum());
  }
  const double norm = std::sqrt(sum);
  if (norm > limit) {
    Eigen::Map<ParameterArray<Scalar>>(gradient.data(), static_cast<Eigen::Index>(gradient.size())) *=
        static_cast<Scalar>(limit / norm);
  }
  return norm;
}

template class Adam<float>;
template class Adam<double>;
template double clip_norm(std::span<float>, double);
template double clip_norm(std::span<double>, double);

}  // namespace olem::internal::nn
