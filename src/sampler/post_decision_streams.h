#pragma once

#include <cstdint>
#include <vector>

#include "olem/random.h"

namespace olem::internal {

// The normal numbers of a posterior function of the variable at this place of its set
// (PostDecisionSampler::hold_functions).
inline std::vector<double> function_normals(std::uint64_t seed, std::uint64_t function, std::size_t variable,
                                            std::size_t count) {
  RandomStream stream(seed, "decision.function", stream_index({{function, 40}, {variable, 20}}));
  std::vector<double> normals(count);
  for (double& value : normals) value = stream.normal();
  return normals;
}

}  // namespace olem::internal
