#pragma once

#include <cstddef>

namespace olem::internal {

// The few dense kernels that are worth an optimised library (OpenBLAS). Matrices are column-major without padding,
// unless a view says otherwise. They always run in the calling thread: the first call sets OpenBLAS to one thread for
// the whole process. (Its threaded build starts helpers when it is loaded; they sleep from then on.) The last digits
// depend on the kind of processor, for which OpenBLAS chooses its kernels, but never on the number of threads. Safe to
// call from several threads at once.

// A matrix, or a rectangular part of one, to be read: `data` holds rows x columns numbers, column by column, the
// columns `stride` apart.
template <class Scalar>
struct BasicMatrixView {
  const Scalar* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;   // 0: rows
  bool transposed = false;  // how it enters a product; rows and columns are those in memory
};
using MatrixView = BasicMatrixView<double>;

// The same to be written.
struct MatrixBlock {
  double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  // 0: rows

  operator MatrixView() const { return {data, rows, columns, stride}; }
};

// result = scale a b + keep result. `result` has the rows of the one and the columns of the other, `stride` apart (0:
// no padding). With keep = 0 it is not read. 2 rows columns inner operations.
void multiply(double scale, const MatrixView& a, const MatrixView& b, double keep, double* result,
              std::size_t stride = 0);
void multiply(float scale, const BasicMatrixView<float>& a, const BasicMatrixView<float>& b, float keep, float* result,
              std::size_t stride = 0);

// The lower triangle of result = scale a a^T + keep result (of a^T a when `a` is transposed); above the diagonal it is
// neither read nor written.
void multiply_by_own_transpose(double scale, const MatrixView& a, double keep, double* result, std::size_t stride = 0);

// result = result L, or result L^T when `transposed`, where L is the lower triangle of the n x n matrix whose columns
// are `stride` apart and `result` has `rows` rows. rows n^2 operations.
void multiply_by_lower(double* result, std::size_t rows, const double* lower, std::size_t n, std::size_t stride,
                       bool transposed);

// Replaces the lower triangle of a symmetric n x n matrix by its Cholesky factor; the upper triangle is neither read
// nor written. False when the matrix is not positive definite. n^3 / 3 operations.
bool cholesky_lower(double* matrix, std::size_t n);
bool cholesky_lower(const MatrixBlock& matrix);

// Replaces the lower triangle of a factor of cholesky_lower by that of the inverse of the factored matrix; the upper
// triangle is neither read nor written. 2 n^3 / 3 operations.
void invert_from_cholesky(double* factor, std::size_t n);

// Replaces b by the solution x of L^T x = b for a factor of cholesky_lower. n^2 operations.
void solve_lower_transposed(const double* factor, std::size_t n, double* b);

// Replaces b (n x columns) by the solution of L x = b, or of L^T x = b when `transposed`. n^2 columns operations.
void solve_lower(const double* factor, std::size_t n, bool transposed, double* b, std::size_t columns);

// b = L^-1 b, b = L^-T b and b = b L^-T for the lower triangle L of a square block.
void solve_lower(const MatrixView& factor, const MatrixBlock& b);
void solve_lower_transposed(const MatrixView& factor, const MatrixBlock& b);
void solve_lower_transposed_from_right(const MatrixView& factor, const MatrixBlock& b);

// Replaces each column of the n x columns matrix b by the solution x of A x = b for a general square A, which is
// overwritten by its factors. False when A is singular. 2 n^3 / 3 + 2 n^2 columns operations.
bool solve_general(double* matrix, std::size_t n, double* b, std::size_t columns);

// Replaces the upper triangle of a (rows x columns) by that of the factor R of a = Q R. The rest is overwritten.
void qr_factor(double* a, std::size_t rows, std::size_t columns);

// Eigenvalues, ascending, and eigenvectors of a symmetric n x n matrix, of which the lower triangle is read; the
// vectors replace the matrix, one per column. About 9 n^3 operations. Throws an internal error if it does not converge.
void symmetric_eigen(double* matrix, std::size_t n, double* values);

}  // namespace olem::internal
