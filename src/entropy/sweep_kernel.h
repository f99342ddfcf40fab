#pragma once

#include <math.h>

#include "entropy/sweep_view.h"

// The sweep, written once over a small set of vector operations. Every instruction set instantiates it in a file of
// its own; everything is in an unnamed namespace so that no two of them share code.
namespace olem::internal::sweep {
namespace {

// Bits of the candidate tiles of one group whose boxes are near enough to the box of tile `a`. The reduced distance of
// two boxes is a lower bound for that of all their pairs.
template <class Simd>
uint32_t near_tiles(const View& view, size_t a, size_t group) {
  using Fine = typename Simd::Fine;
  using Vector = typename Fine::Vector;
  const float* low = view.box_low + group * view.columns * kLanes;
  const float* high = view.box_high + group * view.columns * kLanes;
  const size_t own = (a / kLanes) * view.columns * kLanes + a % kLanes;
  const Vector shrink = Fine::broadcast(&view.shrink);
  uint32_t mask = 0;
  for (int part = 0; part < kLanes; part += Fine::kWidth) {
    Vector sum = Fine::zero();
    Vector largest = Fine::zero();
    for (size_t v = 0; v < view.columns; ++v) {
      const Vector below =
          Fine::subtract(Fine::load(low + v * kLanes + part), Fine::broadcast(view.box_high + own + v * kLanes));
      const Vector above =
          Fine::subtract(Fine::broadcast(view.box_low + own + v * kLanes), Fine::load(high + v * kLanes + part));
      const Vector gap = Fine::max(Fine::max(below, above), Fine::zero());
      sum = Fine::add_square(gap, sum);
      largest = Fine::max(largest, gap);
    }
    const Vector reach =
        Fine::max(Fine::broadcast(view.tile_reach + a), Fine::load(view.tile_reach + group * kLanes + part));
    mask |= Fine::reduced_below(sum, largest, shrink, reach) << part;
  }
  return mask;
}

// Lists the pairs of `query` with the candidates first + b for every bit b of the mask, from place `at` on; returns the
// place after the last.
inline size_t append_bits(uint32_t mask, uint32_t query, uint32_t first, uint32_t* firsts, uint32_t* seconds,
                          size_t at) {
  for (; mask != 0; mask &= mask - 1, ++at) {
    firsts[at] = query;
    seconds[at] = first + static_cast<uint32_t>(__builtin_ctz(mask));
  }
  return at;
}

// A pair whose reduced distance is not below this cannot improve a point whose worst bound is `worst`.
inline float reach_for(const View& view, double worst) {
  const double distance = sqrt(worst) * view.scale + view.coordinate_error;
  // Rounding to a float is within the factor; the cap keeps infinity out of the filter's arithmetic.
  const double reach = distance * distance * (1.0 + 0x1p-20);
  return static_cast<float>(reach < 0x1p126 ? reach : 0x1p126);
}

float reach_of(const View& view, size_t i) {
  const double* kth = view.kth + i * view.stride;
  double worst = kth[0];
  for (size_t v = 1; v < view.width; ++v) worst = kth[v] > worst ? kth[v] : worst;
  return reach_for(view, worst);
}

template <class Simd>
bool may_improve(const View& view, size_t i, size_t j) {
  return Simd::may_improve(view.rows + i * view.stride, view.rows + j * view.stride, view.kth + i * view.stride,
                           view.kth + j * view.stride, view.stride, view.margin);
}

template <class Simd>
void take(const View& view, const double* exact, size_t i, size_t j) {
  double worst = 0.0;
  if (Simd::take_smaller(exact, view.kth + i * view.stride, view.nearest + i * view.stride, view.stride,
                         static_cast<uint32_t>(j), &worst)) {
    view.reach[i] = reach_for(view, worst);
  }
}

template <class Simd>
void decide(const View& view, size_t i, size_t j, const Worker& worker) {
  double* exact = worker.scratch + view.stride;
  Simd::exact(view.rows + i * view.stride, view.rows + j * view.stride, view.width, view.stride, worker.scratch, exact);
  if (worker.offer != nullptr) {
    worker.offer(worker.state, exact, i, j);
  } else {
    take<Simd>(view, exact, i, j);
    take<Simd>(view, exact, j, i);
  }
}

// First all pairs that cannot improve anything are thrown out, without a branch that the processor could guess wrong:
// pairs met twice (within a tile), pairs with a point that only fills up the last tile, and those that miss in double.
template <class Simd>
void decide_all(const View& view, size_t count, const Worker& worker) {
  size_t kept = 0;
  for (size_t p = 0; p < count; ++p) {
    const uint32_t i = worker.first[p];
    const uint32_t j = worker.second[p];
    worker.first[kept] = i;
    worker.second[kept] = j;
    const bool counts = (i / kLanes != j / kLanes) | (i < j);
    kept += static_cast<size_t>(counts & (i < view.points) & (j < view.points) & may_improve<Simd>(view, i, j));
  }
  for (size_t p = 0; p < kept; ++p) decide<Simd>(view, worker.first[p], worker.second[p], worker);
}

// All pairs of tile a with tile b; returns the number of pairs that wait. The largest single term is taken off at the
// end: no column left out can make the distance smaller than that. `cells` are the tiles of the filter, of `rows` rows.
template <class Simd, class Filter>
size_t sweep_tile_pair(const View& view, const typename Filter::Cell* cells, size_t rows, size_t a, size_t b,
                       size_t waiting, const Worker& worker) {
  using Vector = typename Filter::Vector;
  constexpr int kQueries = Simd::kQueries;
  const auto* queries = cells + a * rows * kLanes;
  const auto* candidates = cells + b * rows * kLanes;
  for (int part = 0; part < kLanes; part += Filter::kWidth) {
    const size_t first = b * kLanes + static_cast<size_t>(part);
    for (int q0 = 0; q0 < kLanes; q0 += kQueries) {
      Vector sum[kQueries];
      Vector largest[kQueries];
      for (int q = 0; q < kQueries; ++q) sum[q] = largest[q] = Filter::zero();
      for (size_t v = 0; v < rows; ++v) {
        const Vector candidate = Filter::load(candidates + v * kLanes + part);
        for (int q = 0; q < kQueries; ++q) {
          const Vector difference = Filter::subtract(candidate, Filter::broadcast(queries + v * kLanes + q0 + q));
          sum[q] = Filter::add_square(difference, sum[q]);
          largest[q] = Filter::max_magnitude(largest[q], difference);
        }
      }
      const size_t i0 = a * kLanes + static_cast<size_t>(q0);
      uint32_t masks[kQueries];
      for (int q = 0; q < kQueries; ++q) {
        masks[q] = Filter::passes(sum[q], largest[q], view.shrink, view.reach + i0 + q, view.reach + first);
      }
      for (int q = 0; q < kQueries; ++q) {
        waiting = Simd::append(masks[q], static_cast<uint32_t>(i0) + static_cast<uint32_t>(q),
                               static_cast<uint32_t>(first), worker.first, worker.second, waiting);
      }
    }
  }
  if (waiting + std::size_t{kLanes} * kLanes <= kPairs) return waiting;
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
        if (b < begin || b >= b_end) continue;
        if constexpr (Simd::kHasCoarse) {
          if (view.coarse != nullptr) {
            const size_t rows = (view.columns + 1) / 2;
            waiting = sweep_tile_pair<Simd, typename Simd::Coarse>(view, view.coarse, rows, a, b, waiting, worker);
            continue;
          }
        }
        waiting = sweep_tile_pair<Simd, typename Simd::Fine>(view, view.fine, view.columns, a, b, waiting, worker);
      }
    }
    decide_all<Simd>(view, waiting, worker);
  }
}

template <class Simd>
constexpr Kernel make_kernel() {
  return {sweep<Simd>, Simd::exact, decide<Simd>, reach_of, Simd::kHasCoarse};
}

}  // namespace
}  // namespace olem::internal::sweep
