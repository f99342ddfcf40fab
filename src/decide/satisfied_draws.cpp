#include "decide/satisfied_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/special.h"

namespace olem::internal {

namespace {

double slack_of(double bound) { return kBorderSlack * std::max(1.0, std::abs(bound)); }

}  // namespace

ShiftRows shift_rows(const AffineOutcomes& outcomes, const Region& region) {
  ShiftRows result;
  result.draws = outcomes.draws;
  result.outcomes = outcomes.outcomes;
  std::vector<double> limits;
  for (std::size_t r = 0; r < region.rows(); ++r) {
    const std::span<const double> weights = region.weights(r);
    const double length = std::sqrt(std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0));
    if (length == 0.0) {
      result.impossible = result.impossible || region.bound(r) < 0.0;
      continue;
    }
    for (const double weight : weights) result.normals.push_back(weight / length);
    limits.push_back(region.bound(r) / length);
  }
  result.rows = limits.size();
  result.bounds.reserve(result.draws * result.rows);
  for (std::size_t i = 0; i < result.draws; ++i) {
    const double* const base = outcomes.base.data() + i * result.outcomes;
    for (std::size_t r = 0; r < result.rows; ++r) {
      const std::span<const double> normal = result.normal(r);
      result.bounds.push_back(limits[r] - std::inner_product(normal.begin(), normal.end(), base, 0.0));
    }
  }
  return result;
}

std::vector<double> row_values(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> z) {
  std::vector<double> values(rows.rows, 0.0);
  for (std::size_t o = 0; o < rows.outcomes; ++o) {
    const double shift = std::inner_product(z.begin(), z.end(), outcomes.response.data() + o * z.size(), 0.0);
    for (std::size_t r = 0; r < rows.rows; ++r) values[r] += rows.normal(r)[o] * shift;
  }
  return values;
}

std::vector<std::size_t> satisfied_at(const ShiftRows& rows, std::span<const double> values) {
  std::vector<std::size_t> satisfied;
  if (rows.impossible) return satisfied;
  for (std::size_t i = 0; i < rows.draws; ++i) {
    bool inside = true;
    for (std::size_t r = 0; r < rows.rows && inside; ++r)
      inside = values[r] <= rows.bound(i, r) + slack_of(rows.bound(i, r));
    if (inside) satisfied.push_back(i);
  }
  return satisfied;
}

DeepestStretch deepest_stretch(std::span<const Stretch> stretches, double low, double high) {
  std::vector<double> starts;
  std::vector<double> ends;
  for (const Stretch& stretch : stretches) {
    if (!(stretch.low <= stretch.high && stretch.low <= high && stretch.high >= low)) continue;
    starts.push_back(std::max(stretch.low, low));
    ends.push_back(std::min(stretch.high, high));
  }
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  DeepestStretch best;
  const auto consider = [&](std::size_t depth, double from, double to) {
    if (depth > best.depth || (depth == best.depth && depth > 0 && to - from > best.at.high - best.at.low))
      best = {depth, {from, to}};
  };
  // Stretches are closed: one that starts where another ends still overlaps it.
  std::size_t depth = 0;
  std::size_t ended = 0;
  for (std::size_t s = 0; s < starts.size();) {
    if (starts[s] <= ends[ended]) {
      ++depth;
      ++s;
      if (s == starts.size() || starts[s] > ends[ended]) consider(depth, starts[s - 1], ends[ended]);
    } else {
      --depth;
      ++ended;
    }
  }
  return best;
}

void stretches_on(const ShiftRows& rows, const ShiftLine& line, std::vector<Stretch>& stretches) {
  stretches.clear();
  if (rows.impossible) return;
  // A line along a border of the region must not lose its draws by rounding.
  constexpr double kParallel = 1e-12;
  for (std::size_t i = 0; i < rows.draws; ++i) {
    Stretch stretch{line.low, line.high};
    for (std::size_t r = 0; r < rows.rows && stretch.low <= stretch.high; ++r) {
      const double room = rows.bound(i, r) - line.start[r];
      const double slope = line.slope[r];
      if (slope > kParallel) {
        stretch.high = std::min(stretch.high, room / slope);
      } else if (slope < -kParallel) {
        stretch.low = std::max(stretch.low, room / slope);
      } else if (room < -slack_of(rows.bound(i, r))) {
        stretch.high = -kInfinity;
      }
    }
    if (stretch.low <= stretch.high) stretches.push_back(stretch);
  }
}

std::vector<double> best_on_line(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> low,
                                 std::span<const double> high) {
  ShiftLine line;
  line.start.assign(rows.rows, 0.0);
  line.slope = rows.normals;
  for (std::size_t a = 0; a < outcomes.altered; ++a) {
    const double effect = outcomes.response[a];
    line.low += std::min(effect * low[a], effect * high[a]);
    line.high += std::max(effect * low[a], effect * high[a]);
  }
  std::vector<Stretch> stretches;
  stretches_on(rows, line, stretches);
  const DeepestStretch best = deepest_stretch(stretches, line.low, line.high);
  const double shift = 0.5 * (best.at.low + best.at.high);
  std::vector<double> values;
  for (const double slope : line.slope) values.push_back(slope * shift);
  return values;
}

}  // namespace olem::internal
