#pragma once

// Shared with files that are compiled for one instruction set each: no standard headers with inline functions here,
// since the linker could keep a copy that older machines cannot run.
#include <stddef.h>

namespace olem::internal::sampling {

// Inducing points whose share in the values of the others is taken out in double. More of them would make single
// precision better still (about 3 times for twice as many), each for 1 % of the time of a gradient.
constexpr size_t kLeadingPoints = 8;

// The elementwise loops of the covariance functions and of what is made of them, over a column of `n` numbers. An
// output may be one of the inputs. Each entry depends on its own inputs alone; the last digits depend
// on the instruction set. Against the C library: asin to 5e-16 absolute, exp to 3e-16 relative.
struct KernelLoops {
  // angle = product row_scale column_scale kept below 1 in size, value = amplitude asin(angle).
  void (*arcsine)(size_t n, const double* product, const double* row_scale, double column_scale, double amplitude,
                  double* angle, double* value);
  // The same value, and slope = amplitude / sqrt(1 - angle^2), in 2/3 of the time of both by themselves.
  void (*arcsine_with_slope)(size_t n, const double* product, const double* row_scale, double column_scale,
                             double amplitude, double* value, double* slope);
  // That value alone.
  void (*arcsine_value)(size_t n, const double* product, const double* row_scale, double column_scale, double amplitude,
                        double* value);
  // slope = weight amplitude / sqrt(1 - angle^2). |angle| < 1.
  void (*arcsine_slope)(size_t n, const double* angle, const double* weight, double amplitude, double* slope);
  // value = amplitude exp(min(0, product - row_half - column_half))
  void (*rbf)(size_t n, const double* product, const double* row_half, double column_half, double amplitude,
              double* value);
  // left -= sum of the squares of x (n x columns) along the columns
  void (*subtract_squares)(size_t n, size_t columns, const double* x, double* left);
  void (*subtract_squares_single)(size_t n, size_t columns, const float* x, double* left);
  // x *= factor
  void (*scale)(size_t n, const double* factor, double* x);
  void (*scale_single)(size_t n, const float* factor, float* x);
  // rest = x less the columns of `leading` (n x kLeadingPoints) times the weights, to single precision
  void (*narrow_rest)(size_t n, const double* leading, const double* weights, const double* x, float* rest);
  // The nearest numbers of single precision.
  void (*narrow)(size_t n, const double* x, float* single);
};

const KernelLoops& portable_loops();
const KernelLoops& avx2_loops();
const KernelLoops& avx512_loops();

// The best of them for this machine.
const KernelLoops& kernel_loops();

}  // namespace olem::internal::sampling
