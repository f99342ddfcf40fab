#include "order/diffan_derivatives.h"

#include <algorithm>
#include <numeric>

namespace olem::internal {

namespace {

using nn::Form;
using nn::Index;

constexpr auto kNetworkActivation = nn::Activation::kLeakyRelu;
constexpr Index kColumnsPerCall = 384;
constexpr Index kPointsPerCall = 64;

}  // namespace

template <class Scalar>
DiffanDerivatives<Scalar>::DiffanDerivatives(const DiffanNetwork<Scalar>& network, Index points)
    : network_(network), batch_(network.shape(), points) {
  const DiffanShape& shape = network.shape();
  const Index columns = points * shape.variables;
  for (auto* stage : {&pulled3_, &pulled_normal2_, &pulled2_, &pushed2_}) stage->resize(shape.wide, columns);
  for (auto* stage : {&pulled4_, &pulled_normal1_, &pulled1_, &pushed1_, &pushed_normal1_}) {
    stage->resize(shape.narrow, columns);
  }
  jacobian_.resize(shape.variables, columns);
}

template <class Scalar>
Index DiffanDerivatives<Scalar>::points_per_call(Index variables) {
  return std::clamp<Index>(kColumnsPerCall / variables, 1, kPointsPerCall);
}

template <class Scalar>
std::size_t DiffanDerivatives<Scalar>::bytes(const DiffanShape& shape, Index points) {
  const Index rows = 4 * shape.wide + 5 * shape.narrow + shape.variables;
  return static_cast<std::size_t>(rows * points * shape.variables) * sizeof(Scalar) +
         DiffanNetwork<Scalar>::Batch::bytes(shape, points);
}

template <class Scalar>
void DiffanDerivatives<Scalar>::pull_back(const Scalar* weights, Index points, std::span<const std::size_t> outputs) {
  const auto count = static_cast<Index>(outputs.size());
  const auto used = [&](nn::Matrix<Scalar>& stage) { return stage.leftCols(points * count); };
  const auto of_point = [&](nn::Matrix<Scalar>& stage, Index p) { return stage.middleCols(p * count, count); };
  const auto last = network_.linear(5).matrix(weights);
  for (Index p = 0; p < points; ++p) {
    for (Index o = 0; o < count; ++o) {
      pulled4_.col(p * count + o) = last.row(static_cast<Index>(outputs[static_cast<std::size_t>(o)])).transpose();
    }
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden4.col(p), of_point(pulled4_, p));
  }
  network_.linear(4).backward(weights, used(pulled4_), used(pulled3_));
  for (Index p = 0; p < points; ++p) {
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden3.col(p), of_point(pulled3_, p));
  }
  network_.linear(3).backward(weights, used(pulled3_), used(pulled_normal2_));
  for (Index p = 0; p < points; ++p) {
    network_.norm(2).backward(weights, batch_.hidden2.col(p), batch_.moments2.col(p), of_point(pulled_normal2_, p),
                              of_point(pulled2_, p));
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden2.col(p), of_point(pulled2_, p));
  }
  network_.linear(2).backward(weights, used(pulled2_), used(pulled_normal1_));
  for (Index p = 0; p < points; ++p) {
    network_.norm(1).backward(weights, batch_.hidden1.col(p), batch_.moments1.col(p), of_point(pulled_normal1_, p),
                              of_point(pulled1_, p));
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden1.col(p), of_point(pulled1_, p));
  }
  // Without the column of the time.
  const auto first = network_.linear(1).matrix(weights).leftCols(network_.shape().variables);
  nn::multiply<Scalar>(first, Form::kTransposed, used(pulled1_), Form::kPlain, Scalar{0}, used(jacobian_));
}

template <class Scalar>
void DiffanDerivatives<Scalar>::push_forward(const Scalar* weights, Index points) {
  const Index variables = network_.shape().variables;
  const auto of_point = [&](nn::Matrix<Scalar>& stage, Index p) { return stage.middleCols(p * variables, variables); };
  const auto first = network_.linear(1).matrix(weights).leftCols(variables);
  for (Index p = 0; p < points; ++p) {
    of_point(pushed1_, p) = first;
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden1.col(p), of_point(pushed1_, p));
    network_.norm(1).push_forward(weights, batch_.hidden1.col(p), batch_.moments1.col(p), of_point(pushed1_, p),
                                  of_point(pushed_normal1_, p));
  }
  nn::multiply<Scalar>(network_.linear(2).matrix(weights), Form::kPlain, pushed_normal1_.leftCols(points * variables),
                       Form::kPlain, Scalar{0}, pushed2_.leftCols(points * variables));
  for (Index p = 0; p < points; ++p) {
    nn::activation_backward<Scalar>(kNetworkActivation, batch_.hidden2.col(p), of_point(pushed2_, p));
  }
}

