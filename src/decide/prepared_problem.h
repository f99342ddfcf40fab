#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
// The same in the user's units.
using Values = std::vector<std::optional<double>>;

// Places of alterable variables in the problem, ascending.
using Subset = std::vector<std::size_t>;

Subset altered_by(const Setting& setting);

// What is expected of a variable, drawn as an outcome: its mean, or of a discrete column one of its values: the most
// probable level of a switch or category, the median of levels with an order and of counts. Standardised.
double expected_value(const OutcomeDraws& draws, std::size_t outcome, const SamplerVariable& variable);

// The same in the user's units: exactly a level or a whole number where it is one.
double restore_expected(const SamplerVariable& variable, double expected);

// What it costs to set a variable to `value`, both standardised: weight x distance from the expected value, in steps
// between the levels of an ordinal column, 1 for another level of a switch or category, the difference in the user's
// units otherwise; without a weight in standard deviations.
double alteration_cost(const SamplerVariable& variable, std::optional<double> weight, double value, double expected,
                       const CostForm* form = nullptr);

// A decision problem in the standardised units of its samplers, and the draws on which it is decided. Everything that
// depends on neither the optimiser nor the kind of decision method.
class PreparedProblem {
 public:
  // What a constraint adds when a variable has one of its levels.
  struct LevelTerm {
    std::size_t variable = 0;
    double level = 0.0;
    double weight = 0.0;
  };
  struct Constraint {
    LinearCondition linear;  // over all alterable variables
    std::vector<LevelTerm> levels;
  };

  // Throws what decide() throws. `problem` and `context` must outlive it.
  PreparedProblem(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

  const DecisionProblem& problem() const { return problem_; }
  const DecisionOptions& options() const { return options_; }
  const Context& context() const { return context_; }
  std::size_t size() const { return box_.size(); }  // number of alterable variables
  const OutcomeObjective& objective() const { return prepared_.objective; }
  const RegionCentre& centre() const { return prepared_.centre; }
  const Box& box() const { return box_; }
  // What is expected of each alterable variable, given the context, when nothing is done: its mean, or of a discrete
  // column one of its values: the most probable level of a switch or category, the median of others.
  const std::vector<double>& expected() const { return expected_; }
  // The values that a variable may be set to, ascending; none: every number of its side of the box.
  const std::vector<double>& values_of(std::size_t alterable) const { return lists_[alterable]; }
  bool has_list(std::size_t alterable) const { return !lists_[alterable].empty(); }
  // Of those that have a choice between values.
  bool any_list(const Subset& altered) const;
  // Levels without an order: neighbours have nothing in common.
  bool is_nominal(std::size_t alterable) const;
  // The value of the list, or of the side of the box, that is nearest.
  double nearest(std::size_t alterable, double value) const;
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
  // What these samplers are asked for.
  PostDecisionPlan plan(const Subset& altered, int draws, DrawStream stream) const;

  // Where the values of these variables may lie while the others are left alone: their box and the constraints between
  // them, in which variables left alone count with their expected value. Constraints on none of them do not bind.
  // Variables with a list are held at their value of `at`, which has one for each. Nothing when there is no such point.
  std::optional<Domain> domain(const Subset& altered, std::span<const double> at = {}) const;

  // Within the domain of what it alters, and no more alterations than are wanted.
  bool permits(const Setting& setting) const;

  const std::vector<Constraint>& constraints() const { return constraints_; }

  // Of one standard deviation of each alterable variable: the weights of the problem, or 1 when it has none. 0 for
  // variables with a list.
  std::vector<double> slope_of_cost(const Subset& altered) const;
  // Where the cost of the variable is 0, standardised, and the power of the distance from there; of a power of 2 the
  // slope above is the factor of the square.
  double origin_of_cost(std::size_t alterable) const;
  int power_of_cost(std::size_t alterable) const;
  // alteration_cost() with the weights of the problem.
  double cost(std::size_t alterable, double value) const;
  // The sum over what is altered.
  double cost(const Setting& setting) const;

  // A value in the user's units. The domain's own values and ends, not what standardising and back makes of them.
  double restore(std::size_t alterable, double value) const;

  // The values of a subset as a setting, and back.
  Setting setting(const Subset& altered, const std::vector<double>& values) const;
  std::vector<double> values(const Setting& setting) const;

 private:
  void settle();
  void add_constraint(const AlterationConstraint& constraint);
  void find_expected_values();
  void find_influences();

  const DecisionProblem& problem_;
  DecisionOptions options_;
  const Context& context_;
  PreparedObjective prepared_;
  std::vector<LeverDomain> domains_;  // resolved; a single value for what is fixed
  Box box_;
  Subset fixed_;
  Subset free_;
  std::vector<double> expected_;
  std::vector<bool> influences_;
  std::vector<double> cost_weights_;
  std::vector<const CostForm*> cost_forms_;  // null: weight x distance from what is expected
  std::vector<Constraint> constraints_;
  std::vector<std::vector<double>> lists_;
};

}  // namespace olem::internal
