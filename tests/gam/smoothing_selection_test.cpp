#include "gam/smoothing_selection.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "gam/additive_regression.h"
#include "support/datasets.h"

namespace olem::smoothing_selection_test {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

AdditiveDesign design_of(const Table& table, int basis_size = 10) {
  std::vector<ThinPlateSpectrum> spectra;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    spectra.push_back(thin_plate_spectrum(table.column(j), basis_size));
  }
  return {table, spectra, basis_size, Context{}};
}

class SmoothingDerivatives : public testing::TestWithParam<SmoothingCriterion> {};

TEST_P(SmoothingDerivatives, AgreeWithCentralDifferences) {
  const AdditiveDesign design = design_of(test::ka5());
  const std::vector<std::size_t> parents = {0, 1, 3};
  const SmoothingProblem problem = design.problem(4, parents);
  VectorXd rho(3);
  for (const double base : {-6.0, -1.0, 3.0, 10.0}) {
    rho << base, base + 1.5, base - 0.7;
    const SmoothingScore score = smoothing_score(problem, GetParam(), rho, Derivatives::kGradientAndHessian);
    constexpr double kStep = 1e-4;
    for (Index k = 0; k < 3; ++k) {
      VectorXd up = rho;
      VectorXd down = rho;
      up[k] += kStep;
      down[k] -= kStep;
      const SmoothingScore above = smoothing_score(problem, GetParam(), up, Derivatives::kGradientAndHessian);
      const SmoothingScore below = smoothing_score(problem, GetParam(), down, Derivatives::kGradientAndHessian);
      EXPECT_NEAR(score.gradient[k], (above.value - below.value) / (2.0 * kStep),
                  1e-6 * std::abs(score.gradient[k]) + 1e-11);
      const VectorXd difference = (above.gradient - below.gradient) / (2.0 * kStep);
      EXPECT_LT((score.hessian.col(k) - difference).norm(), 1e-6 * difference.norm() + 1e-11);
    }
    EXPECT_LT((score.hessian - score.hessian.transpose()).norm(), 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(BothCriteria, SmoothingDerivatives,
                         testing::Values(SmoothingCriterion::kGcv, SmoothingCriterion::kReml),
                         [](const auto& parameter) {
                           return parameter.param == SmoothingCriterion::kGcv ? "Gcv" : "Reml";
                         });

TEST(SmoothingScore, ATermAtInfinityIsTheLimitOfTermsNearIt) {
  const AdditiveDesign design = design_of(test::ka5());
  const std::vector<std::size_t> parents = {0, 1};
  const SmoothingProblem problem = design.problem(2, parents);
  VectorXd near(2);
  near << -2.0, rho_upper() - 1e-9;
  VectorXd at = near;
  at[1] = rho_upper();
  for (const SmoothingCriterion criterion : {SmoothingCriterion::kGcv, SmoothingCriterion::kReml}) {
    EXPECT_NEAR(smoothing_score(problem, criterion, near, Derivatives::kNone).value,
                smoothing_score(problem, criterion, at, Derivatives::kNone).value, 1e-8);
  }
}

// The fit from inner products against the stacked least squares problem [X; sqrt(S)] b = [y; 0] solved by QR, which
// does not square the condition number.
void expect_stacked_least_squares(const Table& table, double tolerance) {
  const AdditiveDesign design = design_of(table);
  const std::vector<std::size_t> parents = {0, 1, 2, 3};
  const AdditiveFit fit = design.fit(4, parents, {SmoothingCriterion::kReml}, Inference::kCovariance, Context{});
  ASSERT_TRUE(fit.converged);

  const Index n = static_cast<Index>(table.rows());
  MatrixXd stacked = MatrixXd::Zero(n + 36, 37);
  stacked.col(0).head(n).setOnes();
  for (Index t = 0; t < 4; ++t) {
    const SmoothBasis& basis = design.basis(static_cast<std::size_t>(t));
    stacked.block(0, 1 + 9 * t, n, 9) = basis.functions;
    for (Index i = 0; i < 9; ++i) {
      stacked(n + 9 * t + i, 1 + 9 * t + i) =
          std::sqrt(std::exp(fit.terms[static_cast<std::size_t>(t)].rho) * basis.roughness[i]);
    }
  }
  VectorXd right = VectorXd::Zero(n + 36);
  for (Index i = 0; i < n; ++i) right[i] = table.at(static_cast<std::size_t>(i), 4);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(stacked);
  const VectorXd solution = qr.solve(right);
  const double residual = (right - stacked * solution).head(n).squaredNorm();
  EXPECT_NEAR(fit.residual, residual, tolerance * residual);
  const MatrixXd q = qr.householderQ() * MatrixXd::Identity(n + 36, 37);
  EXPECT_NEAR(fit.edf, q.topRows(n).squaredNorm(), 10.0 * tolerance);
  double sum = 1.0;
  for (std::size_t t = 0; t < 4; ++t) {
    sum += fit.terms[t].edf;
    EXPECT_LT((fit.terms[t].coefficients - solution.segment(1 + 9 * static_cast<Index>(t), 9)).norm(),
              10.0 * tolerance * solution.tail(36).norm());
  }
  EXPECT_NEAR(sum, fit.edf, tolerance);
}

TEST(AdditiveFit, AgreesWithTheStackedLeastSquaresProblem) { expect_stacked_least_squares(test::ka5(), 1e-7); }

TEST(AdditiveFit, SurvivesAlmostCollinearParents) {
  const Table table = test::ka5();
  std::vector<double> values(table.values().begin(), table.values().end());
  // Correlation 1 - 5e-9 with x0.
  for (std::size_t i = 0; i < 400; ++i) values[400 + i] = values[i] + 1e-4 * values[400 + i];
  expect_stacked_least_squares(Table(table.names(), values, "almost collinear"), 1e-5);
}

TEST(AdditiveFit, WithoutInferenceItIsTheSameFit) {
  const AdditiveDesign design = design_of(test::ka5());
  const std::vector<std::size_t> parents = {0, 3};
  const AdditiveFit full = design.fit(2, parents, {SmoothingCriterion::kGcv}, Inference::kCovariance, Context{});
  const AdditiveFit bare = design.fit(2, parents, {SmoothingCriterion::kGcv}, Inference::kNone, Context{});
  EXPECT_EQ(full.residual, bare.residual);
  EXPECT_EQ(full.edf, bare.edf);
  EXPECT_EQ(bare.terms[0].covariance.size(), 0);
}

// The first gains of the CAM search on KA5: ln Var(x_j) - ln Var(residual) for one parent.
TEST(AdditiveFit, SingleParentGainsOfKa5) {
  const Table table = test::ka5();
  const AdditiveDesign design = design_of(table);
  const auto gain = [&](std::size_t parent, std::size_t child) {
    const std::vector<std::size_t> parents = {parent};
    const Eigen::Map<const VectorXd> y(table.column(child).data(), 400);
    const double total = (y.array() - y.mean()).matrix().squaredNorm();
    const AdditiveFit fit = design.fit(child, parents, {SmoothingCriterion::kGcv}, Inference::kNone, Context{});
    return std::log(total / fit.residual);
  };
  EXPECT_NEAR(gain(0, 1), 0.666665, 2e-5);
  EXPECT_NEAR(gain(0, 2), 0.712837, 2e-5);
  EXPECT_NEAR(gain(3, 4), 0.404628, 2e-5);
  EXPECT_NEAR(gain(2, 0), 0.258940, 2e-5);
  EXPECT_NEAR(gain(1, 3), 0.261344, 2e-5);
}

}  // namespace
}  // namespace olem::smoothing_selection_test
