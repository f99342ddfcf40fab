#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/qwz23.h"
#include "olem/region.h"

namespace olem::internal {

// When a draw is in the region: draw i for every shift v = B z of the outcomes with normal_r . v <= bound(i, r) for all
// rows r. Rows of the region that are zero are left out.
struct ShiftRows {
  std::size_t draws = 0;
  std::size_t outcomes = 0;
  std::size_t rows = 0;
  std::vector<double> normals;  // rows x outcomes, each of length 1
  std::vector<double> bounds;   // draws x rows
  bool impossible = false;      // a row without weights is never satisfied

  std::span<const double> normal(std::size_t row) const { return {normals.data() + row * outcomes, outcomes}; }
  double bound(std::size_t draw, std::size_t row) const { return bounds[draw * rows + row]; }
};

ShiftRows shift_rows(const AffineOutcomes& outcomes, const Region& region);

// normal_r . B z for each row.
std::vector<double> row_values(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> z);

// Borders count as inside up to 1e-9 standard deviations.
inline constexpr double kBorderSlack = 1e-9;
std::vector<std::size_t> satisfied_at(const ShiftRows& rows, std::span<const double> values);

// A part of a line.
struct Stretch {
  double low = 0.0;
  double high = 0.0;
};

// The part of [low, high] in which most of the stretches, closed ones, overlap; of several the widest, of equals the
// first. Reorders nothing; stretches that are empty or outside do not count. O(n log n).
struct DeepestStretch {
  std::size_t depth = 0;
  Stretch at;
};
DeepestStretch deepest_stretch(std::span<const Stretch> stretches, double low, double high);

// A line in the space of shifts, or of the decision: at t the rows have the values start_r + t slope_r, t in [low,
// high].
struct ShiftLine {
  std::vector<double> start;
  std::vector<double> slope;
  double low = 0.0;
  double high = 0.0;
};

// For each draw that is satisfied somewhere on the line, where.
void stretches_on(const ShiftRows& rows, const ShiftLine& line, std::vector<Stretch>& stretches);

// The values of the rows at the best shift for one outcome (two outcomes) that can be reached, exactly.
std::vector<double> best_on_line(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> low,
                                 std::span<const double> high);
std::vector<double> best_in_plane(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> low,
                                  std::span<const double> high, const Context& context);

}  // namespace olem::internal
