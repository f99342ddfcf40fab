// Compiled for AVX2 with FMA; run only on machines that have both.
#if defined(__x86_64__)

#include <immintrin.h>

#include "entropy/sweep_kernel.h"

namespace olem::internal::sweep {
namespace {

struct Avx2 {
  static constexpr int kQueries = 4;
  static constexpr bool kHasCoarse = true;

  struct Fine {
    using Cell = float;
    using Vector = __m256;
    static constexpr int kWidth = 8;

    static Vector zero() { return _mm256_setzero_ps(); }
    static Vector load(const float* p) { return _mm256_load_ps(p); }
    static Vector broadcast(const float* p) { return _mm256_broadcast_ss(p); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
    static Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
    static Vector add_square(Vector a, Vector sum) { return _mm256_fmadd_ps(a, a, sum); }
    static Vector max_magnitude(Vector a, Vector b) {
      return _mm256_max_ps(a, _mm256_andnot_ps(_mm256_set1_ps(-0.0F), b));
    }
    static uint32_t reduced_below(Vector sum, Vector largest, Vector shrink, Vector reach) {
      const Vector reduced = _mm256_fmsub_ps(sum, shrink, _mm256_mul_ps(largest, largest));
      return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(reduced, reach, _CMP_LT_OQ)));
    }
    static uint32_t passes(Vector sum, Vector largest, float shrink, const float* query, const float* candidates) {
      return reduced_below(sum, largest, _mm256_set1_ps(shrink), max(broadcast(query), load(candidates)));
    }
  };

  struct Coarse {
    using Cell = int32_t;
    using Vector = __m256i;
    static constexpr int kWidth = 8;

    static Vector zero() { return _mm256_setzero_si256(); }
    static Vector load(const int32_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
    static Vector broadcast(const int32_t* p) { return _mm256_set1_epi32(*p); }
    static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
    static Vector add_square(Vector a, Vector sum) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, a)); }
    static Vector max_magnitude(Vector a, Vector b) { return _mm256_max_epi16(a, _mm256_abs_epi16(b)); }
    // Whole numbers add up exactly; turning the sum into a float rounds by less than the reach allows for.
    static uint32_t passes(Vector sum, Vector largest, float /*shrink*/, const float* query, const float* candidates) {
      const Vector both = _mm256_max_epi16(largest, _mm256_srli_epi32(largest, 16));
      const Vector one = _mm256_and_si256(both, _mm256_set1_epi32(0xFFFF));
      const __m256 reduced = _mm256_cvtepi32_ps(_mm256_sub_epi32(sum, _mm256_madd_epi16(one, one)));
      const __m256 reach = _mm256_max_ps(_mm256_set1_ps(*query), _mm256_load_ps(candidates));
      return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(reduced, reach, _CMP_LT_OQ)));
    }
  };

  static bool may_improve(const double* x, const double* y, const double* x_kth, const double* y_kth, size_t stride,
                          double margin) {
    __m256d sums = _mm256_setzero_pd();
    for (size_t v = 0; v < stride; v += 4) {
      const __m256d difference = _mm256_sub_pd(_mm256_load_pd(x + v), _mm256_load_pd(y + v));
      sums = _mm256_fmadd_pd(difference, difference, sums);
    }
    double parts[4];
    _mm256_storeu_pd(parts, sums);
    const __m256d lowered = _mm256_set1_pd((parts[0] + parts[1] + parts[2] + parts[3]) * (1.0 - margin));
    int below = 0;
    for (size_t v = 0; v < stride; v += 4) {
      const __m256d difference = _mm256_sub_pd(_mm256_load_pd(x + v), _mm256_load_pd(y + v));
      const __m256d without = _mm256_fnmadd_pd(difference, difference, lowered);
      const __m256d kth = _mm256_max_pd(_mm256_load_pd(x_kth + v), _mm256_load_pd(y_kth + v));
      below |= _mm256_movemask_pd(_mm256_cmp_pd(without, kth, _CMP_LT_OQ));
    }
    return below != 0;
  }

  static void exact(const double* x, const double* y, size_t width, size_t stride, double* terms, double* exact) {
    for (size_t v = 0; v < stride; v += 4) {
      const __m256d difference = _mm256_sub_pd(_mm256_load_pd(x + v), _mm256_load_pd(y + v));
      _mm256_store_pd(terms + v, _mm256_mul_pd(difference, difference));
    }
    const __m256i lanes = _mm256_set_epi64x(3, 2, 1, 0);
    for (size_t v = 0; v < stride; v += 4) {
      __m256d sum = _mm256_setzero_pd();
      size_t u = 0;
      for (; u < v; ++u) sum = _mm256_add_pd(sum, _mm256_set1_pd(terms[u]));
      for (; u < v + 4; ++u) {
        const __m256i own = _mm256_cmpeq_epi64(lanes, _mm256_set1_epi64x(static_cast<long long>(u - v)));
        const __m256d added = _mm256_add_pd(sum, _mm256_set1_pd(terms[u]));
        sum = _mm256_blendv_pd(added, sum, _mm256_castsi256_pd(own));
      }
      for (; u < width; ++u) sum = _mm256_add_pd(sum, _mm256_set1_pd(terms[u]));
      _mm256_store_pd(exact + v, sum);
    }
  }

  static bool take_smaller(const double* exact, double* kth, uint32_t* nearest, size_t stride, uint32_t id,
                           double* worst) {
    int changed = 0;
    __m256d largest = _mm256_set1_pd(-1.0);
    for (size_t v = 0; v < stride; v += 4) {
      const __m256d distance = _mm256_load_pd(exact + v);
      const __m256d current = _mm256_load_pd(kth + v);
      const int smaller = _mm256_movemask_pd(_mm256_cmp_pd(distance, current, _CMP_LT_OQ));
      const __m256d best = _mm256_min_pd(distance, current);
      _mm256_store_pd(kth + v, best);
      largest = _mm256_max_pd(largest, best);
      changed |= smaller;
      for (auto mask = static_cast<unsigned>(smaller); mask != 0; mask &= mask - 1) {
        nearest[v + static_cast<size_t>(__builtin_ctz(mask))] = id;
      }
    }
    double parts[4];
    _mm256_storeu_pd(parts, largest);
    for (int lane = 1; lane < 4; ++lane) parts[0] = parts[lane] > parts[0] ? parts[lane] : parts[0];
    *worst = parts[0];
    return changed != 0;
  }

  static size_t append(uint32_t mask, uint32_t query, uint32_t first, uint32_t* firsts, uint32_t* seconds, size_t at) {
    return append_bits(mask, query, first, firsts, seconds, at);
  }
};

}  // namespace

const Kernel& avx2_kernel() {
  static constexpr Kernel kKernel = make_kernel<Avx2>();
  return kKernel;
}

}  // namespace olem::internal::sweep

#endif
