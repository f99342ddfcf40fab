#include "gam/thin_plate_basis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "olem/random.h"

namespace olem::thin_plate_basis_test {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd kernel(const std::vector<double>& u) {
  const Index q = static_cast<Index>(u.size());
  return MatrixXd::NullaryExpr(q, q, [&](Index a, Index b) {
    return std::pow(std::abs(u[static_cast<std::size_t>(a)] - u[static_cast<std::size_t>(b)]), 3) / 12.0;
  });
}

std::vector<double> heavy_tailed(std::size_t n, std::uint64_t seed) {
  RandomStream random(seed, "heavy_tailed");
  std::vector<double> values(n);
  for (double& value : values) value = std::exp(1.5 * random.normal());
  return values;
}

// Share of the columns of `a` that lies outside the span of `b`.
double distance_between_spans(const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd qa = Eigen::HouseholderQR<MatrixXd>(a).householderQ() * MatrixXd::Identity(a.rows(), a.cols());
  const MatrixXd qb = Eigen::HouseholderQR<MatrixXd>(b).householderQ() * MatrixXd::Identity(b.rows(), b.cols());
  return (qa - qb * (qb.transpose() * qa)).norm();
}

RC_GTEST_PROP(CubicKernelProduct, EqualsTheDenseProduct, ()) {
  const std::size_t q = static_cast<std::size_t>(*rc::gen::inRange(1, 200));
  const std::uint64_t seed = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000000));
  std::vector<double> u = heavy_tailed(q, seed);
  std::sort(u.begin(), u.end());
  RandomStream random(seed, "vector");
  VectorXd v(static_cast<Index>(q));
  for (double& x : v) x = random.normal();
  const MatrixXd dense = kernel(u);
  const VectorXd error = cubic_kernel_product(u, v) - dense * v;
  // Componentwise: as good as the sum of the absolute products allows.
  const VectorXd allowed = 1e-13 * (dense * v.cwiseAbs());
  RC_ASSERT((error.cwiseAbs().array() <= allowed.array() + 1e-300).all());
}

TEST(ThinPlateSpectrum, IsTheLeadingPartOfTheDenseEigenproblem) {
  const ThinPlateSpectrum spectrum = thin_plate_spectrum(heavy_tailed(500, 1), 10);
  ASSERT_EQ(spectrum.eigenvalues.size(), 10);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> dense(kernel(spectrum.values));
  std::vector<Index> by_size(500);
  std::iota(by_size.begin(), by_size.end(), Index{0});
  std::sort(by_size.begin(), by_size.end(),
            [&](Index a, Index b) { return std::abs(dense.eigenvalues()[a]) > std::abs(dense.eigenvalues()[b]); });
  by_size.resize(10);
  const double largest = std::abs(spectrum.eigenvalues[0]);
  for (Index k = 0; k < 10; ++k) {
    EXPECT_NEAR(spectrum.eigenvalues[k], dense.eigenvalues()[by_size[static_cast<std::size_t>(k)]], 1e-13 * largest);
  }
  EXPECT_LT(distance_between_spans(spectrum.eigenvectors, dense.eigenvectors()(Eigen::all, by_size)), 1e-9);
}

