#include "core/lapack.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "olem/error.h"

extern "C" {
void openblas_set_num_threads(int count);
void dpotrf_(const char* triangle, const int* n, double* matrix, const int* stride, int* info);
void dtrsv_(const char* triangle, const char* transposed, const char* unit_diagonal, const int* n, const double* matrix,
            const int* stride, double* x, const int* increment);
}

namespace olem {

namespace {

int prepared_size(std::size_t n) {
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorCategory::kResource, fmt::format("A dense matrix with {} rows is too large.", n));
  }
  // Our own threads share out the work; a second team under each of them would only compete for the cores.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
  return static_cast<int>(n);
}

}  // namespace

bool cholesky_lower(double* matrix, std::size_t n) {
  const int size = prepared_size(n);
  if (size == 0) return true;
  int info = 0;
  dpotrf_("L", &size, matrix, &size, &info);
  return info == 0;
}

void solve_lower_transposed(const double* factor, std::size_t n, double* b) {
  const int size = prepared_size(n);
  if (size == 0) return;
  const int increment = 1;
  dtrsv_("L", "T", "N", &size, factor, &size, b, &increment);
}

}  // namespace olem
