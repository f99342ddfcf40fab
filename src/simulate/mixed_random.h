#pragma once

#include <cstddef>
#include <cstdint>

#include "olem/simulate_mixed.h"

namespace olem::internal {

struct RandomMixedModel {
  MixedModel model;
  std::size_t contexts = 0;  // the first of the order
  std::size_t outcomes = 0;  // the last of the order
};

// Of the options' checks only.
void check_mixed_options(const MixedSimulationOptions& options);

// random_mixed_model is that of attempt 0. `attempt` is below 256.
RandomMixedModel draw_mixed_model(const MixedSimulationOptions& options, std::uint64_t index, std::uint64_t attempt,
                                  const Context& context);

// The index of a stream that belongs to one attempt of one repetition.
std::uint64_t attempt_stream(std::uint64_t index, std::uint64_t attempt);

}  // namespace olem::internal
