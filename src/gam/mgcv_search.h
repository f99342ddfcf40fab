#pragma once

#include <Eigen/Core>
#include <vector>

#include "gam/smoothing_selection.h"
#include "gam/thin_plate_basis.h"
#include "olem/context.h"

namespace olem::internal {

// rho of each block where the search of R's mgcv starts; `terms` are the blocks' bases. The diagonals of penalty and
// X^T X get equal means within each term; then all penalties are multiplied by the greatest power of ten that leaves
// the coefficients 40 % of their freedom on average.
Eigen::VectorXd mgcv_start(const std::vector<const SmoothBasis*>& terms);

// The local minimum of GCV in which gam() of mgcv 1.8 ends with all defaults (Wood 2004): Newton where GCV is convex,
// steepest descent elsewhere or where Newton fails three times, then each term as far towards infinity as that helps.
// Other minima may be lower. mgcv's tolerances are absolute where GCV is small, so units matter: the problem's sums of
// squares times `unit` are in the squared units of the data.
SmoothingSelection select_smoothing_like_mgcv(const SmoothingProblem& problem, const Eigen::VectorXd& start,
                                              double unit, const Context& context);

}  // namespace olem::internal
