#include "nn/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/gradient_check.h"

namespace olem::layers_test {

using namespace internal;
namespace {

using nn::Activation;
using nn::Bias;
using nn::Index;
using test::expect_gradient;
using test::random_matrix;
using test::span_of;
using MatrixD = nn::Matrix<double>;

// A weighted sum of a layer's outputs is the scalar whose gradient is checked.
double weighted(const MatrixD& weights, const MatrixD& values) { return weights.cwiseProduct(values).sum(); }

std::vector<double> random_weights(const nn::ParameterLayout& layout) {
  const MatrixD values = random_matrix(layout.size(), 1, 9);
  return {values.data(), values.data() + values.size()};
}

TEST(Linear, IsAMatrixProductAndABias) {
  nn::ParameterLayout layout;
  const nn::Linear<double> other(1, 1, Bias::kNone, layout);  // so that the layer does not start at zero
  const nn::Linear<double> layer(2, 3, Bias::kLearned, layout);
  EXPECT_EQ(layout.size(), 10);
  const std::vector<double> weights = {7, 1, 2, 3, 4, 5, 6, 10, 20, 30};
  MatrixD x(2, 2);
  x << 1, 0, 1, 2;
  MatrixD y(3, 2);
  layer.forward(weights.data(), x, y);
  MatrixD expected(3, 2);
  expected << 15, 18, 27, 30, 39, 42;
  EXPECT_EQ(y, expected);
}

TEST(Linear, GradientsAgreeWithDifferences) {
  for (const Bias bias : {Bias::kNone, Bias::kLearned}) {
    nn::ParameterLayout layout;
    const nn::Linear<double> layer(4, 3, bias, layout);
    std::vector<double> weights = random_weights(layout);
    MatrixD x = random_matrix(4, 5, 1);
    const MatrixD dy = random_matrix(3, 5, 2);
    MatrixD y(3, 5);
    const auto f = [&] {
      layer.forward(weights.data(), x, y);
      return weighted(dy, y);
    };
    MatrixD dx(4, 5);
    layer.backward(weights.data(), dy, dx);
    expect_gradient(f, span_of(x), span_of(dx));
    std::vector<double> gradient(weights.size(), 0.0);
    // In two pieces, as threads do it.
    layer.add_gradient(x, dy, gradient.data(), 0, 2);
    layer.add_gradient(x, dy, gradient.data(), 2, 3);
    expect_gradient(f, weights, gradient);
  }
}

TEST(Linear, StartsLikePyTorch) {
  nn::ParameterLayout layout;
  const nn::Linear<float> layer(25, 400, Bias::kLearned, layout);
  std::vector<float> weights(static_cast<std::size_t>(layout.size()));
  RandomStream random(1, "weights");
  layer.initialise(weights.data(), random);
  const Eigen::Map<const Eigen::ArrayXf> all(weights.data(), layout.size());
  EXPECT_LT(all.abs().maxCoeff(), 0.2F);
  EXPECT_GT(all.abs().maxCoeff(), 0.199F);
  EXPECT_NEAR(all.square().mean(), 0.2F * 0.2F / 3.0F, 5e-4F);  // of a uniform distribution
}

TEST(LayerNorm, BringsColumnsToMeanZeroAndVarianceOne) {
  nn::ParameterLayout layout;
  const nn::LayerNorm<double> layer(6, layout);
  std::vector<double> weights(static_cast<std::size_t>(layout.size()));
  layer.initialise(weights.data());
  const MatrixD x = 3.0 * random_matrix(6, 4, 1).array() + 10.0;
  MatrixD y(6, 4);
  MatrixD moments(2, 4);
  layer.forward(weights.data(), x, y, moments);
  for (Index j = 0; j < 4; ++j) {
    const double variance = (x.col(j).array() - x.col(j).mean()).square().mean();
    EXPECT_NEAR(y.col(j).mean(), 0.0, 1e-12);
    EXPECT_NEAR(y.col(j).squaredNorm() / 6.0, variance / (variance + 1e-5), 1e-12);
    EXPECT_NEAR(moments(0, j), x.col(j).mean(), 1e-12);
    EXPECT_NEAR(moments(1, j), 1.0 / std::sqrt(variance + 1e-5), 1e-12);
  }
}

TEST(LayerNorm, GradientsAgreeWithDifferences) {
  nn::ParameterLayout layout;
  const nn::LayerNorm<double> layer(5, layout);
  std::vector<double> weights = random_weights(layout);
  MatrixD x = random_matrix(5, 3, 1);
  const MatrixD dy = random_matrix(5, 3, 2);
  MatrixD y(5, 3);
  MatrixD moments(2, 3);
  const auto f = [&] {
    layer.forward(weights.data(), x, y, moments);
    return weighted(dy, y);
  };
  f();
  const MatrixD at = moments;
  MatrixD dx = dy;
  layer.backward(weights.data(), x, at, dx, dx);  // in place
  expect_gradient(f, span_of(x), span_of(dx));
  std::vector<double> gradient(weights.size(), 0.0);
  layer.add_gradient(x, at, dy, gradient.data());
  expect_gradient(f, weights, gradient);
}

// dy . (J v) = (J^T dy) . v for every v, here with several directions at one point.
TEST(LayerNorm, PushingForwardIsTheTransposeOfPullingBack) {
  nn::ParameterLayout layout;
  const nn::LayerNorm<double> layer(5, layout);
  const std::vector<double> weights = random_weights(layout);
  const MatrixD x = random_matrix(5, 1, 1);
  MatrixD y(5, 1);
  MatrixD moments(2, 1);
  layer.forward(weights.data(), x, y, moments);
  const MatrixD v = random_matrix(5, 4, 2);
  const MatrixD dy = random_matrix(5, 4, 3);
  MatrixD pushed(5, 4);
  MatrixD pulled(5, 4);
  layer.push_forward(weights.data(), x, moments, v, pushed);
  layer.backward(weights.data(), x, moments, dy, pulled);
  EXPECT_LT((dy.transpose() * pushed - pulled.transpose() * v).norm(), 1e-12);
}

TEST(Activations, ValuesAreThoseOfTheirFormulas) {
  const std::vector<std::pair<Activation, double (*)(double)>> known = {
      {Activation::kRelu, [](double x) { return x > 0 ? x : 0.0; }},
      {Activation::kLeakyRelu, [](double x) { return x > 0 ? x : 0.01 * x; }},
      {Activation::kSoftplus, [](double x) { return std::log(1.0 + std::exp(x)); }},
      {Activation::kTanh, [](double x) { return std::tanh(x); }}};
  for (const auto& [activation, formula] : known) {
    MatrixD x(5, 1);
    x << -3.0, -0.5, 0.0, 0.25, 2.0;
    const MatrixD before = x;
    nn::activate<double>(activation, x);
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(x(i, 0), formula(before(i, 0)), 1e-14);
  }
  EXPECT_EQ(nn::softplus(1000.0), 1000.0);
  EXPECT_NEAR(nn::softplus(-40.0), std::exp(-40.0), 1e-30);
}

TEST(Activations, GradientsAgreeWithDifferences) {
  for (const Activation activation :
       {Activation::kRelu, Activation::kLeakyRelu, Activation::kSoftplus, Activation::kTanh}) {
    MatrixD x = random_matrix(6, 4, 5);
    const MatrixD dy = random_matrix(6, 4, 6);
    const auto f = [&] {
      MatrixD y = x;
      nn::activate<double>(activation, y);
      return weighted(dy, y);
    };
    MatrixD y = x;
    nn::activate<double>(activation, y);
    MatrixD dx = dy;
    nn::activation_backward<double>(activation, y, dx);
    expect_gradient(f, span_of(x), span_of(dx));
  }
}

TEST(Activations, KeepWhatIsNotANumber) {
  for (const Activation activation : {Activation::kRelu, Activation::kLeakyRelu}) {
    MatrixD x = MatrixD::Constant(3, 1, std::nan(""));
    nn::activate<double>(activation, x);
    for (Index i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(x(i, 0)));
  }
}

TEST(Dropout, KeepsTheMeanAndDependsOnlyOnTheStream) {
  nn::Matrix<float> factors(200, 100);
  nn::draw_dropout<float>(0.2, 7, "dropout", 50, factors);
  double zeros = 0.0;
  for (const float factor : factors.reshaped()) {
    EXPECT_TRUE(factor == 0.0F || factor == 1.25F);
    zeros += factor == 0.0F ? 1.0 : 0.0;
  }
  // 20000 draws: the standard deviation of the share is 0.0028.
  EXPECT_NEAR(zeros / 20000.0, 0.2, 0.01);
  nn::Matrix<float> later(200, 40);
  nn::draw_dropout<float>(0.2, 7, "dropout", 110, later);
  EXPECT_EQ(later, factors.rightCols(40));
  nn::draw_dropout<float>(0.0, 7, "dropout", 0, later);
  EXPECT_EQ(later, (nn::Matrix<float>::Ones(200, 40)));
}

TEST(SquaredError, GradientAgreesWithDifferences) {
  MatrixD y = random_matrix(3, 4, 1);
  const MatrixD target = random_matrix(3, 4, 2);
  MatrixD dy(3, 4);
  MatrixD scratch(3, 4);
  const double sum = nn::squared_error<double>(y, target, 1.0 / 12.0, dy);
  EXPECT_NEAR(sum, (y - target).squaredNorm(), 1e-12);
  expect_gradient([&] { return nn::squared_error<double>(y, target, 1.0, scratch) / 12.0; }, span_of(y), span_of(dy));
}

}  // namespace
}  // namespace olem::layers_test
