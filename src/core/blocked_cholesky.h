#pragma once

#include <cstddef>
#include <functional>

#include "olem/context.h"

namespace olem::internal {

// The Cholesky factor of a large matrix, spread over the context's threads in blocks that do not depend on their
// number: the bytes of the result are the same for any number of threads. Interruption is checked between blocks.

// Replaces the lower triangle of a symmetric n x n matrix (column-major, without padding) by its Cholesky factor; the
// upper triangle is neither read nor written. False when the matrix is not positive definite, as far as rounding lets
// it be seen. `progress` gets the share of the work that is done and may be empty. n^3 / 3 operations.
bool cholesky_lower(double* matrix, std::size_t n, const Context& context, const std::function<void(double)>& progress);

// Replaces each column of the n x columns matrix b by the solution x of L L^T x = b. 2 n^2 columns operations.
void solve_cholesky(const double* factor, std::size_t n, double* b, std::size_t columns, const Context& context);

}  // namespace olem::internal
