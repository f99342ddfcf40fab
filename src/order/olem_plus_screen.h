#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "order/olem_plus_columns.h"

namespace olem::internal {

// The predecessors that a column depends on by a least-squares fit on all functions of all of them: those whose block
// of coefficients passes a Wald test at 5 %, or whose straight line has |t| > 1.96. A category as target is the vector
// of its indicators: the tests are of all their coefficients, with as many times the degrees of freedom. Ascending.
// `predecessors` ascending, without the target. From the Gram matrix alone: O((q |predecessors|)^3).
//
// Of two predecessors that determine each other neither passes by itself. So those that did not pass are tested
// together, by an F test at 1 %; while they are needed together, the one that explains most beside the active ones
// becomes active.
//
// Where the functions are more than a third of the rows, only the straight lines of the n / 3q columns with the largest
// correlations enter.
std::vector<std::size_t> active_predecessors(const PlusColumns& columns, std::size_t target,
                                             std::span<const std::size_t> predecessors);

// The same along an order: one factorisation of the functions of all its columns serves every beginning of it as a set
// of predecessors, alone or with one more column. O((q d)^3) once, O((q m)^2) to O(q (q m)^2) for each screen after m
// columns. Safe to ask from several threads.
class PrefixScreen {
 public:
  // The columns must outlive this.
  PrefixScreen(const PlusColumns& columns, std::span<const std::size_t> order);

  std::span<const std::size_t> order() const { return order_; }
  std::span<const std::size_t> first(std::size_t count) const { return order().first(count); }

  // Does the work that all screens share; before the first of them.
  void prepare();

  // Of `target` on the first `count` columns of the order.
  std::vector<std::size_t> active(std::size_t target, std::size_t count) const;
  // Of `target` on the first `count` columns of the order and on `added`, which is not among them.
  std::vector<std::size_t> active_with(std::size_t target, std::size_t count, std::size_t added) const;

 private:
  bool fits_rows(std::size_t functions) const { return 3 * functions <= columns_.rows; }

  const PlusColumns& columns_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> start_;    // of the functions of each column of the order
  std::vector<Eigen::Index> chosen_;  // basis columns in the order
  Eigen::MatrixXd inverse_;           // of the Cholesky factor of Gram matrix and ridge; lower triangle, zero above
};

// The 95 % point of chi-square with `degrees` degrees of freedom (Wilson and Hilferty 1931); within 1 % from 2 degrees
// on.
double chi_square_95(double degrees);

}  // namespace olem::internal
