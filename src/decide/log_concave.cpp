#include "decide/log_concave.h"

#include <algorithm>

#include "olem/sampler_state.h"

namespace olem::internal {

bool is_log_concave(const PreparedProblem& prepared, const Subset& altered) {
  const DecisionProblem& problem = prepared.problem();
  if (!prepared.objective().region().levels().empty() || !problem.unknown.empty()) return false;
  if (problem.hidden && !problem.hidden->names().empty()) return false;
  const SamplerSet& set = *problem.samplers;
  std::vector<bool> given(set.variables.size(), false);
  for (const NamedValue& value : known_values(problem)) given[set.index(value.name)] = true;
  for (const std::size_t k : altered) {
    if (prepared.has_list(k)) return false;
    given[set.index(problem.alterable[k].name)] = true;
  }
  // From the outcomes back along what they depend on.
  std::vector<bool> needed(set.variables.size(), false);
  for (const std::string& outcome : problem.region.outcomes()) needed[set.index(outcome)] = true;
  for (std::size_t v = set.variables.size(); v-- > 0;) {
    if (!needed[v] || given[v]) continue;
    const SamplerVariable& variable = set.variables[v];
    if (!variable.sampler) return false;
    const SamplerState state = variable.sampler->state();
    if (state.kind != "gaussian" || state.settings.value("fit", "") != "least_squares") return false;
    for (const std::size_t condition : variable.conditions) needed[condition] = true;
  }
  return true;
}

}  // namespace olem::internal
