#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"
#include "olem/task_rows.h"

namespace olem::internal {

// A discrete column. Its levels are those that occur: by ascending value where they have an order, otherwise by
// descending frequency.
struct PlusLevels {
  bool ordered = false;
  std::size_t count = 0;
  std::vector<std::uint16_t> level;  // of each new row
};

// Another form of a column as target: its logarithm, or its log-odds.
struct PlusTransform {
  std::size_t function = 0;            // basis column with the standardised values
  double log_scale = 0.0;              // ln of their standard deviation
  double rounding_step = 0.0;          // in standard deviations
  std::vector<float> log_derivatives;  // by new row: ln |dy / dT|, which turns an entropy of T(y) into one of y
};

// The table as olem+ works on it: rows and columns in an order that depends on their ranks only, so that neither the
// order of the rows nor that of the columns changes a bit of the answer; every column standardised, with a basis of
// functions of it. Columns are numbered in the new order.
struct PlusColumns {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::size_t> table_row;     // by new row
  std::vector<std::size_t> table_column;  // by new column
  std::vector<double> weights;            // of the rows, with mean 1; empty: all 1
  std::vector<double> log_scale;          // ln of the standard deviation (divisor n) of each column
  std::vector<double> rounding_step;      // smallest distance of two values that differ, in standard deviations
  // Some columns are discrete. Otherwise there are no transforms either, and the size of noise does not depend on
  // anything.
  bool mixed = false;
  // By column: binary columns, categories, and ordinal columns and counts of at most 30 values.
  std::vector<std::optional<PlusLevels>> levels;
  std::vector<std::vector<double>> counts;  // by column: its values where it counts
  // By column: whether its scale is compared with others. Of a mixed table only real columns: shares, positive columns
  // and counts have scales of their own.
  std::vector<char> compared;
  std::vector<std::optional<PlusTransform>> transforms;  // by column: of positive columns, shares and counts

  // Functions of column j: basis columns first[j] to first[j + 1] - 1. Centred, orthogonal within a column, mean square
  // 1. The standardised column itself comes first, but binary columns and categories have indicators of their levels.
  // After them the transforms.
  std::vector<std::size_t> first;
  std::vector<double> least_penalty;  // of each function in a ridge regression; 0: none of its own
  Eigen::MatrixXd basis;
  Eigen::MatrixXd gram;  // basis^T W basis, both triangles
  // By column: the functions that stand for it as target where predecessors are screened. One, but as many as there are
  // indicators for a category.
  std::vector<std::vector<Eigen::Index>> responses;
  // By column: coordinates of binary columns and categories in a kernel, rows x levels (1 of binary columns). Any two
  // levels are at distance 2. Empty for others, whose coordinate is the standardised column.
  std::vector<Eigen::MatrixXd> coordinates;

  // By column: 1 for each new row in which it was set from outside, so that the row says nothing about what it depends
  // on; empty where it never was, and altogether where no column was.
  std::vector<std::vector<unsigned char>> was_set;
  // By column: the rows in which it was not set, all columns, where it was set in some; otherwise null.
  std::vector<std::shared_ptr<const PlusColumns>> own_rows;

  std::size_t functions(std::size_t j) const { return first[j + 1] - first[j]; }
  bool is_discrete(std::size_t j) const { return levels[j].has_value(); }
  bool is_indicated(std::size_t j) const { return levels[j] && !levels[j]->ordered; }
  const double* function(std::size_t k) const { return basis.data() + k * rows; }
  // The standardised column; of binary columns and categories an indicator.
  const double* standardised(std::size_t j) const { return basis.data() + first[j] * rows; }
};

// `weights`: empty, or one positive number with mean 1 for each row of the table. O(n log n d + n (d q)^2) with
// q = n / 4d functions a column, at least 2 and at most 8. `rows`: in which of them columns were set, or null.
PlusColumns prepare_plus_columns(const Table& table, std::span<const double> weights, const Context& context,
                                 const TaskRows* rows = nullptr);

// The same rows and columns with other weights, one for each row of the table.
PlusColumns reweigh_plus_columns(const PlusColumns& columns, std::span<const double> weights, const Context& context);

}  // namespace olem::internal
