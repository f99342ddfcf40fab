#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "sampler/gp/gp_bound.h"
#include "sampler/gp/gp_evaluator.h"
#include "sampler/gp/gp_model.h"
#include "sampler/gp/gp_noise_shape.h"
#include "sampler/gp/gp_training.h"
#include "sampler/helpers.h"

namespace olem::internal::sampling::gp_test {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

GpParameters some_parameters(GpKernel kernel) {
  GpParameters parameters;
  parameters.kernel = kernel;
  parameters.constant = 0.2;
  parameters.noise = 0.15;
  parameters.signal = 0.8;
  parameters.bias = 0.6;
  parameters.linear = {0.3, 0.01, 0.2};
  parameters.relevance = {0.5, 0.0, 1.3};  // the middle input is only in the linear part
  return parameters;
}

test::Standardised some_data(std::size_t rows) {
  return test::simulate(
      rows, 3, [](std::span<const double> c) { return std::sin(1.5 * c[0]) + 0.5 * c[1] * 0.2 + c[2] * c[0] * 0.3; },
      [](RandomStream& r) { return 0.4 * r.normal(); }, 1);
}

// The covariance between two points straight from its definition.
double covariance(const GpParameters& p, const VectorXd& a, const VectorXd& b) {
  double sum = p.constant;
  double ab = p.bias;
  double aa = p.bias;
  double bb = p.bias;
  double distance = 0.0;
  for (Index k = 0; k < a.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    sum += p.linear[at] * a[k] * b[k];
    ab += p.relevance[at] * a[k] * b[k];
    aa += p.relevance[at] * a[k] * a[k];
    bb += p.relevance[at] * b[k] * b[k];
    distance += p.relevance[at] * (a[k] - b[k]) * (a[k] - b[k]);
  }
  const double kappa = p.kernel == GpKernel::kArcsine
                           ? 2.0 / std::numbers::pi * std::asin(2.0 * ab / std::sqrt((1 + 2 * aa) * (1 + 2 * bb)))
                           : std::exp(-0.5 * distance);
  return sum + p.signal * kappa;
}

VectorXd point(const Inputs& inputs, std::size_t i) {
  VectorXd x(static_cast<Index>(inputs.size()));
  for (std::size_t k = 0; k < inputs.size(); ++k) x[static_cast<Index>(k)] = inputs[k][i];
  return x;
}

MatrixXd covariance_matrix(const GpParameters& parameters, const Inputs& inputs) {
  const auto n = static_cast<Index>(inputs.front().size());
  MatrixXd matrix(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      matrix(i, j) = covariance(parameters, point(inputs, static_cast<std::size_t>(i)),
                                point(inputs, static_cast<std::size_t>(j)));
    }
  }
  return matrix;
}

MatrixXd with_noise(MatrixXd matrix, double noise) {
  matrix.diagonal().array() += noise;
  return matrix;
}

