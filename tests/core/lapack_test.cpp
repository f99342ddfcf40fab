#include "core/lapack.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "olem/random.h"

extern "C" char* openblas_get_corename();

namespace olem::lapack_test {

using namespace internal;
namespace {

Eigen::MatrixXd positive_definite(Eigen::Index n) {
  RandomStream random(3, "positive_definite");
  Eigen::MatrixXd a(n, n);
  for (double& value : a.reshaped()) value = random.normal();
  return a * a.transpose() + Eigen::MatrixXd::Identity(n, n);
}

TEST(Lapack, FactorsAgreeWithEigenAndLeaveTheUpperTriangleAlone) {
  for (const Eigen::Index n : {1, 2, 7, 65, 200}) {
    const Eigen::MatrixXd original = positive_definite(n);
    Eigen::MatrixXd matrix = original;
    ASSERT_TRUE(cholesky_lower(matrix.data(), static_cast<std::size_t>(n)));
    const Eigen::MatrixXd expected = original.llt().matrixL();
    const Eigen::MatrixXd lower = matrix.triangularView<Eigen::Lower>();
    EXPECT_LT((lower - expected).norm(), 1e-12 * expected.norm()) << n;
    const Eigen::MatrixXd above = matrix.triangularView<Eigen::StrictlyUpper>();
    const Eigen::MatrixXd above_before = original.triangularView<Eigen::StrictlyUpper>();
    EXPECT_EQ(above, above_before) << n;
  }
}

#if defined(__x86_64__)
// OpenBLAS gives processors that are newer than itself kernels without AVX.
TEST(Lapack, MultipliesWithTheVectorsThatTheProcessorHas) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE says which kernels to take";
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "the processor has no AVX2";
  const double one = 1.0;
  double product = 0.0;
  multiply(1.0, {&one, 1, 1}, {&one, 1, 1}, 0.0, &product);
  EXPECT_EQ(product, 1.0);
  EXPECT_NE(std::string(openblas_get_corename()), "Prescott");
}
#endif

TEST(Lapack, SaysWhenAMatrixIsNotPositiveDefinite) {
  std::vector<double> matrix = {1.0, 2.0, 2.0, 1.0};
  EXPECT_FALSE(cholesky_lower(matrix.data(), 2));
}

// L = [2 0; 1 3]: L^T x = (5, 6) has the solution x = (1.5, 2).
TEST(Lapack, SolvesWithTheTransposedFactor) {
  const std::vector<double> factor = {2.0, 1.0, 99.0, 3.0};
  std::vector<double> b = {5.0, 6.0};
  solve_lower_transposed(factor.data(), 2, b.data());
  EXPECT_DOUBLE_EQ(b[0], 1.5);
  EXPECT_DOUBLE_EQ(b[1], 2.0);
}

TEST(Lapack, SolvesGeneralSystems) {
  std::vector<double> matrix = {0.0, 2.0, 1.0, 1.0};  // [0 1; 2 1], which needs its rows exchanged
  std::vector<double> b = {3.0, 7.0, 1.0, 5.0};
  ASSERT_TRUE(solve_general(matrix.data(), 2, b.data(), 2));
  EXPECT_EQ(b, (std::vector<double>{2.0, 3.0, 2.0, 1.0}));
  std::vector<double> singular = {1.0, 2.0, 2.0, 4.0};
  EXPECT_FALSE(solve_general(singular.data(), 2, b.data(), 2));
}

// Blocks inside larger matrices, against Eigen; what lies around them stays as it was.
TEST(Lapack, BlocksAgreeWithEigen) {
  RandomStream random(5, "blocks");
  Eigen::MatrixXd a(7, 9);
  Eigen::MatrixXd b(8, 6);
  for (double& value : a.reshaped()) value = random.normal();
  for (double& value : b.reshaped()) value = random.normal();
  MatrixView in_a{&a(1, 2), 4, 3, 7};
  MatrixView in_b{&b(2, 1), 3, 4, 8};
  const Eigen::MatrixXd part_a = a.block(1, 2, 4, 3);
  const Eigen::MatrixXd part_b = b.block(2, 1, 3, 4);

  Eigen::MatrixXd c = Eigen::MatrixXd::Ones(6, 6);
  Eigen::MatrixXd expected = c;
  expected.block(1, 1, 4, 4) = 2.0 * part_a * part_b + 0.5 * c.block(1, 1, 4, 4);
  multiply(2.0, in_a, in_b, 0.5, &c(1, 1), 6);
  EXPECT_LT((c - expected).norm(), 1e-13);
  expected.block(1, 1, 3, 3) = part_a.transpose() * part_b.transpose();
  in_a.transposed = true;
  in_b.transposed = true;
  multiply(1.0, in_a, in_b, 0.0, &c(1, 1), 6);
  EXPECT_LT((c - expected).norm(), 1e-13);

  Eigen::MatrixXd square = 20.0 * Eigen::MatrixXd::Identity(6, 6);
  Eigen::MatrixXd lower = square;
  lower.block(1, 1, 4, 4).triangularView<Eigen::Lower>() -= part_a * part_a.transpose();
  const MatrixBlock inner{&square(1, 1), 4, 4, 6};
  in_a.transposed = false;
  multiply_by_own_transpose(-1.0, in_a, 1.0, inner.data, 6);
  EXPECT_LT((square - lower).norm(), 1e-13);
  const Eigen::MatrixXd symmetric = square.block(1, 1, 4, 4).selfadjointView<Eigen::Lower>();
  ASSERT_TRUE(cholesky_lower(inner));
  const Eigen::MatrixXd factor = symmetric.llt().matrixL();
  const Eigen::MatrixXd found = square.block(1, 1, 4, 4).triangularView<Eigen::Lower>();
  EXPECT_LT((found - factor).norm(), 1e-13);

  Eigen::MatrixXd x = part_a;
  solve_lower(inner, {x.data(), 4, 3, 4});
  EXPECT_LT((factor * x - part_a).norm(), 1e-13);
  x = part_a;
  solve_lower_transposed(inner, {x.data(), 4, 3, 4});
  EXPECT_LT((factor.transpose() * x - part_a).norm(), 1e-13);
  x = part_b;
  solve_lower_transposed_from_right(inner, {x.data(), 3, 4, 3});
  EXPECT_LT((x * factor.transpose() - part_b).norm(), 1e-13);
}

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns) {
  RandomStream random(4, "random_matrix", static_cast<std::uint64_t>(rows));
  Eigen::MatrixXd a(rows, columns);
  for (double& value : a.reshaped()) value = random.normal();
  return a;
}

