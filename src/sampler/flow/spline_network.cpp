#include "sampler/flow/spline_network.h"

#include <algorithm>

namespace olem::internal::sampling {

namespace {

constexpr auto kConditionerActivation = nn::Activation::kRelu;

}  // namespace

template <class Scalar>
SplineNetwork<Scalar>::SplineNetwork(const SplineShape& shape) : shape_(shape) {
  if (shape.inputs == 0) {
    layout_.add(parameters());
    return;
  }
  layers_.emplace_back(shape.inputs, shape.width, nn::Bias::kLearned, layout_);
  layers_.emplace_back(shape.width, shape.width, nn::Bias::kLearned, layout_);
  layers_.emplace_back(shape.width, parameters(), nn::Bias::kLearned, layout_);
}

template <class Scalar>
void SplineNetwork<Scalar>::initialise(Scalar* weights, std::span<const double> parameters, RandomStream random) const {
  std::fill_n(weights, weight_count(), Scalar{0});
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) layers_[l].initialise(weights, random);
  // The biases of the last layer are the last weights.
  std::transform(parameters.begin(), parameters.end(), weights + weight_count() - this->parameters(),
                 [](double value) { return static_cast<Scalar>(value); });
}

template <class Scalar>
SplineNetwork<Scalar>::Batch::Batch(const SplineShape& shape, Index columns)
    : input(shape.inputs, columns),
      first(shape.width, columns),
      second(shape.width, columns),
      raw(static_cast<Index>(SplineMap::parameters(shape.bins)), columns),
      d_raw(raw.rows(), columns),
      d_second(shape.width, columns),
      d_first(shape.width, columns),
      d_input(shape.inputs, columns) {}

template <class Scalar>
void SplineNetwork<Scalar>::forward(const Scalar* weights, Batch& batch) const {
  if (layers_.empty()) {
    batch.raw.colwise() = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(weights, parameters());
    return;
  }
  layers_[0].forward(weights, batch.input, batch.first);
  nn::activate<Scalar>(kConditionerActivation, batch.first);
  layers_[1].forward(weights, batch.first, batch.second);
  nn::activate<Scalar>(kConditionerActivation, batch.second);
  layers_[2].forward(weights, batch.second, batch.raw);
}

template <class Scalar>
void SplineNetwork<Scalar>::pull_back(const Scalar* weights, Batch& batch) const {
  layers_[2].backward(weights, batch.d_raw, batch.d_second);
  nn::activation_backward<Scalar>(kConditionerActivation, batch.second, batch.d_second);
  layers_[1].backward(weights, batch.d_second, batch.d_first);
  nn::activation_backward<Scalar>(kConditionerActivation, batch.first, batch.d_first);
}

template <class Scalar>
void SplineNetwork<Scalar>::add_gradient(const Scalar* weights, Batch& batch, Scalar* gradient) const {
  if (layers_.empty()) {
    for (Index j = 0; j < batch.columns(); ++j) {
      for (Index p = 0; p < parameters(); ++p) gradient[p] += batch.d_raw(p, j);
    }
    return;
  }
  pull_back(weights, batch);
  layers_[2].add_gradient(batch.second, batch.d_raw, gradient);
  layers_[1].add_gradient(batch.first, batch.d_second, gradient);
  layers_[0].add_gradient(batch.input, batch.d_first, gradient);
}

template <class Scalar>
void SplineNetwork<Scalar>::input_gradient(const Scalar* weights, Batch& batch) const {
  if (layers_.empty()) return;
  pull_back(weights, batch);
  layers_[0].backward(weights, batch.d_first, batch.d_input);
}

template <class Scalar>
double SplineNetwork<Scalar>::loss(std::span<const double> target, Batch& batch, bool with_gradient) const {
  const auto count = static_cast<double>(batch.columns());
  SplineMap map(shape_.bins);
  std::vector<double> raw(SplineMap::parameters(shape_.bins));
  std::vector<double> gradient(raw.size());
  double sum = 0.0;
  for (Index j = 0; j < batch.columns(); ++j) {
    for (std::size_t p = 0; p < raw.size(); ++p) raw[p] = static_cast<double>(batch.raw(static_cast<Index>(p), j));
    map.set(raw);
    const double y = target[static_cast<std::size_t>(j)];
    double log_slope = 0.0;
    const double z = map.forward(y, log_slope);
    sum += 0.5 * z * z - log_slope;
    if (!with_gradient) continue;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    map.add_gradient(y, z / count, -1.0 / count, gradient);
    for (std::size_t p = 0; p < raw.size(); ++p) {
      batch.d_raw(static_cast<Index>(p), j) = static_cast<Scalar>(gradient[p]);
    }
  }
  return sum / count;
}

template class SplineNetwork<float>;
template class SplineNetwork<double>;

}  // namespace olem::internal::sampling
