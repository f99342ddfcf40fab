#include "sampler/flow/coupling_chain.h"

#include <cmath>

namespace olem::internal::sampling {

namespace {

using nn::Index;

constexpr double kLargestBlockLogScale = 2.0;
constexpr double kDamping = 0.1;   // of what the networks say, and of the global scale
constexpr double kSoftness = 0.5;  // of the softplus that keeps the global scale positive
constexpr auto kHiddenActivation = nn::Activation::kRelu;

}  // namespace

std::vector<bool> draw_swaps(std::size_t blocks, RandomStream random) {
  std::vector<bool> swaps(blocks, true);
  for (std::size_t b = 1; b < blocks; ++b) swaps[b] = random.below(2) == 1;
  return swaps;
}

template <class Scalar>
CouplingChain<Scalar>::CouplingChain(CouplingShape shape) : shape_(std::move(shape)) {
  for (std::size_t b = 0; b < shape_.swaps.size(); ++b) {
    nn::Linear<Scalar> first(1 + shape_.conditions, shape_.width, nn::Bias::kLearned, layout_);
    nn::Linear<Scalar> second(shape_.width, 2, nn::Bias::kLearned, layout_);
    blocks_.push_back({first, second, layout_.add(4)});
  }
}

template <class Scalar>
void CouplingChain<Scalar>::initialise(Scalar* weights, RandomStream random) const {
  // The g at which the scale is 1.
  const double start = std::log(std::expm1(kSoftness / kDamping)) / kSoftness;
  for (const Block& block : blocks_) {
    block.first.initialise(weights, random);
    block.second.initialise(weights, random);
    for (Index i = 0; i < 2; ++i) {
      weights[block.global + i] = static_cast<Scalar>(start);
      weights[block.global + 2 + i] = Scalar{0};
    }
  }
}

template <class Scalar>
CouplingChain<Scalar>::Batch::Batch(const CouplingShape& shape, Index columns)
    : input(1 + shape.conditions, columns),
      points(columns, 2),
      log_det(columns, 1),
      passive(columns, static_cast<Index>(shape.swaps.size())),
      active(columns, static_cast<Index>(shape.swaps.size())),
      outputs(shape.swaps.size(), Matrix(2, columns)),
      hidden(shape.width, columns),
      d_hidden(shape.width, columns),
      d_output(2, columns),
      d_points(columns, 2),
      d_input(1 + shape.conditions, columns),
      d_conditions(shape.conditions, columns) {}

template <class Scalar>
typename CouplingChain<Scalar>::Global CouplingChain<Scalar>::global(const Scalar* weights, std::size_t block) const {
  Global result{};
  const Scalar* const place = weights + blocks_[block].global;
  for (std::size_t i = 0; i < 2; ++i) {
    const Scalar argument = static_cast<Scalar>(kSoftness) * place[i];
    result.scale[i] = static_cast<Scalar>(kDamping / kSoftness) * nn::softplus(argument);
    result.shift[i] = place[2 + i];
  }
  return result;
}

template <class Scalar>
void CouplingChain<Scalar>::run_hidden(const Scalar* weights, std::size_t block, Batch& batch) const {
  batch.input.row(0) = batch.passive.col(static_cast<Index>(block)).transpose();
  blocks_[block].first.forward(weights, batch.input, batch.hidden);
  nn::activate<Scalar>(kHiddenActivation, batch.hidden);
}

template <class Scalar>
void CouplingChain<Scalar>::run_network(const Scalar* weights, std::size_t block, Batch& batch) const {
  run_hidden(weights, block, batch);
  blocks_[block].second.forward(weights, batch.hidden, batch.outputs[block]);
}

template <class Scalar>
void CouplingChain<Scalar>::pull_to_hidden(const Scalar* weights, std::size_t block, Batch& batch) const {
  blocks_[block].second.backward(weights, batch.d_output, batch.d_hidden);
  nn::activation_backward<Scalar>(kHiddenActivation, batch.hidden, batch.d_hidden);
}

template <class Scalar>
typename CouplingChain<Scalar>::Row CouplingChain<Scalar>::log_scale(const Matrix& output) const {
  const double inner = shape_.clamp == CinnClamp::kDivided ? kDamping / kLargestBlockLogScale : kDamping;
  return (output.row(0).array() * static_cast<Scalar>(inner)).tanh() * static_cast<Scalar>(kLargestBlockLogScale);
}

template <class Scalar>
typename CouplingChain<Scalar>::Row CouplingChain<Scalar>::log_scale_derivative(const Matrix& output) const {
  const double inner = shape_.clamp == CinnClamp::kDivided ? kDamping / kLargestBlockLogScale : kDamping;
  const Row tangent = (output.row(0).array() * static_cast<Scalar>(inner)).tanh();
  return (Scalar{1} - tangent.square()) * static_cast<Scalar>(inner * kLargestBlockLogScale);
}

template <class Scalar>
void CouplingChain<Scalar>::forward(const Scalar* weights, Batch& batch) const {
  batch.log_det.setZero();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto at = static_cast<Index>(b);
    const Global global = this->global(weights, b);
    batch.passive.col(at) = batch.points.col(0);
    batch.active.col(at) = batch.points.col(1);
    run_network(weights, b, batch);
    const Row scale = log_scale(batch.outputs[b]);
    batch.log_det.array() += scale.transpose() + std::log(global.scale[0]) + std::log(global.scale[1]);
    const bool swap = shape_.swaps[b];
    batch.points.col(swap ? 1 : 0).array() = batch.passive.col(at).array() * global.scale[0] + global.shift[0];
    batch.points.col(swap ? 0 : 1).array() =
        (batch.active.col(at).array() * scale.exp().transpose() +
         static_cast<Scalar>(kDamping) * batch.outputs[b].row(1).array().transpose()) *
            global.scale[1] +
        global.shift[1];
  }
}

