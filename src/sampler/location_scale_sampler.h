#pragma once

#include "olem/sampler.h"
#include "sampler/sampler_score.h"
#include "sampler/target_transform.h"

namespace olem::internal::sampling {

// The transform with the best forecasts of those that the target's type allows, ties to the identity, with the noise's
// standard deviation as a function of the conditions. Conditions are numbers.
ScoredSampler fit_continuous(const SamplerData& data, const SamplerOptions& options, const Context& context,
                             FitDepth depth = FitDepth::kFull);

// The form and the hyper-parameters of a sampler like this, fitted to other rows; null for one whose noise depends on
// the conditions, or that is no such sampler.
std::shared_ptr<const ConditionalSampler> refit_continuous(const ConditionalSampler& like, const SamplerData& data,
                                                           const SamplerOptions& options, const Context& context);

// What a sampler like this chose, with the location and the noise of these rows, which are many; ln s stays as it is.
// Null for other kinds, or where the transform does not know a value.
std::shared_ptr<const ConditionalSampler> extend_continuous(const ConditionalSampler& like, const SamplerData& data,
                                                            const SamplerOptions& options, const Context& context);

// Counts of many values: ln(1 + count) as above, draws rounded, likelihood that of the count.
ScoredSampler fit_large_count(const SamplerData& data, const SamplerOptions& options, const Context& context,
                              FitDepth depth = FitDepth::kFull);

// Of either.
std::shared_ptr<const ConditionalSampler> restore_location_scale(const SamplerState& state);

}  // namespace olem::internal::sampling
