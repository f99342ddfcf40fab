#include "sampler/bayesian_ridge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sampler/helpers.h"
#include "sampler/kinds.h"

namespace olem::bayesian_ridge_test {

using namespace internal;
namespace {

// Twelve rows of a formula, so that they can be made again anywhere.
const test::Standardised& rows() {
  static const test::Standardised data = [] {
    std::vector<std::vector<double>> columns(4);
    for (int i = 0; i < 12; ++i) {
      const double a = std::sin(1.0 + i);
      const double b = std::cos(2.0 * i) + 0.3 * std::sin(1.0 + i);
      const double c = (i * i) % 7 - 3.0;
      columns[0].push_back(a);
      columns[1].push_back(b);
      columns[2].push_back(c);
      columns[3].push_back(1.5 * a - 0.7 * b + 0.05 * c + 0.4 * std::sin(5.0 * i + 0.5));
    }
    return test::standardise(std::move(columns));
  }();
  return data;
}

// sklearn.linear_model.BayesianRidge() of scikit-learn 1.2.1, all defaults, on the standardised columns (population
// deviation): coef_, alpha_, lambda_, sigma_.
TEST(BayesianRidge, AgreesWithScikitLearn) {
  const sampling::BayesianRidge fit = sampling::fit_bayesian_ridge(rows().input_spans(), rows().columns.back());
  EXPECT_TRUE(fit.converged);
  const double weights[] = {0.993029333685, -0.494764882157, 0.071323974062};
  const double covariance[] = {0.010427615039, -0.000578002963, 0.005747932443, -0.000578002963, 0.008519381533,
                               0.003285859376, 0.005747932443,  0.003285859376, 0.011655730528};
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(fit.weights[a], weights[a], 1e-9);
  for (std::size_t a = 0; a < 9; ++a) EXPECT_NEAR(fit.covariance[a], covariance[a], 1e-9);
  EXPECT_NEAR(fit.noise_precision, 11.78169963846975, 1e-8);
  EXPECT_NEAR(fit.weight_precision, 2.3685868683263984, 1e-8);
}

TEST(BayesianRidge, TheSamplerDoubtsItsWeightsAsMuchAsTheirPosterior) {
  SamplerOptions options;
  options.gaussian.fit = GaussianFit::kBayesianRidge;
  const auto sampler = sampling::fit_gaussian(rows().data(), options, Context());
  const double c[] = {2.0, -1.0, 0.5};
  const std::vector<Condition> conditions = {{&c[0], true}, {&c[1], true}, {&c[2], true}};
  // The second normal number is the weights'.
  std::vector<double> y(1);
  sampler->start(std::vector{0.0, 1.0}, 1)->sample(conditions, 1.0, y);
  std::vector<double> without(1);
  sampler->start(std::vector{0.0, 1.0}, 1)->sample(conditions, 0.0, without);
  const sampling::BayesianRidge fit = sampling::fit_bayesian_ridge(rows().input_spans(), rows().columns.back());
  double variance = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) variance += c[a] * fit.covariance[a * 3 + b] * c[b];
  }
  EXPECT_NEAR(y[0] - without[0], std::sqrt(variance), 1e-12);
  EXPECT_TRUE(sampler->slopes(0.0).has_value());
  EXPECT_FALSE(sampler->slopes(1.0).has_value());
}

// Residual variance of least squares with divisor n - 1: 0.069399 by numpy.linalg.lstsq on the same columns.
TEST(GaussianSampler, LeastSquaresTakesItsNoiseFromTheResiduals) {
  const auto sampler = sampling::fit_gaussian(rows().data(), {}, Context());
  EXPECT_NEAR(std::pow(sampler->facts().noise_sd, 2), 0.069398588302, 1e-8);
  EXPECT_TRUE(sampler->slopes(1.0).has_value());
}

}  // namespace
}  // namespace olem::bayesian_ridge_test
