#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

// The b of smallest ||b||_1 with ||S b - e_column||_inf <= lambda (Cai, Liu and Luo 2011, equation 3): an estimate of a
// column of S^-1. Nothing when there is no such b, or none of reasonable size. One linear programme with 2d variables
// and d rows, in the calling thread. A resource error when the solver gives up.
std::optional<Eigen::VectorXd> clime_column(const Eigen::MatrixXd& covariance, std::size_t column, double lambda,
                                            const Context& context);

// About the smallest lambda for which every column has a solution, rather more than less: near 0 for a regular matrix,
// more where columns depend on each other, never more than 1. No smaller set of the columns needs a larger one. d
// linear programmes with 2d variables.
double least_clime_lambda(const Eigen::MatrixXd& covariance, const Context& context);

// CLIME's estimate of the precision matrix of the columns that are left, while one after the other is taken out. Of the
// two estimates of each entry the smaller in absolute value is kept.
class ClimePrecision {
 public:
  // `lambda` 0: sqrt(ln d / n) / 2, also for later, smaller sets. d linear programmes, spread over the context's
  // threads. Throws a data error that names the column and the least lambda when that is too small for a solution, and
  // when it is so large that a diagonal entry vanishes. The table must outlive the object.
  ClimePrecision(const Table& table, double lambda, const Context& context);

  const Eigen::MatrixXd& matrix() const { return precision_; }
  // Solves again for those columns only whose solution used the removed one or leant on its constraint; the others'
  // solutions stay optimal without it.
  void remove(std::size_t position);

  static constexpr bool kHasContributions = false;
  static constexpr double kCostExponent = 3.0;

 private:
  void solve(const std::vector<std::size_t>& positions);
  void symmetrise();
  [[noreturn]] void refuse_lambda(std::size_t position) const;

  const Table& table_;
  Context context_;
  double lambda_;
  std::vector<std::size_t> remaining_;
  Eigen::MatrixXd covariance_;  // of the remaining columns
  Eigen::MatrixXd solutions_;   // column j solves for e_j
  Eigen::MatrixXd precision_;
};

}  // namespace olem::internal
