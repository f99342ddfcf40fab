#pragma once

#include <memory>

#include "olem/sampler.h"
#include "olem/sampler_state.h"

// The kinds behind the registry. Each `fit` promises what SamplerKind says, each `restore` what restore_sampler says.
namespace olem::flow {

inline constexpr std::size_t kMostConditions = 100000;  // that a stored sampler may claim

std::shared_ptr<const ConditionalSampler> fit_gp(const SamplerData& data, const SamplerOptions& options,
                                                 const Context& context);
std::shared_ptr<const ConditionalSampler> restore_gp(const SamplerState& state);

std::shared_ptr<const ConditionalSampler> fit_linear(const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context);
std::shared_ptr<const ConditionalSampler> restore_linear(const SamplerState& state);

// Of a column that never varies: always 0, which stands for the constant. Not among the kinds to choose from.
std::shared_ptr<const ConditionalSampler> make_constant(std::size_t conditions);
std::shared_ptr<const ConditionalSampler> restore_constant(const SamplerState& state);

}  // namespace olem::flow
