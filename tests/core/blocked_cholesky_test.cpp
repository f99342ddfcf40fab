#include "core/blocked_cholesky.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "core/lapack.h"
#include "olem/error.h"
#include "olem/random.h"

namespace olem::blocked_cholesky_test {

using namespace internal;
namespace {

// Distances between points of a line under an exponential kernel: positive definite, with a known condition.
std::vector<double> kernel(std::size_t n) {
  RandomStream random(4, "kernel");
  std::vector<double> points(n);
  for (double& point : points) point = random.normal();
  std::vector<double> matrix(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      matrix[j * n + i] = std::exp(-std::abs(points[i] - points[j])) + (i == j ? 0.1 : 0.0);
    }
  }
  return matrix;
}

Context with_threads(int threads) {
  Context context;
  context.threads = threads;
  return context;
}

TEST(BlockedCholesky, IsTheFactorAndSolvesForAnyNumberOfThreads) {
  for (const std::size_t n : {1U, 5U, 191U, 192U, 193U, 400U, 577U}) {
    const std::vector<double> original = kernel(n);
    std::vector<double> plain = original;
    ASSERT_TRUE(cholesky_lower(plain.data(), n));
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
      std::vector<double> factor = original;
      ASSERT_TRUE(cholesky_lower(factor.data(), n, with_threads(threads), {}));
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < j; ++i) ASSERT_EQ(factor[j * n + i], original[j * n + i]);
        for (std::size_t i = j; i < n; ++i) ASSERT_NEAR(factor[j * n + i], plain[j * n + i], 1e-12);
      }
      // Right-hand sides whose solutions are known: b = A x.
      constexpr std::size_t kColumns = 11;
      std::vector<double> b(n * kColumns, 0.0);
      for (std::size_t c = 0; c < kColumns; ++c) {
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t i = 0; i < n; ++i) b[c * n + i] += original[j * n + i] * static_cast<double>((j + c) % 7);
        }
      }
      solve_cholesky(factor.data(), n, b.data(), kColumns, with_threads(threads));
      for (std::size_t c = 0; c < kColumns; ++c) {
        for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(b[c * n + j], static_cast<double>((j + c) % 7), 1e-9);
      }
      if (first.empty()) first = factor;
      EXPECT_EQ(factor, first);
    }
  }
}

TEST(BlockedCholesky, SaysWhenAMatrixIsNotPositiveDefinite) {
  for (const std::size_t place : {3U, 250U}) {  // in the first block and in a later one
    std::vector<double> matrix = kernel(300);
    matrix[place * 300 + place] = -1.0;
    EXPECT_FALSE(cholesky_lower(matrix.data(), 300, with_threads(2), {}));
  }
}

TEST(BlockedCholesky, ReportsProgressAndCanBeInterrupted) {
  std::vector<double> matrix = kernel(500);
  std::atomic<bool> stop{false};
  Context context = with_threads(2);
  context.interrupt = &stop;
  std::vector<double> seen;
  EXPECT_THROW(cholesky_lower(matrix.data(), 500, context,
                              [&](double share) {
                                seen.push_back(share);
                                stop = true;
                              }),
               Error);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_GT(seen[0], 0.0);
  EXPECT_LT(seen[0], 1.0);
}

}  // namespace
}  // namespace olem::blocked_cholesky_test