template <class Scalar>
void CouplingChain<Scalar>::inverse(const Scalar* weights, Batch& batch) const {
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const auto at = static_cast<Index>(b);
    const Global global = this->global(weights, b);
    const bool swap = shape_.swaps[b];
    batch.passive.col(at) = (batch.points.col(swap ? 1 : 0).array() - global.shift[0]) / global.scale[0];
    batch.active.col(at) = (batch.points.col(swap ? 0 : 1).array() - global.shift[1]) / global.scale[1];
    run_network(weights, b, batch);
    batch.active.col(at).array() =
        (batch.active.col(at).array() - static_cast<Scalar>(kDamping) * batch.outputs[b].row(1).array().transpose()) *
        (-log_scale(batch.outputs[b])).exp().transpose();
    batch.points.col(0) = batch.passive.col(at);
    batch.points.col(1) = batch.active.col(at);
  }
}

template <class Scalar>
double CouplingChain<Scalar>::loss(const Batch& batch) const {
  double sum = 0.0;
  for (Index i = 0; i < batch.columns(); ++i) {
    const auto first = static_cast<double>(batch.points(i, 0));
    const auto second = static_cast<double>(batch.points(i, 1));
    sum += 0.5 * (first * first + second * second) - static_cast<double>(batch.log_det(i, 0));
  }
  return sum / (2.0 * static_cast<double>(batch.columns()));
}

template <class Scalar>
double CouplingChain<Scalar>::loss(const Scalar* weights, Batch& batch, Scalar* gradient) const {
  const auto by_log_det = static_cast<Scalar>(-0.5 / static_cast<double>(batch.columns()));
  batch.d_points = batch.points * -by_log_det;
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const auto at = static_cast<Index>(b);
    const Global global = this->global(weights, b);
    const bool swap = shape_.swaps[b];
    const Row stretch = log_scale(batch.outputs[b]).exp();
    const Row d_first = batch.d_points.col(swap ? 1 : 0).array().transpose();
    const Row d_second = batch.d_points.col(swap ? 0 : 1).array().transpose();
    const Row first = batch.passive.col(at).array().transpose();
    const Row stretched = batch.active.col(at).array().transpose() * stretch;
    const Row second = stretched + static_cast<Scalar>(kDamping) * batch.outputs[b].row(1).array();

    const Scalar by_scale[2] = {(d_first * first).sum(), (d_second * second).sum()};
    const Scalar by_shift[2] = {d_first.sum(), d_second.sum()};
    Scalar* const place = gradient + blocks_[b].global;
    for (Index i = 0; i < 2; ++i) {
      const Scalar g = weights[blocks_[b].global + i];
      const Scalar slope = static_cast<Scalar>(kDamping) / (Scalar{1} + std::exp(-static_cast<Scalar>(kSoftness) * g));
      // Every point has the same part ln s in its log-determinant: together -1/2 d ln s.
      place[i] += slope * (by_scale[i] - Scalar{0.5} / global.scale[i]);
      place[2 + i] += by_shift[i];
    }

    const Row d_inner = d_second * global.scale[1];
    batch.d_output.row(0).array() = (d_inner * stretched + by_log_det) * log_scale_derivative(batch.outputs[b]);
    batch.d_output.row(1).array() = d_inner * static_cast<Scalar>(kDamping);
    run_hidden(weights, b, batch);
    pull_to_hidden(weights, b, batch);
    blocks_[b].second.add_gradient(batch.hidden, batch.d_output, gradient);
    blocks_[b].first.add_gradient(batch.input, batch.d_hidden, gradient);
    // Nobody asks for the gradient by the conditions here.
    nn::multiply<Scalar>(blocks_[b].first.matrix(weights).leftCols(1), nn::Form::kTransposed, batch.d_hidden,
                         nn::Form::kPlain, Scalar{0}, batch.d_input.topRows(1));
    batch.d_points.col(0) = (d_first * global.scale[0] + batch.d_input.row(0).array()).transpose().matrix();
    batch.d_points.col(1) = (d_inner * stretch).transpose().matrix();
  }
  return loss(batch);
}

template <class Scalar>
void CouplingChain<Scalar>::inverse_gradient(const Scalar* weights, Batch& batch) const {
  batch.d_conditions.setZero();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto at = static_cast<Index>(b);
    const Global global = this->global(weights, b);
    const Row d_inner = batch.d_points.col(1).array().transpose() * (-log_scale(batch.outputs[b])).exp();
    batch.d_output.row(0).array() = -batch.d_points.col(1).array().transpose() *
                                    batch.active.col(at).array().transpose() * log_scale_derivative(batch.outputs[b]);
    batch.d_output.row(1).array() = -d_inner * static_cast<Scalar>(kDamping);
    run_hidden(weights, b, batch);
    pull_to_hidden(weights, b, batch);
    blocks_[b].first.backward(weights, batch.d_hidden, batch.d_input);
    batch.d_conditions += batch.d_input.bottomRows(shape_.conditions);
    const Row d_first = batch.d_points.col(0).array().transpose() + batch.d_input.row(0).array();
    const bool swap = shape_.swaps[b];
    batch.d_points.col(swap ? 1 : 0) = (d_first / global.scale[0]).transpose().matrix();
    batch.d_points.col(swap ? 0 : 1) = (d_inner / global.scale[1]).transpose().matrix();
  }
}

template class CouplingChain<float>;
template class CouplingChain<double>;

}  // namespace olem::internal::sampling
