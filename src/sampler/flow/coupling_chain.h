#pragma once

#include <vector>

#include "nn/layers.h"
#include "nn/matrix.h"
#include "olem/random.h"
#include "olem/sampler.h"

namespace olem::internal::sampling {

struct CouplingShape {
  nn::Index conditions = 0;
  nn::Index width = 256;  // hidden units of each block
  CinnClamp clamp = CinnClamp::kDivided;
  std::vector<bool> swaps;  // one per block: the fixed permutation of its two outputs
};

// Draws the permutations at random, but lets the first one swap: otherwise the first coordinate of a short chain might
// never be transformed.
std::vector<bool> draw_swaps(std::size_t blocks, RandomStream random);

// An invertible map of the plane given q conditions c, from data to noise: a chain of affine coupling blocks (Dinh et
// al. 2017; Ardizzone et al. 2019), each with the global scale that FrEIA adds. One block:
//   (o_s, o_t) = W2 relu(W1 [x1, c] + b1) + b2
//   l = 2 tanh(0.1 o_s / 2), or 2 tanh(0.1 o_s) with the plain clamp
//   u2 = x2 exp(l) + 0.1 o_t
//   out = (x1 s1 + t1, u2 s2 + t2), perhaps swapped, with s = 0.2 ln(1 + exp(g / 2))
//   ln |det| = l + ln s1 + ln s2
// Weights of a block: W1, b1, W2, b2, g (2), t (2).
template <class Scalar>
class CouplingChain {
 public:
  using Index = nn::Index;
  using Matrix = nn::Matrix<Scalar>;
  using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

  explicit CouplingChain(CouplingShape shape);

  const CouplingShape& shape() const { return shape_; }
  Index weight_count() const { return layout_.size(); }
  // Networks as PyTorch starts them, s = 1, t = 0.
  void initialise(Scalar* weights, RandomStream random) const;
  // Place of a block's g; b2 stands right before it, t right after.
  Index global_place(Index block) const { return blocks_[static_cast<std::size_t>(block)].global; }

  // A number of points on their way through the chain. Only the networks' inputs and outputs of each block are kept;
  // hidden units, of which there are far more, are computed again where a gradient needs them.
  struct Batch {
    Batch(const CouplingShape& shape, Index columns);

    Index columns() const { return input.cols(); }

    Matrix input;                 // (1 + q) x columns: below the first row, which is overwritten, the conditions
    Matrix points;                // columns x 2: data or noise, in and out
    Matrix log_det;               // columns x 1, of the map from data to noise
    Matrix passive;               // columns x blocks: x1 of each block
    Matrix active;                // the same: x2
    std::vector<Matrix> outputs;  // per block, 2 x columns: (o_s, o_t)
    Matrix hidden;                // width x columns
    Matrix d_hidden;              // the same
    Matrix d_output;              // 2 x columns
    Matrix d_points;              // columns x 2
    Matrix d_input;               // (1 + q) x columns, of one block
    Matrix d_conditions;          // q x columns
  };

  // Points from data to noise; fills log_det.
  void forward(const Scalar* weights, Batch& batch) const;
  // Points from noise to data; leaves log_det alone.
  void inverse(const Scalar* weights, Batch& batch) const;

  // After forward(): the mean over the batch of (|z|^2 / 2 - ln |det|) / 2; adds its gradient by the weights.
  double loss(const Scalar* weights, Batch& batch, Scalar* gradient) const;
  double loss(const Batch& batch) const;

  // After inverse(): batch.d_points holds a weight for each coordinate of the data points and is overwritten;
  // batch.d_conditions becomes the gradient of the weighted sum by the conditions.
  void inverse_gradient(const Scalar* weights, Batch& batch) const;

 private:
  struct Block {
    nn::Linear<Scalar> first;
    nn::Linear<Scalar> second;
    Index global;  // place of g, then t
  };
  struct Global {
    Scalar scale[2];
    Scalar shift[2];
  };

  Global global(const Scalar* weights, std::size_t block) const;
  void run_hidden(const Scalar* weights, std::size_t block, Batch& batch) const;
  void run_network(const Scalar* weights, std::size_t block, Batch& batch) const;
  void pull_to_hidden(const Scalar* weights, std::size_t block, Batch& batch) const;
  Row log_scale(const Matrix& output) const;
  Row log_scale_derivative(const Matrix& output) const;

  CouplingShape shape_;
  nn::ParameterLayout layout_;
  std::vector<Block> blocks_;
};

}  // namespace olem::internal::sampling
