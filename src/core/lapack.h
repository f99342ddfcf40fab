#pragma once

#include <cstddef>

namespace olem {

// The few dense kernels that are worth an optimised library (OpenBLAS). Matrices are column-major without padding. They
// always run in the calling thread: the first call sets OpenBLAS to one thread for the whole process. (Its threaded
// build starts helpers when it is loaded; they sleep from then on.) The last digits depend on the kind of processor,
// for which OpenBLAS chooses its kernels, but never on the number of threads. Safe to call from several threads at
// once.

// Replaces the lower triangle of a symmetric n x n matrix by its Cholesky factor; the upper triangle is neither read
// nor written. False when the matrix is not positive definite. n^3 / 3 operations.
bool cholesky_lower(double* matrix, std::size_t n);

// Replaces b by the solution x of L^T x = b for a factor of cholesky_lower. n^2 operations.
void solve_lower_transposed(const double* factor, std::size_t n, double* b);

// A factor of a product: a matrix in memory, `stride` elements from one column to the next, as it is or transposed.
template <class Scalar>
struct GemmFactor {
  const Scalar* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;
};

// c = a b + keep c for c with `rows` x `columns` and `stride` elements between columns, `inner` terms in every sum;
// with keep = 0 whatever stood in c is not read. 2 rows columns inner operations.
void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const GemmFactor<float>& a,
          const GemmFactor<float>& b, float keep, float* c, std::size_t stride);
void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const GemmFactor<double>& a,
          const GemmFactor<double>& b, double keep, double* c, std::size_t stride);

}  // namespace olem
