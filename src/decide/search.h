#pragma once

#include <span>
#include <string>
#include <vector>

#include "decide/objective.h"
#include "olem/decision.h"
#include "olem/post_decision.h"
#include "olem/random.h"

namespace olem {

// A box in standardised units. Points in it are also written by coordinates in [-1, 1], side to side.
struct Box {
  std::vector<double> low;
  std::vector<double> high;

  std::size_t size() const { return low.size(); }
  double at(std::size_t k, double coordinate) const;
  double coordinate(std::size_t k, double value) const;  // 0 for a side without length
};

// A decision that may be taken, and where it comes from.
struct Candidate {
  std::string origin;
  std::vector<double> values;  // one per altered variable, standardised
  double success = 0.0;        // share of the draws that it was last judged on
};

// The searches for good values of the altered variables of one sampler, all on its own fixed draws.
class DecisionSearch {
 public:
  DecisionSearch(PostDecisionSampler& sampler, const OutcomeObjective& objective, Box box,
                 const DecisionOptions& options, const Context& context);

  // The paper's search: Adam on the mean surrogate loss, on the samplers without their own doubt, from the middle of
  // the box and from random points. Of the points where the loss was smallest the one with the highest success.
  Candidate surrogate(RandomStream& random);

  // The best of random points of the box and its middle, by success with the full samplers.
  Candidate screen(RandomStream& random);

  // Adam, kept in the box by projection, on the smoothed success probability with the full samplers, smoothed less and
  // less.
  Candidate ascend(const Candidate& start);

  // Moves coordinates that are near a side of the box onto it, unless that is worse on the draws of the search.
  void snap(Candidate& candidate);

  // The candidate with each coordinate in turn moved to either side; those that are not worse on the draws of the
  // search.
  std::vector<Candidate> borders(const Candidate& from);

  double success(std::span<const double> values);

 private:
  PostDecisionSampler& sampler_;
  const OutcomeObjective& objective_;
  Box box_;
  DecisionOptions options_;
  const Context& context_;
  std::vector<double> adjoints_;
};

}  // namespace olem
