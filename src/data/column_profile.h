#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

// What the data checks need to know about one column. A value x is standardised as
//   z = (x 2^shift - pivot - mean) / norm,
// which has mean 0 and Euclidean norm 1. The power of two keeps squares away from overflow and underflow, and the
// subtraction of a value of the column itself keeps every digit of columns that vary little around a large number.
struct ColumnProfile {
  std::size_t distinct = 0;  // different values; 1: constant
  int shift = 0;
  double scale = 1.0;  // 2^shift
  double pivot = 0.0;
  double mean = 0.0;
  double norm = 0.0;             // 0 for a constant column
  double log10_deviation = 0.0;  // of the standard deviation (divisor n), in the units of the column
  double projection = 0.0;       // of z on one fixed random direction of norm 1

  double standardise(double value) const { return (value * scale - pivot - mean) / norm; }
};

// One profile per column. O(n d log n).
std::vector<ColumnProfile> profile_columns(const Table& table, const Context& context);

enum class CopyKind { kEqual, kProportional, kAffine };

// Column `copy` is factor * original + offset, up to |correlation| >= 1 - 1e-12.
struct ColumnCopy {
  std::size_t original = 0;
  std::size_t copy = 0;
  CopyKind kind = CopyKind::kEqual;
  double factor = 1.0;
  double offset = 0.0;
};

// Every column that copies an earlier column which is no copy itself, with the first such original, ascending. Two
// points always lie on a line: with two rows affine copies mean nothing and are left out. Constant columns neither
// copy nor are copied.
std::vector<ColumnCopy> find_copies(const Table& table, const std::vector<ColumnProfile>& profiles,
                                    const Context& context);

struct RepeatedRows {
  std::size_t repeats = 0;       // rows that equal an earlier row
  std::size_t with_twin = 0;     // rows that equal another row: those whose nearest neighbour is at distance 0
  std::size_t least_copies = 0;  // how often the rarest row stands in the table
  bool all_even = false;         // every row stands there an even number of times
  double pairs = 0.0;            // of equal rows
};

// Exact. O(n d + n log n).
RepeatedRows count_repeated_rows(const Table& table, const Context& context);

}  // namespace olem::internal
