// Neighbours over one set of columns: sorting in one dimension, a k-d tree in more.
#include <algorithm>
#include <limits>
#include <nanoflann.hpp>
#include <numeric>

#include "entropy/neighbours.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

// What nanoflann asks of a data set.
struct Cloud {
  const ColumnSpans& columns;
  std::size_t kdtree_get_point_count() const { return columns.front().size(); }
  double kdtree_get_pt(std::size_t point, std::size_t dimension) const { return columns[dimension][point]; }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

// The k smallest distances to points other than `self`, kept sorted in the caller's memory.
class NearestList {
 public:
  using DistanceType = double;

  NearestList(std::size_t self, ZeroRule zeros, std::span<double> distances)
      : self_(self), zeros_(zeros), distances_(distances) {
    std::fill(distances_.begin(), distances_.end(), kInfinity);
  }
  bool full() const { return distances_.back() < kInfinity; }
  double worstDist() const { return distances_.back(); }  // NOLINT(readability-identifier-naming): nanoflann's name
  bool addPoint(double distance, std::size_t index) {     // NOLINT(readability-identifier-naming): nanoflann's name
    if (index == self_ || (distance == 0.0 && zeros_ == ZeroRule::kIgnore) || !(distance < distances_.back())) {
      return true;
    }
    std::size_t slot = distances_.size() - 1;
    for (; slot > 0 && distances_[slot - 1] > distance; --slot) distances_[slot] = distances_[slot - 1];
    distances_[slot] = distance;
    return true;
  }

 private:
  std::size_t self_;
  ZeroRule zeros_;
  std::span<double> distances_;
};

}  // namespace

void nearest_by_sorting(std::span<const double> column, int k, ZeroRule zeros, std::span<double> result) {
  const std::size_t n = column.size();
  const auto width = static_cast<std::size_t>(k);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  std::vector<double> x(n);
  for (std::size_t r = 0; r < n; ++r) x[r] = column[order[r]];
  // With zeros ignored the search starts outside of the run of equal values.
  std::size_t run_first = 0;
  std::size_t run_last = 0;
  for (std::size_t r = 0; r < n; ++r) {
    if (r == 0 || x[r] != x[r - 1]) {
      run_first = r;
      run_last = r;
      while (run_last + 1 < n && x[run_last + 1] == x[r]) ++run_last;
    }
    std::size_t left = zeros == ZeroRule::kIgnore ? run_first : r;          // next on the left is left - 1
    std::size_t right = zeros == ZeroRule::kIgnore ? run_last + 1 : r + 1;  // next on the right
    double* const list = result.data() + order[r] * width;
    for (std::size_t slot = 0; slot < width; ++slot) {
      const double to_left = left > 0 ? x[r] - x[left - 1] : kInfinity;
      const double to_right = right < n ? x[right] - x[r] : kInfinity;
      const double nearest = std::min(to_left, to_right);
      list[slot] = nearest * nearest;
      if (nearest == kInfinity) continue;
      if (to_left <= to_right) {
        --left;
      } else {
        ++right;
      }
    }
  }
}

void nearest_by_tree(const ColumnSpans& columns, int k, ZeroRule zeros, const Context& context,
                     std::span<double> result) {
  using Metric = nanoflann::L2_Simple_Adaptor<double, Cloud>;
  constexpr int kLeafSize = 16;
  constexpr std::size_t kGrain = 1024;
  const Cloud cloud{columns};
  const nanoflann::KDTreeSingleIndexAdaptor<Metric, Cloud> tree(static_cast<int>(columns.size()), cloud,
                                                                nanoflann::KDTreeSingleIndexAdaptorParams(kLeafSize));
  const auto width = static_cast<std::size_t>(k);
  // The tree's bounds are rounded differently from the distances: a little slack lets no equal neighbour slip away.
  const nanoflann::SearchParams slack(32, -1e-6F, true);
  parallel_for(context, 0, columns.front().size(), kGrain, [&](std::size_t first, std::size_t last) {
    std::vector<double> point(columns.size());
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t v = 0; v < columns.size(); ++v) point[v] = columns[v][i];
      NearestList list(i, zeros, result.subspan(i * width, width));
      tree.findNeighbors(list, point.data(), slack);
    }
  });
}

}  // namespace olem::internal
