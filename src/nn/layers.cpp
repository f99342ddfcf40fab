#include "nn/layers.h"

#include <bit>
#include <cmath>
#include <type_traits>

namespace olem::internal::nn {

namespace {

constexpr double kVarianceFloor = 1e-5;
constexpr double kLeakySlope = 0.01;

template <class Scalar>
using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

// Column j, or the only one.
template <class Scalar>
auto column_for(const ConstView<Scalar>& matrix, Index j) {
  return matrix.col(matrix.cols() == 1 ? 0 : j).array();
}

// x > 0 by the bits, for which g++ uses vector instructions; a comparison of floating-point numbers might trap.
template <class Scalar>
bool is_positive(Scalar x) {
  return std::bit_cast<std::conditional_t<sizeof(Scalar) == 4, std::int32_t, std::int64_t>>(x) > 0;
}

}  // namespace

template <class Scalar>
Linear<Scalar>::Linear(Index inputs, Index outputs, Bias bias, ParameterLayout& layout)
    : inputs_(inputs),
      outputs_(outputs),
      bias_(bias),
      place_(layout.add(outputs * inputs + (bias == Bias::kLearned ? outputs : 0))) {}

template <class Scalar>
void Linear<Scalar>::initialise(Scalar* weights, RandomStream& random) const {
  const double bound = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(inputs_, 1)));
  const Index count = outputs_ * inputs_ + (bias_ == Bias::kLearned ? outputs_ : 0);
  for (Index i = 0; i < count; ++i) weights[place_ + i] = static_cast<Scalar>(random.uniform(-bound, bound));
}

template <class Scalar>
void Linear<Scalar>::forward(const Scalar* weights, const ConstView<Scalar>& x, View<Scalar> y) const {
  if (bias_ == Bias::kLearned) {
    y.colwise() =
        Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(weights + place_ + outputs_ * inputs_, outputs_);
  }
  multiply<Scalar>(matrix(weights), Form::kPlain, x, Form::kPlain, bias_ == Bias::kLearned ? Scalar{1} : Scalar{0}, y);
}

template <class Scalar>
void Linear<Scalar>::backward(const Scalar* weights, const ConstView<Scalar>& dy, View<Scalar> dx) const {
  multiply<Scalar>(matrix(weights), Form::kTransposed, dy, Form::kPlain, Scalar{0}, dx);
}

template <class Scalar>
void Linear<Scalar>::add_gradient(const ConstView<Scalar>& x, const ConstView<Scalar>& dy, Scalar* gradient,
                                  Index first, Index last) const {
  const auto rows = dy.middleRows(first, last - first);
  Eigen::Map<Matrix<Scalar>> whole(gradient + place_, outputs_, inputs_);
  multiply<Scalar>(rows, Form::kPlain, x, Form::kTransposed, Scalar{1}, whole.middleRows(first, last - first));
  if (bias_ == Bias::kNone) return;
  Eigen::Map<Array<Scalar>> bias(gradient + place_ + outputs_ * inputs_ + first, last - first);
  for (Index j = 0; j < rows.cols(); ++j) bias += rows.col(j).array();
}

template <class Scalar>
LayerNorm<Scalar>::LayerNorm(Index features, ParameterLayout& layout)
    : features_(features), place_(layout.add(2 * features)) {}

template <class Scalar>
void LayerNorm<Scalar>::initialise(Scalar* weights) const {
  std::fill_n(weights + place_, features_, Scalar{1});
  std::fill_n(weights + place_ + features_, features_, Scalar{0});
}

template <class Scalar>
void LayerNorm<Scalar>::forward(const Scalar* weights, const ConstView<Scalar>& x, View<Scalar> y,
                                View<Scalar> moments) const {
  const Eigen::Map<const Array<Scalar>> shift(weights + place_ + features_, features_);
  for (Index j = 0; j < x.cols(); ++j) {
    const auto in = x.col(j).array();
    const Scalar mean = in.mean();
    const Scalar variance = (in - mean).square().mean();
    const Scalar scale = Scalar{1} / std::sqrt(variance + static_cast<Scalar>(kVarianceFloor));
    y.col(j).array() = (in - mean) * scale * gain(weights) + shift;
    moments(0, j) = mean;
    moments(1, j) = scale;
  }
}

template <class Scalar>
void LayerNorm<Scalar>::backward(const Scalar* weights, const ConstView<Scalar>& x, const ConstView<Scalar>& moments,
                                 const ConstView<Scalar>& dy, View<Scalar> dx) const {
  for (Index j = 0; j < dy.cols(); ++j) {
    const auto moment = column_for<Scalar>(moments, j);
    const auto normal = (column_for<Scalar>(x, j) - moment(0)) * moment(1);
    const auto out = dy.col(j).array() * gain(weights);
    const Scalar mean = out.mean();
    const Scalar along = (out * normal).mean();
    dx.col(j).array() = (out - mean - normal * along) * moment(1);
  }
}