std::size_t size_of(Eigen::Index n) { return static_cast<std::size_t>(n); }

TEST(Lapack, InvertsFromTheFactorAtEverySizeOfBlock) {
  for (const Eigen::Index n : {1, 5, 32, 33, 130, 257}) {
    const Eigen::MatrixXd original = positive_definite(n);
    Eigen::MatrixXd matrix = original;
    ASSERT_TRUE(cholesky_lower(matrix.data(), size_of(n)));
    invert_from_cholesky(matrix.data(), size_of(n));
    const Eigen::MatrixXd inverse = matrix.selfadjointView<Eigen::Lower>();
    EXPECT_LT((inverse * original - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-9) << n;
  }
}

TEST(Lapack, SolvesForSeveralColumns) {
  Eigen::MatrixXd factor = positive_definite(6);
  ASSERT_TRUE(cholesky_lower(factor.data(), 6));
  const Eigen::MatrixXd lower = factor.triangularView<Eigen::Lower>();
  const Eigen::MatrixXd b = random_matrix(6, 3);
  for (const bool transposed : {false, true}) {
    Eigen::MatrixXd x = b;
    solve_lower(factor.data(), 6, transposed, x.data(), 3);
    const Eigen::MatrixXd side = transposed ? Eigen::MatrixXd(lower.transpose()) : lower;
    const Eigen::MatrixXd again = side * x;
    EXPECT_LT((again - b).norm(), 1e-12);
  }
}

TEST(Lapack, MultipliesPartsOfMatricesEitherWayRound) {
  const Eigen::MatrixXd a = random_matrix(7, 5);
  const Eigen::MatrixXd b = random_matrix(9, 5);
  // Rows 2 to 4 of a times the transpose of b, added to twice what was there.
  Eigen::MatrixXd result = Eigen::MatrixXd::Ones(3, 9);
  multiply(0.5, {a.data() + 2, 3, 5, 7}, {b.data(), 9, 5, 0, true}, 2.0, result.data());
  const Eigen::MatrixXd expected = 0.5 * a.middleRows(2, 3) * b.transpose() + 2.0 * Eigen::MatrixXd::Ones(3, 9);
  EXPECT_LT((result - expected).norm(), 1e-12);
  Eigen::MatrixXd turned(5, 5);
  multiply(1.0, {a.data(), 7, 5, 0, true}, {a.data(), 7, 5}, 0.0, turned.data());
  EXPECT_LT((turned - a.transpose() * a).norm(), 1e-12);
  Eigen::MatrixXd own = Eigen::MatrixXd::Zero(5, 5);
  multiply_by_own_transpose(1.0, {a.data(), 7, 5, 0, true}, 0.0, own.data());
  const Eigen::MatrixXd symmetric = own.selfadjointView<Eigen::Lower>();
  EXPECT_LT((symmetric - turned).norm(), 1e-12);
}

TEST(Lapack, MultipliesByATriangle) {
  const Eigen::MatrixXd square = random_matrix(6, 6);
  const Eigen::MatrixXd lower = square.topLeftCorner(4, 4).triangularView<Eigen::Lower>();
  const Eigen::MatrixXd a = random_matrix(3, 4);
  for (const bool transposed : {false, true}) {
    Eigen::MatrixXd result = a;
    multiply_by_lower(result.data(), 3, square.data(), 4, 6, transposed);
    const Eigen::MatrixXd side = transposed ? Eigen::MatrixXd(lower.transpose()) : lower;
    const Eigen::MatrixXd expected = a * side;
    EXPECT_LT((result - expected).norm(), 1e-12);
  }
}

TEST(Lapack, FactorsWithoutTheirOrthogonalPart) {
  for (const auto& [rows, columns] : {std::pair{3, 6}, {6, 3}}) {
    const Eigen::MatrixXd a = random_matrix(rows, columns);
    Eigen::MatrixXd r = a;
    qr_factor(r.data(), size_of(rows), size_of(columns));
    const Eigen::MatrixXd upper = r.triangularView<Eigen::Upper>();
    EXPECT_LT((upper.transpose() * upper - a.transpose() * a).norm(), 1e-12);
  }
}

TEST(Lapack, EigenvectorsReproduceTheMatrix) {
  const Eigen::MatrixXd original = positive_definite(20);
  Eigen::MatrixXd vectors = original;
  Eigen::VectorXd values(20);
  symmetric_eigen(vectors.data(), 20, values.data());
  EXPECT_LT((vectors * values.asDiagonal() * vectors.transpose() - original).norm(), 1e-10);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

}  // namespace
}  // namespace olem::lapack_test
