#include "entropy/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "entropy/filter_scale.h"
#include "entropy/spatial_order.h"
#include "olem/parallel.h"
#include "olem/ranks.h"

namespace olem::internal {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kTile = sweep::kLanes;
constexpr std::size_t kGrain = 512;                   // points that one thread takes at a time
constexpr std::size_t kTilesInGroup = sweep::kLanes;  // boxes are tested a group at a time
// Of the coarse filter: differences fit into 16 bits and sums of their squares into 31, with room for rounding.
constexpr double kLargestCoarse = 32000.0;
constexpr double kLargestCoarseSum = 0.98 * 0x1p31;
// The coarse filter is used when the distances to be undercut are this many times its error: then it lets few pairs
// more through than the fine one.
constexpr double kCoarseResolution = 20.0;

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

// What one thread needs while it sweeps.
struct LeaveOneOutNeighbours::Sweep::WorkerMemory {
  WorkerMemory(Sweep& owner, const Context& its_context)
      : sweep(&owner),
        context(&its_context),
        scratch(2 * owner.stride_, 0.0),
        pairs(2 * kRoom),
        worker{this, nullptr, stop, scratch.data(), pairs.data(), pairs.data() + kRoom} {
    if (owner.keeps_lists()) worker.offer = offer;
  }
  WorkerMemory(const WorkerMemory&) = delete;
  WorkerMemory& operator=(const WorkerMemory&) = delete;

  static bool stop(void* state) { return static_cast<WorkerMemory*>(state)->context->should_stop(); }
  static void offer(void* state, const double* exact, size_t i, size_t j) {
    Sweep& owner = *static_cast<WorkerMemory*>(state)->sweep;
    owner.offer_to(exact, i, j);
    owner.offer_to(exact, j, i);
  }

  static constexpr std::size_t kRoom = sweep::kPairs + sweep::kLanes;
  Sweep* sweep;
  const Context* context;
  AlignedBuffer<double> scratch;
  std::vector<std::uint32_t> pairs;
  sweep::Worker worker;
};

LeaveOneOutNeighbours::Sweep::Sweep(const ColumnSpans& columns, const Options& options, const Context& context)
    : kernel_(kernel_for(options.instruction_set)),
      zeros_(options.zeros),
      points_(columns.front().size()),
      k_(static_cast<std::size_t>(options.k)),
      original_(spatial_order(columns, kTile, context)),
      tiles_(round_up(points_, kTile) / kTile),
      padded_tiles_(round_up(tiles_, kTilesInGroup)),
      columns_(columns.size()),
      width_(columns_ + 1),
      stride_(stride_for(width_)),
      reach_(padded_tiles_ * kTile, 0.0F),
      tile_reach_(padded_tiles_, 0.0F) {
  for (const std::span<const double> column : columns) {
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    low_.push_back(*low);
    high_.push_back(*high);
  }
  fill_rows(columns);
}

void LeaveOneOutNeighbours::Sweep::fill_rows(const ColumnSpans& columns) {
  const std::size_t room = tiles_ * kTile * stride_;
  rows_ = AlignedBuffer<double>(room, 0.0);
  kth_ = AlignedBuffer<double>(room, -kInfinity);
  nearest_ = AlignedBuffer<std::uint32_t>(room, kNobody);
  for (std::size_t p = 0; p < points_; ++p) {
    for (std::size_t v = 0; v < columns_; ++v) rows_[p * stride_ + v] = columns[v][original_[p]];
    std::fill_n(kth_.data() + p * stride_, width_, kInfinity);
  }
}

void LeaveOneOutNeighbours::Sweep::choose_filter() {
  double squares = 0.0;
  double largest = 0.0;
  for (std::size_t v = 0; v < columns_; ++v) {
    const double half = high_[v] / 2.0 - low_[v] / 2.0;
    squares += half * half;
    largest = std::max(largest, half);
  }
  const auto columns = static_cast<double>(columns_);
  const double coarse = std::min(std::sqrt(kLargestCoarseSum / squares), kLargestCoarse / largest) / 2.0;
  // A coordinate is off by half, a difference by one, with a little more for the rounding of the centring.
  const double coarse_error = 1.001 * std::sqrt(columns);

  // What the bounds of a typical point ask for.
  std::vector<double> bounds;
  for (std::size_t p = 0; p < points_; p += 1 + points_ / 1000) {
    const double* const kth = kth_.data() + p * stride_;
    bounds.push_back(*std::max_element(kth, kth + width_));
  }
  const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2);
  std::nth_element(bounds.begin(), middle, bounds.end());

