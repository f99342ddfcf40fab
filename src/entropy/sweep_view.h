#pragma once

// Shared with files that are compiled for one instruction set each: no standard headers with inline functions here,
// since the linker could keep a copy that older machines cannot run.
#include <stddef.h>
#include <stdint.h>

namespace olem::internal::sweep {

constexpr int kLanes = 16;  // points in a tile, and tiles in a group

// One step of the sweep as the kernels see it. Points are in tiles of kLanes; points that fill up the last tile are
// left out when they pass the filter. The filter knows the coordinates either as floats (fine) or, twice as fast, as
// whole numbers of 16 bits (coarse) whose squared distances fit into 31 bits: sums of those are exact, and only the
// rounding of the coordinates counts.
struct View {
  const float* fine;      // [tile][column][lane], or null
  const int32_t* coarse;  // [tile][pair of columns][lane], two 16-bit numbers each, or null
  const float* box_low;   // [tile group][column][tile]: least coordinate in the tile
  const float* box_high;  // the same, greatest
  float* reach;           // [point]: a pair whose reduced distance is not below this cannot improve the point
  float* tile_reach;      // [tile]: at least the greatest reach in the tile
  const double* rows;     // [point][stride], the rest of a row zero
  double* kth;            // [point][stride]: k-th best squared distance without each column, the rest -infinity
  uint32_t* nearest;      // [point][stride]: who that is, when k is 1
  size_t points;
  size_t columns;
  size_t width;             // of a row: the columns, and a zero one when the distances over all columns are wanted
  size_t stride;            // a multiple of 8
  float shrink;             // 1 - bound on the relative rounding of a float sum
  double margin;            // bound on the relative rounding of a double sum
  double scale;             // data units to filter units
  double coordinate_error;  // filter units: bound on the error of a distance from rounding the coordinates
};

// How one thread talks to the rest while it sweeps.
struct Worker {
  void* state;
  // For k > 1 or ignored zeros: the pair may improve one of its points. Null: the kernel keeps the nearest by itself.
  void (*offer)(void* state, const double* exact, size_t i, size_t j);
  bool (*should_stop)(void* state);
  double* scratch;   // 2 * stride, aligned to 64 bytes
  uint32_t* first;   // kPairs pairs that wait for a decision: their first points,
  uint32_t* second;  // and their second ones; room for kLanes more
};

// Pairs that passed the filter wait for the exact decision until there are many: the filter's loop stays free of
// surprises for the processor, and the decisions, which are independent, overlap.
constexpr size_t kPairs = 1024;

struct Kernel {
  // Looks at every pair of a point in tiles [a_begin, a_end) and one in [b_begin, b_end), each pair once. Either the
  // ranges are equal or they do not overlap.
  void (*sweep)(const View& view, size_t a_begin, size_t a_end, size_t b_begin, size_t b_end, const Worker& worker);
  // exact[v] = sum over u != v of (x_u - y_u)^2 for v < width, added in the order of u. These additions decide every
  // result, so each instruction set does the same ones: one rounding each, no fused operation. `terms` is scratch.
  void (*exact)(const double* x, const double* y, size_t width, size_t stride, double* terms, double* exact);
  // One pair without the filter.
  void (*decide)(const View& view, size_t i, size_t j, const Worker& worker);
  // The reach that follows from the bounds of one point.
  float (*reach)(const View& view, size_t i);
  bool has_coarse;
};

const Kernel& portable_kernel();
#if defined(__x86_64__)
const Kernel& avx2_kernel();
const Kernel& avx512_kernel();
#endif

}  // namespace olem::internal::sweep
