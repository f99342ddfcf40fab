#pragma once

#include "decide/prepared_problem.h"
#include "decide/sequence_plan.h"
#include "olem/decision.h"

namespace olem::internal {

// Whether later steps of the problem can change the decision of the present one: there are some, with levers.
bool has_later_steps(const DecisionProblem& problem);

// The decision of the present step when later ones will answer to what is seen by then: values for the levers of this
// step and rules for the others, found together, judged, taken back and reported like decisions at once, of which the
// best is among the candidates. `at_once` is that one: the decision for the problem without its sequence.
// docs/methods/sequence.md.
Decision decide_sequence(const DecisionProblem& problem, const Decision& at_once, const DecisionOptions& options,
                         const Context& context);

// The numbers of a plan, whoever found it. `at_once`: success when everything is set now.
Decision report_plan(const PlanSpace& space, const Plan& plan, FoundBy found_by, double at_once);
// Status and message where there is a target; without one nothing.
void conclude_target_of_plan(const DecisionOptions& options, bool already_likely, bool reached, Decision& decision);

}  // namespace olem::internal
