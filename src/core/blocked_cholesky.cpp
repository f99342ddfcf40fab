#include "core/blocked_cholesky.h"

#include <algorithm>

#include "core/lapack.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

// Large enough for the kernels to run at full speed, small enough to leave every thread some blocks.
constexpr std::size_t kBlock = 192;
// Right-hand sides that are solved together; each group passes over the whole factor.
constexpr std::size_t kRightSides = 8;

}  // namespace

bool cholesky_lower(double* matrix, std::size_t n, const Context& context,
                    const std::function<void(double)>& progress) {
  const auto block = [&](std::size_t row, std::size_t column, std::size_t columns) {
    return MatrixBlock{matrix + column * n + row, std::min(kBlock, n - row), columns, n};
  };
  // Column of blocks by column of blocks, each taking in all that is left of it at once: the products have long inner
  // dimensions and every block is written once.
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t width = std::min(kBlock, n - first);
    const MatrixBlock diagonal = block(first, first, width);
    const MatrixView left_of_diagonal = block(first, 0, first);
    parallel_for(context, first / kBlock, (n - 1) / kBlock + 1, 1, [&](std::size_t i, std::size_t) {
      if (i * kBlock == first) {
        multiply_by_own_transpose(-1.0, left_of_diagonal, 1.0, diagonal.data, n);
      } else if (first > 0) {
        MatrixView right = left_of_diagonal;
        right.transposed = true;
        multiply(-1.0, block(i * kBlock, 0, first), right, 1.0, block(i * kBlock, first, width).data, n);
      }
    });
    if (!cholesky_lower(diagonal)) return false;
    parallel_for(context, first / kBlock + 1, (n - 1) / kBlock + 1, 1, [&](std::size_t i, std::size_t) {
      solve_lower_transposed_from_right(diagonal, block(i * kBlock, first, width));
    });
    if (progress) {
      const double done = static_cast<double>(first + width) / static_cast<double>(n);
      progress(done * done * (3.0 - 2.0 * done));  // the work of all columns of blocks so far
    }
  }
  return true;
}

void solve_cholesky(const double* factor, std::size_t n, double* b, std::size_t columns, const Context& context) {
  const MatrixView lower{factor, n, n, n};
  parallel_for(context, 0, columns, kRightSides, [&](std::size_t first, std::size_t last) {
    const MatrixBlock some{b + first * n, n, last - first, n};
    solve_lower(lower, some);
    context.check_interrupt();
    solve_lower_transposed(lower, some);
  });
}

}  // namespace olem::internal
