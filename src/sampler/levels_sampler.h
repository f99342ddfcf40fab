#pragma once

#include "olem/sampler.h"
#include "sampler/sampler_score.h"

namespace olem::internal::sampling {

// Ordered values (two of them, levels, or counts of few values): P(Y <= level k) = logistic(threshold k - a(x)), a a
// Gaussian process. `kind` names it in the state. Conditions are numbers.
ScoredSampler fit_levels(const std::string& kind, const SamplerData& data, const SamplerOptions& options,
                         const Context& context);
std::shared_ptr<const ConditionalSampler> restore_levels(const SamplerState& state);

// Values without an order: P(level k) = softmax of one Gaussian process per level.
ScoredSampler fit_category(const SamplerData& data, const SamplerOptions& options, const Context& context);
std::shared_ptr<const ConditionalSampler> restore_category(const SamplerState& state);

// Values that stand apart (0; or 0 and 1 of a share) with probabilities of their own, the rest as a continuous
// variable.
ScoredSampler fit_hurdle(std::span<const double> special, const SamplerData& data, const SamplerOptions& options,
                         const Context& context, FitDepth depth = FitDepth::kFull);
std::shared_ptr<const ConditionalSampler> restore_hurdle(const SamplerState& state);

// The distinct standardised values of a column, ascending.
std::vector<double> distinct_levels(std::span<const double> column);

}  // namespace olem::internal::sampling
