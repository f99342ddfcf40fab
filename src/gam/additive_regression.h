#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "gam/smoothing_selection.h"
#include "gam/thin_plate_basis.h"
#include "olem/context.h"
#include "olem/smoothing.h"
#include "olem/table.h"

namespace olem::internal {

// Basis functions of each term, the constant included, when `rows` observations are shared by `parents` terms:
// `largest`, or ceil(n / 3p) when n < 3 p largest (as in CAM); 2, a straight line, where that would be below 3.
int affordable_basis_size(std::size_t rows, std::size_t parents, int largest);

// True when one column, not constant, is the other up to shift and scale. O(n).
bool is_copy_up_to_scale(std::span<const double> a, std::span<const double> b);

// One smooth function of a fitted additive regression, in the orthonormal basis of its column.
struct AdditiveTerm {
  std::size_t column = 0;
  Eigen::VectorXd coefficients;  // of the functions of AdditiveDesign::basis(column)
  Eigen::MatrixXd covariance;    // Bayesian, sigma2 (X^T X + S)^-1; empty without inference
  double rho = 0.0;              // ln lambda; rho_upper() for a straight line
  double edf = 0.0;
  double reference_df = 0.0;    // sum of diag(2F - FF) over the term, F = (X^T X + S)^-1 X^T X
  bool line_dependent = false;  // its straight line is a combination of the lines before it and was left out
};

struct AdditiveFit {
  std::vector<AdditiveTerm> terms;  // in the order asked for
  double residual = 0.0;            // sum of squares
  double edf = 1.0;                 // with the intercept
  double sigma2 = 0.0;              // residual / (n - edf)
  double score = 0.0;               // GCV, or the restricted log-likelihood with its sign changed
  int iterations = 0;
  bool converged = true;
};

enum class Inference { kNone, kCovariance };

// How smoothing parameters are chosen.
struct SmoothingRule {
  SmoothingCriterion criterion = SmoothingCriterion::kGcv;
  SmoothingSearch search = SmoothingSearch::kGlobal;  // kMgcv with GCV alone
};

// Everything the additive regressions between the columns of one table share: each column's spline basis with
// `basis_size` functions, and all inner products between these functions and the columns. A fit then needs one pass
// over the data only for its residuals.
class AdditiveDesign {
 public:
  // O(n d^2 K^2) time, 8 n d K bytes. `spectra` holds one per column of `table`, computed for at least `basis_size`.
  AdditiveDesign(const Table& table, std::span<const ThinPlateSpectrum> spectra, int basis_size,
                 const Context& context);

  // The penalised least squares fit of column `child` on smooth functions of `parents` (not constant, all different, no
  // copies of each other), smoothing parameters by `rule`. O((pK)^3) per Newton step. Needs more observations than
  // p K by a margin; an `inference` of kNone leaves out the covariances. Safe to call from several threads.
  AdditiveFit fit(std::size_t child, std::span<const std::size_t> parents, SmoothingRule rule, Inference inference,
                  const Context& context) const;

  // What is handed to select_smoothing for such a fit.
  SmoothingProblem problem(std::size_t child, std::span<const std::size_t> parents) const;

  const SmoothBasis& basis(std::size_t column) const { return bases_[column]; }

 private:
  struct Partition;
  Partition partition(std::size_t child, std::span<const std::size_t> parents) const;

  std::vector<SmoothBasis> bases_;
  std::vector<Eigen::Index> offset_;  // of each column's functions among all
  Eigen::MatrixXd gram_;              // of all functions
  Eigen::MatrixXd cross_;             // all functions x columns
  Eigen::MatrixXd centered_;          // the columns less their means, scaled to unit length
  Eigen::VectorXd length_;            // of the centred columns
};

}  // namespace olem::internal
