#pragma once

#include <vector>

#include "olem/decision.h"

namespace olem::internal {

// For each unknown context variable of the problem, what knowing it would be worth beyond `decision`: its value is
// drawn options.worth_draws times given what is known, and each time a decision is made with a quicker search. The
// others stay unknown. On the context's threads; the result does not depend on their number.
std::vector<UnknownContext> worth_of_knowing(const DecisionProblem& problem, const Decision& decision,
                                             const DecisionOptions& options, const Context& context);

}  // namespace olem::internal