VectorXd vector_of(std::span<const double> values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

double dense_objective(const GpParameters& parameters, const Inputs& inputs, std::span<const double> target) {
  const MatrixXd k = with_noise(covariance_matrix(parameters, inputs), parameters.noise);
  const VectorXd y = vector_of(target);
  const MatrixXd l = k.llt().matrixL();
  return 0.5 * y.dot(k.llt().solve(y)) + l.diagonal().array().log().sum() +
         0.5 * static_cast<double>(target.size()) * std::log(2.0 * std::numbers::pi);
}

GpModel fitted(const GpParameters& parameters, const Inputs& inputs, std::span<const double> target,
               std::span<const std::size_t> inducing, double negligible, std::size_t spread_points = 1000) {
  GpRegression regression(parameters, inputs, target.size(), {}, inducing, Context());
  regression.fit(target, parameters.noise, Context());
  return regression.model(spread_points, negligible);
}

class Kernels : public ::testing::TestWithParam<GpKernel> {};

TEST_P(Kernels, BoundGradientEqualsCentralDifferences) {
  const test::Standardised data = some_data(80);
  const GpParameters parameters = some_parameters(GetParam());
  const std::vector<std::size_t> inducing = {3, 17, 21, 40, 41, 66, 79};
  GpBound bound(data.input_spans(), data.columns.back(), {}, parameters, 1.0, inducing, Context());
  const std::vector<double> x = bound.pack(parameters);
  std::vector<double> gradient(x.size());
  std::vector<double> unused(x.size());
  bound.evaluate(x, gradient);
  EXPECT_EQ(x.size(), GetParam() == GpKernel::kArcsine ? 9U : 8U);
  for (std::size_t k = 0; k < x.size(); ++k) {
    constexpr double kStep = 1e-5;
    std::vector<double> moved = x;
    moved[k] += kStep;
    const double above = bound.evaluate(moved, unused);
    moved[k] -= 2.0 * kStep;
    const double below = bound.evaluate(moved, unused);
    EXPECT_NEAR(gradient[k], (above - below) / (2.0 * kStep), 1e-6 * (1.0 + std::abs(gradient[k]))) << k;
  }
}

// By the formula of Titsias (2009), equation 9, with dense matrices.
TEST_P(Kernels, BoundEqualsTheDenseFormulaAndIsOne) {
  const test::Standardised data = some_data(60);
  const Inputs inputs = data.input_spans();
  const GpParameters parameters = some_parameters(GetParam());
  const std::vector<double>& y = data.columns.back();
  const double likelihood = dense_objective(parameters, inputs, y);
  GpParameters linear = parameters;
  linear.signal = 0.0;
  const MatrixXd nonlinear = covariance_matrix(parameters, inputs) - covariance_matrix(linear, inputs);
  double penalty = 0.0;
  for (const double v : parameters.linear) penalty += 2.0 * std::sqrt(v);
  for (const double v : parameters.relevance) penalty += 2.0 * std::sqrt(v);
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {5U, 15U, 30U, 60U}) {
    const std::vector<std::size_t> points = all_rows(count);
    GpBound bound(inputs, y, {}, parameters, 2.0, points, Context());
    const std::vector<double> x = bound.pack(parameters);
    std::vector<double> gradient(x.size());
    const double value = bound.evaluate(x, gradient) - penalty;
    const auto m = static_cast<Index>(count);
    MatrixXd among = nonlinear.topLeftCorner(m, m);
    among.diagonal().array() += 1e-8 * parameters.signal;
    const MatrixXd projected = nonlinear.leftCols(m) * among.llt().solve(nonlinear.topRows(m));
    const MatrixXd k = with_noise(covariance_matrix(linear, inputs) + projected, parameters.noise);
    const MatrixXd l = k.llt().matrixL();
    const double expected = 0.5 * vector_of(y).dot(k.llt().solve(vector_of(y))) + l.diagonal().array().log().sum() +
                            30.0 * std::log(2.0 * std::numbers::pi) +
                            0.5 * (nonlinear - projected).trace() / parameters.noise;
    EXPECT_NEAR(value, expected, 1e-7 * std::abs(expected)) << count;
    EXPECT_GT(value, likelihood - 1e-4);
    EXPECT_LT(value, before + 1e-9);
    before = value;
  }
  EXPECT_NEAR(before, likelihood, 1e-4 * std::abs(likelihood));  // all rows: the likelihood itself
}

// A weight multiplies the function: the covariance is weight weight' k, and the gradient follows.
TEST_P(Kernels, WeightsMultiplyTheFunction) {
  const test::Standardised data = some_data(50);
  const Inputs inputs = data.input_spans();
  const GpParameters parameters = some_parameters(GetParam());
  const std::vector<double>& y = data.columns.back();
  std::vector<double> weights;
  for (std::size_t i = 0; i < 50; ++i) weights.push_back(0.5 + 0.03 * static_cast<double>(i));
  const MatrixXd diagonal = vector_of(weights).asDiagonal();
  const MatrixXd k = with_noise(diagonal * covariance_matrix(parameters, inputs) * diagonal, parameters.noise);
  const MatrixXd l = k.llt().matrixL();
  const double expected = 0.5 * vector_of(y).dot(k.llt().solve(vector_of(y))) + l.diagonal().array().log().sum() +
                          25.0 * std::log(2.0 * std::numbers::pi);
  EXPECT_NEAR(projected_objective(parameters, inputs, y, weights, all_rows(50), Context()), expected,
              1e-5 * std::abs(expected));
  double penalty = 0.0;
  for (const double v : parameters.linear) penalty += std::sqrt(v);
  for (const double v : parameters.relevance) penalty += std::sqrt(v);
  GpBound whole(inputs, y, weights, parameters, 1.0, all_rows(50), Context());
  std::vector<double> unused(whole.pack(parameters).size());
  EXPECT_NEAR(whole.evaluate(whole.pack(parameters), unused) - penalty, expected, 1e-4 * std::abs(expected));

  GpBound bound(inputs, y, weights, parameters, 1.0, all_rows(12), Context());
  const std::vector<double> x = bound.pack(parameters);
  std::vector<double> gradient(x.size());
  bound.evaluate(x, gradient);
  constexpr double kStep = 1e-5;
  for (std::size_t p = 0; p < x.size(); ++p) {
    std::vector<double> moved = x;
    moved[p] += kStep;
    const double above = bound.evaluate(moved, unused);
    moved[p] -= 2.0 * kStep;
    const double below = bound.evaluate(moved, unused);
    EXPECT_NEAR(gradient[p], (above - below) / (2.0 * kStep), 1e-6 * (1.0 + std::abs(gradient[p]))) << p;
  }

  GpParameters linear = parameters;
  linear.relevance.assign(3, 0.0);
  linear.signal = 0.0;
  const MatrixXd only_linear = with_noise(diagonal * covariance_matrix(linear, inputs) * diagonal, parameters.noise);
  GpRegression regression(linear, inputs, 50, weights, {}, Context());
  regression.fit(y, parameters.noise, Context());
  const VectorXd solved = only_linear.llt().solve(vector_of(y));
  const MatrixXd inverse = only_linear.inverse();
  for (const Index i : {0, 20, 49})
    EXPECT_NEAR(regression.leave_one_out()[static_cast<std::size_t>(i)], solved[i] / inverse(i, i), 1e-8);
}

