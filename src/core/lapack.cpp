#include "core/lapack.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>
#include <vector>

#include "olem/error.h"

extern "C" {
void openblas_set_num_threads(int count);
void dpotrf_(const char* triangle, const int* n, double* matrix, const int* stride, int* info);
void dtrsv_(const char* triangle, const char* transposed, const char* unit_diagonal, const int* n, const double* matrix,
            const int* stride, double* x, const int* increment);
void dgesv_(const int* n, const int* columns, double* matrix, const int* stride, int* pivots, double* b,
            const int* b_stride, int* info);
void dgemm_(const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* a_stride, const double* b, const int* b_stride,
            const double* beta, double* c, const int* c_stride);
void dsyrk_(const char* triangle, const char* transposed, const int* n, const int* k, const double* alpha,
            const double* a, const int* a_stride, const double* beta, double* c, const int* c_stride);
void dtrsm_(const char* side, const char* triangle, const char* transposed, const char* unit_diagonal, const int* m,
            const int* n, const double* alpha, const double* a, const int* a_stride, double* b, const int* b_stride);
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

const char* transposition(Transposed transposed) { return transposed == Transposed::kYes ? "T" : "N"; }

void solve_triangular(const char* side, const char* transposed, ConstBlock factor, Block b) {
  const int rows = prepared_size(b.rows);
  const int columns = prepared_size(b.columns);
  if (rows == 0 || columns == 0) return;
  const int factor_stride = prepared_size(factor.stride);
  const int stride = prepared_size(b.stride);
  const double one = 1.0;
  dtrsm_(side, "L", transposed, "N", &rows, &columns, &one, factor.data, &factor_stride, b.data, &stride);
}

}  // namespace

bool cholesky_lower(double* matrix, std::size_t n) { return cholesky_lower({matrix, n, n, n}); }

bool cholesky_lower(Block matrix) {
  const int size = prepared_size(matrix.rows);
  if (size == 0) return true;
  const int stride = prepared_size(matrix.stride);
  int info = 0;
  dpotrf_("L", &size, matrix.data, &stride, &info);
  return info == 0;
}

void solve_lower_transposed(const double* factor, std::size_t n, double* b) {
  const int size = prepared_size(n);
  if (size == 0) return;
  const int increment = 1;
  dtrsv_("L", "T", "N", &size, factor, &size, b, &increment);
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

void multiply(double alpha, ConstBlock a, Transposed a_transposed, ConstBlock b, Transposed b_transposed, double beta,
              Block c) {
  const int rows = prepared_size(c.rows);
  const int columns = prepared_size(c.columns);
  const int inner = prepared_size(a_transposed == Transposed::kYes ? a.rows : a.columns);
  if (rows == 0 || columns == 0) return;
  const int a_stride = prepared_size(a.stride);
  const int b_stride = prepared_size(b.stride);
  const int c_stride = prepared_size(c.stride);
  dgemm_(transposition(a_transposed), transposition(b_transposed), &rows, &columns, &inner, &alpha, a.data, &a_stride,
         b.data, &b_stride, &beta, c.data, &c_stride);
}

void subtract_square_lower(ConstBlock a, Block c) {
  const int rows = prepared_size(c.rows);
  const int inner = prepared_size(a.columns);
  if (rows == 0 || inner == 0) return;
  const int a_stride = prepared_size(a.stride);
  const int c_stride = prepared_size(c.stride);
  const double minus_one = -1.0;
  const double one = 1.0;
  dsyrk_("L", "N", &rows, &inner, &minus_one, a.data, &a_stride, &one, c.data, &c_stride);
}

void solve_lower(ConstBlock factor, Block b) { solve_triangular("L", "N", factor, b); }
void solve_lower_transposed(ConstBlock factor, Block b) { solve_triangular("L", "T", factor, b); }
void solve_lower_transposed_from_right(ConstBlock factor, Block b) { solve_triangular("R", "T", factor, b); }

}  // namespace olem
