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

// Replaces the lower triangle of a factor of cholesky_lower by that of the inverse of the factored matrix; the upper
// triangle is neither read nor written. 2 n^3 / 3 operations.
void invert_from_cholesky(double* factor, std::size_t n);

// Replaces b (n x columns) by the solution of L x = b, or of L^T x = b when `transposed`. n^2 columns operations.
void solve_lower(const double* factor, std::size_t n, bool transposed, double* b, std::size_t columns);

// A matrix as the products below read it: `data` holds rows x columns numbers, column by column, `stride` apart.
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  // 0: rows
  bool transposed = false;
};

// result = scale a b + keep result, where a and b enter transposed when they say so. `result` has the rows of the one
// and the columns of the other, `stride` apart (0: no padding). With keep = 0 it is not read.
void multiply(double scale, const MatrixView& a, const MatrixView& b, double keep, double* result,
              std::size_t stride = 0);

// The lower triangle of result = scale a a^T + keep result (of a^T a when `a` is transposed).
void multiply_by_own_transpose(double scale, const MatrixView& a, double keep, double* result);

// result = symmetric b, where only the lower triangle of the n x n matrix is read and b has `columns` columns.
void multiply_symmetric(const double* symmetric, std::size_t n, const double* b, std::size_t columns, double* result);

// result = result L, or result L^T when `transposed`, where L is the lower triangle of the n x n matrix whose columns
// are `stride` apart and `result` has `rows` rows. rows n^2 operations.
void multiply_by_lower(double* result, std::size_t rows, const double* lower, std::size_t n, std::size_t stride,
                       bool transposed);

// Replaces the upper triangle of a (rows x columns) by that of the factor R of a = Q R. The rest is overwritten.
void qr_factor(double* a, std::size_t rows, std::size_t columns);

// Eigenvalues, ascending, and eigenvectors of a symmetric n x n matrix, of which the lower triangle is read; the
// vectors replace the matrix, one per column. About 9 n^3 operations. Throws an internal error if it does not converge.
void symmetric_eigen(double* matrix, std::size_t n, double* values);
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