TEST_P(Kernels, ProjectionOnAllRowsIsExact) {
  const test::Standardised data = some_data(50);
  const Inputs inputs = data.input_spans();
  const GpParameters parameters = some_parameters(GetParam());
  const std::vector<double>& y = data.columns.back();
  const double expected = dense_objective(parameters, inputs, y);
  EXPECT_NEAR(projected_objective(parameters, inputs, y, {}, all_rows(50), Context()), expected,
              1e-5 * std::abs(expected));

  const GpModel model = fitted(parameters, inputs, y, all_rows(50), 0.0);
  // New points, near and far; one input shared.
  const test::Standardised other = test::simulate(
      20, 3, [](auto) { return 0.0; }, [](RandomStream& r) { return r.normal(); }, 9);
  std::vector<std::vector<double>> at(other.columns.begin(), other.columns.begin() + 3);
  for (double& value : at[0]) value *= 3.0;
  at[2].assign(20, 0.7);
  const std::vector<Condition> conditions = {{at[0].data(), false}, {at[1].data(), false}, {at[2].data(), true}};
  GpEvaluator evaluator(model);
  evaluator.evaluate(conditions, 20, true);
  const MatrixXd k = with_noise(covariance_matrix(parameters, inputs), parameters.noise);
  const Inputs points(at.begin(), at.end());
  for (std::size_t i = 0; i < 20; ++i) {
    VectorXd cross(50);
    for (std::size_t j = 0; j < 50; ++j) {
      cross[static_cast<Index>(j)] = covariance(parameters, point(points, i), point(inputs, j));
    }
    const VectorXd solved = k.llt().solve(cross);
    EXPECT_NEAR(evaluator.mean()[i], solved.dot(vector_of(y)), 1e-5);
    const double variance = covariance(parameters, point(points, i), point(points, i)) - solved.dot(cross);
    EXPECT_NEAR(evaluator.variance()[i], variance, 1e-5);
  }
}

// Many inputs that differ between draws go another way than those that all draws share.
TEST(ManyInputs, VarianceAndGradientsAreThoseOfEachDrawAlone) {
  constexpr std::size_t kInputs = 25;
  constexpr std::size_t kDraws = 30;
  GpParameters parameters = some_parameters(GpKernel::kArcsine);
  parameters.linear.assign(kInputs, 0.2);
  parameters.relevance.assign(kInputs, 0.0);
  const test::Standardised data = test::simulate(
      60, kInputs, [](std::span<const double> c) { return c[0] - 0.5 * c[24]; },
      [](RandomStream& r) { return 0.4 * r.normal(); }, 3);
  const GpModel model = fitted(parameters, data.input_spans(), data.columns.back(), {}, 0.1);
  const std::vector<double> by_mean = test::normals(kDraws, 51);
  const std::vector<double> by_variance = test::normals(kDraws, 52);
  std::vector<std::vector<double>> gradients(kInputs, std::vector<double>(kDraws, 0.0));
  std::vector<std::vector<double>> values;
  std::vector<Condition> conditions;
  std::vector<double*> targets;
  values.reserve(kInputs);
  for (std::size_t k = 0; k < kInputs; ++k) {
    conditions.push_back({values.emplace_back(test::normals(kDraws, k)).data(), false});
    targets.push_back(gradients[k].data());
  }
  GpEvaluator together(model);
  together.evaluate(conditions, kDraws, true);
  const std::vector<double> variance(together.variance().begin(), together.variance().end());
  together.add_gradient(by_mean, by_variance, targets);
  for (std::size_t i = 0; i < kDraws; ++i) {
    std::vector<double> own_gradient(kInputs, 0.0);
    std::vector<Condition> own;
    std::vector<double*> own_targets;
    for (std::size_t k = 0; k < kInputs; ++k) {
      own.push_back({&values[k][i], true});
      own_targets.push_back(&own_gradient[k]);
    }
    GpEvaluator alone(model);
    alone.evaluate(own, 1, true);
    EXPECT_NEAR(variance[i], alone.variance()[0], 1e-12 * (1.0 + variance[i]));
    alone.add_gradient({&by_mean[i], 1}, {&by_variance[i], 1}, own_targets);
    for (std::size_t k = 0; k < kInputs; ++k) EXPECT_NEAR(gradients[k][i], own_gradient[k], 1e-11) << i << " " << k;
  }
}

