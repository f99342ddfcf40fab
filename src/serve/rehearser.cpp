#include "serve/rehearser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "decide/decision_report.h"
#include "decide/explain/outcome_histogram.h"
#include "decide/objective.h"
#include "decide/prepared_problem.h"

namespace olem::internal {

namespace {

constexpr std::size_t kIdleKept = 16;  // contexts; small
constexpr std::size_t kActingKept =
    2;  // contexts with what is set in them; up to forty megabytes each with gp samplers
constexpr std::size_t kReachDraws = 100;
constexpr double kMostlyOutside = 0.5;  // as for decisions

constexpr double kRoundingOfOne = 0.0025;  // of the probability of success
constexpr double kRoundingOfAll = 0.005;
// Beyond the first digit of the width of a domain: a value is known to a twentieth of its domain at least.
constexpr int kFewestDecimals = 1;
constexpr int kMostDecimals = 6;

std::string context_key(const std::vector<double>& values, const std::string& group) {
  std::string key(values.size() * sizeof(double), '\0');
  if (!values.empty()) std::memcpy(key.data(), values.data(), key.size());
  // With its length, so that no name looks like what stands behind it.
  return fmt::format("{}{} {}", key, group.size(), group);
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

std::size_t Rehearser::draw_count() const { return static_cast<std::size_t>(report_draws(options_)); }

std::shared_ptr<const SamplerSet> Rehearser::samplers_of(const std::string& group) const {
  if (group.empty()) return model_.samplers;
  const auto place = std::find(model_.groups.begin(), model_.groups.end(), group);
  return samplers_in_group(model_.samplers, static_cast<std::size_t>(place - model_.groups.begin()));
}

PostDecisionSampler Rehearser::sampler(const Place& place, std::vector<std::string> altered,
                                       std::vector<std::string> outcomes, std::size_t draws, DrawStream stream) const {
  const std::vector<double>& context_values = place.values;
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
  return PostDecisionSampler(samplers_of(place.group), plan, context_);
}

std::unique_ptr<Rehearser::Idle> Rehearser::idle(const Place& place, const std::string& key) {
  if (std::unique_ptr<Idle> known = idle_.take(key)) return known;
  auto made = std::make_unique<Idle>();
  made->draws = sampler(place, {}, model_.task.outcome, draw_count(), DrawStream::kReport).sample({}, options_.caution);
  std::vector<std::string> names;
  for (const LeverDomain& range : model_.task.alterable) names.push_back(range.name);
  PostDecisionSampler drawn = sampler(place, {}, names, static_cast<std::size_t>(options_.draws), DrawStream::kSearch);
  const OutcomeDraws& outcomes = drawn.sample({}, options_.caution);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const SamplerVariable& variable = model_.samplers->variables[model_.samplers->index(names[k])];
    made->standardised.push_back(expected_value(outcomes, k, variable));
    made->expected.push_back(restore_expected(variable, made->standardised.back()));
  }
  return made;
}

std::unique_ptr<Rehearser::Acting> Rehearser::acting(const RehearseRequest& request, const std::string& key) {
  if (std::unique_ptr<Acting> known = acting_.take(key)) return known;
  std::vector<std::string> names;
  for (const NamedValue& value : request.alterations) names.push_back(value.name);
  return std::make_unique<Acting>(
      Acting{sampler({request.context, request.group}, names, model_.task.outcome, draw_count(), DrawStream::kReport),
             sampler({request.context, request.group}, names, model_.task.outcome, kReachDraws, DrawStream::kReport)});
}

std::vector<double> Rehearser::standardise(const std::vector<NamedValue>& values) const {
  std::vector<double> standardised;
  for (const NamedValue& value : values)
    standardised.push_back(model_.samplers->variables[model_.samplers->index(value.name)].standardise(value.value));
  return standardised;
}

double Rehearser::cost(const RehearseRequest& request, const Idle& without) const {
  const Task& task = model_.task;
  double sum = 0.0;
  for (const NamedValue& value : request.alterations) {
    const SamplerVariable& variable = model_.samplers->variables[model_.samplers->index(value.name)];
    std::optional<double> weight;
    if (!task.cost.empty()) weight = 0.0;
    for (const NamedValue& entry : task.cost) {
      if (entry.name == value.name) weight = *weight + entry.value;
    }
    for (std::size_t k = 0; k < task.alterable.size(); ++k) {
      if (task.alterable[k].name != value.name) continue;
      const auto form = std::find_if(task.cost_forms.begin(), task.cost_forms.end(),
                                     [&](const CostForm& own) { return own.name == value.name; });
      sum += alteration_cost(variable, weight, variable.standardise(value.value), without.standardised[k],
                             form == task.cost_forms.end() ? nullptr : &*form);
    }
  }
  return sum;
}

std::vector<NamedValue> Rehearser::rounded(const RehearseRequest& request) {
  const PreparedObjective prepared = prepare_objective(request.desired, *model_.samplers, context_);
  std::vector<std::string> names;
  for (const NamedValue& value : request.alterations) names.push_back(value.name);
  PostDecisionSampler outcomes =
      sampler({request.context, request.group}, names, model_.task.outcome, draw_count(), DrawStream::kReport);
  const auto success = [&](const std::vector<NamedValue>& values) {
    return prepared.objective.success(outcomes.sample(standardise(values), options_.caution));
  };
  const double exact = success(request.alterations);
  // How many decimals beyond the width of the domain; none for a list, whose values are as they are.
  std::vector<int> decimals(names.size(), -1);
  std::vector<LeverDomain> domains;
  for (const std::string& name : names) {
    for (const LeverDomain& domain : model_.task.alterable) {
      if (domain.name == name) domains.push_back(resolve_lever(domain, about_column(model_.columns, name)));
    }
  }
  const auto round_to = [&](std::size_t k, int places) {
    const LeverDomain& domain = domains[k];
    const double value = request.alterations[k].value;
    const double width = domain.high - domain.low;
    if (has_values(domain) || !(width > 0.0)) return value;
    const int first = static_cast<int>(std::floor(std::log10(width)));
    const int digits = places - first;
    const double unit = digits < 0 ? std::pow(10.0, -digits) : 1.0;
    const double short_value = digits < 0 ? std::round(value / unit) * unit : value;
    // By way of its text, so that 0.3 is 0.3 and not 0.30000000000000004.
    const std::string text = fmt::format("{:.{}f}", short_value, std::max(0, digits));
    double read = value;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return std::clamp(read, domain.low, domain.high) + 0.0;  // not -0
  };
  std::vector<NamedValue> result = request.alterations;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (has_values(domains[k])) continue;
    for (decimals[k] = kFewestDecimals; decimals[k] < kMostDecimals; ++decimals[k]) {
      std::vector<NamedValue> tried = request.alterations;
      tried[k].value = round_to(k, decimals[k]);
      if (std::abs(success(tried) - exact) <= kRoundingOfOne) break;
    }
    result[k].value = round_to(k, decimals[k]);
  }
  for (int more = 0; more < kMostDecimals && std::abs(success(result) - exact) > kRoundingOfAll; ++more) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (decimals[k] >= 0) result[k].value = round_to(k, ++decimals[k]);
    }
  }
  return result;
}

