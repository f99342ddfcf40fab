#pragma once

#include <vector>

#include "decide/search.h"

namespace olem::internal {

// What values of the altered variables cost: sum of weights[k] |value - origin[k]|^powers[k], standardised.
struct LeverCost {
  std::vector<double> weights;
  std::vector<double> origin;
  std::vector<int> powers;  // 1 or 2; none: all 1

  bool is_square(std::size_t k) const { return !powers.empty() && powers[k] == 2; }

  double operator()(std::span<const double> values) const;
};

// From a candidate that succeeds at least as often as `goal` on the draws of the search to a cheaper one that does, in
// its domain: linear programmes in turn, each with the gradient of the smoothed success for the goal and the exact
// cost, within a region of trust that shrinks when the success falls short. Exact where success depends on one linear
// combination of the values; otherwise an optimum nearby. At most 60 gradients. Returns the start when nothing is
// cheaper; its success is that of the search.
Candidate cheapen(DecisionSearch& search, const Candidate& start, double goal, const LeverCost& cost);

}  // namespace olem::internal
