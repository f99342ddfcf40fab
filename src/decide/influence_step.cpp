#include "decide/influence_step.h"

#include <algorithm>

namespace olem::internal {

namespace {

constexpr std::size_t kNotNeeded = static_cast<std::size_t>(-1);

// For each variable the next one on a shortest way to an outcome, itself for an outcome; kNotNeeded for all others.
std::vector<std::size_t> ways_to_outcomes(const SamplerSet& set, const std::vector<std::string>& outcomes) {
  std::vector<std::size_t> next(set.variables.size(), kNotNeeded);
  std::vector<std::size_t> queue;
  for (const std::string& outcome : outcomes) {
    queue.push_back(set.index(outcome));
    next[queue.back()] = queue.back();
  }
  for (std::size_t done = 0; done < queue.size(); ++done) {
    const SamplerVariable& variable = set.variables[queue[done]];
    if (!variable.sampler) continue;
    const SamplerFacts facts = variable.sampler->facts();
    for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
      const std::size_t cause = variable.conditions[k];
      if (!facts.inputs[k].used || next[cause] != kNotNeeded) continue;
      next[cause] = queue[done];
      queue.push_back(cause);
    }
  }
  return next;
}

}  // namespace

std::optional<OrderStep> step_in_the_way(const SamplerSet& samplers, const std::vector<std::string>& levers,
                                         const std::vector<std::string>& outcomes) {
  const std::vector<std::size_t> next = ways_to_outcomes(samplers, outcomes);
  std::optional<std::size_t> last;
  for (std::size_t v = 0; v < samplers.variables.size(); ++v) {
    const SamplerVariable& variable = samplers.variables[v];
    const bool lever = std::find(levers.begin(), levers.end(), variable.name) != levers.end();
    if (lever && last) return OrderStep{samplers.variables[*last].name, variable.name};
    // Context has no sampler and comes first in every order.
    if (variable.sampler && !lever && next[v] != kNotNeeded) last = v;
  }
  return std::nullopt;
}

std::optional<OrderStep> turned_step(const SamplerSet& fit, const SamplerSet& other,
                                     const std::vector<std::string>& levers, const std::vector<std::string>& outcomes) {
  const std::vector<std::size_t> next = ways_to_outcomes(other, outcomes);
  for (const std::string& lever : levers) {
    std::size_t at = other.index(lever);
    if (next[at] == kNotNeeded) continue;
    for (; next[at] != at; at = next[at]) {
      const std::string& cause = other.variables[at].name;
      const std::string& effect = other.variables[next[at]].name;
      if (fit.index(effect) < fit.index(cause)) return OrderStep{effect, cause};
    }
  }
  return std::nullopt;
}

}  // namespace olem::internal
