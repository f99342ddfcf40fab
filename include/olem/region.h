#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "olem/column.h"
#include "olem/context.h"
#include "olem/json.h"

namespace olem {

// What is wanted of one outcome: a range, of which a side that is not given is open, or some of the levels of a
// discrete column.
struct OutcomeRange {
  std::string outcome;
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::vector<double> values = {};      // only these, by their numbers
  std::vector<std::string> words = {};  // only these, by their words

  bool is_list() const { return !values.empty() || !words.empty(); }
};

// The levels that are wanted of one outcome.
struct OutcomeLevels {
  std::size_t outcome = 0;
  std::vector<double> levels;  // ascending
  // What stands for them: intervals that end in the middle between a level that is wanted and a neighbour that is not,
  // and are open beyond the last level. So rounding does not matter, and a draw between two levels belongs to the
  // nearer.
  std::vector<std::pair<double, double>> cells;
  double half_gap = 0.5;  // half of the least distance between two levels of the column
};

// {y : sum over outcomes of ((y - centre) / radius)^2 <= 1}: a ball where all radii are the same.
struct OutcomeEllipse {
  std::vector<double> centre;  // one per outcome
  std::vector<double> radii;   // the same, all positive

  // sqrt of that sum: 1 on the border.
  double distance(std::span<const double> y) const;
};

// Where the outcomes are wanted: {y : M y <= d}, borders included, and for some outcomes only some levels. Row i of M
// has one weight per outcome, 0 for those with levels.
class Region {
 public:
  Region() = default;  // no outcomes and no conditions

  // One range per outcome, in the order of the outcomes. Its rows are the sides that are given, low before high. A low
  // side above the high one makes the region empty, which region_centre reports.
  //
  // Both makers throw a data error that starts with `source` for numbers that are not finite and when nothing is asked
  // of any outcome; polytope also when M and d do not fit together.
  static Region box(const std::vector<OutcomeRange>& ranges, const std::string& source = "");

  // A row of zeros is satisfied by every y when its bound is not negative, and by none otherwise.
  static Region polytope(const std::vector<std::string>& outcomes, const std::vector<std::vector<double>>& weights,
                         const std::vector<double>& bounds, const std::string& source = "");

  // A data error for numbers that are not finite, radii that are not positive and as many of them as there are not
  // outcomes.
  static Region ellipse(const std::vector<std::string>& outcomes, std::vector<double> centre, std::vector<double> radii,
                        const std::string& source = "");

  const std::vector<std::string>& outcomes() const { return outcomes_; }
  std::size_t size() const { return outcomes_.size(); }  // of y
  std::size_t rows() const { return bounds_.size(); }    // of M
  std::span<const double> weights(std::size_t row) const { return {weights_.data() + row * size(), size()}; }
  double bound(std::size_t row) const { return bounds_[row]; }
  // As a person would write it: "NEC >= 0.5" for a side of a box, "row 2 (3 x + 4 y <= 12)" otherwise.
  const std::string& row_name(std::size_t row) const { return row_names_[row]; }
  const std::vector<OutcomeRange>& ranges() const { return ranges_; }  // of a box, as given; empty for a polytope
  const std::vector<OutcomeLevels>& levels() const { return levels_; }
  const std::optional<OutcomeEllipse>& ellipse() const { return ellipse_; }  // then there are no rows and no levels
  bool is_given() const { return rows() > 0 || !levels_.empty() || has_words() || ellipse_; }  // something is asked for
  // Levels by their words, whose numbers resolved() finds: until then contains() is a usage error.
  bool has_words() const;
  const std::string& source() const { return source_; }

  // False for y with NaN. O(rows x size).
  bool contains(std::span<const double> y) const;

  // The region for outcomes of these columns: what is asked of a binary, ordinal or category column is a set of its
  // levels, those inside of a range; ranges of counts reach to the middle between two counts. Resolving twice is
  // resolving once. A data error that names the levels for a word or number that is none of them, for levels of a
  // column that has none and for M y <= d over a category of more than two levels; a task error for a range without any
  // level.
  Region resolved(std::span<const Column> about) const;

  // The region of (y - mean) / deviation: M diag(deviation) and d - M mean. Its rows keep their names.
  Region standardised(std::span<const double> means, std::span<const double> deviations) const;

 private:
  void add_row(std::span<const double> weights, double bound, std::string name);
  void add_sides(std::size_t outcome, const OutcomeRange& range);

  std::vector<std::string> outcomes_;
  std::vector<double> weights_;  // rows x size, row by row
  std::vector<double> bounds_;
  std::vector<std::string> row_names_;
  std::vector<OutcomeRange> ranges_;
  std::vector<OutcomeLevels> levels_;
  std::optional<OutcomeEllipse> ellipse_;
  std::string source_;
};

// {"NEC": [0.5, null], "renewed": "yes", "grade": {"values": ["good", "very good"]}} for a box, {"M": [[...]], "d":
// [...]} for a polytope, {"centre": [...], "radius": r, or [...]} for a ball or an ellipse.
Json to_json(const Region& region);

// What the data says about one column.
struct ColumnSummary {
  double mean = 0.0;
  double deviation = 0.0;  // standard deviation, divisor n
  double low = 0.0;
  double high = 0.0;

  double range() const { return high - low; }
};

// The middle of a region, at which surrogate losses aim.
struct RegionCentre {
  std::vector<double> centre;  // in the units of the outcomes
  double radius = 0.0;         // of the largest ball in the region around it, in standard deviations of the outcomes
  std::vector<double> means;   // of the outcomes: the ball is one in (y - mean) / deviation
  std::vector<double> deviations;
  bool flat = false;           // the region has no interior
  bool from_data_box = false;  // the region holds balls of any size; see region_centre
  // "flat_region" and "far_region".
  std::vector<Warning> warnings;
};

// The Chebyshev centre: the middle of the largest ball in the region, in standardised units of the outcomes (with more
// than one outcome it depends on the units). max r subject to M_i c + ||M_i|| r <= d_i, a linear programme whose answer
// is tested before it is used. Row order and positive factors of rows do not matter.
//
// Where several centres are equally good, the nearest to the mean of the outcomes (Euclidean, standardised) is taken;
// in a box the middle of every side that has two ends. A region with balls of any size, such as y >= 0.8, has no
// centre: it is intersected with [low - m range, high + m range] of each outcome, m = 1 or, when the region begins
// further out, the smallest power of two that leaves an interior. `outcomes` has one entry per outcome.
//
// The centre of an outcome with levels is the middle one of those that are wanted.
//
// A task error that names rows which contradict each other, none of them superfluous, when the region is empty; a data
// error for an outcome that never changes.
RegionCentre region_centre(const Region& region, std::span<const ColumnSummary> outcomes, const Context& context);

}  // namespace olem
