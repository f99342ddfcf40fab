#include "entropy/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/parallel.h"

namespace olem {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kTile = sweep::kLanes;
constexpr std::size_t kGrain = 512;                   // points that one thread takes at a time
constexpr std::size_t kTilesInGroup = sweep::kLanes;  // boxes are tested a group at a time
constexpr float kFarAway = 1e18F;                     // where the points stand that fill up the last tile
constexpr double kLargestCoordinate = 0x1p50;  // squares of it add up without overflow, its 2^-80th part still counts

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Room for `width` doubles in whole vectors.
std::size_t stride_for(std::size_t width) { return round_up(width, 8); }

const sweep::Kernel* kernel_for(InstructionSet wanted) {
  switch (resolve_instruction_set(wanted)) {
#if defined(__x86_64__)
    case InstructionSet::kAvx512: return &sweep::avx512_kernel();
    case InstructionSet::kAvx2: return &sweep::avx2_kernel();
#endif
    default: return &sweep::portable_kernel();
  }
}

// Halves [first, last) at a multiple of the tile size along the widest column until a tile is left, so that tiles and
// their neighbours hold points that are near each other.
void split(const ColumnSpans& columns, std::vector<std::uint32_t>& order, std::size_t first, std::size_t last) {
  while (last - first > kTile) {
    double widest = -1.0;
    std::span<const double> column;
    for (const std::span<const double> candidate : columns) {
      double low = kInfinity;
      double high = -kInfinity;
      for (std::size_t i = first; i < last; ++i) {
        low = std::min(low, candidate[order[i]]);
        high = std::max(high, candidate[order[i]]);
      }
      if (high - low > widest) {
        widest = high - low;
        column = candidate;
      }
    }
    const std::size_t middle = first + round_up((last - first) / 2, kTile);
    const auto at = [&order](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(first), at(middle), at(last), [&](std::uint32_t a, std::uint32_t b) {
      return column[a] != column[b] ? column[a] < column[b] : a < b;
    });
    split(columns, order, first, middle);
    first = middle;
  }
}

using Games = std::vector<std::pair<std::size_t, std::size_t>>;

// Rounds of a tournament in which every two of `players` meet once and everybody plays at most once a round; in round 0
// everybody plays against themselves. Within a round no two games touch the same points.
std::vector<Games> tournament(std::size_t players) {
  std::vector<Games> rounds(1);
  for (std::size_t p = 0; p < players; ++p) rounds[0].emplace_back(p, p);
  const std::size_t even = players + players % 2;
  for (std::size_t round = 0; round + 1 < even; ++round) {
    Games& games = rounds.emplace_back();
    for (std::size_t table = 0; table < even / 2; ++table) {
      // The circle method: the last player stays, the others move on by one.
      const std::size_t turning = even - 1;
      const std::size_t a = table == 0 ? turning : (round + table) % turning;
      const std::size_t b = (round + turning - table) % turning;
      if (a < players && b < players) games.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  return rounds;
}

}  // namespace

LeaveOneOutNeighbours::Sweep::Sweep(const ColumnSpans& columns, const Options& options)
    : kernel_(kernel_for(options.instruction_set)),
      zeros_(options.zeros),
      points_(columns.front().size()),
      k_(static_cast<std::size_t>(options.k)),
      original_(points_),
      tiles_(round_up(points_, kTile) / kTile),
      padded_tiles_(round_up(tiles_, kTilesInGroup)),
      columns_(columns.size()),
      width_(columns_ + 1),
      stride_(stride_for(width_)),
      reach_(padded_tiles_ * kTile, 0.0F),
      tile_reach_(padded_tiles_, 0.0F) {
  std::iota(original_.begin(), original_.end(), 0U);
  split(columns, original_, 0, points_);
  fill_rows(columns);
  fill_filter(columns);
}

void LeaveOneOutNeighbours::Sweep::fill_rows(const ColumnSpans& columns) {
  rows_ = AlignedBuffer<double>(points_ * stride_, 0.0);
  kth_ = AlignedBuffer<double>(points_ * stride_, -kInfinity);
  nearest_ = AlignedBuffer<std::uint32_t>(points_ * stride_, kNobody);
  for (std::size_t p = 0; p < points_; ++p) {
    for (std::size_t v = 0; v < columns_; ++v) rows_[p * stride_ + v] = columns[v][original_[p]];
    std::fill_n(kth_.data() + p * stride_, width_, kInfinity);
  }
}

void LeaveOneOutNeighbours::Sweep::fill_filter(const ColumnSpans& columns) {
  std::vector<double> centre(columns_);
  double largest = 0.0;
  for (std::size_t v = 0; v < columns_; ++v) {
    const auto [low, high] = std::minmax_element(columns[v].begin(), columns[v].end());
    centre[v] = *low / 2.0 + *high / 2.0;
    largest = std::max(largest, *high / 2.0 - *low / 2.0);
  }
  scale_ = largest > 0.0 ? std::exp2(std::floor(std::log2(kLargestCoordinate / largest))) : 1.0;

  filter_ = AlignedBuffer<float>(tiles_ * kTile * columns_, kFarAway);
  box_low_ = AlignedBuffer<float>(padded_tiles_ * columns_, kFarAway);
  box_high_ = AlignedBuffer<float>(padded_tiles_ * columns_, -kFarAway);
  for (std::size_t v = 0; v < columns_; ++v) {
    float magnitude = 0.0F;
    for (std::size_t p = 0; p < points_; ++p) {
      const auto x = static_cast<float>((columns[v][original_[p]] - centre[v]) * scale_);
      const std::size_t tile = p / kTile;
      filter_[(tile * columns_ + v) * kTile + p % kTile] = x;
      const std::size_t box = (tile / kTilesInGroup * columns_ + v) * kTilesInGroup + tile % kTilesInGroup;
      box_low_[box] = std::min(box_low_[box], x);
      box_high_[box] = std::max(box_high_[box], x);
      magnitude = std::max(magnitude, std::abs(x));
    }
    // A rounded coordinate is off by half a unit of its size, a difference by twice that; as much again is margin for
    // the rounding of the centring.
    const double error = 4.0 * static_cast<double>(magnitude) * 0x1p-24;
    squared_errors_.push_back(error * error);
  }
}

sweep::View LeaveOneOutNeighbours::Sweep::view() {
  // Each of the additions and a few more operations round by at most half a unit; twice that is left as margin.
  const double operations = static_cast<double>(width_ + 8);
  const double squared_error = std::accumulate(squared_errors_.begin(), squared_errors_.end(), 0.0);
  return {filter_.data(),
          box_low_.data(),
          box_high_.data(),
          reach_.data(),
          tile_reach_.data(),
          rows_.data(),
          kth_.data(),
          nearest_.data(),
          points_,
          columns_,
          width_,
          stride_,
          static_cast<float>(1.0 - operations * 0x1p-22),
          operations * kEpsilon,
          scale_,
          std::sqrt(squared_error)};
}

void LeaveOneOutNeighbours::Sweep::offer_to(const double* exact, std::size_t i, std::size_t j) {
  bool changed = false;
  for (std::size_t v = 0; v < width_; ++v) {
    double& kth = kth_[i * stride_ + v];
    if (!(exact[v] < kth) || (exact[v] == 0.0 && zeros_ == ZeroRule::kIgnore)) continue;
    double* const list = distances_.data() + (i * width_ + v) * k_;
    std::uint32_t* const ids = neighbours_.data() + (i * width_ + v) * k_;
    const auto id = static_cast<std::uint32_t>(j);
    if (std::find(ids, ids + k_, id) != ids + k_) continue;
    std::size_t slot = k_ - 1;
    for (; slot > 0 && list[slot - 1] > exact[v]; --slot) {
      list[slot] = list[slot - 1];
      ids[slot] = ids[slot - 1];
    }
    list[slot] = exact[v];
    ids[slot] = id;
    kth = list[k_ - 1];
    changed = true;
  }
  if (changed) reach_[i] = kernel_->reach(view(), i);
}

void LeaveOneOutNeighbours::Sweep::offer(const double* exact, std::size_t i, std::size_t j) {
  offer_to(exact, i, j);
  offer_to(exact, j, i);
}

void LeaveOneOutNeighbours::Sweep::start_bounds(const Context& context) {
  if (keeps_lists()) {
    distances_.assign(points_ * width_ * k_, kInfinity);
    neighbours_.assign(points_ * width_ * k_, kNobody);
  }
  const sweep::View now = view();
  parallel_for(context, 0, tiles_, kTilesInGroup, [&](std::size_t first, std::size_t last) {
    AlignedBuffer<double> scratch(2 * stride_, 0.0);
    double* const exact = scratch.data() + stride_;
    for (std::size_t i = first * kTile; i < std::min(points_, last * kTile); ++i) {
      if (keeps_lists() && !first_step_) {
        for (const std::uint32_t j : winners_[i]) {
          kernel_->exact(rows_.data() + i * stride_, rows_.data() + j * stride_, width_, stride_, scratch.data(),
                         exact);
          offer_to(exact, i, j);
        }
      }
      reach_[i] = kernel_->reach(now, i);
    }
    for (std::size_t tile = first; tile < last; ++tile) {
      // Nothing is known before the first step: a tile's own points are near, and make the bounds for all others.
      if (first_step_) run_tiles(context, tile, tile + 1, tile, tile + 1);
      const float* const begin = reach_.data() + tile * kTile;
      tile_reach_[tile] = *std::max_element(begin, begin + kTile);
    }
  });
}

void LeaveOneOutNeighbours::Sweep::run_tiles(const Context& context, std::size_t a_begin, std::size_t a_end,
                                             std::size_t b_begin, std::size_t b_end) {
  struct State {
    Sweep* sweep;
    const Context* context;
  } state{this, &context};
  AlignedBuffer<double> scratch(2 * stride_, 0.0);
  std::vector<std::uint32_t> pairs(2 * sweep::kPairs);
  sweep::Worker worker{&state, nullptr, nullptr, scratch.data(), pairs.data()};
  worker.should_stop = [](void* s) { return static_cast<State*>(s)->context->should_stop(); };
  if (keeps_lists()) {
    worker.offer = [](void* s, const double* exact, size_t i, size_t j) {
      static_cast<State*>(s)->sweep->offer(exact, i, j);
    };
  }
  kernel_->sweep(view(), a_begin, a_end, b_begin, b_end, worker);
}

void LeaveOneOutNeighbours::Sweep::run(const Context& context, const std::function<void(double)>& progress) {
  // Each pair serves both of its points. So that no two threads write to one point, blocks of points meet in the rounds
  // of a tournament.
  const std::size_t groups = padded_tiles_ / kTilesInGroup;
  const auto threads = static_cast<std::size_t>(context.thread_count());
  const std::size_t blocks = threads == 1 ? 1 : std::min(groups, 2 * threads);
  const auto begin_of = [&](std::size_t block) { return std::min(tiles_, groups * block / blocks * kTilesInGroup); };
  const auto rounds = tournament(blocks);
  std::size_t done = 0;
  for (const Games& games : rounds) {
    parallel_for(context, 0, games.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t g = first; g < last; ++g) {
        const auto [a, b] = games[g];
        run_tiles(context, begin_of(a), begin_of(a + 1), begin_of(b), begin_of(b + 1));
      }
    });
    context.check_interrupt();
    progress(static_cast<double>(++done) / static_cast<double>(rounds.size()));
  }
}

