#include "entropy/spatial_order.h"

#include <algorithm>
#include <numeric>

#include "olem/parallel.h"

namespace olem::internal {

namespace {

struct Piece {
  std::size_t first;
  std::size_t last;
};

// Pieces below this many points are cheap enough for one thread.
constexpr std::size_t kPieceForOneThread = 1U << 15;

double range_within(std::span<const double> column, const std::vector<std::uint32_t>& order, Piece piece) {
  double low = kInfinity;
  double high = -kInfinity;
  for (std::size_t i = piece.first; i < piece.last; ++i) {
    low = std::min(low, column[order[i]]);
    high = std::max(high, column[order[i]]);
  }
  return high - low;
}

// Halves the piece along the column whose range is widest; returns the middle.
std::size_t halve(const ColumnSpans& columns, std::span<const double> ranges, std::vector<std::uint32_t>& order,
                  Piece piece, std::size_t tile) {
  const auto widest = std::max_element(ranges.begin(), ranges.end()) - ranges.begin();
  const std::span<const double> column = columns[static_cast<std::size_t>(widest)];
  const std::size_t half = (piece.last - piece.first) / 2;
  const std::size_t middle = piece.first + (half + tile - 1) / tile * tile;
  const auto at = [&order](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(piece.first), at(middle), at(piece.last), [&](std::uint32_t a, std::uint32_t b) {
    return column[a] != column[b] ? column[a] < column[b] : a < b;
  });
  return middle;
}

void halve_to_tiles(const ColumnSpans& columns, std::vector<std::uint32_t>& order, Piece piece, std::size_t tile,
                    std::vector<double>& ranges) {
  while (piece.last - piece.first > tile) {
    for (std::size_t v = 0; v < columns.size(); ++v) ranges[v] = range_within(columns[v], order, piece);
    const std::size_t middle = halve(columns, ranges, order, piece, tile);
    halve_to_tiles(columns, order, {piece.first, middle}, tile, ranges);
    piece.first = middle;
  }
}

}  // namespace

std::vector<std::uint32_t> spatial_order(const ColumnSpans& columns, std::size_t tile, const Context& context) {
  std::vector<std::uint32_t> order(columns.front().size());
  std::iota(order.begin(), order.end(), 0U);
  // Large pieces one after the other on all threads, then the small ones side by side.
  std::vector<Piece> large = {{0, order.size()}};
  std::vector<Piece> small;
  std::vector<double> ranges(columns.size());
  while (!large.empty()) {
    const Piece piece = large.back();
    large.pop_back();
    if (piece.last - piece.first <= std::max(tile, kPieceForOneThread)) {
      small.push_back(piece);
      continue;
    }
    parallel_for(context, 0, columns.size(), 1,
                 [&](std::size_t v, std::size_t) { ranges[v] = range_within(columns[v], order, piece); });
    const std::size_t middle = halve(columns, ranges, order, piece, tile);
    large.push_back({piece.first, middle});
    large.push_back({middle, piece.last});
  }
  parallel_for(context, 0, small.size(), 1, [&](std::size_t p, std::size_t) {
    std::vector<double> own_ranges(columns.size());
    halve_to_tiles(columns, order, small[p], tile, own_ranges);
  });
  return order;
}

}  // namespace olem::internal
