#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "entropy/neighbours.h"

namespace olem::test {

using namespace internal;

// The k smallest squared distances of every point to others, [point][k], by looking at all pairs.
inline std::vector<double> brute_force(const ColumnSpans& columns, int k, ZeroRule zeros) {
  const std::size_t n = columns.front().size();
  const auto width = static_cast<std::size_t>(k);
  std::vector<double> result(n * width, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> all;
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = squared_distance(columns, i, j);
      if (j != i && !(distance == 0.0 && zeros == ZeroRule::kIgnore)) all.push_back(distance);
    }
    const std::size_t found = std::min(width, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), all.end());
    std::copy_n(all.begin(), found, result.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  return result;
}

inline ColumnSpans columns_of(const Table& table) {
  ColumnSpans spans;
  for (std::size_t j = 0; j < table.columns(); ++j) spans.push_back(table.column(j));
  return spans;
}

inline ColumnSpans without(const ColumnSpans& columns, std::size_t column) {
  ColumnSpans others;
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (v != column) others.push_back(columns[v]);
  }
  return others;
}

}  // namespace olem::test