void LeaveOneOutNeighbours::Sweep::evaluate(const Context& context, const std::function<void(double)>& progress,
                                            std::span<double> without, std::span<double> joint) {
  start_bounds(context);
  run(context, progress);
  parallel_for(context, 0, points_, kGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      for (std::size_t v = 0; v < width_; ++v) {
        double* const target = (v < columns_ ? without.data() + v * points_ * k_ : joint.data()) + original_[p] * k_;
        if (keeps_lists()) {
          std::copy_n(distances_.data() + (p * width_ + v) * k_, k_, target);
        } else {
          *target = kth_[p * stride_ + v];
        }
      }
    }
  });
  first_step_ = false;
}

// Without `column` a distance is smaller by that column's term. The distances to the winners of the step before, less
// that term and with a margin for rounding, are bounds for the new ones; the pair itself, met again in the sweep, then
// brings the exact number.
void LeaveOneOutNeighbours::Sweep::carry_bounds_over(std::size_t column, std::size_t first, std::size_t last) {
  const double slack = 8.0 * static_cast<double>(width_ + 8) * kEpsilon;
  for (std::size_t p = first; p < last; ++p) {
    const double* const row = rows_.data() + p * stride_;
    double* const kth = kth_.data() + p * stride_;
    std::uint32_t* const nearest = nearest_.data() + p * stride_;
    const std::uint32_t next_joint = nearest[column];
    const double* const joint_row = rows_.data() + next_joint * stride_;
    for (std::size_t v = 0; v < columns_; ++v) {
      if (v == column) continue;
      const double own = row[column] - rows_[nearest[v] * stride_ + column];
      const double by_own = kth[v] - own * own + slack * kth[v];
      const double other = row[v] - joint_row[v];
      const double by_joint = kth[column] - other * other + slack * kth[column];
      if (by_joint < by_own) nearest[v] = next_joint;
      kth[v] = std::min(by_own, by_joint);
    }
  }
}

