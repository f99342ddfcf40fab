#pragma once

#include "decide/prepared_problem.h"
#include "olem/uncertainty.h"

namespace olem::internal {

// How strong something unobserved that moves a lever and an outcome would have to be for the decision to be no better
// than no action (docs/methods/uncertainty.md): a cause that has the correlation r with the noise of lever A (value a,
// expected value e, noise sd s_A) and of outcome Y (noise sd s_Y) would have shifted Y by r^2 / sqrt(1 - r^2) s_Y / s_A
// (a - e) among the rows with A = a. `draws` are those of the outcomes with the decision. Levers and outcomes whose
// noise does not simply add to a mean, as of discrete columns, are left out and named.
HiddenCause hidden_cause(const PreparedProblem& prepared, const Setting& setting, const OutcomeDraws& draws,
                         double without_action);

}  // namespace olem::internal
