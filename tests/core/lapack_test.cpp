#include "core/lapack.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <vector>

#include "olem/random.h"

namespace olem {
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

}  // namespace
}  // namespace olem
