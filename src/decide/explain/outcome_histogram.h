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
  bool whole = false;                            // a count: bins are whole numbers
  std::vector<std::string> levels = {};          // of a column with levels: a bin for each
  std::vector<std::string> wanted = {};          // those that are desired
};
std::vector<OverlaidHistogram> overlaid_histograms(std::span<const OutcomeDraws* const> draws, const Region& region,
                                                   const SamplerSet& samplers);

// Draws of one of several fits, in the units of its samplers, and what share of a mixture they are.
struct FitDraws {
  OutcomeDraws draws;
  const SamplerSet* samplers = nullptr;
  double weight = 1.0;
};

// `draws` draws of the mixture, as good as it gets with whole numbers, in the units of `samplers`. No fit may have
// fewer draws than its share.
OutcomeDraws mixture_draws(std::span<const FitDraws> fits, const std::vector<std::string>& outcomes,
                           const SamplerSet& samplers, std::size_t draws);

// Mean and range of each outcome in the mixture, in the user's units: what success_probability counts with members.
std::vector<OutcomeForecast> mixture_forecasts(std::span<const FitDraws> fits,
                                               const std::vector<std::string>& outcomes);

// Mean and range of each outcome, in the user's units.
std::vector<OutcomeForecast> outcome_forecasts(const OutcomeDraws& draws, const std::vector<std::string>& outcomes,
                                               const SamplerSet& samplers);

}  // namespace olem::internal
