#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "olem/remedy.h"
#include "olem/table.h"

namespace olem::internal {

// What the readers of all formats share: the choice of columns and the account of missing values.

// V1, V2, ...: the columns of data without names.
std::vector<std::string> numbered_column_names(std::size_t count);

// The columns to read, in the order of the result, as positions among `names`. Throws a usage error for a name in
// options.columns or options.drop_columns that is unknown (with the closest one) or repeated and when no column is
// left; a data error that gives the column numbers when a chosen column has no name, shares it with another, or has one
// that is not UTF-8. Names of columns that are not read may be anything. Columns before `first` and the last `behind`
// are not read unless named.
std::vector<std::size_t> choose_columns(const std::vector<std::string>& names, const ReadOptions& options,
                                        const std::string& source, std::size_t first = 0, std::size_t behind = 0);

// What the user said about the type of a column; nullptr: nothing.
const DeclaredType* declared_type(const ReadOptions& options, std::string_view name);

// What a column of numbers is: the type that was declared or the one that they look like. `found` may have a unit, and
// levels with names. Throws as declare_column.
Column typed_column(const std::string& name, std::span<const double> cells, const ReadOptions& options,
                    Column found = {});

// The numbers among the words that mean a missing value.
std::vector<double> missing_numbers(const ReadOptions& options);

// The cells without a finite number among those that are read.
class MissingCells {
 public:
  // `place` is what rows are counted in, for messages: "line" or "row".
  MissingCells(std::string_view place, std::size_t columns) : place_(place), in_column_(columns, 0) {}

  void add(std::size_t place, std::size_t column);
  // Ends a row; `complete` when none of its cells was missing, `empty` when all were.
  void end_row(bool complete, bool empty) {
    ++rows_;
    if (!complete) ++incomplete_rows_;
    if (empty) ++empty_rows_;
  }

  std::size_t rows() const { return rows_; }
  std::size_t incomplete_rows() const { return incomplete_rows_; }
  std::size_t in_column(std::size_t column) const { return in_column_[column]; }
  // Rows that are not used, and those that are.
  std::size_t left_out(MissingPolicy policy) const {
    return policy == MissingPolicy::kImpute ? empty_rows_ : incomplete_rows_;
  }
  std::size_t left(MissingPolicy policy) const { return rows_ - left_out(policy); }

  // Throws the data error of MissingPolicy::kError when there was a missing cell, and that of too few rows (less than
  // 2 left, or under kImpute a column without a value; of new rows less than 1) under every policy. `names` are those
  // of all columns of the file; `also` is what the reader knows about the cells: sentences, and remedies that go before
  // the others.
  struct Known {
    std::string text;
    std::vector<Remedy> remedies;
  };
  void check(const ReadOptions& options, const std::vector<std::string>& names, const std::string& source,
             const Known& also) const;
  void check(const ReadOptions& options, const std::vector<std::string>& names, const std::string& source) const {
    check(options, names, source, {});
  }
  // Whether cells are missing in one row only, which has this place.
  bool only_in(std::size_t place) const { return incomplete_rows_ == 1 && cells_ > 0 && first_[0].place == place; }

 private:
  struct Position {
    std::size_t place = 0;
    std::size_t column = 0;
  };
  // The first column without any value.
  std::optional<std::size_t> empty_column() const;
  std::string describe_empty_column(const std::vector<std::string>& names) const;
  std::string describe_columns(const std::vector<std::string>& names) const;
  Remedy leave_columns_out(const std::vector<std::string>& names) const;

  std::string_view place_;
  std::vector<std::size_t> in_column_;
  std::array<Position, 3> first_{};
  std::size_t cells_ = 0;
  std::size_t rows_ = 0;
  std::size_t incomplete_rows_ = 0;
  std::size_t empty_rows_ = 0;
};

// Moves columns of `capacity` places each together to columns of `rows`.
void close_up(std::vector<double>& values, std::size_t columns, std::size_t capacity, std::size_t rows);

// Of a column that may hold NaN for missing cells: `finish` gets the known ones, whose new values take their places.
Column finish_known(std::span<double> cells, const std::function<Column(std::span<double> known)>& finish);

// The table of values with NaN where they are missing, one of `about` for each column; every column has a known cell.
IncompleteTable fill_gaps(std::vector<std::string> names, std::vector<double> values, const std::string& source,
                          std::vector<Column> about);

// The table of the chosen columns. `values` holds the rows that are used, column by column, with NaN for cells that are
// to be imputed. Adds the warnings of ReadResult about missing values.
ReadResult finish_reading(const std::vector<std::string>& names, const std::vector<std::size_t>& chosen,
                          std::vector<double> values, std::vector<Column> about, const MissingCells& missing,
                          MissingPolicy policy, const std::string& source);

}  // namespace olem::internal