  is_coarse_ = kernel_->has_coarse && std::sqrt(*middle) * coarse > kCoarseResolution * coarse_error;
  if (is_coarse_) {
    scale_ = coarse;
    coordinate_error_ = coarse_error;
  } else {
    const FilterScale fine = fine_filter_scale(low_, high_);
    scale_ = fine.scale;
    coordinate_error_ = fine.coordinate_error;
  }
}

void LeaveOneOutNeighbours::Sweep::fill_filter() {
  constexpr float kFar = std::numeric_limits<float>::max();
  const std::size_t pairs = (columns_ + 1) / 2;
  fine_ = AlignedBuffer<float>(is_coarse_ ? 0 : tiles_ * kTile * columns_, 0.0F);
  coarse_ = AlignedBuffer<std::int32_t>(is_coarse_ ? tiles_ * kTile * pairs : 0, 0);
  box_low_ = AlignedBuffer<float>(padded_tiles_ * columns_, kFar);
  box_high_ = AlignedBuffer<float>(padded_tiles_ * columns_, -kFar);
  for (std::size_t p = 0; p < points_; ++p) {
    const std::size_t tile = p / kTile;
    const std::size_t lane = p % kTile;
    for (std::size_t v = 0; v < columns_; ++v) {
      const double centred = (rows_[p * stride_ + v] - (low_[v] / 2.0 + high_[v] / 2.0)) * scale_;
      auto x = static_cast<float>(centred);
      if (is_coarse_) {
        const auto whole = static_cast<std::int32_t>(std::lrint(centred));
        x = static_cast<float>(whole);
        // The even column of a pair in the low half of the cell, the odd one in the high half.
        const std::uint32_t half = static_cast<std::uint32_t>(whole) & 0xFFFFU;
        std::int32_t& cell = coarse_[(tile * pairs + v / 2) * kTile + lane];
        cell = static_cast<std::int32_t>(static_cast<std::uint32_t>(cell) | (v % 2 == 0 ? half : half << 16));
      } else {
        fine_[(tile * columns_ + v) * kTile + lane] = x;
      }
      const std::size_t box = (tile / kTilesInGroup * columns_ + v) * kTilesInGroup + tile % kTilesInGroup;
      box_low_[box] = std::min(box_low_[box], x);
      box_high_[box] = std::max(box_high_[box], x);
    }
  }
}