TEST(SmoothBasis, IsOrthonormalOverTheRowsAndSumsToZero) {
  std::vector<double> column = heavy_tailed(300, 2);
  for (double& value : column) value = std::round(4.0 * value);  // ties
  const SmoothBasis basis = smooth_basis(thin_plate_spectrum(column, 10), 10);
  ASSERT_EQ(basis.functions.cols(), 9);
  const MatrixXd gram = basis.functions.transpose() * basis.functions;
  EXPECT_LT((gram - MatrixXd::Identity(9, 9)).norm(), 1e-12);
  EXPECT_LT(basis.functions.colwise().sum().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(basis.roughness[0], 0.0);
  EXPECT_EQ(basis.roughness[1], 1.0);
  for (Index k = 2; k < 9; ++k) EXPECT_GE(basis.roughness[k], basis.roughness[k - 1]);
}

// The textbook form: dense kernel, dense eigenvectors, null space constraint, no reparametrisation.
TEST(SmoothBasis, SpansAndPenalisesWhatTheTextbookFormDoes) {
  const std::vector<double> column = heavy_tailed(200, 3);
  const ThinPlateSpectrum spectrum = thin_plate_spectrum(column, 10);
  const SmoothBasis basis = smooth_basis(spectrum, 10);

  const MatrixXd dense = kernel(spectrum.values);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(dense);
  std::vector<Index> by_size(200);
  std::iota(by_size.begin(), by_size.end(), Index{0});
  std::sort(by_size.begin(), by_size.end(),
            [&](Index a, Index b) { return std::abs(solver.eigenvalues()[a]) > std::abs(solver.eigenvalues()[b]); });
  by_size.resize(10);
  const MatrixXd u = solver.eigenvectors()(Eigen::all, by_size);
  const VectorXd d = solver.eigenvalues()(by_size);
  MatrixXd t(200, 2);
  t.col(0).setOnes();
  for (Index i = 0; i < 200; ++i) t(i, 1) = spectrum.values[static_cast<std::size_t>(i)];
  const MatrixXd z =
      (Eigen::HouseholderQR<MatrixXd>(u.transpose() * t).householderQ() * MatrixXd::Identity(10, 10)).rightCols(8);
  MatrixXd textbook(200, 10);
  textbook.leftCols(8) = u * d.asDiagonal() * z;
  textbook.rightCols(2) = t;
  MatrixXd penalty = MatrixXd::Zero(10, 10);
  penalty.topLeftCorner(8, 8) = z.transpose() * d.asDiagonal() * z;

  MatrixXd ours(200, 10);
  ours.col(0).setConstant(1.0 / std::sqrt(200.0));
  for (Index row = 0; row < 200; ++row) {
    ours.row(spectrum.value_of_row[static_cast<std::size_t>(row)]).tail(9) = basis.functions.row(row);
  }
  EXPECT_LT(distance_between_spans(ours, textbook), 1e-8);

  // The same function has the same roughness in both, up to one factor for all functions.
  const MatrixXd coefficients = textbook.colPivHouseholderQr().solve(ours);
  const MatrixXd roughness = coefficients.transpose() * penalty * coefficients;
  const double factor = roughness(2, 2);
  for (Index k = 0; k < 9; ++k) EXPECT_NEAR(roughness(k + 1, k + 1) / factor, basis.roughness[k], 1e-5);
  EXPECT_LT((roughness - MatrixXd(roughness.diagonal().asDiagonal())).norm(), 1e-5 * roughness.norm());
}

TEST(SmoothBasis, FewDistinctValuesLeaveAStraightLine) {
  const std::vector<double> three = {1, 2, 5, 1, 2, 5, 5};
  const SmoothBasis basis = smooth_basis(thin_plate_spectrum(three, 10), 10);
  ASSERT_EQ(basis.functions.cols(), 1);
  const double slope = (basis.functions(2, 0) - basis.functions(1, 0)) / 3.0;
  EXPECT_NEAR(basis.functions(1, 0) - basis.functions(0, 0), slope, 1e-14);
  EXPECT_GT(slope, 0.0);
  const std::vector<double> constant = {3, 3, 3};
  EXPECT_EQ(smooth_basis(thin_plate_spectrum(constant, 10), 10).functions.cols(), 0);
  const std::vector<double> five = {1, 2, 3, 4, 9, 1, 2, 3, 4, 9};
  EXPECT_EQ(smooth_basis(thin_plate_spectrum(five, 10), 10).functions.cols(), 4);
}

TEST(SmoothBasis, ManyDistinctValuesUseKnotsAndStillReachEveryRow) {
  const std::vector<double> column = heavy_tailed(5000, 4);
  const ThinPlateSpectrum spectrum = thin_plate_spectrum(column, 10);
  EXPECT_EQ(spectrum.knots.size(), kMaxKnots);
  const SmoothBasis basis = smooth_basis(spectrum, 10);
  ASSERT_EQ(basis.functions.rows(), 5000);
  ASSERT_EQ(basis.functions.cols(), 9);
  EXPECT_LT((basis.functions.transpose() * basis.functions - MatrixXd::Identity(9, 9)).norm(), 1e-11);
}

TEST(SmoothBasis, OneExtremeOutlierDoesNotBreakIt) {
  std::vector<double> column = heavy_tailed(400, 5);
  column[17] = 1e9;
  const SmoothBasis basis = smooth_basis(thin_plate_spectrum(column, 10), 10);
  ASSERT_GE(basis.functions.cols(), 1);
  EXPECT_TRUE(basis.functions.allFinite());
  EXPECT_TRUE(basis.roughness.allFinite());
}

}  // namespace
}  // namespace olem::thin_plate_basis_test