// Fixed parameters: the exact process is fitted again without the row and asked for it.
TEST_P(Kernels, LeaveOneOutEqualsFittingWithoutTheRow) {
  const test::Standardised data = some_data(40);
  const GpParameters parameters = some_parameters(GetParam());
  const Inputs inputs = data.input_spans();
  GpRegression regression(parameters, inputs, 40, {}, all_rows(40), Context());
  regression.fit(data.columns.back(), parameters.noise, Context());
  const MatrixXd k = covariance_matrix(parameters, inputs);
  for (const Index left_out : {0, 7, 39}) {
    std::vector<Index> rest;
    for (Index i = 0; i < 40; ++i) {
      if (i != left_out) rest.push_back(i);
    }
    const MatrixXd others = with_noise(k(rest, rest), parameters.noise);
    const VectorXd y = vector_of(data.columns.back());
    const double predicted = k(rest, left_out).dot(others.llt().solve(VectorXd(y(rest))));
    const auto row = static_cast<std::size_t>(left_out);
    EXPECT_NEAR(regression.leave_one_out()[row], y[left_out] - predicted, 1e-6);
    const double explained = k(rest, left_out).dot(others.llt().solve(VectorXd(k(rest, left_out))));
    EXPECT_NEAR(regression.left_out_variance()[row], k(left_out, left_out) - explained, 1e-6);
  }
}

TEST_P(Kernels, InducingRowsLeaveNoMoreThanTheTolerance) {
  const test::Standardised data = some_data(200);
  const GpParameters parameters = some_parameters(GetParam());
  const Inputs inputs = data.input_spans();
  const ScaledPoints rows = scale_points(parameters, inputs);
  constexpr double kTolerance = 1e-3;
  const std::vector<std::size_t> chosen = choose_inducing(parameters, rows, 200, kTolerance, Context());
  EXPECT_LT(chosen.size(), 120U);
  GpParameters nonlinear = parameters;
  nonlinear.constant = 0.0;
  nonlinear.linear.assign(3, 0.0);
  const MatrixXd k = covariance_matrix(nonlinear, inputs);
  const std::vector<Index> at(chosen.begin(), chosen.end());
  const std::vector<std::size_t> every = all_rows(200);
  const std::vector<Index> all(every.begin(), every.end());
  const MatrixXd among = with_noise(k(at, at), 1e-12);
  const MatrixXd projected = k(all, at) * among.llt().solve(k(at, all));
  EXPECT_LT((k - projected).diagonal().maxCoeff(), kTolerance * 1.01);
  EXPECT_EQ(choose_inducing(parameters, rows, 5, kTolerance, Context()).size(), 5U);
}

// Leaving out directions that the data says little about can only add doubt, and little of it.
TEST_P(Kernels, FewerDirectionsNeverClaimMore) {
  const test::Standardised data = some_data(200);
  const GpParameters parameters = some_parameters(GetParam());
  const Inputs inputs = data.input_spans();
  const auto rows = choose_inducing(parameters, scale_points(parameters, inputs), 60, 1e-3, Context());
  const GpModel full = fitted(parameters, inputs, data.columns.back(), rows, 0.0);
  const GpModel fewer = fitted(parameters, inputs, data.columns.back(), rows, 0.05);
  EXPECT_LT(fewer.directions, full.directions);
  std::vector<Condition> conditions;
  for (std::size_t k = 0; k < 3; ++k) conditions.push_back({data.columns[k].data(), false});
  GpEvaluator a(full);
  GpEvaluator b(fewer);
  a.evaluate(conditions, 200, true);
  b.evaluate(conditions, 200, true);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(a.mean()[i], b.mean()[i], 1e-9);
    EXPECT_GT(b.variance()[i], a.variance()[i] - 1e-9);
    EXPECT_LT(b.variance()[i], a.variance()[i] + 0.05 * 2.0);  // of a prior variance of about 2
  }
}

