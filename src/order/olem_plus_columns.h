#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

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

  // Functions of column j: basis columns first[j] to first[j + 1] - 1, the standardised column itself first. Centred,
  // orthogonal within a column, mean square 1.
  std::vector<std::size_t> first;
  Eigen::MatrixXd basis;  // rows x first.back()
  Eigen::MatrixXd gram;   // basis^T W basis, both triangles

  std::size_t functions(std::size_t j) const { return first[j + 1] - first[j]; }
  // The standardised column.
  const double* standardised(std::size_t j) const { return basis.data() + first[j] * rows; }
};

// `weights`: empty, or one positive number with mean 1 for each row of the table. O(n log n d + n (d q)^2) with
// q = n / 4d functions a column, at least 2 and at most 8.
PlusColumns prepare_plus_columns(const Table& table, std::span<const double> weights, const Context& context);

// The same rows and columns with other weights, one for each row of the table.
PlusColumns reweigh_plus_columns(const PlusColumns& columns, std::span<const double> weights, const Context& context);

}  // namespace olem::internal
