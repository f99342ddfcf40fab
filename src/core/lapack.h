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

// Replaces each column of the n x columns matrix b by the solution x of A x = b for a general square A, which is
// overwritten by its factors. False when A is singular. 2 n^3 / 3 + 2 n^2 columns operations.
bool solve_general(double* matrix, std::size_t n, double* b, std::size_t columns);

// A rectangular part of a column-major matrix; neighbouring columns are `stride` apart.
struct ConstBlock {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;
};

struct Block {
  double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;

  operator ConstBlock() const { return {data, rows, columns, stride}; }
};

enum class Transposed { kNo, kYes };

// c = alpha op(a) op(b) + beta c; with beta 0 the old content of c is not read. The sizes must fit.
void multiply(double alpha, ConstBlock a, Transposed a_transposed, ConstBlock b, Transposed b_transposed, double beta,
              Block c);

// Lower triangle of c = c - a a^T; above the diagonal c is neither read nor written.
void subtract_square_lower(ConstBlock a, Block c);

// cholesky_lower of a square block.
bool cholesky_lower(Block matrix);

// b = L^-1 b, b = L^-T b and b = b L^-T for the lower triangle L of a square block.
void solve_lower(ConstBlock factor, Block b);
void solve_lower_transposed(ConstBlock factor, Block b);
void solve_lower_transposed_from_right(ConstBlock factor, Block b);

}  // namespace olem