template <class Scalar>
void DiffanDerivatives<Scalar>::add_curvature(const nn::LayerNorm<Scalar>& norm, const Scalar* weights,
                                              const nn::Matrix<Scalar>& hidden, const nn::Matrix<Scalar>& moments,
                                              const nn::Matrix<Scalar>& pulled, const nn::Matrix<Scalar>& pushed,
                                              Index point, std::span<const std::size_t> remaining,
                                              std::span<const std::size_t> removed) {
  // With z the normalised hidden layer, s its deviation, N its size, u and v centred directions into it and g the
  // pulled-back output times the gain, differentiating (h - mean) / s twice gives
  //   g . D2[u, v] = [-(g.u)(z.v)/N - (g.v)(z.u)/N + (g.z) (3 (z.u)(z.v)/N^2 - u.v/N)] / s^2.
  const Index variables = network_.shape().variables;
  const auto outputs = static_cast<Index>(removed.size());
  const auto size = static_cast<double>(hidden.rows());
  const Scalar scale = moments(1, point);
  const nn::Matrix<Scalar> z = (hidden.col(point).array() - moments(0, point)) * scale;
  nn::Matrix<Scalar> u = pushed.middleCols(point * variables, variables);
  u.rowwise() -= u.colwise().mean().eval();
  nn::Matrix<Scalar> g(hidden.rows(), outputs);
  for (Index r = 0; r < outputs; ++r) {
    // Every variable is pulled back, in the order of the table.
    const Index column = point * variables + static_cast<Index>(removed[static_cast<std::size_t>(r)]);
    g.col(r) = pulled.col(column).array() * norm.gain(weights);
  }
  const auto product = [](const nn::Matrix<Scalar>& a, const nn::Matrix<Scalar>& b) {
    nn::Matrix<Scalar> c(a.cols(), b.cols());
    nn::multiply<Scalar>(a, Form::kTransposed, b, Form::kPlain, Scalar{0}, c);
    return Eigen::MatrixXd(c.template cast<double>());
  };
  const Eigen::MatrixXd gu = product(g, u);
  const Eigen::MatrixXd gz = product(g, z);
  const Eigen::MatrixXd uz = product(u, z) / size;
  const Eigen::MatrixXd uu = product(u, u) / size;
  const double factor = static_cast<double>(scale) * static_cast<double>(scale);
  const auto second = [&](Index r, Index a, Index b) {
    return factor * (-gu(r, a) * uz(b, 0) - gu(r, b) * uz(a, 0) + gz(r, 0) * (3.0 * uz(a, 0) * uz(b, 0) - uu(a, b)));
  };
  for (Index r = 0; r < outputs; ++r) {
    const auto own = static_cast<Index>(removed[static_cast<std::size_t>(r)]);
    for (std::size_t l = 0; l < remaining.size(); ++l) {
      const auto variable = static_cast<Index>(remaining[l]);
      along_both_(r, static_cast<Index>(l)) += second(r, variable, variable);
      along_own_(r, static_cast<Index>(l)) += second(r, own, variable);
    }
  }
}

template <class Scalar>
void DiffanDerivatives<Scalar>::diagonal(const Scalar* weights, const nn::ConstView<Scalar>& input,
                                         std::span<const std::size_t> remaining, std::span<const std::size_t> removed,
                                         DiffanVariant variant, Eigen::Ref<Eigen::MatrixXd> result) {
  const Index points = input.cols();
  const auto count = static_cast<Index>(remaining.size());
  batch_.input.leftCols(points) = input;
  network_.forward(weights, batch_, 0, points, nullptr);
  if (variant == DiffanVariant::kMasking || removed.empty()) {
    pull_back(weights, points, remaining);
    for (Index p = 0; p < points; ++p) {
      for (Index l = 0; l < count; ++l) {
        const auto variable = static_cast<Index>(remaining[static_cast<std::size_t>(l)]);
        result(l, p) = static_cast<double>(jacobian_(variable, p * count + l));
      }
    }
    return;
  }

  const Index variables = network_.shape().variables;
  std::vector<std::size_t> all(static_cast<std::size_t>(variables));
  std::iota(all.begin(), all.end(), std::size_t{0});
  pull_back(weights, points, all);
  push_forward(weights, points);
  for (Index p = 0; p < points; ++p) {
    along_both_.setZero(static_cast<Index>(removed.size()), count);
    along_own_.setZero(static_cast<Index>(removed.size()), count);
    add_curvature(network_.norm(1), weights, batch_.hidden1, batch_.moments1, pulled_normal1_, pushed1_, p, remaining,
                  removed);
    add_curvature(network_.norm(2), weights, batch_.hidden2, batch_.moments2, pulled_normal2_, pushed2_, p, remaining,
                  removed);
    const auto jacobian = [&](std::size_t output, std::size_t variable) {
      return static_cast<double>(jacobian_(static_cast<Index>(variable), p * variables + static_cast<Index>(output)));
    };
    for (Index l = 0; l < count; ++l) {
      const std::size_t variable = remaining[static_cast<std::size_t>(l)];
      double correction = 0.0;
      for (std::size_t i = 0; i < removed.size(); ++i) {
        const auto r = static_cast<Index>(i);
        const double own = jacobian(removed[i], removed[i]);
        if (own == 0.0) continue;
        const double across = jacobian(removed[i], variable);
        const auto output = static_cast<double>(batch_.output(static_cast<Index>(removed[i]), p));
        correction += (across * across + output * (along_both_(r, l) - across * along_own_(r, l) / own)) / own;
      }
      const double plain = jacobian(variable, variable);
      result(l, p) = variant == DiffanVariant::kPublished ? plain + correction : plain - correction;
    }
  }
}

template class DiffanDerivatives<float>;
template class DiffanDerivatives<double>;

}  // namespace olem::internal
