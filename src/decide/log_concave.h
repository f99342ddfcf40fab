#pragma once

#include "decide/prepared_problem.h"

namespace olem::internal {

// Whether success is a log-concave function of the values of these variables, so that a local maximum of it is the
// global one: everything between them and the outcomes is a line with normal noise, and the region is convex. The
// outcomes are then a linear function of the decision plus noise with a log-concave density, and the probability of a
// convex set is log-concave in the shift (Prekopa 1971).
bool is_log_concave(const PreparedProblem& prepared, const Subset& altered);

}  // namespace olem::internal