Rehearsal Rehearser::rehearse(const RehearseRequest& request, RehearsalDraws* kept) {
  const PreparedObjective prepared = prepare_objective(request.desired, *model_.samplers, context_);
  const std::string at = context_key(request.context, request.group);
  std::string altered_at = at;
  for (const NamedValue& value : request.alterations)
    altered_at += fmt::format(" {}", model_.samplers->index(value.name));
  const std::vector<double> values = standardise(request.alterations);
  Rehearsal result;
  result.warnings = prepared.centre.warnings;
  const std::vector<Warning> far = context_warnings(model_.task, model_.context, request.context);
  result.warnings.insert(result.warnings.end(), far.begin(), far.end());

  std::unique_ptr<Idle> without = idle({request.context, request.group}, at);
  std::unique_ptr<Acting> with = acting(request, altered_at);
  const OutcomeDraws& draws = with->outcomes.sample(values, options_.caution);
  const Share anyway = success_share(prepared.objective, without->draws);
  const Share acted = success_share(prepared.objective, draws);
  result.success = acted.success;
  result.interval = acted.interval;
  result.without_action = anyway.success;
  result.interval_without_action = anyway.interval;
  result.expected = without->expected;
  result.cost = cost(request, *without);
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
  if (kept != nullptr) *kept = {draws, without->draws, prepared.objective.inside(draws)};
  idle_.put(at, std::move(without));
  acting_.put(altered_at, std::move(with));
  return result;
}

std::vector<double> Rehearser::expected(const std::vector<double>& context_values, const std::string& group) {
  const std::string at = context_key(context_values, group);
  std::unique_ptr<Idle> without = idle({context_values, group}, at);
  std::vector<double> values = without->expected;
  idle_.put(at, std::move(without));
  return values;
}

}  // namespace olem::internal