// The mean is that of all points; the variance is that of a model which has the first points only.
TEST_P(Kernels, TheVarianceMayKnowFewerPointsThanTheMean) {
  const test::Standardised data = some_data(200);
  const GpParameters parameters = some_parameters(GetParam());
  const Inputs inputs = data.input_spans();
  const std::vector<double>& y = data.columns.back();
  const auto rows = choose_inducing(parameters, scale_points(parameters, inputs), 60, 0.0, Context());
  ASSERT_EQ(rows.size(), 60U);
  const GpModel all = fitted(parameters, inputs, y, rows, 0.1);
  const GpModel first = fitted(parameters, inputs, y, std::span(rows).first(35), 0.1);
  const GpModel split = fitted(parameters, inputs, y, rows, 0.1, 35);
  EXPECT_EQ(split.points.points, 60U);
  EXPECT_EQ(split.spread_points, 35U);
  std::vector<double> shared = {0.7};
  for (const bool one_row : {false, true}) {
    std::vector<Condition> conditions;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool is_shared = one_row && parameters.relevance[k] > 0.0;
      conditions.push_back({is_shared ? shared.data() : data.columns[k].data(), is_shared});
    }
    GpEvaluator a(all);
    GpEvaluator b(first);
    GpEvaluator c(split);
    for (GpEvaluator* evaluator : {&a, &b, &c}) evaluator->evaluate(conditions, 200, true);
    for (std::size_t i = 0; i < 200; ++i) {
      EXPECT_NEAR(c.mean()[i], a.mean()[i], 1e-9);
      EXPECT_NEAR(c.variance()[i], b.variance()[i], 1e-5);
      EXPECT_GT(c.variance()[i], a.variance()[i] - 0.11 * a.variance()[i] - 1e-5);  // a ninth by negligible directions
    }
  }
}

GpModel model_with_points(GpParameters parameters, double noise) {
  parameters.noise = noise;
  const test::Standardised data = some_data(250);
  const Inputs inputs = data.input_spans();
  const auto rows = choose_inducing(parameters, scale_points(parameters, inputs), 80, 1e-4 * noise, Context());
  // The variance knows all points but the last ones.
  return fitted(parameters, inputs, data.columns.back(), rows, 0.1, rows.size() - 5);
}

// More than a block of draws, so that the last one is smaller.
struct Draws {
  static constexpr std::size_t kCount = 300;

  explicit Draws(std::vector<bool> which_shared) : shared(std::move(which_shared)) {
    for (std::size_t k = 0; k < 3; ++k) {
      columns.push_back(shared[k] ? std::vector<double>(1, 0.3 * static_cast<double>(k) - 0.4)
                                  : test::normals(kCount, 20 + k));
    }
  }
  std::vector<Condition> conditions() const {
    std::vector<Condition> all;
    for (std::size_t k = 0; k < 3; ++k) all.push_back({columns[k].data(), shared[k]});
    return all;
  }
  // Of sum of by_mean mean + by_sd standard deviation.
  std::vector<std::vector<double>> gradients(GpEvaluator& evaluator, std::span<const double> by_mean,
                                             std::span<const double> by_sd) const {
    const std::vector<Condition> given = conditions();
    evaluator.evaluate(given, kCount, true);
    std::vector<double> by_variance;
    for (std::size_t i = 0; i < kCount; ++i) by_variance.push_back(0.5 * by_sd[i] / std::sqrt(evaluator.variance()[i]));
    std::vector<std::vector<double>> result;
    for (const auto& column : columns) result.emplace_back(column.size(), 0.0);
    std::vector<double*> targets;
    for (auto& gradient : result) targets.push_back(gradient.data());
    evaluator.add_gradient(by_mean, by_variance, targets);
    return result;
  }

  std::vector<bool> shared;
  std::vector<std::vector<double>> columns;
};

const std::vector<std::vector<bool>> kArrangements = {
    {false, false, false}, {true, false, false}, {true, false, true}, {true, true, true}};

