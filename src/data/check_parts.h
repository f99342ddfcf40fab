#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_profile.h"
#include "olem/context.h"
#include "olem/data_check.h"
#include "olem/table.h"

namespace olem::internal {

// A table as the checks see it: what each column is, and which cells hold a code for "missing".
struct CheckedTable {
  const Table& table;
  const ReadFacts* facts = nullptr;  // may be absent
  std::vector<Column> about;         // as the reader or the user says, else as the numbers look
  std::vector<std::size_t> distinct;
  std::vector<bool> usable;                // neither constant nor a copy of another column
  std::vector<std::vector<char>> missing;  // per column; empty: no such cell
  std::vector<char> left_out;              // per row: a total, which belongs to no column; empty: none

  bool is_missing(std::size_t row, std::size_t column) const {
    return (!missing[column].empty() && missing[column][row] != 0) || (!left_out.empty() && left_out[row] != 0);
  }
  // A quantity and not a set of levels.
  bool is_quantity(std::size_t column) const;
};

// At most this many rows are named in a finding.
inline constexpr std::size_t kRowsNamed = 5;

// What a column is: what the table says where somebody looked, else what its numbers look like.
Column known_column(const Table& table, std::size_t column);

// "line 7" or, when the lines are not known, "row 6".
std::string row_name(const CheckedTable& checked, std::size_t row);
// "lines 3, 7 and 9"; only the first ones of many: "lines 3, 5, 6, 8 and 11 and 20 more".
std::string row_names(const CheckedTable& checked, std::span<const std::size_t> rows);

// What to do about a row that is no observation: an advice, and the option that leaves its line out where that is
// known.
Remedy remove_row(const CheckedTable& checked, std::size_t row, const std::string& advice);

// The items in a row, "'a' (3), 'b' (2)", the first ones only when there are many.
std::string enumerate(const std::vector<std::string>& items);
std::vector<std::string> names_of(const Table& table, std::span<const std::size_t> columns);
std::string in_words(std::size_t count, std::string_view singular, std::string_view plural);

// Of sorted numbers, 0 <= share <= 1, interpolated.
double sorted_quantile(std::span<const double> sorted, double share);
// Median and robust standard deviation: the larger of 1.4826 MAD and the width of the middle 80 % by that of a normal
// distribution. The deviation is 0 when 80 % of the numbers are equal.
struct RobustScale {
  double centre = 0.0;
  double deviation = 0.0;
};
RobustScale robust_scale(std::vector<double> values);

// Each adds its findings, if any. Costs are for n rows and d columns.
//
// Cells and rows that hold no observation. O(n d log n). They also fill `missing` and `left_out`, so that what comes
// after does not stumble over the same cells.
void check_sentinels(CheckedTable& checked, std::vector<Problem>& problems);
void check_totals(CheckedTable& checked, std::vector<Problem>& problems);
void check_units_row(CheckedTable& checked, std::vector<Problem>& problems);

// Every column given the others, by one least-squares fit of winsorised columns: O(n min(d, kMostRegressors)^2).
void check_outliers(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems);
void check_time_series(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems);

// What a column means. O(n d log n).
void check_identifiers(const CheckedTable& checked, std::vector<Problem>& problems);
void check_dates(const CheckedTable& checked, std::vector<Problem>& problems);
void check_levels(const CheckedTable& checked, std::vector<Problem>& problems);
// Levels that a person takes for one: "Yes" and "yes".
void check_similar_levels(const CheckedTable& checked, std::vector<Problem>& problems);
void check_digits(const CheckedTable& checked, std::vector<Problem>& problems);
// Sums, products and ratios of up to `terms` others. A search on at most 1000 rows, O(d^(terms + 1)) with d cut to the
// first 40 columns, and O(n) for each relation found.
void check_derived(const CheckedTable& checked, std::size_t terms, const Context& context,
                   std::vector<Problem>& problems);

// Rows that are copies or near-copies of others.
void check_repeats(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems);
// `thorough`: near-copies too, by the distances of 200 rows to at most 20 000 others.
void check_groups(const CheckedTable& checked, bool thorough, const Context& context, std::vector<Problem>& problems);

}  // namespace olem::internal
