#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace olem {

// What the values of a column are. docs/data.md says how it is found and what follows from it.
enum class ColumnType {
  kReal,      // any number
  kPositive,  // numbers above 0, or from 0 on
  kShare,     // numbers from 0 to 1, or from 0 to 100 where the unit is "%"
  kCount,     // 0, 1, 2, ...
  kOrdinal,   // ordered levels
  kBinary,    // two levels
  kCategory,  // levels without an order
};

// "real", "positive", "share", "count", "ordinal", "binary" or "category".
std::string_view column_type_name(ColumnType type);
std::optional<ColumnType> find_column_type(std::string_view name);
// All of the names, in the order of the enumeration.
std::vector<std::string> column_type_names();

// Whether the values are a set of levels: ordinal, binary and category.
bool has_levels(ColumnType type);
// Whether only some numbers can occur: has_levels and count.
bool is_discrete(ColumnType type);

// One value of a discrete column: the number in the table and the word that people know it by.
struct ColumnLevel {
  double value = 0.0;
  std::string name;

  friend bool operator==(const ColumnLevel&, const ColumnLevel&) = default;
};

struct Column {
  ColumnType type = ColumnType::kReal;
  std::vector<ColumnLevel> levels;  // of ordinal, binary and category columns, by ascending value; empty for others
  std::string unit;                 // may be empty
  std::string label;                // for people, may be empty: the name stands for it then
  std::string reason;               // why this type: "declared", "2 distinct values"; empty when nobody looked
  bool declared = false;            // the user said so

  friend bool operator==(const Column&, const Column&) = default;
};

// The type that the numbers of a column look like, with its levels and the reason; never a category, which numbers
// cannot tell. Two distinct values: binary. Whole numbers with 3 to 10 distinct values, each in two rows on average:
// ordinal. Other whole numbers >= 0: count. Inside of [0, 1]: share. Positive, or >= 0, with a skewness above 0.5:
// positive. Otherwise real. Needs finite numbers. O(n).
Column guess_column(std::span<const double> cells);

// The column with the type that the user says, `found` being what it looks like: of numbers, or with the levels of
// words, which it keeps. Throws a usage error about the option "type" that names the column when its values do not fit:
// words of a number, negative values of a positive column, fractions of a count, values of a share outside of 0 to 1
// (or 0 to 100, with the unit "%"), three values of a binary column, more than 1000 levels.
Column declare_column(const std::string& name, const Column& found, std::span<const double> cells, ColumnType type);

// Whether a level is a word and not the number itself, written out.
bool has_words(const Column& column);

// The level of a word, in any case where no other level differs by case alone, or of a number written as one; nothing
// when there is no such level.
std::optional<ColumnLevel> find_level(const Column& column, std::string_view name);
// How a value of the column is written for people: the name of its level, or the number with its shortest digits.
std::string value_name(const Column& column, double value);

}  // namespace olem
