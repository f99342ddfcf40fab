#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "olem/decision.h"

namespace olem::internal {

// A decision in the user's units, by place of the alterable variable; nothing: leave it alone.
struct FoundDecision {
  std::vector<std::optional<double>> values;
  FoundBy found_by = FoundBy::kNoAction;
  std::vector<AlterationRule> rules = {};  // of levers of later steps
};

// One fit from the first search to the last number, and from the search alone.
Decision decide_by_fit(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);
FoundDecision find_decision(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

// The decision by the mean over the fit and the weighted orders, with the interval of all members
// (docs/methods/uncertainty.md); with later steps the plan. The members decide and judge on the context's threads.
// Throws what decide() throws.
Decision decide_with_members(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

// Success of values now and rules later along the samplers of another fit. `noise`: a place in DrawStream.
double success_by(const DecisionProblem& problem, const std::shared_ptr<const SamplerSet>& samplers,
                  const std::vector<std::optional<double>>& values, std::span<const AlterationRule> rules,
                  std::uint64_t noise, const DecisionOptions& options, const Context& context);

// What the members say of one decision that is given, for a person who moves levers.
struct SuccessClaim {
  double success = 0.0;
  double low = 0.0;  // 95 %
  double high = 1.0;
};
SuccessClaim claim_of(const DecisionProblem& problem, const std::vector<std::optional<double>>& values,
                      const DecisionOptions& options, const Context& context);

}  // namespace olem::internal
