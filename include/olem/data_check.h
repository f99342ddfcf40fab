#pragma once

#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem {

enum class Severity { kWarning, kError };

// One thing that is wrong or doubtful about a table, with what to do about it.
struct Problem {
  Severity severity = Severity::kWarning;
  std::string code;                  // constant, equal, proportional, repeated_rows, few_values, scales, few_rows, ...
  std::string text;                  // what is wrong, with names and numbers
  std::string remedy;                // what to do
  std::vector<std::string> columns;  // the columns concerned
};

// Everything worth knowing about a table before it is used, errors first. Does not throw on bad data.
// Cost O(n d log n + n d^2).
std::vector<Problem> check_table(const Table& table, const Context& context);

enum class ConstantPolicy { kError, kDrop };

struct PreparedTable {
  Table table;
  std::vector<Warning> warnings;
};

// Makes a table fit for learning: constant columns and copies of earlier columns (|correlation| >= 1 - 1e-12) are a
// data error that names them, or are dropped with a warning under kDrop. The doubtful findings of check_table become
// warnings.
PreparedTable prepare_table(const Table& table, ConstantPolicy policy, const Context& context);

}  // namespace olem