template <class Scalar>
void LayerNorm<Scalar>::push_forward(const Scalar* weights, const ConstView<Scalar>& x,
                                     const ConstView<Scalar>& moments, const ConstView<Scalar>& v,
                                     View<Scalar> result) const {
  for (Index j = 0; j < v.cols(); ++j) {
    const auto moment = column_for<Scalar>(moments, j);
    const auto normal = (column_for<Scalar>(x, j) - moment(0)) * moment(1);
    const auto in = v.col(j).array();
    const Scalar mean = in.mean();
    const Scalar along = (in * normal).mean();
    result.col(j).array() = (in - mean - normal * along) * moment(1) * gain(weights);
  }
}

template <class Scalar>
void LayerNorm<Scalar>::add_gradient(const ConstView<Scalar>& x, const ConstView<Scalar>& moments,
                                     const ConstView<Scalar>& dy, Scalar* gradient) const {
  Eigen::Map<Array<Scalar>> gain(gradient + place_, features_);
  Eigen::Map<Array<Scalar>> shift(gradient + place_ + features_, features_);
  for (Index j = 0; j < x.cols(); ++j) {
    gain += dy.col(j).array() * (x.col(j).array() - moments(0, j)) * moments(1, j);
    shift += dy.col(j).array();
  }
}

template <class Scalar>
Scalar softplus(Scalar x) {
  return std::max(x, Scalar{0}) + std::log1p(std::exp(-std::abs(x)));
}

template <class Scalar>
void activate(Activation activation, View<Scalar> x) {
  for (Index j = 0; j < x.cols(); ++j) {
    auto column = x.col(j).array();
    switch (activation) {
      // Both arguments are NaN when one is: a loss that is not finite stays so.
      case Activation::kRelu: column = column.max(column * Scalar{0}); break;
      case Activation::kLeakyRelu: column = column.max(column * static_cast<Scalar>(kLeakySlope)); break;
      case Activation::kSoftplus: column = column.unaryExpr([](Scalar value) { return softplus(value); }); break;
      case Activation::kTanh: column = column.tanh(); break;
    }
  }
}

template <class Scalar>
void activation_backward(Activation activation, const ConstView<Scalar>& y, View<Scalar> dy) {
  const auto kinked = [&](Scalar below) {
    for (Index j = 0; j < dy.cols(); ++j) {
      const Scalar* const value = y.data() + (y.cols() == 1 ? 0 : j) * y.outerStride();
      Scalar* const out = dy.data() + j * dy.outerStride();
      for (Index i = 0; i < dy.rows(); ++i) out[i] *= is_positive(value[i]) ? Scalar{1} : below;
    }
  };
  const auto smooth = [&](const auto& derivative) {
    for (Index j = 0; j < dy.cols(); ++j) dy.col(j).array() *= derivative(column_for<Scalar>(y, j));
  };
  switch (activation) {
    case Activation::kRelu: kinked(Scalar{0}); break;
    case Activation::kLeakyRelu: kinked(static_cast<Scalar>(kLeakySlope)); break;
    // 1 / (1 + exp(-x)) = 1 - exp(-y).
    case Activation::kSoftplus:
      smooth([](const auto& value) { return value.unaryExpr([](Scalar s) { return -std::expm1(-s); }); });
      break;
    case Activation::kTanh: smooth([](const auto& value) { return Scalar{1} - value.square(); }); break;
  }
}

template <class Scalar>
void draw_dropout(double probability, std::uint64_t seed, std::string_view purpose, std::uint64_t index,
                  View<Scalar> factors) {
  const auto threshold = static_cast<std::uint64_t>(std::llround(probability * 0x1p32));
  const auto kept = static_cast<Scalar>(1.0 / (1.0 - probability));
  for (Index j = 0; j < factors.cols(); ++j) {
    RandomStream random(seed, purpose, index + static_cast<std::uint64_t>(j));
    for (Index i = 0; i < factors.rows(); ++i) factors(i, j) = random.next_u32() < threshold ? Scalar{0} : kept;
  }
}

template <class Scalar>
double squared_error(const ConstView<Scalar>& y, const ConstView<Scalar>& target, Scalar scale, View<Scalar> dy) {
  double sum = 0.0;
  for (Index j = 0; j < y.cols(); ++j) {
    for (Index i = 0; i < y.rows(); ++i) {
      const Scalar difference = y(i, j) - target(i, j);
      sum += static_cast<double>(difference) * static_cast<double>(difference);
      dy(i, j) = Scalar{2} * scale * difference;
    }
  }
  return sum;
}

template class Linear<float>;
template class LayerNorm<float>;
template float softplus(float);
template void activate<float>(Activation, View<float>);
template void activation_backward<float>(Activation, const ConstView<float>&, View<float>);
template void draw_dropout<float>(double, std::uint64_t, std::string_view, std::uint64_t, View<float>);
template double squared_error<float>(const ConstView<float>&, const ConstView<float>&, float, View<float>);

template class Linear<double>;
template class LayerNorm<double>;
template double softplus(double);
template void activate<double>(Activation, View<double>);
template void activation_backward<double>(Activation, const ConstView<double>&, View<double>);
template void draw_dropout<double>(double, std::uint64_t, std::string_view, std::uint64_t, View<double>);
template double squared_error<double>(const ConstView<double>&, const ConstView<double>&, double, View<double>);

}  // namespace olem::internal::nn
