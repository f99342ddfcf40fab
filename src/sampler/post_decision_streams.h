#pragma once

#include <cstdint>
#include <vector>

#include "olem/random.h"
#include "olem/sampler_set.h"

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

// A stream for each entry of the noise of the variable at this place of its set: its own ones, then those that it
// shares with another variable or with all variables of its group. `purpose` and `noise` say which draws.
inline std::vector<RandomStream> noise_streams(const SamplerSet& set, std::size_t variable, std::uint64_t seed,
                                               const char* purpose, const char* group_purpose, std::uint64_t noise) {
  const ConditionalSampler& sampler = *set.variables[variable].sampler;
  const std::vector<SharedNoise> shared = sampler.shared_noise();
  const std::size_t own = sampler.noise_entries() - shared.size();
  std::vector<RandomStream> streams;
  for (std::size_t e = 0; e < own; ++e)
    streams.emplace_back(seed, purpose, stream_index({{noise, 40}, {variable, 20}, {e, 4}}));
  for (const SharedNoise& entry : shared) {
    if (entry.variable.empty()) {
      streams.emplace_back(seed, group_purpose, stream_index({{noise, 40}, {entry.entry, 24}}));
    } else {
      const std::size_t other = set.index(entry.variable);
      // Of a variable from several completed tables the first number picks the table.
      const bool mixed = set.variables[other].sampler && set.variables[other].sampler->picks_component();
      streams.emplace_back(seed, purpose, stream_index({{noise, 40}, {other, 20}, {entry.entry + (mixed ? 1 : 0), 4}}));
    }
  }
  return streams;
}

}  // namespace olem::internal
