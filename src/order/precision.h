#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

// The columns of a table less their means, and the covariance matrix with divisor n.
struct CenteredColumns {
  Eigen::MatrixXd values;  // n x d
  Eigen::MatrixXd covariance;
};

// O(n d^2), spread over the context's threads; 8 (n d + d^2) bytes. Throws a data error for a column whose values are
// too large or too small to be squared.
CenteredColumns centered_columns(const Table& table, const Context& context);

// The inverse of the covariance matrix of the columns that are left, while one after the other is taken out.
class PlainPrecision {
 public:
  // Throws a data error that names a column and those whose linear combination it is. O(n d^2 + d^3).
  PlainPrecision(const Table& table, const Context& context);

  const std::vector<std::size_t>& remaining() const { return remaining_; }  // columns of the table, ascending
  // Omega of the remaining columns, in their order.
  const Eigen::MatrixXd& matrix() const { return precision_; }
  // One number for each row: (Omega x)_p^2 for the centred row x and the remaining column p. Their mean is Omega_pp,
  // and they are the influences of the rows on it up to sign and a constant. O(n r) for r remaining columns.
  std::vector<double> contributions(std::size_t position) const;
  // Takes the remaining column `position` out: a Schur complement, O(r^2); every kFreshAfter-th time the covariance of
  // the rest is inverted anew, O(r^3), to stop the growth of rounding errors.
  void remove(std::size_t position);

  static constexpr int kFreshAfter = 16;
  static constexpr bool kHasContributions = true;
  static constexpr double kCostExponent = 2.0;

 private:
  void invert();

  CenteredColumns columns_;
  Eigen::VectorXd deviation_;  // standard deviations
  std::vector<std::size_t> remaining_;
  Eigen::MatrixXd precision_;
  int removed_since_inversion_ = 0;
};

}  // namespace olem::internal
