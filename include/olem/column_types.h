#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/column.h"
#include "olem/json.h"
#include "olem/table.h"

namespace olem {

// What a user says about a column. What is left out is found from the data.
struct ColumnDeclaration {
  std::string name;
  std::optional<ColumnType> type = {};
  std::vector<std::string> levels = {};  // of ordinal, binary and category columns, in their order
  std::string unit = {};
  std::string label = {};
};

// The table with what was declared about its columns, which goes before what was found. Levels are matched to the words
// of a column, or to its numbers where they are written as such; a level that no row has may be among them. Words get
// ascending numbers in the order of the declaration. Levels that are all other words than the numbers of a column name
// these, the least first: ["off", "on"] of a column of 0 and 1. Declaring twice is declaring once.
//
// Throws a data error that names the column and at most three cells where the data contradict a declaration, and one
// with the closest name for a column that is not in the table, unless `left_out` names it. `source` begins the message.
Table declare_columns(const Table& table, std::span<const ColumnDeclaration> declared, const std::string& source = "",
                      std::span<const std::string> left_out = {});

// A column that is known without its table.
struct NamedColumn {
  std::string name;
  Column about;
};

std::vector<NamedColumn> named_columns(const Table& table);
// Nothing is known of a column that is not in the list: real, without levels.
const Column& about_column(std::span<const NamedColumn> columns, std::string_view name);

// The number of a value that a user wrote: of the level of this name, or the number itself. Nothing for a word that is
// no level and for a number that is none of a binary or category column, or of an ordinal one whose levels are words.
std::optional<double> column_value(const Column& column, std::string_view text);
std::optional<double> column_value(const Column& column, double number);
// The levels of a column for a message about a value that is none of them: "Its levels are off and on.", with the
// closest one; "" for a column without levels.
std::string levels_sentence(const Column& column, std::string_view wrong);

// A value as results hold it: the word of its level where it has one, and the number otherwise.
Json value_json(const Column& column, double value);

// {"type", "levels": {name: number}, "unit", "label", "reason", "declared"}; levels, unit and label where there are
// any.
Json to_json(const Column& column);
// The inverse; a data error for what is no such object.
Column column_from_json(const Json& json);
// The same of every column, by name: "column_types" of a result.
Json column_types_json(std::span<const NamedColumn> columns);

}  // namespace olem
