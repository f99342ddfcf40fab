#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decide/domain.h"
#include "decide/objective.h"
#include "olem/decision.h"
#include "olem/post_decision.h"

namespace olem::internal {

// What a decision does with each alterable variable, in the order of the problem: a value in standardised units, or
// nothing to leave it alone.
using Setting = std::vector<std::optional<double>>;

// Places of alterable variables in the problem, ascending.
using Subset = std::vector<std::size_t>;

Subset altered_by(const Setting& setting);

// A decision problem in the standardised units of its samplers, and the draws on which it is decided. Everything that
// depends on neither the optimiser nor the kind of decision method.
class PreparedProblem {
 public:
  // Throws what decide() throws. `problem` and `context` must outlive it.
  PreparedProblem(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

  const DecisionProblem& problem() const { return problem_; }
  const DecisionOptions& options() const { return options_; }
  const Context& context() const { return context_; }
  std::size_t size() const { return box_.size(); }  // number of alterable variables
  const OutcomeObjective& objective() const { return prepared_.objective; }
  const RegionCentre& centre() const { return prepared_.centre; }
  const Box& box() const { return box_; }
  // The mean of each alterable variable, given the context, when nothing is done.
  const std::vector<double>& expected() const { return expected_; }
  // Whether an outcome can change with the variable when it alone is altered.
  const std::vector<bool>& influences() const { return influences_; }
  bool any_influence() const;  // of what may be altered
  // What is fixed, and what the search may alter: everything that is neither fixed nor left alone.
  const Subset& fixed() const { return fixed_; }
  const Subset& free() const { return free_; }
  // The least that is done: the fixed values and nothing else, and what "found" it.
  Setting idle() const;
  FoundBy idle_finder() const { return fixed_.empty() ? FoundBy::kNoAction : FoundBy::kFixedValues; }
  // A set of variables and the fixed ones.
  Subset with_fixed(const Subset& variables) const;
  const SamplerVariable& variable(std::size_t alterable) const;

  // The outcomes when these variables are altered. Samplers of the same noise share it, whatever is altered.
  PostDecisionSampler sampler(const Subset& altered, int draws, DrawStream stream) const;
  // The same without gradient().
  PostDecisionSampler plain_sampler(const Subset& altered, int draws, DrawStream stream) const;
  std::vector<std::string> names(const Subset& altered) const;

  // Where the values of these variables may lie while the others are left alone: their box and the constraints between
  // them, in which variables left alone count with their expected value. Constraints on none of them do not bind.
  // Nothing when there is no such point.
  std::optional<Domain> domain(const Subset& altered) const;

  // Within the domain of what it alters, and no more alterations than are wanted.
  bool permits(const Setting& setting) const;

  // Of one standard deviation of each alterable variable: the weights of the problem, or 1 when it has none.
  const std::vector<double>& cost_weights() const { return cost_weights_; }
  // Sum of weight x |value - expected value| over what is altered.
  double cost(const Setting& setting) const;

  // A value in the user's units. The domain's own ends, not what standardising and back makes of them.
  double restore(std::size_t alterable, double value) const;

  // The values of a subset as a setting, and back.
  Setting setting(const Subset& altered, const std::vector<double>& values) const;
  std::vector<double> values(const Setting& setting) const;

 private:
  PostDecisionPlan plan(const Subset& altered, int draws, DrawStream stream) const;
  void settle();
  void find_expected_values();
  void find_influences();

  const DecisionProblem& problem_;
  DecisionOptions options_;
  const Context& context_;
  PreparedObjective prepared_;
  std::vector<NamedRange> domains_;  // a single value for what is fixed
  Box box_;
  Subset fixed_;
  Subset free_;
  std::vector<double> expected_;
  std::vector<bool> influences_;
  std::vector<double> cost_weights_;
  std::vector<LinearCondition> constraints_;  // over all alterable variables
};

}  // namespace olem::internal
