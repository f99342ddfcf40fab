#pragma once

#include <span>
#include <vector>

#include "nn/layers.h"
#include "nn/matrix.h"
#include "olem/random.h"
#include "sampler/flow/spline_map.h"

namespace olem::internal::sampling {

struct SplineShape {
  nn::Index inputs = 0;
  nn::Index width = 64;
  std::size_t bins = 16;
};

// A spline map per sample, whose raw parameters come from its inputs: Linear(inputs -> width), ReLU, Linear(-> width),
// ReLU, Linear(-> parameters). Without inputs the parameters themselves are the weights.
template <class Scalar>
class SplineNetwork {
 public:
  using Index = nn::Index;
  using Matrix = nn::Matrix<Scalar>;

  explicit SplineNetwork(const SplineShape& shape);

  const SplineShape& shape() const { return shape_; }
  Index weight_count() const { return layout_.size(); }
  Index parameters() const { return static_cast<Index>(SplineMap::parameters(shape_.bins)); }

  // Hidden layers as PyTorch starts them; the last layer gives `parameters` whatever the inputs.
  void initialise(Scalar* weights, std::span<const double> parameters, RandomStream random) const;

  struct Batch {
    Batch(const SplineShape& shape, Index columns);

    Index columns() const { return raw.cols(); }

    Matrix input;  // inputs x columns
    Matrix first;  // width x columns, as the next ones
    Matrix second;
    Matrix raw;    // parameters x columns
    Matrix d_raw;  // the same
    Matrix d_second;
    Matrix d_first;
    Matrix d_input;  // inputs x columns
  };

  // Fills batch.raw.
  void forward(const Scalar* weights, Batch& batch) const;
  // After forward(): from batch.d_raw the gradient by the weights, which is added, ...
  void add_gradient(const Scalar* weights, Batch& batch, Scalar* gradient) const;
  // ... or batch.d_input.
  void input_gradient(const Scalar* weights, Batch& batch) const;

  // After forward(): the mean over the columns of z^2 / 2 - ln dz/dy at the targets y. Fills batch.d_raw with its
  // gradient unless told not to.
  double loss(std::span<const double> target, Batch& batch, bool with_gradient) const;

 private:
  void pull_back(const Scalar* weights, Batch& batch) const;

  SplineShape shape_;
  nn::ParameterLayout layout_;
  std::vector<nn::Linear<Scalar>> layers_;
};

}  // namespace olem::internal::sampling
