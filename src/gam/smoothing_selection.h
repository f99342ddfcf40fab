#pragma once

#include <Eigen/Core>
#include <vector>

#include "olem/context.h"
#include "olem/smoothing.h"

namespace olem::internal {

// A consecutive run of coefficients that share one smoothing parameter.
struct PenaltyBlock {
  Eigen::Index begin = 0;
  Eigen::Index size = 0;
};

// A penalised least squares problem of which everything unpenalised has been projected out:
// minimise ||y - X b||^2 + sum_k exp(rho_k) sum_{i in block k} roughness_i b_i^2. The cross products say all there is
// to know about it: its size is the number of penalised coefficients, not of observations.
struct SmoothingProblem {
  Eigen::MatrixXd gram;                 // X^T X
  Eigen::VectorXd cross;                // X^T y
  Eigen::VectorXd unpenalized;          // a least squares solution: gram * unpenalized = cross
  double unpenalized_residual = 0.0;    // its residual sum of squares, > 0
  Eigen::VectorXd roughness;            // > 0; of size 1 for the smoothest function of each block
  std::vector<PenaltyBlock> blocks;     // in order, covering all coefficients
  double observations = 0.0;            // n
  double unpenalized_parameters = 0.0;  // that were projected out, the intercept included
};

// Where rho stops: beyond `rho_upper()` a term is linear to all digits and is treated as exactly so (lambda infinite);
// below rho_lower a block is as good as free.
double rho_upper();
double rho_lower(const SmoothingProblem& problem, std::size_t block);

// A criterion on the scale of the logarithm of a variance, so that one tolerance serves both:
// GCV:  ln( n RSS / (n - edf)^2 );
// REML: ln( RSS + penalty ) + ( ln|X^T X + S| - ln|S|_+ ) / (n - unpenalised), the profile over sigma^2 (Wood 2011).
struct SmoothingScore {
  double value = 0.0;
  double residual = 0.0;     // RSS
  double edf = 0.0;          // the unpenalised parameters included
  Eigen::VectorXd gradient;  // with respect to rho
  Eigen::MatrixXd hessian;
};

enum class Derivatives { kNone, kGradientAndHessian };

// O(m^3) for m coefficients in the blocks with rho below rho_upper(); the others cost nothing and have zero
// derivatives.
SmoothingScore smoothing_score(const SmoothingProblem& problem, SmoothingCriterion criterion,
                               const Eigen::VectorXd& rho, Derivatives derivatives);

struct SmoothingSelection {
  Eigen::VectorXd rho;  // ln lambda of each block; rho_upper() where the term became linear
  SmoothingScore score;
  bool converged = false;
  int iterations = 0;  // Newton steps over all starts
};

// Minimises the criterion by Newton's method with exact derivatives, steps of at most 5, backtracking, and a jump to
// infinity for terms that are on their way there. GCV has many local minima: the first start gives every term 40 % of
// its freedom; when the answer has a term at a bound, or did not converge, two more starts 4 above and 4 below are
// tried; then single terms are made smoother, rougher or straight for as long as that leads to a better minimum.
SmoothingSelection select_smoothing(const SmoothingProblem& problem, SmoothingCriterion criterion,
                                    const Context& context);

}  // namespace olem::internal
