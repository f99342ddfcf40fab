// Compiled for AVX-512 (F, DQ); run only on machines that have it.
#if defined(__x86_64__)

#include <immintrin.h>

#include "entropy/sweep_kernel.h"

namespace olem::sweep {
namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kQueries = 8;

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* p) { return _mm512_load_ps(p); }
  static Vector broadcast(const float* p) { return _mm512_set1_ps(*p); }
  static Vector subtract(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
  static Vector max(Vector a, Vector b) { return _mm512_max_ps(a, b); }
  static Vector add_square(Vector a, Vector sum) { return _mm512_fmadd_ps(a, a, sum); }
  // Immediate 0b1011: the greater magnitude, sign cleared.
  static Vector max_magnitude(Vector a, Vector b) { return _mm512_range_ps(a, b, 0b1011); }
  static uint32_t reduced_below(Vector sum, Vector largest, Vector shrink, Vector reach) {
    const Vector reduced = _mm512_fmsub_ps(sum, shrink, _mm512_mul_ps(largest, largest));
    return _mm512_cmp_ps_mask(reduced, reach, _CMP_LT_OQ);
  }

  static bool may_improve(const double* x, const double* y, const double* x_kth, const double* y_kth, size_t stride,
                          double margin) {
    __m512d sum = _mm512_setzero_pd();
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d difference = _mm512_sub_pd(_mm512_load_pd(x + v), _mm512_load_pd(y + v));
      sum = _mm512_fmadd_pd(difference, difference, sum);
    }
    const __m512d lowered = _mm512_set1_pd(_mm512_reduce_add_pd(sum) * (1.0 - margin));
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d difference = _mm512_sub_pd(_mm512_load_pd(x + v), _mm512_load_pd(y + v));
      const __m512d without = _mm512_fnmadd_pd(difference, difference, lowered);
      const __m512d kth = _mm512_max_pd(_mm512_load_pd(x_kth + v), _mm512_load_pd(y_kth + v));
      if (_mm512_cmp_pd_mask(without, kth, _CMP_LT_OQ) != 0) return true;
    }
    return false;
  }

  static void exact(const double* x, const double* y, size_t width, size_t stride, double* terms, double* exact) {
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d difference = _mm512_sub_pd(_mm512_load_pd(x + v), _mm512_load_pd(y + v));
      _mm512_store_pd(terms + v, _mm512_mul_pd(difference, difference));
    }
    for (size_t v = 0; v < stride; v += 8) {
      __m512d sum = _mm512_setzero_pd();
      size_t u = 0;
      for (; u < v; ++u) sum = _mm512_add_pd(sum, _mm512_set1_pd(terms[u]));
      for (; u < v + 8; ++u) {
        const auto others = static_cast<__mmask8>(~(1U << (u - v)));
        sum = _mm512_mask_add_pd(sum, others, sum, _mm512_set1_pd(terms[u]));
      }
      for (; u < width; ++u) sum = _mm512_add_pd(sum, _mm512_set1_pd(terms[u]));
      _mm512_store_pd(exact + v, sum);
    }
  }

  static bool take_smaller(const double* exact, double* kth, uint32_t* nearest, size_t stride, uint32_t id) {
    unsigned changed = 0;
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d distance = _mm512_load_pd(exact + v);
      const __mmask8 smaller = _mm512_cmp_pd_mask(distance, _mm512_load_pd(kth + v), _CMP_LT_OQ);
      _mm512_mask_store_pd(kth + v, smaller, distance);
      _mm512_mask_storeu_epi32(nearest + v, smaller, _mm512_set1_epi32(static_cast<int>(id)));
      changed |= smaller;
    }
    return changed != 0;
  }

  static double row_maximum(const double* row, size_t stride) {
    __m512d largest = _mm512_load_pd(row);
    for (size_t v = 8; v < stride; v += 8) largest = _mm512_max_pd(largest, _mm512_load_pd(row + v));
    return _mm512_reduce_max_pd(largest);
  }
};

}  // namespace

const Kernel& avx512_kernel() {
  static constexpr Kernel kKernel = make_kernel<Avx512>();
  return kKernel;
}

}  // namespace olem::sweep

#endif
