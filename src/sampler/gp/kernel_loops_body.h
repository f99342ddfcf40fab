#pragma once

#include "sampler/gp/kernel_loops.h"

// The loops, written once and free of branches, so that the compiler turns them into whole vectors. Every instruction
// set has a file of its own that includes this one; everything is in an unnamed namespace so that no two share code.
namespace olem::internal::sampling {
namespace {

// asin(sqrt z) / sqrt z for z in [0, 1/4]: polynomial through Chebyshev nodes, error 6e-17.
inline double arcsine_series(double z) {
  double p = 0.028169218060881414;
  p = p * z - 0.01074905033969781;
  p = p * z + 0.016035514349148825;
  p = p * z + 0.007802949477353317;
  p = p * z + 0.011875494382636922;
  p = p * z + 0.013929652902326633;
  p = p * z + 0.017355259955786323;
  p = p * z + 0.02237204763174451;
  p = p * z + 0.03038194736709848;
  p = p * z + 0.044642857103423646;
  p = p * z + 0.07500000000020764;
  p = p * z + 0.1666666666666665;
  return p * z + 1.0;
}

// Beyond 1/2 by asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)), where the series converges and nothing cancels.
inline double arcsine_of(double x) {
  const double size = __builtin_fabs(x);
  const bool far = size > 0.5;
  const double z = far ? 0.5 * (1.0 - size) : size * size;
  const double root = far ? __builtin_sqrt(z) : size;
  const double near_value = root * arcsine_series(z);
  const double value = far ? 1.5707963267948966 - 2.0 * near_value : near_value;
  return __builtin_copysign(value, x);
}

// The same for z in [0, 1/2], error 2e-17. Even and odd powers apart, since half as long a chain of operations leaves
// the processor less to wait for.
inline double long_arcsine_series(double z) {
  const double y = z * z;
  double even = 0.8892904367638688;
  double odd = -3.278933156739812;
  even = even * y + 5.7579408313146985;
  odd = odd * y - 6.229299875397985;
  even = even * y + 4.6420689099888435;
  odd = odd * y - 2.4908808126226116;
  even = even * y + 1.0082016650534187;
  odd = odd * y - 0.2968705430689824;
  even = even * y + 0.07871611357002127;
  odd = odd * y - 0.002601537848299688;
  even = even * y + 0.013191002571753903;
  odd = odd * y + 0.01380344589589198;
  even = even * y + 0.017364281439103527;
  odd = odd * y + 0.022371584779320355;
  even = even * y + 0.030381963396751827;
  odd = odd * y + 0.044642856762615;
  even = even * y + 0.07500000000401816;
  odd = odd * y + 0.16666666666664987;
  return (even * y + odd * z) + 1.0;
}

// e^x for x in [-708, 0]: x = k ln 2 + r, polynomial in r (error 1e-17), k added to the exponent's bits.
inline double exponential_of(double x) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to a whole number, which then stands in the lowest bits
  x = x < -708.0 ? -708.0 : x;
  const double shifted = x * 1.4426950408889634 + kShift;
  const double k = shifted - kShift;
  const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double p = 2.510038319586702e-08;
  p = p * r + 2.7620085455018414e-07;
  p = p * r + 2.7557268464831627e-06;
  p = p * r + 2.4801521302241082e-05;
  p = p * r + 0.00019841269863050506;
  p = p * r + 0.001388888891720967;
  p = p * r + 0.008333333333330063;
  p = p * r + 0.041666666666624136;
  p = p * r + 0.16666666666666669;
  p = p * r + 0.5;
  const double value = p * (r * r) + r + 1.0;
  const unsigned long long bits =
      __builtin_bit_cast(unsigned long long, value) + (__builtin_bit_cast(unsigned long long, shifted) << 52);
  return __builtin_bit_cast(double, bits);
}

// Outputs may be inputs, entry by entry: tells g++ that iterations do not depend on each other. Other compilers find
// out at run time.
#if defined(__GNUC__) && !defined(__clang__)
#define OLEM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OLEM_INDEPENDENT
#endif

inline double angle_of(double product, double row_scale, double column_scale) {
  constexpr double kLargest = 1.0 - 0x1p-50;  // rounding must not push it to 1, where the slope is infinite
  const double raw = product * row_scale * column_scale;
  return raw < -kLargest ? -kLargest : raw > kLargest ? kLargest : raw;
}

void arcsine(size_t n, const double* product, const double* row_scale, double column_scale, double amplitude,
             double* angle, double* value) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    const double x = angle_of(product[i], row_scale[i], column_scale);
    angle[i] = x;
    value[i] = amplitude * arcsine_of(x);
  }
}

