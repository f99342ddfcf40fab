#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nn/layers.h"
#include "nn/matrix.h"
#include "olem/context.h"

namespace olem::internal {

// How much of the signal is left after each of the T = 100 steps of the diffusion: the product of 1 - beta up to t,
// with beta rising linearly from 1e-4 to 0.02 (Ho, Jain and Abbeel 2020).
std::vector<double> diffusion_signal();

struct DiffanShape {
  nn::Index variables = 0;
  nn::Index narrow = 0;  // width of the second and the last hidden layer from outside
  nn::Index wide = 0;    // width of the two hidden layers within
};

// The network of DiffAN (Sanchez et al. 2023) that tells the noise in a point:
//   Linear(d + 1 -> narrow, no bias), LeakyReLU, LayerNorm, Dropout, Linear(-> wide), LeakyReLU, LayerNorm,
//   Linear(-> wide), LeakyReLU, Linear(-> narrow), LeakyReLU, Linear(-> d).
// Columns of the input are points with their time below them, t / T in [0, 1).
template <class Scalar>
class DiffanNetwork {
 public:
  using Matrix = nn::Matrix<Scalar>;
  using ConstView = nn::ConstView<Scalar>;
  using View = nn::View<Scalar>;

  explicit DiffanNetwork(const DiffanShape& shape);

  const DiffanShape& shape() const { return shape_; }
  nn::Index weight_count() const { return layout_.size(); }
  void initialise(Scalar* weights, RandomStream random) const;

  // What a batch of `columns` samples passes through; all memory of a training step.
  struct Batch {
    Batch(const DiffanShape& shape, nn::Index columns);
    static std::size_t bytes(const DiffanShape& shape, nn::Index columns);

    nn::Index columns() const { return input.cols(); }

    Matrix input;                                // (d + 1) x columns
    Matrix target;                               // d x columns: the noise
    Matrix hidden1, normal1, moments1, factors;  // after LeakyReLU, after LayerNorm and dropout
    Matrix hidden2, normal2, moments2;
    Matrix hidden3, hidden4, output;
    // Gradients: of what goes into each linear layer's activation, and of what comes out of each LayerNorm.
    Matrix d_hidden1, d_normal1, d_hidden2, d_normal2, d_hidden3, d_hidden4, d_output;
  };

  // Dropout of one training step: column j of the batch draws from stream `index` + j.
  struct Dropout {
    double probability = 0.0;
    std::uint64_t seed = 0;
    std::uint64_t index = 0;
  };

  // Fills batch.output from the first `count` columns of batch.input, without dropout, on the context's threads.
  void predict(const Scalar* weights, Batch& batch, nn::Index count, const Context& context) const;

  // The sum of squared differences between output and target over the first `count` columns, without dropout.
  double squared_error(const Scalar* weights, Batch& batch, nn::Index count, const Context& context) const;

  // The mean squared error over the whole batch; adds its gradient. The same bits for any number of threads.
  double loss(const Scalar* weights, Batch& batch, const Dropout& dropout, Scalar* gradient,
              const Context& context) const;

  // The layers, for whoever differentiates further.
  const nn::Linear<Scalar>& linear(int i) const { return linear_[static_cast<std::size_t>(i - 1)]; }  // 1 to 5
  const nn::LayerNorm<Scalar>& norm(int i) const { return norm_[static_cast<std::size_t>(i - 1)]; }   // 1 and 2

  // One piece of `predict`, in the calling thread. With `dropout` the factors are drawn and kept.
  void forward(const Scalar* weights, Batch& batch, nn::Index first, nn::Index count, const Dropout* dropout) const;

 private:
  void backward(const Scalar* weights, Batch& batch, nn::Index first, nn::Index count) const;
  void add_gradient(Batch& batch, Scalar* gradient, const Context& context) const;

  DiffanShape shape_;
  nn::ParameterLayout layout_;
  std::vector<nn::Linear<Scalar>> linear_;
  std::vector<nn::LayerNorm<Scalar>> norm_;
};

}  // namespace olem::internal
