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

}  // namespace olem