// The root that the slope needs serves the value as well: asin(x) = pi/2 - asin(sqrt(1 - x^2)) beyond sqrt(1/2). A
// longer series is cheaper than another root, and than the choice of one.
inline double arcsine_by_root(double x, double& root) {
  const double size = __builtin_fabs(x);
  const double square = size * size;
  const double rest = (1.0 - size) * (1.0 + size);
  root = __builtin_sqrt(rest);
  const double near_value = (root < size ? root : size) * long_arcsine_series(rest < square ? rest : square);
  return __builtin_copysign(root < size ? 1.5707963267948966 - near_value : near_value, x);
}

void arcsine_with_slope(size_t n, const double* product, const double* row_scale, double column_scale, double amplitude,
                        double* value, double* slope) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    double root = 0.0;
    value[i] = amplitude * arcsine_by_root(angle_of(product[i], row_scale[i], column_scale), root);
    slope[i] = amplitude / root;
  }
}

void arcsine_value(size_t n, const double* product, const double* row_scale, double column_scale, double amplitude,
                   double* value) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    double root = 0.0;
    value[i] = amplitude * arcsine_by_root(angle_of(product[i], row_scale[i], column_scale), root);
  }
}

void arcsine_slope(size_t n, const double* angle, const double* weight, double amplitude, double* slope) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    slope[i] = weight[i] * amplitude / __builtin_sqrt((1.0 - angle[i]) * (1.0 + angle[i]));
  }
}

void rbf(size_t n, const double* product, const double* row_half, double column_half, double amplitude, double* value) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    const double x = product[i] - row_half[i] - column_half;
    value[i] = amplitude * exponential_of(x < 0.0 ? x : 0.0);
  }
}

// Four columns at a time, so that what is left is read and written less often.
template <class Scalar>
void subtract_squares(size_t n, size_t columns, const Scalar* x, double* left) {
  size_t column = 0;
  for (; column + 4 <= columns; column += 4, x += 4 * n) {
    OLEM_INDEPENDENT
    for (size_t i = 0; i < n; ++i) {
      const double a = x[i];
      const double b = x[n + i];
      const double c = x[2 * n + i];
      const double d = x[3 * n + i];
      left[i] -= (a * a + b * b) + (c * c + d * d);
    }
  }
  for (; column < columns; ++column, x += n) {
    OLEM_INDEPENDENT
    for (size_t i = 0; i < n; ++i) left[i] -= static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
}

template <class Scalar>
void scale(size_t n, const Scalar* factor, Scalar* x) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) x[i] *= factor[i];
}

void narrow_rest(size_t n, const double* leading, const double* weights, const double* x, float* rest) {
  static_assert(kLeadingPoints == 8);
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) {
    const double* at = leading + i;
    const double a = x[i] - weights[0] * at[0] - weights[1] * at[n];
    const double b = weights[2] * at[2 * n] + weights[3] * at[3 * n];
    const double c = weights[4] * at[4 * n] + weights[5] * at[5 * n];
    const double d = weights[6] * at[6 * n] + weights[7] * at[7 * n];
    rest[i] = static_cast<float>((a - b) - (c + d));
  }
}

void narrow(size_t n, const double* x, float* single) {
  OLEM_INDEPENDENT
  for (size_t i = 0; i < n; ++i) single[i] = static_cast<float>(x[i]);
}

#undef OLEM_INDEPENDENT

constexpr KernelLoops kLoops = {
    .arcsine = arcsine,
    .arcsine_with_slope = arcsine_with_slope,
    .arcsine_value = arcsine_value,
    .arcsine_slope = arcsine_slope,
    .rbf = rbf,
    .subtract_squares = subtract_squares<double>,
    .subtract_squares_single = subtract_squares<float>,
    .scale = scale<double>,
    .scale_single = scale<float>,
    .narrow_rest = narrow_rest,
    .narrow = narrow,
};

}  // namespace
}  // namespace olem::internal::sampling
