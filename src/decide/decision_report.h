#pragma once

#include <string>

#include "decide/prepared_problem.h"
#include "olem/decision.h"

namespace olem::internal {

// Draws behind every number that is reported.
inline int report_draws(const DecisionOptions& options) { return 2 * options.judge_draws; }

// Everything that is said about a decision, however it was found: its values, cost and success on draws that neither
// search nor evaluation has seen, forecasts with and without it, what each alteration is worth, and doubts. `setting`
// must hold what the problem permits; an empty one is no action. `found_by` becomes Decision::found_by. Status done,
// no_action, no_influence or unreliable; seconds are left at 0.
Decision report_decision(const PreparedProblem& prepared, const Setting& setting, FoundBy found_by);

// Parts of it, for decisions of which more is said: what becomes of each lever, without what releasing it would lose;
// the draws of success, forecasts and doubts from a sampler and its values; status, message and warnings.
std::vector<Alteration> alterations_of(const PreparedProblem& prepared, const Setting& setting);
void report_success(const PreparedProblem& prepared, PostDecisionSampler& sampler, const std::vector<double>& values,
                    Decision& decision);
void report_without_action(const PreparedProblem& prepared, PostDecisionSampler& sampler, Decision& decision);
void conclude_report(const PreparedProblem& prepared, Decision& decision);
// Status and message of a decision for a target, where there is one: whether it is reached without action, by the
// decision, or not at all.
void conclude_target(const PreparedProblem& prepared, bool already_likely, bool reached, Decision& decision);

// The short form: values, cost and success on the same draws.
Proposal report_proposal(const PreparedProblem& prepared, const Setting& setting, FoundBy found_by);

}  // namespace olem::internal
