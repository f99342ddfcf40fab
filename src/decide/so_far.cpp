#include "decide/so_far.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "decide/prepared_problem.h"
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
      const auto names = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
      };
      const std::string closest = closest_name(name, possible);
      std::string what = fmt::format("'{}' is nothing that is set or seen between the context and the outcomes.{}",
                                     name, closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest));
      if (is_among(problem.context, name) || names(problem.unknown))
        what = fmt::format("'{}' is context, which is given as such.", name);
      if (names(problem.region.outcomes()))
        what = fmt::format("'{}' is an outcome: once it is seen there is nothing left to decide.", name);
      throw Error::of_option("so_far", what);
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

// What is expected of levers that took their own course, given what was set and seen.
std::vector<NamedValue> expected_course(const DecisionProblem& problem, const Situation& situation,
                                        const std::shared_ptr<const Belief>& belief,
                                        const std::vector<std::string>& levers, const Context& context) {
  constexpr std::size_t kDraws = 1000;
  if (levers.empty()) return {};
  const SamplerSet& set = *problem.samplers;
  const std::vector<std::string>& hidden = belief->names();
  PostDecisionPlan plan;
  plan.context = situation.context;
  plan.context.insert(plan.context.end(), situation.set.begin(), situation.set.end());
  plan.context.insert(plan.context.end(), situation.seen.begin(), situation.seen.end());
  plan.hidden = belief;
  plan.draws = kDraws;
  plan.with_gradient = false;
  for (const std::string& lever : levers) {
    if (std::find(hidden.begin(), hidden.end(), lever) == hidden.end()) plan.outcomes.push_back(lever);
  }
  std::vector<NamedValue> expected;
  const auto add = [&](const OutcomeDraws& draws, std::size_t place, const std::string& lever) {
    const SamplerVariable& variable = set.variables[set.index(lever)];
    expected.push_back({lever, restore_expected(variable, expected_value(draws, place, variable))});
  };
  if (!plan.outcomes.empty()) {
    PostDecisionSampler sampler(problem.samplers, plan, context);
    const OutcomeDraws& draws = sampler.sample({});
    for (std::size_t k = 0; k < plan.outcomes.size(); ++k) add(draws, k, plan.outcomes[k]);
  }
  if (plan.outcomes.size() == levers.size()) return expected;
  const std::vector<std::vector<double>> drawn = belief->draw(kDraws, plan.noise, context);
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    if (std::find(levers.begin(), levers.end(), hidden[k]) == levers.end()) continue;
    OutcomeDraws draws;
    draws.draws = kDraws;
    draws.values = drawn[k];
    draws.valid.assign(kDraws, 1);
    add(draws, 0, hidden[k]);
  }
  return expected;
}

// What is over counts with the value that it was set to, or that is expected of it: `values`.
void count_in_constraints(DecisionProblem& problem, const std::vector<std::string>& over,
                          std::span<const NamedValue> values) {
  std::vector<AlterationConstraint> left;
  for (AlterationConstraint constraint : problem.constraints) {
    std::erase_if(constraint.weights, [&](const NamedValue& weight) {
      const auto level = find_level_of(problem.alterable, weight.name);
      const std::string lever = level ? problem.alterable[level->lever].name : weight.name;
      if (std::find(over.begin(), over.end(), lever) == over.end()) return false;
      for (const NamedValue& value : values) {
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
  const auto belief = std::make_shared<const Belief>(problem.samplers, situation);
  // What was seen has its causes behind it.
  std::vector<std::string> passed;
  for (const LeverDomain& lever : problem.alterable) {
    const std::vector<std::string>& hidden = belief->names();
    const bool known = std::find(over.begin(), over.end(), lever.name) != over.end();
    if (!known && std::find(hidden.begin(), hidden.end(), lever.name) != hidden.end()) passed.push_back(lever.name);
  }
  over.insert(over.end(), passed.begin(), passed.end());
  const auto is_over = [&](const std::string& name) { return std::find(over.begin(), over.end(), name) != over.end(); };
  for (SequenceStep& step : problem.sequence) std::erase_if(step.alter, is_over);
  std::vector<std::string> left_alone;
  for (const std::string& name : over) {
    const bool counts =
        std::any_of(problem.constraints.begin(), problem.constraints.end(), [&](const auto& constraint) {
          return std::any_of(constraint.weights.begin(), constraint.weights.end(), [&](const NamedValue& weight) {
            const auto level = find_level_of(problem.alterable, weight.name);
            return (level ? problem.alterable[level->lever].name : weight.name) == name;
          });
        });
    if (counts && !is_among(situation.set, name)) left_alone.push_back(name);
  }
  std::vector<NamedValue> course = expected_course(problem, situation, belief, left_alone, context);
  course.insert(course.end(), situation.set.begin(), situation.set.end());
  count_in_constraints(problem, over, course);
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
  const bool weighted = !problem.cost.empty();
  std::erase_if(problem.cost, [&](const NamedValue& weight) { return is_over(weight.name); });
  std::erase_if(problem.cost_forms, [&](const CostForm& form) { return is_over(form.name); });
  // Without any weight every lever would have one.
  if (weighted && problem.cost.empty() && !problem.alterable.empty())
    problem.cost.push_back({problem.alterable.front().name, 0.0});
  std::erase_if(problem.fixed, [&](const NamedValue& value) { return is_over(value.name); });
  std::erase_if(problem.left_alone, is_over);

  result.warnings = observation_warnings(*belief, situation, context);
  if (!passed.empty()) {
    const std::string names = fmt::format("{}", fmt::join(passed, ", "));
    result.warnings.push_back(
        {"course_taken",
         fmt::format("What was seen depends on {}, for which there is no value: {} as left alone, and {} not decided "
                     "any more.",
                     names, passed.size() == 1 ? "it counts" : "they count", passed.size() == 1 ? "is" : "are"),
         names,
         {{"Give what was set", "so_far", ""}}});
  }
  problem.so_far.assign(so_far.begin(), so_far.end());
  problem.unknown.clear();
  problem.hidden = belief;  // other fits may have hidden causes where this one has none
  result.problem = std::move(problem);
  return result;
}

namespace internal {

namespace {

// Draws of some of the hidden variables.
class SomeHidden : public HiddenDraws {
 public:
  SomeHidden(std::shared_ptr<const HiddenDraws> all, std::span<const LeverDomain> without) : all_(std::move(all)) {
    for (std::size_t k = 0; k < all_->names().size(); ++k) {
      if (is_among(without, all_->names()[k])) continue;
      places_.push_back(k);
      names_.push_back(all_->names()[k]);
    }
  }
  const std::vector<std::string>& names() const override { return names_; }
  std::vector<std::vector<double>> draw(std::size_t draws, std::uint64_t noise, const Context& context) const override {
    const std::vector<std::vector<double>> drawn = all_->draw(draws, noise, context);
    std::vector<std::vector<double>> some;
    for (const std::size_t k : places_) some.push_back(drawn[k]);
    return some;
  }

 private:
  std::shared_ptr<const HiddenDraws> all_;
  std::vector<std::size_t> places_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const HiddenDraws> hidden_for(const DecisionProblem& problem,
                                              const std::shared_ptr<const SamplerSet>& samplers) {
  const auto* const belief = dynamic_cast<const Belief*>(problem.hidden.get());
  if (belief == nullptr || samplers == problem.samplers) return problem.hidden;
  // Another order may have a lever among the causes of what was seen: it is decided all the same.
  return std::make_shared<const SomeHidden>(belief->with_samplers(samplers), problem.alterable);
}

}  // namespace internal

}  // namespace olem