void LeaveOneOutNeighbours::Sweep::carry_lists_over(std::size_t first_point, std::size_t last_point) {
  for (std::size_t p = first_point; p < last_point; ++p) {
    const auto first = neighbours_.begin() + static_cast<std::ptrdiff_t>(p * width_ * k_);
    std::vector<std::uint32_t>& ids = winners_[p];
    ids.assign(first, first + static_cast<std::ptrdiff_t>(width_ * k_));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (!ids.empty() && ids.back() == kNobody) ids.pop_back();
  }
}

void LeaveOneOutNeighbours::Sweep::remove_from_rows(std::size_t column) {
  const std::size_t width = columns_ - 1;
  const std::size_t stride = stride_for(width);
  // In place: no entry moves to the right.
  for (std::size_t p = 0; p < points_; ++p) {
    for (std::size_t v = 0; v < stride; ++v) {
      const std::size_t from = p * stride_ + v + (v >= column ? 1 : 0);
      const std::size_t to = p * stride + v;
      rows_[to] = v < width ? rows_[from] : 0.0;
      nearest_[to] = v < width ? nearest_[from] : kNobody;
      if (v >= width) {
        kth_[to] = -kInfinity;
      } else {
        kth_[to] = keeps_lists() ? kInfinity : kth_[from];
      }
    }
  }
  width_ = width;
  stride_ = stride;
}

void LeaveOneOutNeighbours::Sweep::remove_from_filter(std::size_t column) {
  const auto remove_from = [&](AlignedBuffer<float>& buffer, std::size_t tiles) {
    float* to = buffer.data();
    const float* from = buffer.data();
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      for (std::size_t v = 0; v < columns_; ++v, from += kTile) {
        if (v != column) to = std::copy(from, from + kTile, to);
      }
    }
  };
  remove_from(filter_, tiles_);
  remove_from(box_low_, padded_tiles_ / kTilesInGroup);
  remove_from(box_high_, padded_tiles_ / kTilesInGroup);
  squared_errors_.erase(squared_errors_.begin() + static_cast<std::ptrdiff_t>(column));
}

void LeaveOneOutNeighbours::Sweep::remove(const Context& context, std::size_t column) {
  if (keeps_lists()) winners_.resize(points_);
  parallel_for(context, 0, points_, kGrain, [&](std::size_t first, std::size_t last) {
    if (keeps_lists()) {
      carry_lists_over(first, last);
    } else {
      carry_bounds_over(column, first, last);
    }
  });
  remove_from_filter(column);
  remove_from_rows(column);
  --columns_;
}

}  // namespace olem
