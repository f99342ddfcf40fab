#pragma once

#include <optional>
#include <string>
#include <vector>

#include "olem/sampler_set.h"

namespace olem::internal {

// A step of an order: `first` comes before `second`.
struct OrderStep {
  std::string first;
  std::string second;
};

// Where no lever reaches an outcome: the step that stands in the way, from the last variable that an outcome depends
// on, or the outcome itself, to the first lever after it. Nothing where all of these come after the levers: the data
// show no dependence then.
std::optional<OrderStep> step_in_the_way(const SamplerSet& samplers, const std::vector<std::string>& levers,
                                         const std::vector<std::string>& outcomes);

// The step of `fit` that `other` has the other way round on the way from a lever to an outcome; nothing where no lever
// reaches an outcome there, or no step on the way is turned.
std::optional<OrderStep> turned_step(const SamplerSet& fit, const SamplerSet& other,
                                     const std::vector<std::string>& levers, const std::vector<std::string>& outcomes);

}  // namespace olem::internal
