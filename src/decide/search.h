#pragma once

#include <span>
#include <string>
#include <vector>

#include "decide/domain.h"
#include "decide/objective.h"
#include "olem/decision.h"
#include "olem/post_decision.h"
#include "olem/random.h"

namespace olem::internal {

// Values that may be taken, and where they come from.
struct Candidate {
  FoundBy found_by = FoundBy::kNoAction;
  std::vector<double> values;  // one per altered variable, standardised
  double success = 0.0;        // share of the draws of the search
};

// The searches for good values of the altered variables of one sampler, all on its own fixed draws.
class DecisionSearch {
 public:
  // Keeps references to all but the options. `relaxed`: where outcomes jump, a sampler on the same draws whose
  // gradients are taken, with relaxed draws whose temperature falls with the smoothing; `sampler` then needs no
  // gradient. Null where nothing jumps.
  DecisionSearch(PostDecisionSampler& sampler, PostDecisionSampler* relaxed, const OutcomeObjective& objective,
                 const Domain& domain, const DecisionOptions& options, const Context& context);

  bool has_jumps() const { return relaxed_ != nullptr; }

  const Domain& domain() const { return domain_; }
  const DecisionOptions& options() const { return options_; }
  const Context& context() const { return context_; }

  // The paper's search: Adam on the mean surrogate loss, on the samplers without posterior variance, from the middle of
  // the domain and from random points. Of the points where the loss was smallest the one with the highest success.
  Candidate surrogate(RandomStream& random);

  // The best of random points of the domain and its middle, by success with the full samplers.
  Candidate screen(RandomStream& random);

  // Adam, kept in the domain by projection, on the smoothed success probability with the full samplers, smoothed less
  // and less.
  Candidate ascend(const Candidate& start);

  // Moves coordinates that are near a side of the box onto it, unless that is worse on the draws of the search or
  // leaves the domain.
  void snap(Candidate& candidate);

  // The candidate with each coordinate in turn moved to either side of the domain; those that are not worse on the
  // draws of the search.
  std::vector<Candidate> borders(const Candidate& from);

  // Steps along each coordinate, halved when none helps, on exact draws: what smoothed gradients do not see.
  Candidate polish(const Candidate& start);

  // With the full samplers.
  double success(std::span<const double> values);

  // The success smoothed over `tau` half widths of the region, or standard deviations where these are less, with its
  // gradient.
  double smoothed(double tau, std::span<const double> values, std::span<double> gradient);

 private:
  // Draws with a gradient, relaxed as much as the success is smoothed where outcomes jump.
  PostDecisionSampler& smooth(double tau);

  PostDecisionSampler& sampler_;
  PostDecisionSampler* relaxed_;
  const OutcomeObjective& objective_;
  const Domain& domain_;
  DecisionOptions options_;
  const Context& context_;
  std::vector<double> adjoints_;
};

}  // namespace olem::internal