TEST_P(Kernels, GradientInDoubleEqualsCentralDifferences) {
  const GpModel model = model_with_points(some_parameters(GetParam()), 0.15);
  GpEvaluator evaluator(model, GpEvaluator::Precision::kDouble);
  const std::vector<double> by_mean = test::normals(Draws::kCount, 30);
  const std::vector<double> by_sd = test::normals(Draws::kCount, 31);
  for (const auto& arrangement : kArrangements) {
    Draws draws(arrangement);
    const auto gradients = draws.gradients(evaluator, by_mean, by_sd);
    const auto value = [&] {
      evaluator.evaluate(draws.conditions(), Draws::kCount, true);
      double sum = 0.0;
      for (std::size_t i = 0; i < Draws::kCount; ++i) {
        sum += by_mean[i] * evaluator.mean()[i] + by_sd[i] * std::sqrt(evaluator.variance()[i]);
      }
      return sum;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < draws.columns[k].size(); i += 97) {
        constexpr double kStep = 1e-5;
        double& x = draws.columns[k][i];
        const double before = x;
        x = before + kStep;
        const double above = value();
        x = before - kStep;
        const double below = value();
        x = before;
        EXPECT_NEAR(gradients[k][i], (above - below) / (2.0 * kStep), 1e-6 * (1.0 + std::abs(gradients[k][i]))) << k;
      }
    }
  }
}

// Functions up to 250 times as variable as the noise; the bendier ones of the other kernel up to 25 times.
TEST_P(Kernels, SinglePrecisionAgreesWithDouble) {
  for (const double size : {1.0, GetParam() == GpKernel::kArcsine ? 50.0 : 5.0}) {
    GpParameters parameters = some_parameters(GetParam());
    parameters.signal *= size;
    const GpModel model = model_with_points(parameters, 0.15);
    ASSERT_FALSE(model.single.spread.empty()) << size << ", " << model.points.points << " points";
    const double noise_sd = std::sqrt(model.parameters.noise);
    const std::vector<double> none(Draws::kCount, 0.0);
    const std::vector<double> by_sd(Draws::kCount, 1.0 / noise_sd);
    GpEvaluator single(model);
    GpEvaluator reference(model, GpEvaluator::Precision::kDouble);
    const Draws draws({false, true, false});
    const auto gradients = draws.gradients(single, none, by_sd);
    const auto expected = draws.gradients(reference, none, by_sd);
    double squares = 0.0;
    bool different = false;
    for (std::size_t i = 0; i < Draws::kCount; ++i) {
      EXPECT_EQ(single.mean()[i], reference.mean()[i]);
      const double off = (std::sqrt(single.variance()[i]) - std::sqrt(reference.variance()[i])) / noise_sd;
      EXPECT_NEAR(off, 0.0, 5e-5);
      squares += off * off;
      different = different || off != 0.0;
      for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) EXPECT_NEAR(gradients[k][i], expected[k][i], 5e-4);
    }
    EXPECT_LT(std::sqrt(squares / Draws::kCount), 1e-5);
    EXPECT_NEAR(gradients[1][0], expected[1][0], 5e-4 * std::sqrt(static_cast<double>(Draws::kCount)));
    EXPECT_TRUE(different);
  }
}

TEST_P(Kernels, ForgoingTheGradientLeavesTheValues) {
  const GpModel model = model_with_points(some_parameters(GetParam()), 0.15);
  for (const auto precision : {GpEvaluator::Precision::kBest, GpEvaluator::Precision::kDouble}) {
    for (const std::vector<bool>& shared : kArrangements) {
      const Draws draws(shared);
      for (const bool with_variance : {true, false}) {
        GpEvaluator full(model, precision);
        GpEvaluator values(model, precision);
        values.forgo_gradient();
        full.evaluate(draws.conditions(), Draws::kCount, with_variance);
        values.evaluate(draws.conditions(), Draws::kCount, with_variance);
        for (std::size_t i = 0; i < Draws::kCount; ++i) {
          EXPECT_EQ(values.mean()[i], full.mean()[i]);
          EXPECT_TRUE(!with_variance || values.variance()[i] == full.variance()[i]);
        }
      }
    }
  }
}

// Up to the smallest noise that still has single precision.
TEST_P(Kernels, SinglePrecisionRoundsLessThanAThousandthOfTheNoise) {
  int tried = 0;
  double most = 0.0;
  for (double noise = 0.15; noise > 1e-6; noise *= 0.7) {
    const GpModel model = model_with_points(some_parameters(GetParam()), noise);
    if (model.single.spread.empty()) break;
    GpEvaluator single(model);
    GpEvaluator reference(model, GpEvaluator::Precision::kDouble);
    const Draws draws({false, true, false});
    single.evaluate(draws.conditions(), Draws::kCount, true);
    reference.evaluate(draws.conditions(), Draws::kCount, true);
    for (std::size_t i = 0; i < Draws::kCount; ++i) {
      most = std::max(most, std::abs(single.variance()[i] - reference.variance()[i]) / noise);
    }
    ++tried;
  }
  EXPECT_GT(tried, 5);
  EXPECT_LT(most, 1e-3);
  EXPECT_GT(most, 1e-6);
}

