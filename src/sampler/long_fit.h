#pragma once

#include <cstddef>
#include <memory>

#include "olem/sampler.h"

namespace olem::internal::sampling {

// Of longer tables a sampler chooses form, inputs and hyper-parameters on so many rows. A nonlinearity or an input that
// they do not show explains less than a thousandth of the noise's variance.
inline constexpr std::size_t kChoiceRows = 5000;

// Of a kind whose choices cost more than a pass over the rows: `kind.fit` on random rows, then the regression and the
// noise of what was chosen on all rows, for normal and location-scale samplers. Discrete ones stay those of the sample,
// which has a row of every level.
std::shared_ptr<const ConditionalSampler> fit_long(const SamplerKind& kind, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context);

// What `like` chose, fitted to all rows; null for samplers that have no such step.
std::shared_ptr<const ConditionalSampler> extend_sampler(const ConditionalSampler& like, const SamplerData& data,
                                                         const SamplerOptions& options, const Context& context);

// Whether these rows are so many that the kind is fitted by fit_long.
bool is_long(const SamplerKind& kind, const SamplerData& data);

}  // namespace olem::internal::sampling
