#pragma once

#include <memory>
#include <vector>

#include "olem/sampler.h"
#include "olem/sampler_state.h"

// The kinds behind the registry. Each `fit` promises what SamplerKind says, each `restore` what restore_sampler says.
namespace olem::internal::sampling {

inline constexpr std::size_t kMostConditions = 100000;  // that a stored sampler may claim
inline constexpr std::size_t kLeastNetworkRows = 20;    // 14 to train on and 6 to say when to stop
inline constexpr std::size_t kMostMembers = 64;         // of an ensemble

std::shared_ptr<const ConditionalSampler> fit_gp(const SamplerData& data, const SamplerOptions& options,
                                                 const Context& context);
std::shared_ptr<const ConditionalSampler> refit_gp(const ConditionalSampler& like, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context);
std::shared_ptr<const ConditionalSampler> restore_gp(const SamplerState& state);

std::shared_ptr<const ConditionalSampler> fit_linear(const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context);
std::shared_ptr<const ConditionalSampler> restore_linear(const SamplerState& state);

std::shared_ptr<const ConditionalSampler> fit_gaussian(const SamplerData& data, const SamplerOptions& options,
                                                       const Context& context);
std::shared_ptr<const ConditionalSampler> restore_gaussian(const SamplerState& state);

std::shared_ptr<const ConditionalSampler> fit_spline(const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context);
std::shared_ptr<const ConditionalSampler> restore_spline(const SamplerState& state);

std::shared_ptr<const ConditionalSampler> fit_cinn(const SamplerData& data, const SamplerOptions& options,
                                                   const Context& context);
std::shared_ptr<const ConditionalSampler> restore_cinn(const SamplerState& state);

// By the type of the column, with the encoding of the inputs that forecasts best; restored as what it chose.
std::shared_ptr<const ConditionalSampler> fit_auto(const SamplerData& data, const SamplerOptions& options,
                                                   const Context& context);
std::shared_ptr<const ConditionalSampler> refit_auto(const ConditionalSampler& like, const SamplerData& data,
                                                     const SamplerOptions& options, const Context& context);
std::shared_ptr<const ConditionalSampler> fit_location_scale_kind(const SamplerData& data,
                                                                  const SamplerOptions& options,
                                                                  const Context& context);
std::shared_ptr<const ConditionalSampler> fit_binary_kind(const SamplerData& data, const SamplerOptions& options,
                                                          const Context& context);
std::shared_ptr<const ConditionalSampler> fit_ordinal_kind(const SamplerData& data, const SamplerOptions& options,
                                                           const Context& context);
std::shared_ptr<const ConditionalSampler> fit_category_kind(const SamplerData& data, const SamplerOptions& options,
                                                            const Context& context);
std::shared_ptr<const ConditionalSampler> fit_count_kind(const SamplerData& data, const SamplerOptions& options,
                                                         const Context& context);
std::shared_ptr<const ConditionalSampler> restore_count_kind(const SamplerState& state);
std::shared_ptr<const ConditionalSampler> fit_hurdle_kind(const SamplerData& data, const SamplerOptions& options,
                                                          const Context& context);

// Fits a kind to conditions of every type: those that it does not take itself are encoded.
std::shared_ptr<const ConditionalSampler> fit_kind(const SamplerKind& kind, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context);

// The same by the kind's short cut where there is one, and `like` is what that takes.
std::shared_ptr<const ConditionalSampler> refit_kind(const SamplerKind& kind, const ConditionalSampler& like,
                                                     const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context);

// Of a column that never varies: always 0, which stands for the constant. Not among the kinds to choose from.
std::shared_ptr<const ConditionalSampler> make_constant(std::size_t conditions);
std::shared_ptr<const ConditionalSampler> restore_constant(const SamplerState& state);

// Models of the same variable in the same units, each with the same weight: what several completed tables give. The
// model itself when there is one. Not among the kinds to choose from.
std::shared_ptr<const ConditionalSampler> make_mixture(
    std::vector<std::shared_ptr<const ConditionalSampler>> components);
std::shared_ptr<const ConditionalSampler> restore_mixture(const SamplerState& state);

}  // namespace olem::internal::sampling
