#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/table.h"

namespace olem {

enum class Severity {
  kNote,           // worth knowing; no result is in doubt
  kWarning,        // results may be in doubt
  kStrongWarning,  // results are likely to mean little
  kError,          // learning is refused
};

// "note", "warning", "strong warning" or "error".
std::string_view severity_name(Severity severity);

// One thing that is wrong or doubtful about a table, with what to do about it.
struct Problem {
  Severity severity = Severity::kWarning;
  // constant, equal, proportional, affine, few_rows, rows_below_columns, single_column, repeated_rows, few_values,
  // rounded or scales; docs/checks.md explains each.
  std::string code;
  std::string text;                  // what is wrong, with names and numbers
  std::vector<Remedy> remedies;      // what to do
  std::vector<std::string> columns;  // all columns concerned; the text may name only the first ones of many
};

// {"severity", "code", "text", "remedy" (the remedies in words), "remedies", "columns"}
Json to_json(const Problem& problem, const Spelling& spelling = member_spelling());

// The problem as a warning of a result.
Warning to_warning(const Problem& problem);

// Everything worth knowing about a table before it is used, the most severe first. Does not throw on bad data.
// Cost O(n d log n), and O(n) for each pair of columns that are nearly copies of each other.
std::vector<Problem> check_table(const Table& table, const Context& context);

enum class ConstantPolicy { kError, kDrop };

struct PreparedTable {
  Table table;
  std::vector<std::size_t> kept;  // the columns of the original table that are left, ascending
  std::vector<Warning> warnings;
};

// Makes a table fit for learning: constant columns and copies of earlier columns (|correlation| >= 1 - 1e-12) are a
// data error that names them, or are dropped with a warning under kDrop. The doubtful findings of check_table about
// what is left become warnings; notes do not. A data error also when there are fewer than 2 rows or when no column is
// left.
PreparedTable prepare_table(const Table& table, ConstantPolicy policy, const Context& context);

}  // namespace olem
