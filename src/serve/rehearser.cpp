#include "serve/rehearser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decide/explain/outcome_histogram.h"
#include "decide/objective.h"
#include "decide/prepared_problem.h"

namespace olem::internal {

namespace {

constexpr std::size_t kIdleKept = 16;   // contexts; small
constexpr std::size_t kActingKept = 4;  // contexts with what is set in them; up to ten megabytes each with gp samplers
constexpr std::size_t kReachDraws = 100;
constexpr double kMostlyOutside = 0.5;  // as for decisions

std::string context_key(const std::vector<double>& values) {
  std::string key(values.size() * sizeof(double), '\0');
  if (!values.empty()) std::memcpy(key.data(), values.data(), key.size());
  return key;
}

struct Share {
  double success;
  Interval interval;
};

Share success_share(const OutcomeObjective& objective, const OutcomeDraws& draws) {
  const std::size_t successes = objective.successes(draws);
  return {static_cast<double>(successes) / static_cast<double>(draws.draws), clopper_pearson(successes, draws.draws)};
}

}  // namespace

Rehearser::Rehearser(const RehearsalModel& model, const DecisionOptions& options, const Context& context)
    : model_(model), options_(options), context_(context), idle_(kIdleKept), acting_(kActingKept) {}

PostDecisionSampler Rehearser::sampler(const std::vector<double>& context_values, std::vector<std::string> altered,
                                       std::vector<std::string> outcomes, std::size_t draws, DrawStream stream) const {
  PostDecisionPlan plan;
  plan.context = known_context(model_.task, context_values);
  for (std::size_t k = 0; k < context_values.size(); ++k) {
    if (std::isnan(context_values[k])) plan.unknown.push_back(model_.task.context[k]);
  }
  plan.context_model = model_.context_model;
  plan.altered = std::move(altered);
  plan.outcomes = std::move(outcomes);
  plan.draws = draws;
  plan.noise = static_cast<std::uint64_t>(stream);
  plan.with_gradient = false;
  return PostDecisionSampler(model_.samplers, plan, context_);
}

std::unique_ptr<Rehearser::Idle> Rehearser::idle(const std::vector<double>& context_values, const std::string& key) {
  if (std::unique_ptr<Idle> known = idle_.take(key)) return known;
  auto made = std::make_unique<Idle>();
  made->draws = sampler(context_values, {}, model_.task.outcome, kRehearsalDraws, DrawStream::kReport)
                    .sample({}, options_.caution);
  std::vector<std::string> names;
  for (const LeverDomain& range : model_.task.alterable) names.push_back(range.name);
  PostDecisionSampler drawn =
      sampler(context_values, {}, names, static_cast<std::size_t>(options_.draws), DrawStream::kSearch);
  const OutcomeDraws& draws = drawn.sample({}, options_.caution);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const SamplerVariable& variable = model_.samplers->variables[model_.samplers->index(names[k])];
    made->expected.push_back(restore_expected(variable, expected_value(draws, k, variable)));
  }
  return made;
}

std::unique_ptr<Rehearser::Acting> Rehearser::acting(const RehearseRequest& request, const std::string& key) {
  if (std::unique_ptr<Acting> known = acting_.take(key)) return known;
  std::vector<std::string> names;
  for (const NamedValue& value : request.alterations) names.push_back(value.name);
  return std::make_unique<Acting>(
      Acting{sampler(request.context, names, model_.task.outcome, kRehearsalDraws, DrawStream::kReport),
             sampler(request.context, names, model_.task.outcome, kReachDraws, DrawStream::kReport)});
}

Rehearsal Rehearser::rehearse(const RehearseRequest& request) {
  const PreparedObjective prepared = prepare_objective(request.desired, *model_.samplers, context_);
  const std::string at = context_key(request.context);
  std::string altered_at = at;
  std::vector<double> values;
  for (const NamedValue& value : request.alterations) {
    const std::size_t place = model_.samplers->index(value.name);
    altered_at += fmt::format(" {}", place);
    values.push_back(model_.samplers->variables[place].standardise(value.value));
  }
  Rehearsal result;
  result.warnings = prepared.centre.warnings;
  const std::vector<Warning> far = context_warnings(model_.task, model_.context, request.context);
  result.warnings.insert(result.warnings.end(), far.begin(), far.end());

  std::unique_ptr<Idle> without = idle(request.context, at);
  std::unique_ptr<Acting> with = acting(request, altered_at);
  const OutcomeDraws& draws = with->outcomes.sample(values, options_.caution);
  const Share anyway = success_share(prepared.objective, without->draws);
  const Share acted = success_share(prepared.objective, draws);
  result.success = acted.success;
  result.interval = acted.interval;
  result.without_action = anyway.success;
  result.interval_without_action = anyway.interval;
  result.expected = without->expected;
  result.outcomes = outcome_forecasts(draws, model_.task.outcome, *model_.samplers);
  result.outcomes_without_action = outcome_forecasts(without->draws, model_.task.outcome, *model_.samplers);
  result.histograms = outcome_histograms(without->draws, &draws, request.desired, *model_.samplers);
  for (const VariableReach& reach : with->few.reach(values, options_.caution)) {
    if (reach.share_outside > kMostlyOutside) result.extrapolated.push_back(reach.variable);
  }
  if (!result.extrapolated.empty()) {
    const std::string names = fmt::format("{}", fmt::join(result.extrapolated, ", "));
    result.warnings.push_back(
        {"extrapolation",
         fmt::format("This leads to where there is little data for {}: the numbers there are a guess.", names), names});
  }
  idle_.put(at, std::move(without));
  acting_.put(altered_at, std::move(with));
  return result;
}

std::vector<double> Rehearser::expected(const std::vector<double>& context_values) {
  const std::string at = context_key(context_values);
  std::unique_ptr<Idle> without = idle(context_values, at);
  std::vector<double> values = without->expected;
  idle_.put(at, std::move(without));
  return values;
}

}  // namespace olem::internal