TEST_P(Kernels, DoubleIsUsedWhereSinglePrecisionWouldShow) {
  const GpModel model = model_with_points(some_parameters(GetParam()), 1e-6);
  EXPECT_TRUE(model.single.spread.empty());
  GpEvaluator best(model);
  GpEvaluator reference(model, GpEvaluator::Precision::kDouble);
  const Draws draws({false, false, false});
  best.evaluate(draws.conditions(), Draws::kCount, true);
  reference.evaluate(draws.conditions(), Draws::kCount, true);
  EXPECT_TRUE(std::ranges::equal(best.variance(), reference.variance()));
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::Values(GpKernel::kArcsine, GpKernel::kRbf),
                         [](const auto& tested) { return tested.param == GpKernel::kArcsine ? "arcsine" : "rbf"; });

TEST(GpTraining, IrrelevantInputsLeaveTheNonlinearPart) {
  const test::Standardised data = test::simulate(
      500, 6, [](std::span<const double> c) { return 2.0 * std::tanh(1.5 * c[1]) + std::abs(c[4]); },
      [](RandomStream& r) { return 0.3 * r.normal(); }, 3);
  for (const GpKernel kernel : {GpKernel::kArcsine, GpKernel::kRbf}) {
    GpOptions options;
    options.kernel = kernel;
    const TrainedGp trained = train_gp(data.input_spans(), data.columns.back(), options, 0, Context());
    std::vector<std::size_t> nonlinear;
    for (const std::size_t k : trained.model.parameters.nonlinear_inputs()) {
      nonlinear.push_back(trained.inputs[k]);
    }
    EXPECT_EQ(nonlinear, (std::vector<std::size_t>{1, 4}));
    // In standardised units; the truth is 0.09 over the variance of the target.
    const double truth = 0.09 / (data.deviations.back() * data.deviations.back());
    EXPECT_NEAR(trained.model.parameters.noise, truth, 0.15 * truth);
  }
}

TEST(GpLine, TheLineFromSumsIsAMinimumOfTheFullLikelihood) {
  const test::Standardised data = some_data(80);
  const Inputs inputs = data.input_spans();
  const GpSearch search =
      optimise_linear_parameters(inputs, data.columns.back(), {}, some_parameters(GpKernel::kArcsine), 1.0, Context());
  EXPECT_TRUE(search.parameters.nonlinear_inputs().empty());
  const auto objective = [&](GpParameters parameters) {
    parameters.signal = 0.0;
    double value = dense_objective(parameters, inputs, data.columns.back());
    for (const double variance : parameters.linear) value += std::sqrt(variance);
    return value;
  };
  EXPECT_NEAR(objective(search.parameters), search.objective, 1e-8);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto moved = [&](double step) {
      GpParameters parameters = search.parameters;
      (k == 3 ? parameters.constant : k == 4 ? parameters.noise : parameters.linear[k]) *= std::exp(step);
      return objective(parameters);
    };
    if (k < 3 && is_least_variance(search.parameters.linear[k])) continue;
    EXPECT_NEAR((moved(1e-4) - moved(-1e-4)) / 2e-4, 0.0, 2e-3) << k;
  }
}

TEST(GpTraining, ALineIsFoundToBeALine) {
  const test::Standardised data = test::simulate(
      400, 4, [](std::span<const double> c) { return c[0] - 0.5 * c[2]; },
      [](RandomStream& r) { return 0.5 * r.normal(); }, 3);
  const TrainedGp trained = train_gp(data.input_spans(), data.columns.back(), {}, 0, Context());
  EXPECT_EQ(trained.model.points.points, 0U);
  ASSERT_GE(trained.inputs.size(), 2U);
  EXPECT_EQ(trained.inputs.front(), 0U);
  EXPECT_NEAR(trained.model.slopes.front(), 1.0 / data.deviations.back(), 0.05);
}

// A bend that is small for the noise. Exponential noise ends abruptly, and the rows at its end show what noise of the
// same variance without an end hides.
TEST(GpTraining, NoiseWithAnEndShowsSmallerBends) {
  const auto function = [](std::span<const double> c) { return c[0] + 0.15 * std::abs(c[1]); };
  int by_normal = 0;
  int by_exponential = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const auto is_bent = [&](const std::function<double(RandomStream&)>& noise) {
      const test::Standardised data = test::simulate(800, 3, function, noise, seed);
      return train_gp(data.input_spans(), data.columns.back(), {}, 0, Context()).model.points.points > 0 ? 1 : 0;
    };
    by_normal += is_bent([](RandomStream& r) { return r.normal(); });
    by_exponential += is_bent([](RandomStream& r) { return -std::log(1.0 - r.uniform()); });
  }
  EXPECT_LE(by_normal, 1);
  EXPECT_GE(by_exponential, 5);
}

