#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decide/prepared_problem.h"
#include "olem/uncertainty.h"

namespace olem::internal {

// A lever that a rule sets: its place among the alterable variables, and its standardised values draw by draw.
struct RuledLever {
  std::size_t place = 0;
  std::vector<double> values;
};

// How strong something unobserved that moves a lever and an outcome would have to be for the decision to be no better
// than no action (docs/methods/uncertainty.md): a cause that has the correlation r with the noise of lever A (value a,
// expected value e, noise sd s_A) and of outcome Y (noise sd s_Y) would have shifted Y by r^2 / sqrt(1 - r^2) s_Y / s_A
// (a - e) among the rows with A = a. Noise counts on the scale on which it is added: that of the transform, with the
// spread of each draw, and the log-odds of a discrete column. `sampler` draws the outcomes with the decision at
// `values`; levers in `later` follow rules, with the values of its draws. Levers and outcomes whose noise is added on
// no scale, as that of a category, or that have none, are left out and named; of `later` those whose noise is not
// simply added.
HiddenCause hidden_cause(const PreparedProblem& prepared, const Setting& setting, PostDecisionSampler& sampler,
                         const std::vector<double>& values, double without_action,
                         std::span<const RuledLever> later = {});

// The first point of the curve that is no better than no action.
void find_breakdown(HiddenCause& cause, double without_action);

}  // namespace olem::internal
