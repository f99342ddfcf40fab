#pragma once

#include <memory>

#include "olem/sampler_set.h"

namespace olem::internal {

// The set. A usage error where there is none: nothing was fitted yet, as in a model or problem that was made empty.
const SamplerSet& fitted(const std::shared_ptr<const SamplerSet>& samplers);

}  // namespace olem::internal
