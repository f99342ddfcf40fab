#pragma once

#include <cstdint>
#include <string_view>

#include "nn/matrix.h"
#include "olem/random.h"

namespace olem::internal::nn {

// All weights of a network are one flat vector, and so is their gradient: saving, copying and optimising them needs to
// know nothing of layers. A layer is a description that takes its place from a layout when it is made; it is given the
// start of the whole vector at every call. Layers hold no state and may be used from several threads.
class ParameterLayout {
 public:
  Index add(Index count) {
    const Index place = size_;
    size_ += count;
    return place;
  }
  Index size() const { return size_; }

 private:
  Index size_ = 0;
};

enum class Bias { kNone, kLearned };

// y = W x + b.
template <class Scalar>
class Linear {
 public:
  Linear(Index inputs, Index outputs, Bias bias, ParameterLayout& layout);

  Index inputs() const { return inputs_; }
  Index outputs() const { return outputs_; }

  // Weights and biases uniform on +-1/sqrt(inputs), as PyTorch starts them.
  void initialise(Scalar* weights, RandomStream& random) const;

  void forward(const Scalar* weights, const ConstView<Scalar>& x, View<Scalar> y) const;
  // dx = W^T dy.
  void backward(const Scalar* weights, const ConstView<Scalar>& dy, View<Scalar> dx) const;
  // Adds the gradient of the weights that belong to the outputs [first, last): dy x^T, and the sum of dy over the
  // samples. Calls with different outputs write to different places.
  void add_gradient(const ConstView<Scalar>& x, const ConstView<Scalar>& dy, Scalar* gradient, Index first,
                    Index last) const;
  void add_gradient(const ConstView<Scalar>& x, const ConstView<Scalar>& dy, Scalar* gradient) const {
    add_gradient(x, dy, gradient, 0, outputs_);
  }

  // W, outputs x inputs.
  Eigen::Map<const Matrix<Scalar>> matrix(const Scalar* weights) const { return {weights + place_, outputs_, inputs_}; }

 private:
  Index inputs_;
  Index outputs_;
  Bias bias_;
  Index place_;  // of W, column-major, then b
};

// Each column is brought to mean 0 and variance 1, then scaled and shifted feature by feature (Ba, Kiros and Hinton
// 2016): y = gain (x - mean) / sqrt(variance + 1e-5) + shift.
template <class Scalar>
class LayerNorm {
 public:
  LayerNorm(Index features, ParameterLayout& layout);

  void initialise(Scalar* weights) const;  // gain 1, shift 0

  // Also writes, per column, the mean and 1 / sqrt(variance + 1e-5) to `moments` (2 x samples), for the derivatives.
  void forward(const Scalar* weights, const ConstView<Scalar>& x, View<Scalar> y, View<Scalar> moments) const;
  // The product of the transposed Jacobian at x with dy; dx may be dy itself. `x` and `moments` may have one column for
  // all columns of dy.
  void backward(const Scalar* weights, const ConstView<Scalar>& x, const ConstView<Scalar>& moments,
                const ConstView<Scalar>& dy, View<Scalar> dx) const;
  // The product of the Jacobian at x with v; the result may be v itself. Columns as in `backward`.
  void push_forward(const Scalar* weights, const ConstView<Scalar>& x, const ConstView<Scalar>& moments,
                    const ConstView<Scalar>& v, View<Scalar> result) const;
  void add_gradient(const ConstView<Scalar>& x, const ConstView<Scalar>& moments, const ConstView<Scalar>& dy,
                    Scalar* gradient) const;

  Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>> gain(const Scalar* weights) const {
    return {weights + place_, features_};
  }

 private:
  Index features_;
  Index place_;  // of the gain, then the shift
};

// Functions of each entry whose derivative can be told from their value, so that nothing else need be kept.
enum class Activation {
  kRelu,
  kLeakyRelu,  // slope 0.01 below zero
  kSoftplus,   // ln(1 + exp(x))
  kTanh,
};

template <class Scalar>
void activate(Activation activation, View<Scalar> x);  // in place

// dy times the derivative where the activation's value is y, in place. A kink counts as the side below. y may have one
// column for all columns of dy.
template <class Scalar>
void activation_backward(Activation activation, const ConstView<Scalar>& y, View<Scalar> dy);

// ln(1 + exp(x)) without overflow.
template <class Scalar>
Scalar softplus(Scalar x);

// The factors of inverted dropout: 0 with the given probability, otherwise 1 / (1 - probability). Column j is drawn
// from RandomStream(seed, purpose, index + j), so that a batch may be cut anywhere. Forward and backward both multiply
// by them.
template <class Scalar>
void draw_dropout(double probability, std::uint64_t seed, std::string_view purpose, std::uint64_t index,
                  View<Scalar> factors);

// The sum of the squares of y - target, in double; writes its gradient times `scale` to dy. With scale = 1 / number of
// entries that is the gradient of the mean squared error.
template <class Scalar>
double squared_error(const ConstView<Scalar>& y, const ConstView<Scalar>& target, Scalar scale, View<Scalar> dy);

}  // namespace olem::internal::nn
