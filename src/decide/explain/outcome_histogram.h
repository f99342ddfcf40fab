#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/explain.h"
#include "olem/post_decision.h"

namespace olem::internal {

// Where each outcome of the region falls, in the user's units, without action and, unless `with` is null, with a
// decision. Both are draws of the region's outcomes; those that are not valid are left out.
std::vector<OutcomeHistogram> outcome_histograms(const OutcomeDraws& without, const OutcomeDraws* with,
                                                 const Region& region, const SamplerSet& samplers);

// Where one outcome falls in several sets of draws, in the user's units.
struct OverlaidHistogram {
  std::string name;
  std::vector<double> edges;                     // the same for all: between the outermost 0.2 % of each
  std::vector<std::vector<std::size_t>> counts;  // of each set, draws in each bin
};
std::vector<OverlaidHistogram> overlaid_histograms(std::span<const OutcomeDraws* const> draws,
                                                   const std::vector<std::string>& outcomes,
                                                   const SamplerSet& samplers);

// Mean and range of each outcome, in the user's units.
std::vector<OutcomeForecast> outcome_forecasts(const OutcomeDraws& draws, const std::vector<std::string>& outcomes,
                                               const SamplerSet& samplers);

}  // namespace olem::internal
