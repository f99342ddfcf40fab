#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "olem/sampler.h"
#include "olem/sampler_state.h"

namespace olem::internal::sampling {

// What moves a variable beside its conditions and its own noise: hidden causes that it shares with variables which were
// set from outside in some rows, and the group that the row belongs to (docs/methods/acted-upon.md).
struct ActedParts {
  std::size_t conditions = 0;
  bool marginal = false;  // the inner sampler takes no conditions
  // Additive: y = offset + scale x inner + sum of the terms below. Otherwise the terms are further conditions of the
  // inner sampler, behind the others, each divided by its `divisor`.
  bool additive = true;
  double offset = 0.0;
  double scale = 1.0;
  struct Hidden {
    std::string variable;  // whose first number of noise stands for the hidden cause
    double load = 0.0;     // of the number; as a condition: 1
    double divisor = 1.0;
  };
  std::vector<Hidden> hidden;
  std::vector<double> effects;  // posterior mean of the intercept of each group; none: there are no groups
  std::vector<double> spreads;  // its posterior standard deviation
  double group_divisor = 1.0;
  std::optional<std::size_t> group;  // the one that draws belong to; nothing: every draw belongs to a new one
  std::shared_ptr<const ConditionalSampler> inner;
};

// The inner sampler itself where nothing is added to it.
std::shared_ptr<const ConditionalSampler> make_acted(ActedParts parts);
std::shared_ptr<const ConditionalSampler> restore_acted(const SamplerState& state);

// Null for another sampler.
const ActedParts* acted_parts(const ConditionalSampler& sampler);

// The sampler for draws of this group; the sampler itself where its variable has no groups.
std::shared_ptr<const ConditionalSampler> in_group(const std::shared_ptr<const ConditionalSampler>& sampler,
                                                   std::size_t group);

}  // namespace olem::internal::sampling
