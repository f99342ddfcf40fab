#include "core/lapack.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "olem/error.h"

extern "C" {
void openblas_set_num_threads(int count);
char* openblas_get_corename();
[[gnu::weak]] void gotoblas_dynamic_init();  // only where OpenBLAS has kernels for several processors
[[gnu::weak]] void gotoblas_dynamic_quit();
void dpotrf_(const char* triangle, const int* n, double* matrix, const int* stride, int* info);
void dlauum_(const char* triangle, const int* n, double* matrix, const int* stride, int* info);
void dtrtri_(const char* triangle, const char* unit_diagonal, const int* n, double* matrix, const int* stride,
             int* info);
void dtrsv_(const char* triangle, const char* transposed, const char* unit_diagonal, const int* n, const double* matrix,
            const int* stride, double* x, const int* increment);
void dtrsm_(const char* side, const char* triangle, const char* transposed, const char* unit_diagonal, const int* m,
            const int* n, const double* scale, const double* a, const int* a_stride, double* b, const int* b_stride);
void dtrmm_(const char* side, const char* triangle, const char* transposed, const char* unit_diagonal, const int* m,
            const int* n, const double* scale, const double* a, const int* a_stride, double* b, const int* b_stride);
void dgemm_(const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,
            const double* scale, const double* a, const int* a_stride, const double* b, const int* b_stride,
            const double* keep, double* c, const int* c_stride);
void sgemm_(const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,
            const float* scale, const float* a, const int* a_stride, const float* b, const int* b_stride,
            const float* keep, float* c, const int* c_stride);
void dsyrk_(const char* triangle, const char* transposed, const int* n, const int* k, const double* scale,
            const double* a, const int* a_stride, const double* keep, double* c, const int* c_stride);
void dgesv_(const int* n, const int* columns, double* matrix, const int* stride, int* pivots, double* b,
            const int* b_stride, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* stride, double* factors, double* work,
             const int* work_size, int* info);
void dsyevd_(const char* vectors, const char* triangle, const int* n, double* matrix, const int* stride, double* values,
             double* work, const int* work_size, int* integer_work, const int* integer_work_size, int* info);
}

namespace olem::internal {

namespace {

// OpenBLAS knows processors by their numbers. One that is newer gets the oldest kernels, those for Prescott of 2004,
// which multiply at a third of the speed or less. Where the processor has AVX2 it gets those for Haswell instead,
// unless the user has said otherwise. When the library is loaded, before any thread can be inside of OpenBLAS.
bool choose_kernels() {
#if defined(__x86_64__)
  constexpr const char* kSetting = "OPENBLAS_CORETYPE";
  if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr || std::getenv(kSetting) != nullptr)
    return false;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
  if (std::strcmp(openblas_get_corename(), "Prescott") != 0) return false;
  ::setenv(kSetting, "Haswell", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  ::unsetenv(kSetting);
  return true;
#else
  return false;
#endif
}

[[maybe_unused]] const bool kKernelsChosen = choose_kernels();

// OpenBLAS takes a buffer of 128 MB for each thread that calls it, and tries for ever where the system refuses one:
// whoever calls it for the first time looks whether there is room.
void require_room_for_buffer() {
  thread_local bool found = false;
  if (found) return;
  constexpr std::size_t kBytes = std::size_t{136} << 20;
  void* const room = ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, kBytes);
  found = true;
}

// BLAS counts in int. Also sets OpenBLAS to one thread, once.
int prepared_size(std::size_t n) {
  require_room_for_buffer();
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorCategory::kResource, fmt::format("A matrix with {} rows is too large.", n));
  }
  return static_cast<int>(n);
}

// BLAS wants at least 1, also for matrices without rows.
int prepared_stride(std::size_t stride, std::size_t rows) {
  return std::max(1, prepared_size(stride > 0 ? stride : rows));
}

const char* letter(bool transposed) { return transposed ? "T" : "N"; }

template <class Scalar, class Kernel>
void call_gemm(Kernel kernel, Scalar scale, const BasicMatrixView<Scalar>& a, const BasicMatrixView<Scalar>& b,
               Scalar keep, Scalar* result, std::size_t stride) {
  const std::size_t rows = a.transposed ? a.columns : a.rows;
  const int m = prepared_size(rows);
  const int n = prepared_size(b.transposed ? b.rows : b.columns);
  const int k = prepared_size(a.transposed ? a.rows : a.columns);
  if (m == 0 || n == 0) return;
  const int a_stride = prepared_stride(a.stride, a.rows);
  const int b_stride = prepared_stride(b.stride, b.rows);
  const int c_stride = prepared_stride(stride, rows);
  kernel(letter(a.transposed), letter(b.transposed), &m, &n, &k, &scale, a.data, &a_stride, b.data, &b_stride, &keep,
         result, &c_stride);
}

void solve_triangular(const char* side, bool transposed, const MatrixView& factor, const MatrixBlock& b) {
  const int rows = prepared_size(b.rows);
  const int columns = prepared_size(b.columns);
  if (rows == 0 || columns == 0) return;
  const int factor_stride = prepared_stride(factor.stride, factor.rows);
  const int stride = prepared_stride(b.stride, b.rows);
  const double one = 1.0;
  dtrsm_(side, "L", letter(transposed), "N", &rows, &columns, &one, factor.data, &factor_stride, b.data, &stride);
}

