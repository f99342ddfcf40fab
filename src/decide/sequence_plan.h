#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/judge.h"
#include "decide/prepared_problem.h"
#include "decide/rule_sampler.h"
#include "olem/decision.h"

namespace olem::internal {

// What is done with the levers: values now, rules later.
struct Plan {
  struct Later {
    std::size_t lever = 0;  // among the alterable ones
    Rule rule;
  };
  Setting now;
  std::vector<Later> later;  // by place in the order of the samplers

  Subset altered() const;
};

// The plan without one lever.
Plan without_lever(Plan plan, std::size_t lever);

struct JudgedPlan : Judged {
  Plan plan;
};

// The plans of a problem with later steps: how they are made, drawn and judged, and where their values may lie. All in
// the standardised units of the samplers.
class PlanSpace {
 public:
  // `problem` and `context` must outlive it. Throws what decide() throws.
  PlanSpace(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

  const PreparedProblem& prepared() const { return prepared_; }
  const DecisionProblem& problem() const { return prepared_.problem(); }
  const DecisionOptions& options() const { return prepared_.options(); }
  const std::vector<std::string>& outcomes() const { return problem().region.outcomes(); }

  // Nothing beyond the fixed values.
  Plan idle() const;
  // These levers at what is expected of them, later ones by a rule that depends on nothing.
  Plan start(const Subset& altered) const;
  // The same at the values of a decision at once, as far as it alters them.
  Plan start(const Subset& altered, const Values& at_once) const;
  // Values and rules in the user's units, which may come from another fit; a value of a lever of a later step becomes a
  // rule that depends on nothing.
  Plan of(const Values& values, std::span<const AlterationRule> rules) const;

  // Draws of `outcomes` under the plan; one lever, `also`, may be altered beside it instead of following its rule.
  PostDecisionSampler sampler(const Plan& plan, const std::vector<std::string>& outcomes, int draws, DrawStream stream,
                              bool gradient, std::optional<std::size_t> also = std::nullopt) const;

  // What the sampler takes: values now, then the parameters of every rule.
  std::vector<double> values(const Plan& plan, std::optional<std::size_t> without = std::nullopt) const;
  static void set_values(Plan& plan, std::span<const double> all);

  // What will be seen, one vector for each input of the rule.
  std::vector<std::vector<double>> inputs(const Plan& plan, const Rule& rule, int draws, DrawStream stream) const;
  // Centre and scale of the inputs where the plan leads.
  void frame(Plan& plan) const;

  // Where the values of the plan may lie, levels of the present step held. Nothing when the constraints leave no room.
  std::optional<Domain> domain(const Plan& plan) const;
  bool permits(const Plan& plan) const;

  JudgedPlan judge(Plan plan, FoundBy found_by) const;
  JudgedPlan judge(Plan plan, FoundBy found_by, int draws, DrawStream stream) const;
  // Standardised values of the levers of later steps, in the order of the plan, draw by draw.
  std::vector<std::vector<double>> later_values(const Plan& plan, int draws, DrawStream stream) const;
  // Of later levers on average.
  double cost(const Plan& plan, int draws, DrawStream stream) const;

  // The rules of a plan in the user's units.
  std::vector<AlterationRule> rules(const Plan& plan) const;

 private:
  const SamplerSet& set() const { return *problem().samplers; }
  std::size_t place(std::size_t lever) const;
  void find_steps();
  Plan::Later new_rule(std::size_t lever, const Subset& altered) const;
  bool settled_before(std::size_t lever, std::size_t other) const;
  double reserved(const PreparedProblem::Constraint& constraint, const Subset& altered) const;
  double least(const PreparedProblem::Constraint& constraint, std::size_t lever) const;
  void add_limits(std::size_t lever, const Subset& altered, Rule& rule) const;
  std::vector<AlterationRule::Limit> limits(std::size_t lever, const Subset& altered) const;
  AlterationRule in_user_units(const Plan::Later& later, const Subset& altered) const;

  PreparedProblem prepared_;
  std::vector<std::size_t> step_;               // of each lever, 0: now
  std::vector<std::vector<std::size_t>> seen_;  // before each step: places in the set
};

}  // namespace olem::internal
