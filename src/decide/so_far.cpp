#include "decide/so_far.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "olem/belief.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& other) { return other.name == name; });
}

void check_so_far(const DecisionProblem& problem, std::span<const NamedValue> so_far) {
  std::vector<std::string> possible;
  for (const SamplerVariable& variable : fitted(problem.samplers).variables) {
    const std::vector<std::string>& outcomes = problem.region.outcomes();
    const bool known =
        is_among(problem.context, variable.name) ||
        std::find(problem.unknown.begin(), problem.unknown.end(), variable.name) != problem.unknown.end();
    const bool outcome = std::find(outcomes.begin(), outcomes.end(), variable.name) != outcomes.end();
    if (!known && !outcome) possible.push_back(variable.name);
  }
  for (std::size_t i = 0; i < so_far.size(); ++i) {
    const std::string& name = so_far[i].name;
    if (std::find(possible.begin(), possible.end(), name) == possible.end()) {
      const std::string closest = closest_name(name, possible);
      throw Error::of_option(
          "so_far", is_among(problem.context, name)
                        ? fmt::format("'{}' is context, which is given as such.", name)
                        : fmt::format("'{}' is nothing that is set or seen between the context and the outcomes.{}",
                                      name, closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest)));
    }
    check_finite(name, so_far[i].value);
    if (is_among(so_far.first(i), name))
      throw Error::of_option("so_far", fmt::format("'{}' is given twice.", name), {{"Give it once"}});
  }
}

// Of the steps those that are over: up to the latest one of which something is known.
std::size_t steps_over(const std::vector<SequenceStep>& steps, std::span<const NamedValue> so_far) {
  std::size_t over = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const auto known = [&](const std::string& name) { return is_among(so_far, name); };
    if (std::any_of(steps[s].alter.begin(), steps[s].alter.end(), known) ||
        std::any_of(steps[s].then_observe.begin(), steps[s].then_observe.end(), known))
      over = s + 1;
  }
  return over;
}

// What was set counts; what is over and was not set is on its own.
void count_in_constraints(DecisionProblem& problem, const std::vector<std::string>& over,
                          std::span<const NamedValue> set) {
  std::vector<AlterationConstraint> left;
  for (AlterationConstraint constraint : problem.constraints) {
    std::erase_if(constraint.weights, [&](const NamedValue& weight) {
      const auto level = find_level_of(problem.alterable, weight.name);
      const std::string lever = level ? problem.alterable[level->lever].name : weight.name;
      if (std::find(over.begin(), over.end(), lever) == over.end()) return false;
      for (const NamedValue& value : set) {
        if (value.name != lever) continue;
        if (!level) {
          constraint.max -= weight.value * value.value;
        } else {
          const auto found =
              find_level(problem.samplers->variables[problem.samplers->index(lever)].about, level->level);
          if (found && found->value == value.value) constraint.max -= weight.value;
        }
      }
      return true;
    });
    if (!constraint.weights.empty()) left.push_back(std::move(constraint));
  }
  problem.constraints = std::move(left);
}

}  // namespace

std::vector<NamedValue> known_values(const DecisionProblem& problem) {
  std::vector<NamedValue> values = problem.context;
  values.insert(values.end(), problem.so_far.begin(), problem.so_far.end());
  return values;
}

ProblemSoFar problem_so_far(DecisionProblem problem, std::span<const NamedValue> so_far, const Context& context) {
  check_so_far(problem, so_far);
  ProblemSoFar result;
  if (so_far.empty()) {
    result.problem = std::move(problem);
    return result;
  }
  Situation situation{problem.context, problem.unknown, problem.context_model, {}, {}};
  for (const NamedValue& value : so_far)
    (is_among(problem.alterable, value.name) ? situation.set : situation.seen).push_back(value);

  // Without a sequence what was set is over, and everything else is decided now.
  std::vector<std::string> over;
  for (const NamedValue& value : situation.set) over.push_back(value.name);
  const std::size_t steps = problem.sequence.size() > 1 ? steps_over(problem.sequence, so_far) : 0;
  for (std::size_t s = 0; s < steps; ++s) {
    for (const std::string& name : problem.sequence[s].alter) {
      if (std::find(over.begin(), over.end(), name) == over.end()) over.push_back(name);
    }
  }
  problem.sequence.erase(problem.sequence.begin(), problem.sequence.begin() + static_cast<std::ptrdiff_t>(steps));
  const auto is_over = [&](const std::string& name) { return std::find(over.begin(), over.end(), name) != over.end(); };
  for (SequenceStep& step : problem.sequence) std::erase_if(step.alter, is_over);
  count_in_constraints(problem, over, situation.set);
  if (problem.max_alterations) {
    const int left = *problem.max_alterations - static_cast<int>(situation.set.size());
    if (left < 0) {
      throw Error::of_option("so_far", fmt::format("{} variables were set, but no more than {} may be altered.",
                                                   situation.set.size(), *problem.max_alterations));
    }
    problem.max_alterations = left;
    if (left == 0) {
      problem.max_alterations.reset();
      problem.left_alone.clear();
      for (const LeverDomain& lever : problem.alterable) {
        if (!is_over(lever.name)) problem.left_alone.push_back(lever.name);
      }
      problem.fixed.clear();
      problem.sequence.clear();
    }
  }
  std::erase_if(problem.alterable, [&](const LeverDomain& lever) { return is_over(lever.name); });
  std::erase_if(problem.cost, [&](const NamedValue& weight) { return is_over(weight.name); });
  std::erase_if(problem.fixed, [&](const NamedValue& value) { return is_over(value.name); });
  std::erase_if(problem.left_alone, is_over);

  auto belief = std::make_shared<const Belief>(problem.samplers, situation);
  result.warnings = observation_warnings(*belief, situation, context);
  problem.so_far.assign(so_far.begin(), so_far.end());
  problem.unknown.clear();
  problem.hidden = std::move(belief);  // other fits may have hidden causes where this one has none
  result.problem = std::move(problem);
  return result;
}

namespace internal {

std::shared_ptr<const HiddenDraws> hidden_for(const DecisionProblem& problem,
                                              const std::shared_ptr<const SamplerSet>& samplers) {
  const auto* const belief = dynamic_cast<const Belief*>(problem.hidden.get());
  return belief == nullptr || samplers == problem.samplers ? problem.hidden : belief->with_samplers(samplers);
}

}  // namespace internal

}  // namespace olem
