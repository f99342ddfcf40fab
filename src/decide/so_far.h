#pragma once

#include <memory>

#include "olem/decision.h"

namespace olem::internal {

// The hidden draws of a problem for another fit, whose order and units may differ; null where there are none.
std::shared_ptr<const HiddenDraws> hidden_for(const DecisionProblem& problem,
                                              const std::shared_ptr<const SamplerSet>& samplers);

}  // namespace olem::internal
