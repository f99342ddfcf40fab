// Compiled for AVX-512 (F, DQ, BW); run only on machines that have it.
#if defined(__x86_64__)

#include <immintrin.h>

#include "entropy/sweep_kernel.h"

namespace olem::internal::sweep {
namespace {

struct Avx512 {
  static constexpr int kQueries = 8;
  static constexpr bool kHasCoarse = true;

  struct Fine {
    using Cell = float;
    using Vector = __m512;
    static constexpr int kWidth = 16;

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
    static uint32_t passes(Vector sum, Vector largest, float shrink, const float* query, const float* candidates) {
      return reduced_below(sum, largest, _mm512_set1_ps(shrink), max(broadcast(query), load(candidates)));
    }
  };

  struct Coarse {
    using Cell = int32_t;
    using Vector = __m512i;
    static constexpr int kWidth = 16;

    static Vector zero() { return _mm512_setzero_si512(); }
    static Vector load(const int32_t* p) { return _mm512_load_si512(p); }
    static Vector broadcast(const int32_t* p) { return _mm512_set1_epi32(*p); }
    static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
    static Vector add_square(Vector a, Vector sum) { return _mm512_add_epi32(sum, _mm512_madd_epi16(a, a)); }
    static Vector max_magnitude(Vector a, Vector b) { return _mm512_max_epi16(a, _mm512_abs_epi16(b)); }
    // Whole numbers add up exactly; turning the sum into a float rounds by less than the reach allows for.
    static uint32_t passes(Vector sum, Vector largest, float /*shrink*/, const float* query, const float* candidates) {
      const Vector both = _mm512_max_epi16(largest, _mm512_srli_epi32(largest, 16));
      const Vector one = _mm512_and_si512(both, _mm512_set1_epi32(0xFFFF));
      const __m512 reduced = _mm512_cvtepi32_ps(_mm512_sub_epi32(sum, _mm512_madd_epi16(one, one)));
      const __m512 reach = _mm512_max_ps(_mm512_set1_ps(*query), _mm512_load_ps(candidates));
      return _mm512_cmp_ps_mask(reduced, reach, _CMP_LT_OQ);
    }
  };

  static bool may_improve(const double* x, const double* y, const double* x_kth, const double* y_kth, size_t stride,
                          double margin) {
    __m512d sum = _mm512_setzero_pd();
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d difference = _mm512_sub_pd(_mm512_load_pd(x + v), _mm512_load_pd(y + v));
      sum = _mm512_fmadd_pd(difference, difference, sum);
    }
    const __m512d lowered = _mm512_set1_pd(_mm512_reduce_add_pd(sum) * (1.0 - margin));
    unsigned below = 0;
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d difference = _mm512_sub_pd(_mm512_load_pd(x + v), _mm512_load_pd(y + v));
      const __m512d without = _mm512_fnmadd_pd(difference, difference, lowered);
      const __m512d kth = _mm512_max_pd(_mm512_load_pd(x_kth + v), _mm512_load_pd(y_kth + v));
      below |= _mm512_cmp_pd_mask(without, kth, _CMP_LT_OQ);
    }
    return below != 0;
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

  static bool take_smaller(const double* exact, double* kth, uint32_t* nearest, size_t stride, uint32_t id,
                           double* worst) {
    unsigned changed = 0;
    __m512d largest = _mm512_set1_pd(-1.0);
    for (size_t v = 0; v < stride; v += 8) {
      const __m512d distance = _mm512_load_pd(exact + v);
      const __m512d current = _mm512_load_pd(kth + v);
      const __mmask8 smaller = _mm512_cmp_pd_mask(distance, current, _CMP_LT_OQ);
      // Whole stores: the next decision reads them back at once, and waits for a masked one.
      const __m512d best = _mm512_mask_mov_pd(current, smaller, distance);
      _mm512_store_pd(kth + v, best);
      _mm512_mask_storeu_epi32(nearest + v, smaller, _mm512_set1_epi32(static_cast<int>(id)));
      largest = _mm512_max_pd(largest, best);
      changed |= smaller;
    }
    *worst = _mm512_reduce_max_pd(largest);
    return changed != 0;
  }

  static size_t append(uint32_t mask, uint32_t query, uint32_t first, uint32_t* firsts, uint32_t* seconds, size_t at) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i candidates = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
    _mm512_storeu_si512(firsts + at, _mm512_set1_epi32(static_cast<int>(query)));
    _mm512_storeu_si512(seconds + at, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), candidates));
    return at + static_cast<size_t>(__builtin_popcount(mask));
  }
};

}  // namespace

const Kernel& avx512_kernel() {
  static constexpr Kernel kKernel = make_kernel<Avx512>();
  return kKernel;
}

}  // namespace olem::internal::sweep

#endif
