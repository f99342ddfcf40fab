#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"

namespace olem::internal {

// minimise cost^T x subject to row_lower <= A x <= row_upper and lower <= x <= upper. Bounds may be infinite. The rows
// of A are stored one after the other: row i has the entries row_start[i] .. row_start[i + 1] - 1 of `columns` and
// `values`.
struct LinearProgramme {
  std::vector<double> cost;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> row_lower;
  std::vector<double> row_upper;
  std::vector<std::size_t> row_start = {0};
  std::vector<std::size_t> columns;  // within a row each at most once
  std::vector<double> values;

  std::size_t size() const { return cost.size(); }       // of x
  std::size_t rows() const { return row_lower.size(); }  // of A

  // Returns the index of the new variable.
  std::size_t add_variable(double variable_cost, double low, double high);
  // A row with values for all variables, or for those in `places` only. Zeros are not stored.
  void add_row(std::span<const double> dense, double low, double high);
  void add_row(std::span<const std::size_t> places, std::span<const double> entries, double low, double high);
};

enum class LinearStatus {
  kOptimal,
  kInfeasible,  // no x satisfies all rows and bounds
  kUnbounded,   // there are such x with costs below every number
  kFailed,      // the solver found no answer that stands the test; `message` says why
};

struct LinearSolution {
  LinearStatus status = LinearStatus::kFailed;
  std::vector<double> x;          // of kOptimal
  double value = 0.0;             // cost^T x
  std::vector<double> row_duals;  // of kOptimal: change of the value for each unit that the row's active side moves
  int iterations = 0;
  std::string message;
};

struct LinearOptions {
  // Of rows and bounds, relative to the size of what is added up in them, and of the gap between the value and its
  // bound from duality. Simplex ends in a vertex that is exact to rounding, so that this is far above what is reached.
  double tolerance = 1e-9;
  int iterations = 1000000;  // at most
};

// Solves the programme by the simplex method (Clp). Deterministic, silent, and safe to call from several threads at
// once; runs in the calling thread. Every answer is tested before it is returned: an optimum by its rows, bounds and
// duality gap, "infeasible" by the least total violation of the rows, "unbounded" by a feasible point and a direction
// of descent that never leaves the feasible set. Ends within milliseconds when the context is interrupted or its
// deadline passes, with the error of check_interrupt(). An internal error for sizes that do not fit together and for
// entries that are NaN.
LinearSolution solve_linear_programme(const LinearProgramme& programme, const LinearOptions& options,
                                      const Context& context);

// Rows of an infeasible programme that contradict each other (together with the bounds), such that the rest of them
// would not contradict if any one were left out; ascending. Empty when the programme is not infeasible, or when the
// bounds contradict each other on their own. One solution per row: for programmes with few rows.
std::vector<std::size_t> conflicting_rows(const LinearProgramme& programme, const LinearOptions& options,
                                          const Context& context);

}  // namespace olem::internal
