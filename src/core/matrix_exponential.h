#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace olem::internal {

// exp(A) of an n x n matrix (column-major) by scaling and squaring with the [13/13] Pade approximant (Higham 2005,
// algorithm 2.3), to about machine precision relative to the norm. Six products and one solve, and one product for each
// halving of a matrix whose 1-norm is above 5.4. An entry that is not finite, or a result that overflows, gives entries
// that are not finite.
std::vector<double> matrix_exponential(std::span<const double> matrix, std::size_t n);

}  // namespace olem::internal