sweep::View LeaveOneOutNeighbours::Sweep::view() {
  // Each of the additions and a few more operations round by at most half a unit; twice that is left as margin.
  const double operations = static_cast<double>(width_ + 8);
  return {is_coarse_ ? nullptr : fine_.data(),
          is_coarse_ ? coarse_.data() : nullptr,
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
          filter_shrink(width_),
          operations * kEpsilon,
          scale_,
          coordinate_error_};
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

void LeaveOneOutNeighbours::Sweep::start_bounds(const Context& context) {
  if (keeps_lists()) {
    distances_.assign(points_ * width_ * k_, kInfinity);
    neighbours_.assign(points_ * width_ * k_, kNobody);
  }
  if (keeps_lists() || first_step_) {
    const sweep::View now = view();
    parallel_for(context, 0, tiles_, kTilesInGroup, [&](std::size_t first, std::size_t last) {
      WorkerMemory memory(*this, context);
      double* const exact = memory.worker.scratch + stride_;
      for (std::size_t i = first * kTile; i < std::min(points_, last * kTile); ++i) {
        // Nothing is known before the first step: a tile's own points are near, and make the bounds for all others.
        const std::size_t tile_end = std::min(points_, (i / kTile + 1) * kTile);
        for (std::size_t j = i + 1; first_step_ && j < tile_end; ++j) kernel_->decide(now, i, j, memory.worker);
        if (first_step_) continue;
        for (const std::uint32_t j : winners_[i]) {
          kernel_->exact(rows_.data() + i * stride_, rows_.data() + j * stride_, width_, stride_, memory.worker.scratch,
                         exact);
          offer_to(exact, i, j);
        }
      }
    });
  }
  choose_filter();
  fill_filter();
  const sweep::View now = view();
  parallel_for(context, 0, tiles_, kTilesInGroup, [&](std::size_t first, std::size_t last) {
    for (std::size_t tile = first; tile < last; ++tile) {
      float largest = 0.0F;
      for (std::size_t i = tile * kTile; i < std::min(points_, (tile + 1) * kTile); ++i) {
        reach_[i] = kernel_->reach(now, i);
        largest = std::max(largest, reach_[i]);
      }
      tile_reach_[tile] = largest;
    }
  });
}

void LeaveOneOutNeighbours::Sweep::run(const Context& context, const std::function<void(double)>& progress) {
  // Each pair serves both of its points. So that no two threads write to one point, blocks of points meet in the rounds
  // of a tournament.
  const std::size_t groups = padded_tiles_ / kTilesInGroup;
  const Ranks* const ranks = sharing_ranks(context);
  if (ranks != nullptr) context.require_memory(points_ * stride_ * 16, "Sharing the distances among ranks");
  const std::size_t shares = ranks != nullptr ? static_cast<std::size_t>(ranks->size()) : 1;
  const std::size_t own_share = ranks != nullptr ? static_cast<std::size_t>(ranks->rank()) : 0;
  const std::size_t workers = shares * static_cast<std::size_t>(context.thread_count());
  const std::size_t blocks = workers == 1 ? 1 : std::min(groups, 2 * workers);
  const auto begin_of = [&](std::size_t block) { return std::min(tiles_, groups * block / blocks * kTilesInGroup); };
  const auto rounds = tournament(blocks);
  std::size_t done = 0;
  for (const Games& round : rounds) {
    Games games;  // of this rank
    for (std::size_t g = own_share; g < round.size(); g += shares) games.push_back(round[g]);
    parallel_for(context, 0, games.size(), 1, [&](std::size_t first, std::size_t last) {
      WorkerMemory memory(*this, context);
      for (std::size_t g = first; g < last; ++g) {
        const auto [a, b] = games[g];
        kernel_->sweep(view(), begin_of(a), begin_of(a + 1), begin_of(b), begin_of(b + 1), memory.worker);
      }
    });
    context.check_interrupt();
    progress(static_cast<double>(++done) / static_cast<double>(rounds.size()));
  }
  // Every pair was met on some rank, and all of them started from the same bounds.
  if (ranks != nullptr) {
    ranks->smallest({kth_.data(), points_ * stride_}, {nearest_.data(), points_ * stride_}, context);
  }
}

// Longer lists would have to be merged; they are rare enough that every rank makes them whole.
const Ranks* LeaveOneOutNeighbours::Sweep::sharing_ranks(const Context& context) const {
  return keeps_lists() ? nullptr : context.ranks;
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
    // A point may be without a neighbour: at distances that overflow, or among copies of itself that do not count.
    if (next_joint == kNobody || std::find(nearest, nearest + columns_, kNobody) != nearest + columns_) {
      std::fill_n(kth, columns_, kInfinity);
      std::fill_n(nearest, columns_, kNobody);
      continue;
    }
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

void LeaveOneOutNeighbours::Sweep::remove(const Context& context, std::size_t column) {
  if (keeps_lists()) winners_.resize(points_);
  parallel_for(context, 0, points_, kGrain, [&](std::size_t first, std::size_t last) {
    if (keeps_lists()) {
      carry_lists_over(first, last);
    } else {
      carry_bounds_over(column, first, last);
    }
  });
  remove_from_rows(column);
  low_.erase(low_.begin() + static_cast<std::ptrdiff_t>(column));
  high_.erase(high_.begin() + static_cast<std::ptrdiff_t>(column));
  --columns_;
}

}  // namespace olem::internal
