#include "decide/decision_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "decide/explain/outcome_histogram.h"
#include "decide/hidden_cause.h"
#include "decide/influence_step.h"
#include "decide/success_interval.h"

namespace olem::internal {

namespace {

constexpr double kMostExcluded = 0.01;  // share of draws above which nothing can be relied on
constexpr double kMostlyOutside = 0.5;  // share of draws outside of the data above which a variable is named

}  // namespace

std::vector<Alteration> alterations_of(const PreparedProblem& prepared, const Setting& setting) {
  std::vector<Alteration> all;
  for (std::size_t k = 0; k < prepared.size(); ++k) {
    Alteration alteration;
    alteration.name = prepared.problem().alterable[k].name;
    alteration.expected = restore_expected(prepared.variable(k), prepared.expected()[k]);
    alteration.influences = prepared.influences()[k];
    alteration.fixed = std::binary_search(prepared.fixed().begin(), prepared.fixed().end(), k);
    if (k < setting.size() && setting[k]) alteration.value = prepared.restore(k, *setting[k]);
    all.push_back(std::move(alteration));
  }
  return all;
}

namespace {

// What is lost when one of the altered variables is left alone after all.
void add_releases(const PreparedProblem& prepared, const Setting& setting, PostDecisionSampler& sampler,
                  Decision& decision) {
  for (std::size_t k = 0; k < decision.alterations.size(); ++k) {
    Alteration& alteration = decision.alterations[k];
    if (!alteration.value) {
      alteration.success_if_released = decision.success_probability;
      continue;
    }
    Setting others = setting;
    others[k].reset();
    sampler.alter(prepared.names(altered_by(others)));
    alteration.success_if_released =
        prepared.objective().success(sampler.sample(prepared.values(others), prepared.options().caution));
  }
}

}  // namespace

void conclude_report(const PreparedProblem& prepared, Decision& decision) {
  const int draws = report_draws(prepared.options());
  Summary& summary = decision.summary;
  summary.warnings = prepared.centre().warnings;
  if (!prepared.any_influence()) {
    const bool all_left = prepared.size() > 0 && prepared.with_fixed(prepared.free()).empty();
    summary.status = all_left ? Status::kNoAction : Status::kNoInfluence;
    summary.message = all_left ? "Every alterable variable is to be left alone, so there is nothing to recommend."
                               : "No alterable variable can change an outcome in this order, so there is nothing to "
                                 "recommend.";
    const std::vector<std::string> levers = prepared.names(prepared.with_fixed(prepared.free()));
    const auto step = step_in_the_way(*prepared.problem().samplers, levers, prepared.problem().region.outcomes());
    if (!all_left && step)
      summary.message += fmt::format(" It rests on {} coming before {}.", step->first, step->second);
  } else if (!decision.acts()) {
    summary.status = Status::kNoAction;
    summary.message = "Nothing was found that is better than leaving everything alone.";
  } else if (decision.found_by == FoundBy::kFixedValues) {
    summary.message = "Nothing was found that is better than the fixed values alone.";
  } else {
    summary.message = fmt::format("Found by {}.", found_by_name(decision.found_by));
  }
  if (static_cast<double>(decision.excluded_draws) > kMostExcluded * static_cast<double>(draws)) {
    summary.status = Status::kUnreliable;
    summary.warnings.push_back(
        {"absurd_draws",
         fmt::format("{} of {} draws were not finite or absurdly far from the data: the samplers cannot be relied on "
                     "there.",
                     decision.excluded_draws, draws),
         ""});
  }
  if (!decision.extrapolated.empty()) {
    summary.warnings.push_back(
        {"extrapolation",
         fmt::format("The decision leads to where there is little data for {}: the numbers there are a guess.",
                     fmt::join(decision.extrapolated, ", ")),
         fmt::format("{}", fmt::join(decision.extrapolated, ", "))});
  }
}

void report_without_action(const PreparedProblem& prepared, PostDecisionSampler& sampler, Decision& decision) {
  const OutcomeDraws& without = sampler.sample({}, prepared.options().caution);
  decision.without_action = prepared.objective().success(without);
  decision.outcomes_without_action =
      outcome_forecasts(without, prepared.problem().region.outcomes(), *prepared.problem().samplers);
}

void report_success(const PreparedProblem& prepared, PostDecisionSampler& sampler, const std::vector<double>& values,
                    Decision& decision) {
  const DecisionProblem& problem = prepared.problem();
  const OutcomeObjective& objective = prepared.objective();
  const double caution = prepared.options().caution;
  decision.plug_in_probability = objective.success(sampler.sample(values, 0.0));
  const OutcomeDraws& with = sampler.sample(values, caution);
  const std::size_t successes = objective.successes(with);
  decision.success_probability = static_cast<double>(successes) / static_cast<double>(with.draws);
  const Interval interval = clopper_pearson(successes, with.draws);
  decision.success_low = interval.low;
  decision.success_high = interval.high;
  if (prepared.options().method == DecisionMethod::kQwz23) {
    const Interval bound = qwz_interval(successes, with.draws).interval;
    decision.qwz23_interval = {bound.low, bound.high};
  }
  decision.outcomes = outcome_forecasts(with, problem.region.outcomes(), *problem.samplers);
  decision.excluded_draws = with.excluded;
  for (const VariableReach& reach : sampler.reach(values, caution)) {
    if (reach.share_outside > kMostlyOutside) decision.extrapolated.push_back(reach.variable);
  }
}

Decision report_decision(const PreparedProblem& prepared, const Setting& setting, FoundBy found_by) {
  Decision decision;
  decision.context = prepared.problem().context;
  decision.group = prepared.problem().group;
  decision.so_far = prepared.problem().so_far;
  decision.alterations = alterations_of(prepared, setting);
  decision.cost = prepared.cost(setting);
  decision.found_by = found_by;

  PostDecisionSampler sampler = prepared.plain_sampler({}, report_draws(prepared.options()), DrawStream::kReport);
  report_without_action(prepared, sampler, decision);
  sampler.alter(prepared.names(altered_by(setting)));
  const std::vector<double> values = prepared.values(setting);
  report_success(prepared, sampler, values, decision);
  if (decision.acts()) {
    decision.hidden_cause = hidden_cause(prepared, setting, sampler, values, decision.without_action);
  }
  add_releases(prepared, setting, sampler, decision);
  conclude_report(prepared, decision);
  return decision;
}

void conclude_target(const PreparedProblem& prepared, bool already_likely, bool reached, Decision& decision) {
  const DecisionOptions& options = prepared.options();
  Summary& summary = decision.summary;
  const bool reliable = summary.status != Status::kUnreliable;
  const std::string target = fmt::format("{:.4g} %", 100.0 * options.target);
  if (already_likely) {
    if (reliable) summary.status = Status::kAlreadyLikely;
    const bool beyond = decision.found_by != prepared.idle_finder();
    summary.message = fmt::format(
        "The target of {} is reached {}. {}", target,
        prepared.fixed().empty() ? "without action" : "with the fixed values alone",
        beyond ? "The best that can be done beyond it is shown all the same." : "Nothing was found that is better.");
  } else if (options.target > 0.0 && !reached) {
    if (reliable) summary.status = Status::kTargetNotReached;
    summary.message = fmt::format("No decision was found that reaches the target of {}: the best one has {:.1f} %.",
                                  target, 100.0 * decision.success_probability);
  } else if (options.target > 0.0) {
    summary.message = fmt::format("The cheapest decision found that reaches the target of {}.", target);
  }
}

Proposal report_proposal(const PreparedProblem& prepared, const Setting& setting, FoundBy found_by) {
  Proposal proposal;
  for (const Alteration& alteration : alterations_of(prepared, setting))
    proposal.alterations.push_back({alteration.name, alteration.value});
  PostDecisionSampler acting =
      prepared.plain_sampler(altered_by(setting), report_draws(prepared.options()), DrawStream::kReport);
  const OutcomeDraws& with = acting.sample(prepared.values(setting), prepared.options().caution);
  const std::size_t successes = prepared.objective().successes(with);
  proposal.success_probability = static_cast<double>(successes) / static_cast<double>(with.draws);
  const Interval interval = clopper_pearson(successes, with.draws);
  proposal.success_low = interval.low;
  proposal.success_high = interval.high;
  proposal.cost = prepared.cost(setting);
  proposal.found_by = found_by;
  return proposal;
}

}  // namespace olem::internal
