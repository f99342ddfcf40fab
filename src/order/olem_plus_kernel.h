#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "order/olem_plus_columns.h"

namespace olem::internal {

// Replaces each number by its exponential, to about 1e-15 relative; below -700 by that of -700. The same bits with
// every instruction set.
void exponentials(double* values, std::size_t count);

// The functions of a Gaussian process of some standardised columns: kernel functions exp(-|z - z'|^2 / 2 length^2) at
// landmark rows, then the columns themselves, then the constant. Two levels of a binary column or category are 2 apart;
// their indicators stand for the column itself. There are at most 100 landmarks; those that the others
// nearly determine are left out. A ridge regression becomes that of the process when its kernel functions are whitened,
// which is done to its Gram matrix rather than to n rows.
class ProcessFunctions {
 public:
  ProcessFunctions(const PlusColumns& columns, std::span<const std::size_t> inputs, double length);

  std::size_t kernels() const { return static_cast<std::size_t>(landmarks_.rows()); }
  std::size_t lines() const { return lines_.size() + 1; }
  std::size_t size() const { return kernels() + lines(); }

  // Rows first to first + block.rows() - 1 of the functions; `block` has size() columns.
  void fill(std::size_t first, Eigen::Ref<Eigen::MatrixXd> block) const;

  // From the Gram matrix (both triangles) and X'y of the functions to those of the whitened functions.
  void whiten(Eigen::MatrixXd& gram, Eigen::VectorXd& right) const;
  // From coefficients of the whitened functions, one set per column, to those of the functions.
  void unwhiten(Eigen::Ref<Eigen::MatrixXd> coefficients) const;

 private:
  std::vector<const double*> lines_;        // functions
  std::vector<const double*> coordinates_;  // the same, unless an input has indicators
  double scale_;                            // of a squared distance in the exponent
  Eigen::MatrixXd landmarks_;               // one per row
  Eigen::VectorXd own_;                     // exponents of their squared lengths
  Eigen::MatrixXd factor_;                  // Cholesky factor of the kernel matrix of the landmarks
};

}  // namespace olem::internal