// The mean squared error of the function on a grid, over that of the ordinary regression; and the noise that was found.
struct ShapeGain {
  double error = 0.0;
  ShapedNoise noise;
};

// With `growing` the noise is the larger the larger the first input.
ShapeGain gain_by_shape(const std::function<double(RandomStream&)>& draw_noise, std::size_t rows, std::uint64_t seed,
                        bool growing = false) {
  const auto function = [](std::span<const double> c) { return 2.0 * std::tanh(c[0]) - 0.5 * c[1]; };
  test::Standardised data =
      test::simulate(rows, 2, function, growing ? [](RandomStream&) { return 0.0; } : draw_noise, seed);
  double variance = 1.0;
  if (growing) {
    RandomStream random(seed, "growing");
    variance = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double noise = 0.7 * std::exp(0.7 * data.columns[0][i]) * draw_noise(random);
      data.columns.back()[i] += noise / data.deviations.back();
      variance += noise * noise / static_cast<double>(rows);
    }
  }
  GpParameters parameters;
  parameters.kernel = GpKernel::kArcsine;
  parameters.constant = 0.5;
  parameters.noise = variance / (data.deviations.back() * data.deviations.back());
  parameters.signal = 1.0;
  parameters.bias = 0.5;
  parameters.linear = {0.3, 0.3};
  parameters.relevance = {1.0, 0.0};
  const Inputs inputs = data.input_spans();
  const auto points = choose_inducing(parameters, scale_points(parameters, inputs), 60, 1e-4, Context());
  GpRegression regression(parameters, inputs, rows, {}, points, Context());
  const auto error_of = [&] {
    const GpModel model = regression.model(60, 0.1);
    std::vector<Condition> conditions;
    for (std::size_t k = 0; k < 2; ++k) conditions.push_back({data.columns[k].data(), false});
    GpEvaluator evaluator(model);
    evaluator.evaluate(conditions, rows, false);
    std::vector<double> off(rows);  // up to a constant, which belongs to the noise
    double mean = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<double> c;
      for (std::size_t k = 0; k < 2; ++k) c.push_back(data.means[k] + data.deviations[k] * data.columns[k][i]);
      off[i] = evaluator.mean()[i] - (function(c) - data.means.back()) / data.deviations.back();
      mean += off[i] / static_cast<double>(rows);
    }
    double squares = 0.0;
    for (const double value : off) squares += (value - mean) * (value - mean);
    return squares;
  };
  const std::vector<double>& y = data.columns.back();
  regression.fit(y, parameters.noise, Context());
  const double plain = error_of();
  ShapeGain gain;
  gain.noise = fit_with_noise_shape(regression, y, parameters.noise, Context());
  gain.error = error_of() / plain;
  gain.noise.variance /= parameters.noise;
  return gain;
}

TEST(GpNoiseShape, NoiseWithAnEndTellsMoreThanItsVariance) {
  double exponential = 0.0;
  double uniform = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ShapeGain gain = gain_by_shape([](RandomStream& r) { return -std::log(1.0 - r.uniform()); }, 600, seed);
    exponential += gain.error / 5.0;
    EXPECT_NEAR(gain.noise.variance, 1.0, 0.35) << seed;
    uniform +=
        gain_by_shape([](RandomStream& r) { return r.uniform(-std::sqrt(3.0), std::sqrt(3.0)); }, 600, seed).error /
        5.0;
  }
  EXPECT_LT(exponential, 0.5);
  EXPECT_LT(uniform, 0.9);
}

// The shape is then no property of the noise, and trusting it would move the function.
TEST(GpNoiseShape, NoiseThatGrowsIsNotTakenForAShape) {
  const auto skewed = [](RandomStream& r) { return -std::log(1.0 - r.uniform()) - 1.0; };
  for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_LT(gain_by_shape(skewed, 600, seed, true).error, 1.3) << seed;
}

TEST(GpNoiseShape, NormalNoiseLeavesTheRegressionAlone) {
  for (const std::size_t rows : {100U, 600U}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const ShapeGain gain = gain_by_shape([](RandomStream& r) { return r.normal(); }, rows, seed);
      EXPECT_EQ(gain.error, 1.0) << rows << " " << seed;
    }
  }
}

TEST(GpNoiseShape, TooFewRowsAreFittedAsEver) {
  EXPECT_EQ(gain_by_shape([](RandomStream& r) { return -std::log(1.0 - r.uniform()); }, 40, 1).error, 1.0);
}

}  // namespace
}  // namespace olem::internal::sampling::gp_test
