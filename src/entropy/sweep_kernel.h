#pragma once

#include <math.h>

#include "entropy/sweep_view.h"

// The sweep, written once over a small set of vector operations. Every instruction set instantiates it in a file of
// its own; everything is in an unnamed namespace so that no two of them share code.
namespace olem::sweep {
namespace {

// Bits of the candidate tiles of one group whose boxes are near enough to the box of tile `a`. The reduced distance of
// two boxes is a lower bound for that of all their pairs.
template <class Simd>
uint32_t near_tiles(const View& view, size_t a, size_t group) {
  using Vector = typename Simd::Vector;
  const float* low = view.box_low + group * view.columns * kLanes;
  const float* high = view.box_high + group * view.columns * kLanes;
  const size_t own = (a / kLanes) * view.columns * kLanes + a % kLanes;
  const Vector shrink = Simd::broadcast(&view.shrink);
  uint32_t mask = 0;
  for (int part = 0; part < kLanes; part += Simd::kWidth) {
    Vector sum = Simd::zero();
    Vector largest = Simd::zero();
    for (size_t v = 0; v < view.columns; ++v) {
      const Vector below =
          Simd::subtract(Simd::load(low + v * kLanes + part), Simd::broadcast(view.box_high + own + v * kLanes));
      const Vector above =
          Simd::subtract(Simd::broadcast(view.box_low + own + v * kLanes), Simd::load(high + v * kLanes + part));
      const Vector gap = Simd::max(Simd::max(below, above), Simd::zero());
      sum = Simd::add_square(gap, sum);
      largest = Simd::max(largest, gap);
    }
    const Vector reach =
        Simd::max(Simd::broadcast(view.tile_reach + a), Simd::load(view.tile_reach + group * kLanes + part));
    mask |= Simd::reduced_below(sum, largest, shrink, reach) << part;
  }
  return mask;
}

template <class Simd>
float reach_of(const View& view, size_t i) {
  const double worst = Simd::row_maximum(view.kth + i * view.stride, view.stride);
  const double distance = sqrt(worst) * view.scale + view.coordinate_error;
  // Rounding up to a float is within the factor; the cap keeps infinity out of the filter's arithmetic.
  const double reach = distance * distance * (1.0 + 0x1p-20);
  return static_cast<float>(reach < 0x1p126 ? reach : 0x1p126);
}

template <class Simd>
void decide(const View& view, size_t i, size_t j, const Worker& worker) {
  const double* x = view.rows + i * view.stride;
  const double* y = view.rows + j * view.stride;
  double* i_kth = view.kth + i * view.stride;
  double* j_kth = view.kth + j * view.stride;
  if (!Simd::may_improve(x, y, i_kth, j_kth, view.stride, view.margin)) return;
  double* exact = worker.scratch + view.stride;
  Simd::exact(x, y, view.width, view.stride, worker.scratch, exact);
  if (worker.offer != nullptr) {
    worker.offer(worker.state, exact, i, j);
    return;
  }
  if (Simd::take_smaller(exact, i_kth, view.nearest + i * view.stride, view.stride, static_cast<uint32_t>(j))) {
    view.reach[i] = reach_of<Simd>(view, i);
  }
  if (Simd::take_smaller(exact, j_kth, view.nearest + j * view.stride, view.stride, static_cast<uint32_t>(i))) {
    view.reach[j] = reach_of<Simd>(view, j);
  }
}

template <class Simd>
void decide_all(const View& view, size_t count, const Worker& worker) {
  for (size_t p = 0; p < count; ++p) decide<Simd>(view, worker.pairs[2 * p], worker.pairs[2 * p + 1], worker);
}

// All pairs of tile a with tile b; returns the number of pairs that wait. The largest single term is taken off at the
// end: no column left out can make the distance smaller than that.
template <class Simd>
size_t sweep_tile_pair(const View& view, size_t a, size_t b, size_t waiting, const Worker& worker) {
  using Vector = typename Simd::Vector;
  constexpr int kQueries = Simd::kQueries;
  const float* queries = view.tiles + a * view.columns * kLanes;
  const float* candidates = view.tiles + b * view.columns * kLanes;
  const Vector shrink = Simd::broadcast(&view.shrink);
  for (int part = 0; part < kLanes; part += Simd::kWidth) {
    const size_t first = b * kLanes + static_cast<size_t>(part);
    for (int q0 = 0; q0 < kLanes; q0 += kQueries) {
      Vector sum[kQueries];
      Vector largest[kQueries];
      for (int q = 0; q < kQueries; ++q) sum[q] = largest[q] = Simd::zero();
      for (size_t v = 0; v < view.columns; ++v) {
        const Vector candidate = Simd::load(candidates + v * kLanes + part);
        for (int q = 0; q < kQueries; ++q) {
          const Vector difference = Simd::subtract(candidate, Simd::broadcast(queries + v * kLanes + q0 + q));
          sum[q] = Simd::add_square(difference, sum[q]);
          largest[q] = Simd::max_magnitude(largest[q], difference);
        }
      }
      const size_t i0 = a * kLanes + static_cast<size_t>(q0);
      const Vector candidate_reach = Simd::load(view.reach + first);
      for (int q = 0; q < kQueries; ++q) {
        const size_t i = i0 + static_cast<size_t>(q);
        const Vector reach = Simd::max(Simd::broadcast(view.reach + i), candidate_reach);
        for (uint32_t mask = Simd::reduced_below(sum[q], largest[q], shrink, reach); mask != 0; mask &= mask - 1) {
          const size_t j = first + static_cast<size_t>(__builtin_ctz(mask));
          if ((a == b && j <= i) || j >= view.points || i >= view.points) continue;
          worker.pairs[2 * waiting] = static_cast<uint32_t>(i);
          worker.pairs[2 * waiting + 1] = static_cast<uint32_t>(j);
          ++waiting;
        }
      }
    }
  }
  if (waiting + kLanes * kLanes <= kPairs) return waiting;
  decide_all<Simd>(view, waiting, worker);
  return 0;
}

template <class Simd>
void sweep(const View& view, size_t a_begin, size_t a_end, size_t b_begin, size_t b_end, const Worker& worker) {
  for (size_t a = a_begin; a < a_end; ++a) {
    if (worker.should_stop(worker.state)) return;
    // Reaches only shrink: what they were when a tile was last looked at is still a bound.
    float reach = 0.0F;
    for (size_t q = a * kLanes; q < (a + 1) * kLanes; ++q) reach = view.reach[q] > reach ? view.reach[q] : reach;
    view.tile_reach[a] = reach;
    const size_t begin = a_begin == b_begin ? a : b_begin;
    size_t waiting = 0;
    for (size_t group = begin / kLanes; group * kLanes < b_end; ++group) {
      for (uint32_t mask = near_tiles<Simd>(view, a, group); mask != 0; mask &= mask - 1) {
        const size_t b = group * kLanes + static_cast<size_t>(__builtin_ctz(mask));
        if (b >= begin && b < b_end) waiting = sweep_tile_pair<Simd>(view, a, b, waiting, worker);
      }
    }
    decide_all<Simd>(view, waiting, worker);
  }
}

template <class Simd>
constexpr Kernel make_kernel() {
  return {sweep<Simd>, Simd::exact, reach_of<Simd>};
}

}  // namespace
}  // namespace olem::sweep
