#pragma once

#include "olem/decision.h"

namespace olem::internal {

// What the other learners of the problem say of the decision: success of what it sets, with the rules of its later
// steps, and of no action, each on twice as many draws as judge. In the order in which they were asked.
std::vector<Opinion> opinions_on(const DecisionProblem& problem, const Decision& decision,
                                 const DecisionOptions& options, const Context& context);

}  // namespace olem::internal