// Inverse of a lower triangle in place, by halves: the library's own inverse runs column by column.
void invert_triangle(double* factor, int n, int stride) {
  constexpr int kSmall = 32;
  if (n <= kSmall) {
    int info = 0;
    dtrtri_("L", "N", &n, factor, &stride, &info);
    return;
  }
  const int half = n / 2;
  const int rest = n - half;
  double* below = factor + half;
  double* corner = factor + static_cast<std::ptrdiff_t>(half) * stride + half;
  const double one = 1.0;
  const double minus_one = -1.0;
  dtrsm_("R", "L", "N", "N", &rest, &half, &minus_one, factor, &stride, below, &stride);
  dtrsm_("L", "L", "N", "N", &rest, &half, &one, corner, &stride, below, &stride);
  invert_triangle(factor, half, stride);
  invert_triangle(corner, rest, stride);
}

}  // namespace

void multiply(double scale, const MatrixView& a, const MatrixView& b, double keep, double* result, std::size_t stride) {
  call_gemm(dgemm_, scale, a, b, keep, result, stride);
}

void multiply(float scale, const BasicMatrixView<float>& a, const BasicMatrixView<float>& b, float keep, float* result,
              std::size_t stride) {
  call_gemm(sgemm_, scale, a, b, keep, result, stride);
}

void multiply_by_own_transpose(double scale, const MatrixView& a, double keep, double* result, std::size_t stride) {
  const std::size_t rows = a.transposed ? a.columns : a.rows;
  const int n = prepared_size(rows);
  const int k = prepared_size(a.transposed ? a.rows : a.columns);
  if (n == 0) return;
  const int a_stride = prepared_stride(a.stride, a.rows);
  const int c_stride = prepared_stride(stride, rows);
  dsyrk_("L", letter(a.transposed), &n, &k, &scale, a.data, &a_stride, &keep, result, &c_stride);
}

void multiply_by_lower(double* result, std::size_t rows, const double* lower, std::size_t n, std::size_t stride,
                       bool transposed) {
  const int m = prepared_size(rows);
  const int size = prepared_size(n);
  const int a_stride = prepared_size(stride);
  if (m == 0 || size == 0) return;
  const double one = 1.0;
  dtrmm_("R", "L", letter(transposed), "N", &m, &size, &one, lower, &a_stride, result, &m);
}

bool cholesky_lower(double* matrix, std::size_t n) { return cholesky_lower(MatrixBlock{matrix, n, n, n}); }

bool cholesky_lower(const MatrixBlock& matrix) {
  const int size = prepared_size(matrix.rows);
  if (size == 0) return true;
  const int stride = prepared_stride(matrix.stride, matrix.rows);
  int info = 0;
  dpotrf_("L", &size, matrix.data, &stride, &info);
  return info == 0;
}

void invert_from_cholesky(double* factor, std::size_t n) {
  const int size = prepared_size(n);
  if (size == 0) return;
  invert_triangle(factor, size, size);
  int info = 0;
  dlauum_("L", &size, factor, &size, &info);
}

void solve_lower_transposed(const double* factor, std::size_t n, double* b) {
  const int size = prepared_size(n);
  if (size == 0) return;
  const int increment = 1;
  dtrsv_("L", "T", "N", &size, factor, &size, b, &increment);
}

void solve_lower(const double* factor, std::size_t n, bool transposed, double* b, std::size_t columns) {
  solve_triangular("L", transposed, {factor, n, n}, {b, n, columns});
}

void solve_lower(const MatrixView& factor, const MatrixBlock& b) { solve_triangular("L", false, factor, b); }

void solve_lower_transposed(const MatrixView& factor, const MatrixBlock& b) { solve_triangular("L", true, factor, b); }

void solve_lower_transposed_from_right(const MatrixView& factor, const MatrixBlock& b) {
  solve_triangular("R", true, factor, b);
}

bool solve_general(double* matrix, std::size_t n, double* b, std::size_t columns) {
  const int size = prepared_size(n);
  const int count = prepared_size(columns);
  if (size == 0) return true;
  std::vector<int> pivots(n);
  int info = 0;
  dgesv_(&size, &count, matrix, &size, pivots.data(), b, &size, &info);
  return info == 0;
}

void qr_factor(double* a, std::size_t rows, std::size_t columns) {
  const int m = prepared_size(rows);
  const int n = prepared_size(columns);
  if (m == 0 || n == 0) return;
  constexpr int kQrBlock = 64;
  const int work_size = kQrBlock * n;
  std::vector<double> factors(std::min(rows, columns));
  std::vector<double> work(static_cast<std::size_t>(work_size));
  int info = 0;
  dgeqrf_(&m, &n, a, &m, factors.data(), work.data(), &work_size, &info);
}

void symmetric_eigen(double* matrix, std::size_t n, double* values) {
  const int size = prepared_size(n);
  if (size == 0) return;
  const int work_size = 1 + 6 * size + 2 * size * size;
  const int integer_work_size = 3 + 5 * size;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> integer_work(static_cast<std::size_t>(integer_work_size));
  int info = 0;
  dsyevd_("V", "L", &size, matrix, &size, values, work.data(), &work_size, integer_work.data(), &integer_work_size,
          &info);
  if (info != 0) throw Error(ErrorCategory::kInternal, "An eigenvalue decomposition did not converge.");
}

}  // namespace olem::internal
