#pragma once

#include <cstddef>
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
  std::string code;  // "outlier"; docs/checks.md explains each

  std::string text;                    // what is wrong, with names and numbers
  std::vector<Remedy> remedies;        // what to do
  std::vector<std::string> columns;    // all columns concerned; the text may name only the first ones of many
  std::vector<std::size_t> rows = {};  // the first rows concerned, at most five, from 0; empty: none in particular
};

// {"severity", "code", "text", "remedy" (the remedies in words), "remedies", "columns", "rows" (from 1; only where
// there are some)}
Json to_json(const Problem& problem, const Spelling& spelling = member_spelling());

// The problem as a warning of a result.
Warning to_warning(const Problem& problem);

// What the reader of a file and a task know and the numbers in the table do not tell.
struct ReadFacts {
  char delimiter = 0;                      // of the fields; 0: not known
  bool decimal_commas = false;             // numbers were read with a comma before their fractions
  std::vector<std::string> maybe_grouped;  // columns whose points may separate thousands
  std::size_t first_line = 0;              // line of the first row, when every line after it is a row; 0: not known
  std::string total_label = {};            // of the last row, where that is a word such as "Total"
  std::vector<std::string> roles = {};     // columns that a task names: there is no advice to leave these out
  std::vector<std::string> outcomes = {};  // those that are its outcomes, behind all others whatever the data say
};

enum class CheckDepth {
  kCheap,     // O(n d log n) and one least-squares fit; what learning does too
  kThorough,  // near-copies of rows and relations of three columns as well
};

// Everything worth knowing about a table before it is used, the most severe first. Does not throw on bad data.
// Cost O(n d log n + n min(d, 60)^2), and O(n) for each pair of columns that are nearly copies of each other; thorough
// also 200 min(n, 20 000) d and up to 40^4 / 6 small systems of equations.
std::vector<Problem> check_table(const Table& table, const Context& context, CheckDepth depth = CheckDepth::kThorough,
                                 const ReadFacts* facts = nullptr);

// Whether what a finding or warning of this code is about could change a decision (olem/warning_codes.h). Other codes
// tell how far an answer can be relied on.
bool could_change_decision(std::string_view code);

enum class ConstantPolicy { kError, kDrop };

struct PreparedTable {
  Table table;
  std::vector<std::size_t> kept;  // the columns of the original table that are left, ascending
  std::vector<Warning> warnings;
};

// Makes a table fit for learning: constant columns and copies of earlier columns (|correlation| >= 1 - 1e-12) are a
// data error that names them, or are dropped with a warning under kDrop. The doubtful findings of a cheap
// check_table about what is left become warnings; notes do not. A data error also when there are fewer than 2 rows or
// when no column is left.
PreparedTable prepare_table(const Table& table, ConstantPolicy policy, const Context& context,
                            const ReadFacts* facts = nullptr);

// The same, but these columns are no variables: they are kept as they are, and nothing is said about them.
PreparedTable prepare_table(const Table& table, ConstantPolicy policy, std::span<const std::string> no_variables,
                            const Context& context, const ReadFacts* facts = nullptr);

}  // namespace olem
