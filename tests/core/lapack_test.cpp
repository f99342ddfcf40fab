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

}  // namespace
}  // namespace olem
