#include "entropy/sweep_kernel.h"

namespace olem::internal::sweep {
namespace {

// Vectors of four in the compilers' own notation, which every machine has in some form.
struct Portable {
  static constexpr int kQueries = 4;
  static constexpr bool kHasCoarse = false;

  struct Fine {
    using Cell = float;
    using Vector = float __attribute__((vector_size(16)));
    using Halves = long long __attribute__((vector_size(16)));
    static constexpr int kWidth = 4;

    static Vector zero() { return Vector{}; }
    static Vector load(const float* p) { return *reinterpret_cast<const Vector*>(p); }
    static Vector broadcast(const float* p) { return Vector{*p, *p, *p, *p}; }
    static Vector subtract(Vector a, Vector b) { return a - b; }
    static Vector max(Vector a, Vector b) { return a > b ? a : b; }
    static Vector add_square(Vector a, Vector sum) { return sum + a * a; }
    static Vector max_magnitude(Vector a, Vector b) { return max(a, max(b, -b)); }
    static uint32_t reduced_below(Vector sum, Vector largest, Vector shrink, Vector reach) {
      const auto below = sum * shrink - largest * largest < reach;
      const auto halves = reinterpret_cast<Halves>(below);
      uint32_t mask = 0;
      if ((halves[0] | halves[1]) == 0) return mask;
      for (int i = 0; i < kWidth; ++i) mask |= static_cast<uint32_t>(below[i] & 1) << i;
      return mask;
    }
    static uint32_t passes(Vector sum, Vector largest, float shrink, const float* query, const float* candidates) {
      return reduced_below(sum, largest, broadcast(&shrink), max(broadcast(query), load(candidates)));
    }
  };

  static bool may_improve(const double* x, const double* y, const double* x_kth, const double* y_kth, size_t stride,
                          double margin) {
    double sum = 0.0;
    for (size_t v = 0; v < stride; ++v) sum += (x[v] - y[v]) * (x[v] - y[v]);
    const double lowered = sum * (1.0 - margin);
    for (size_t v = 0; v < stride; ++v) {
      const double without = lowered - (x[v] - y[v]) * (x[v] - y[v]);
      if (without < x_kth[v] || without < y_kth[v]) return true;
    }
    return false;
  }

  static void exact(const double* x, const double* y, size_t width, size_t stride, double* terms, double* exact) {
    for (size_t v = 0; v < stride; ++v) {
      terms[v] = (x[v] - y[v]) * (x[v] - y[v]);
      exact[v] = 0.0;
    }
    for (size_t u = 0; u < width; ++u) {
      const double own = exact[u];
      for (size_t v = 0; v < stride; ++v) exact[v] += terms[u];
      exact[u] = own;
    }
  }

  static bool take_smaller(const double* exact, double* kth, uint32_t* nearest, size_t stride, uint32_t id,
                           double* worst) {
    bool changed = false;
    *worst = -1.0;
    for (size_t v = 0; v < stride; ++v) {
      if (exact[v] < kth[v]) {
        kth[v] = exact[v];
        nearest[v] = id;
        changed = true;
      }
      *worst = kth[v] > *worst ? kth[v] : *worst;
    }
    return changed;
  }

  static size_t append(uint32_t mask, uint32_t query, uint32_t first, uint32_t* firsts, uint32_t* seconds, size_t at) {
    return append_bits(mask, query, first, firsts, seconds, at);
  }
};

}  // namespace

const Kernel& portable_kernel() {
  static constexpr Kernel kKernel = make_kernel<Portable>();
  return kKernel;
}

}  // namespace olem::internal::sweep
