#include "core/lapack.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "olem/error.h"

extern "C" {
void openblas_set_num_threads(int count);
void dpotrf_(const char* triangle, const int* n, double* matrix, const int* stride, int* info);
void dtrsv_(const char* triangle, const char* transposed, const char* unit_diagonal, const int* n, const double* matrix,
            const int* stride, double* x, const int* increment);
void sgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns, const int* inner,
            const float* alpha, const float* a, const int* stride_a, const float* b, const int* stride_b,
            const float* beta, float* c, const int* stride_c);
void dgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns, const int* inner,
            const double* alpha, const double* a, const int* stride_a, const double* b, const int* stride_b,
            const double* beta, double* c, const int* stride_c);
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

template <class Scalar, class Kernel>
void call_gemm(Kernel kernel, std::size_t rows, std::size_t columns, std::size_t inner, const GemmFactor<Scalar>& a,
               const GemmFactor<Scalar>& b, Scalar keep, Scalar* c, std::size_t stride) {
  const int m = prepared_size(rows);
  const int n = prepared_size(columns);
  const int k = prepared_size(inner);
  // An empty matrix may have stride 0, which the interface refuses.
  const int stride_a = prepared_size(std::max<std::size_t>(a.stride, 1));
  const int stride_b = prepared_size(std::max<std::size_t>(b.stride, 1));
  const int stride_c = prepared_size(std::max<std::size_t>(stride, 1));
  const Scalar one = 1;
  kernel(a.transposed ? "T" : "N", b.transposed ? "T" : "N", &m, &n, &k, &one, a.data, &stride_a, b.data, &stride_b,
         &keep, c, &stride_c);
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

void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const GemmFactor<float>& a,
          const GemmFactor<float>& b, float keep, float* c, std::size_t stride) {
  call_gemm(sgemm_, rows, columns, inner, a, b, keep, c, stride);
}

void gemm(std::size_t rows, std::size_t columns, std::size_t inner, const GemmFactor<double>& a,
          const GemmFactor<double>& b, double keep, double* c, std::size_t stride) {
  call_gemm(dgemm_, rows, columns, inner, a, b, keep, c, stride);
}

}  // namespace olem
