#include "olem/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "data/reading.h"
#include "decide/explain/explain_json.h"
#include "decide/explain/outcome_histogram.h"
#include "decide/member_claims.h"
#include "decide/objective.h"
#include "decide/prepared_problem.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/post_decision.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kPointOutside = 0.5;   // share of draws outside of the data above which a point is extrapolated
constexpr std::size_t kBandStride = 5;  // points of a curve from one whose interval is found to the next
constexpr int kReachDraws = 100;  // to find that out; how far a point is from the data costs more than its success

// All values of a list, or as many of them as a grid has points.
std::vector<double> domain_grid(const LeverDomain& range, int points) {
  if (has_values(range)) {
    const std::size_t count = range.values.size();
    const auto most = std::max<std::size_t>(2, static_cast<std::size_t>(points));
    if (count <= most) return range.values;
    std::vector<double> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(range.values[i * (count - 1) / (most - 1)]);
    return some;
  }
  if (range.low == range.high || points == 1) return {range.low};
  std::vector<double> values;
  for (int i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / (points - 1);
    values.push_back(range.low * (1.0 - share) + range.high * share);
  }
  return values;
}

// In numbers, with the values of discrete columns.
std::vector<LeverDomain> explained_domains(const DecisionProblem& problem) {
  std::vector<LeverDomain> domains;
  const SamplerSet& samplers = fitted(problem.samplers);
  for (const LeverDomain& domain : problem.alterable) {
    try {
      domains.push_back(resolve_lever(domain, samplers.variables[samplers.index(domain.name)].about));
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;
      throw Error(ErrorCategory::kUsage, error.finding(), error.remedies());
    }
  }
  return domains;
}

// One explanation. Its parts are independent of each other once prepare() is done, and each writes to its own place.
class Explainer {
 public:
  Explainer(const DecisionProblem& problem, const std::vector<NamedValue>& decision, const ExplainOptions& options,
            const Context& context)
      : problem_(problem),
        domains_(explained_domains(problem)),
        options_(options),
        context_(context.serial()),
        prepared_(prepare_objective(problem.region, fitted(problem.samplers), context)) {
    result_.context = problem.context;
    result_.decision = decision;
    result_.warnings = prepared_.centre.warnings;
    if (problem.members && !problem.members->list.empty()) {
      claiming_.judge_draws = std::max(10, options.final_draws / 2);
      claiming_.caution = options.caution;
      claims_.emplace(problem_, claiming_, context_);
    }
    prepare();
  }

  std::size_t parts() const { return result_.curves.size() + result_.maps.size(); }

  void run(std::size_t part) {
    if (part < result_.curves.size()) {
      fill(result_.curves[part]);
    } else {
      fill(result_.maps[part - result_.curves.size()]);
    }
  }

  Explanation finish() {
    for (SuccessMap& map : result_.maps) {
      map.gain_over_single =
          map.best_success - std::max(result_.curves[map.first].best_success, result_.curves[map.second].best_success);
    }
    rank_by_success(result_);
    warn_of_extrapolation();
    return std::move(result_);
  }

 private:
  const SamplerVariable& variable(const std::string& name) const {
    return problem_.samplers->variables[problem_.samplers->index(name)];
  }

  PostDecisionSampler sampler(std::vector<std::string> altered, std::vector<std::string> outcomes, int draws,
                              DrawStream stream) const {
    PostDecisionPlan plan;
    plan.context = known_values(problem_);
    plan.hidden = problem_.hidden;
    plan.unknown = problem_.unknown;
    plan.context_model = problem_.context_model;
    plan.altered = std::move(altered);
    plan.outcomes = std::move(outcomes);
    plan.draws = static_cast<std::size_t>(draws);
    plan.noise = static_cast<std::uint64_t>(stream);
    plan.with_gradient = false;
    return PostDecisionSampler(problem_.samplers, plan, context_);
  }

  PostDecisionSampler point_sampler(std::vector<std::string> altered) const {
    return sampler(std::move(altered), problem_.region.outcomes(), options_.draws, DrawStream::kSearch);
  }

  PostDecisionSampler final_sampler(std::vector<std::string> altered) const {
    return sampler(std::move(altered), problem_.region.outcomes(), options_.final_draws, DrawStream::kReport);
  }

  // Values in the user's units, in the order of the sampler's altered variables.
  std::vector<double> standardised(const std::vector<NamedValue>& values) const {
    std::vector<double> result;
    for (const NamedValue& value : values) result.push_back(variable(value.name).standardise(value.value));
    return result;
  }

  // By place of the alterable variable.
  Values placed(const std::vector<NamedValue>& values) const {
    Values all(problem_.alterable.size());
    for (const NamedValue& value : values) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (problem_.alterable[k].name == value.name) all[k] = value.value;
      }
    }
    return all;
  }

  double final_success(const std::vector<NamedValue>& values) const {
    if (claims_) return claims_->means({placed(values)}, true).front();
    PostDecisionSampler last = final_sampler(names_of(values));
    return prepared_.objective.success(last.sample(standardised(values), options_.caution));
  }

  static std::vector<std::string> names_of(const std::vector<NamedValue>& values) {
    std::vector<std::string> names;
    for (const NamedValue& value : values) names.push_back(value.name);
    return names;
  }

  void prepare() {
    const std::vector<double> expected = expected_values();
    for (std::size_t k = 0; k < problem_.alterable.size(); ++k) {
      const LeverDomain& range = domains_[k];
      const SamplerVariable& its = variable(range.name);
      SuccessCurve curve;
      curve.name = range.name;
      curve.low = range.low;
      curve.high = range.high;
      curve.data_low = its.low;
      curve.data_high = its.high;
      curve.data_counts = its.counts;
      curve.expected = expected[k];
      curve.values = domain_grid(range, options_.points);
      curve.is_list = has_values(range);
      for (const double value : has_words(its.about) ? curve.values : std::vector<double>())
        curve.levels.push_back(value_name(its.about, value));
      result_.curves.push_back(std::move(curve));
    }
    for (std::size_t a = 0; options_.pair_points > 0 && a < problem_.alterable.size(); ++a) {
      for (std::size_t b = a + 1; b < problem_.alterable.size(); ++b) {
        SuccessMap map;
        map.first = a;
        map.second = b;
        map.first_values = domain_grid(domains_[a], options_.pair_points);
        map.second_values = domain_grid(domains_[b], options_.pair_points);
        result_.maps.push_back(std::move(map));
      }
    }
    forecast();
  }

  std::vector<double> expected_values() const {
    if (problem_.alterable.empty()) return {};
    std::vector<std::string> names;
    for (const LeverDomain& range : problem_.alterable) names.push_back(range.name);
    PostDecisionSampler idle = sampler({}, names, options_.draws, DrawStream::kSearch);
    const OutcomeDraws& draws = idle.sample({}, options_.caution);
    std::vector<double> expected;
    for (std::size_t k = 0; k < names.size(); ++k)
      expected.push_back(restore_expected(variable(names[k]), expected_value(draws, k, variable(names[k]))));
    return expected;
  }

  // Where the outcomes end up without action, and with the decision.
  void forecast() {
    if (claims_) {
      forecast_by_members();
      return;
    }
    PostDecisionSampler idle = final_sampler({});
    const OutcomeDraws& without = idle.sample({}, options_.caution);
    result_.without_action = prepared_.objective.success(without);
    result_.draws = without.draws;
    const bool decided = !result_.decision.empty();
    std::optional<PostDecisionSampler> acting;
    const OutcomeDraws* with = nullptr;
    if (decided) {
      acting.emplace(final_sampler(names_of(result_.decision)));
      with = &acting->sample(standardised(result_.decision), options_.caution);
      result_.with_decision = prepared_.objective.success(*with);
    }
    result_.outcomes = outcome_histograms(without, with, problem_.region, *problem_.samplers);
  }

  void forecast_by_members() {
    const std::vector<std::string> outcomes = problem_.region.outcomes();
    const auto drawn = [&](const Values& values, double& success, std::optional<std::pair<double, double>>& interval) {
      std::vector<FitDraws> fits;
      const Claim claim = claims_->of(values, {}, &fits);
      success = claim.success;
      const Ends ends = claims_->interval(claim, kTwoSided95);
      interval = {ends.low, ends.high};
      return mixture_draws(fits, outcomes, *problem_.samplers, static_cast<std::size_t>(options_.final_draws));
    };
    const OutcomeDraws without = drawn(placed({}), result_.without_action, result_.without_action_interval);
    result_.draws = without.draws;
    std::optional<OutcomeDraws> with;
    if (!result_.decision.empty())
      with = drawn(placed(result_.decision), result_.with_decision.emplace(), result_.with_decision_interval);
    result_.outcomes = outcome_histograms(without, with ? &*with : nullptr, problem_.region, *problem_.samplers);
  }

  // A point is better than another, or as good and nearer to what would be without action; standardised distances.
  static bool better(double success, double distance, double best, double best_distance) {
    return success > best || (success == best && distance < best_distance);
  }

  double distance(const SuccessCurve& curve, double value) const {
    return std::abs(value - curve.expected) / variable(curve.name).sd;
  }

  // Decisions that set a variable to each value of its curve, beside others.
  std::vector<Values> along(const SuccessCurve& curve, const std::vector<NamedValue>& others) const {
    std::vector<Values> all;
    for (const double value : curve.values) {
      std::vector<NamedValue> set = others;
      set.push_back({curve.name, value});
      all.push_back(placed(set));
    }
    return all;
  }

  void fill(SuccessCurve& curve) const {
    PostDecisionSampler choosing = point_sampler({curve.name});
    PostDecisionSampler showing = final_sampler({curve.name});
    std::vector<double> by_members;  // on the draws for choices
    if (claims_) {
      const std::vector<Values> decisions = along(curve, {});
      MemberClaims::Band band = claims_->band(decisions, kBandStride);
      curve.success = std::move(band.success);
      curve.success_low = std::move(band.low);
      curve.success_high = std::move(band.high);
      by_members = claims_->means(decisions, false);
    }
    PostDecisionSampler few = sampler({curve.name}, problem_.region.outcomes(), kReachDraws, DrawStream::kSearch);
    curve.influences = choosing.influences().front();
    double best = -1.0;
    double best_distance = 0.0;
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      const double value = curve.values[i];
      context_.check_interrupt();
      const std::vector<double> at = {variable(curve.name).standardise(value)};
      const std::vector<VariableReach> reach = few.reach(at, options_.caution);
      const bool outside = std::any_of(reach.begin(), reach.end(),
                                       [](const VariableReach& r) { return r.share_outside > kPointOutside; });
      curve.extrapolated.push_back(outside ? 1 : 0);
      if (!claims_) curve.success.push_back(prepared_.objective.success(showing.sample(at, options_.caution)));
      const double success =
          claims_ ? by_members[i] : prepared_.objective.success(choosing.sample(at, options_.caution));
      if (!better(success, distance(curve, value), best, best_distance)) continue;
      best = success;
      best_distance = distance(curve, value);
      curve.best_value = value;
      curve.best_success = curve.success[i];
      if (claims_) curve.best_interval = {curve.success_low[i], curve.success_high[i]};
    }
    if (!result_.decision.empty()) fill_beside_decision(curve);
  }

  void fill_beside_decision(SuccessCurve& curve) const {
    std::vector<NamedValue> values = {{curve.name, 0.0}};
    for (const NamedValue& value : result_.decision) {
      if (value.name != curve.name) values.push_back(value);
    }
    if (claims_) {
      curve.beside_decision = claims_->means(along(curve, {values.begin() + 1, values.end()}), true);
      return;
    }
    PostDecisionSampler showing = final_sampler(names_of(values));
    for (const double value : curve.values) {
      context_.check_interrupt();
      values.front().value = value;
      curve.beside_decision.push_back(
          prepared_.objective.success(showing.sample(standardised(values), options_.caution)));
    }
  }

  void fill(SuccessMap& map) const {
    const SuccessCurve& first = result_.curves[map.first];
    const SuccessCurve& second = result_.curves[map.second];
    PostDecisionSampler points = point_sampler({first.name, second.name});
    double best = -1.0;
    double best_distance = 0.0;
    for (const double y : map.second_values) {
      for (const double x : map.first_values) {
        context_.check_interrupt();
        const std::vector<double> at = {variable(first.name).standardise(x), variable(second.name).standardise(y)};
        const double success = prepared_.objective.success(points.sample(at, options_.caution));
        map.success.push_back(success);
        const double away = distance(first, x) + distance(second, y);
        if (!better(success, away, best, best_distance)) continue;
        best = success;
        best_distance = away;
        map.best_first = x;
        map.best_second = y;
      }
    }
    map.best_success = final_success({{first.name, map.best_first}, {second.name, map.best_second}});
  }

  void warn_of_extrapolation() {
    std::vector<std::string> names;
    for (const SuccessCurve& curve : result_.curves) {
      if (std::find(curve.extrapolated.begin(), curve.extrapolated.end(), 1) != curve.extrapolated.end())
        names.push_back(curve.name);
    }
    if (names.empty()) return;
    result_.warnings.push_back(
        {"extrapolation",
         fmt::format("Parts of the domain of {} lead to where there is little data: the curves there are a guess.",
                     fmt::join(names, ", ")),
         fmt::format("{}", fmt::join(names, ", "))});
  }

  const DecisionProblem& problem_;
  std::vector<LeverDomain> domains_;
  const ExplainOptions& options_;
  Context context_;
  DecisionOptions claiming_;  // what the members read
  std::optional<MemberClaims> claims_;
  PreparedObjective prepared_;
  Explanation result_;
};

}  // namespace

OptionSet describe(ExplainOptions& options) {
  OptionSet set;
  set.integer("draws", options.draws, 10, 1000000,
              "fixed draws on which the best points are chosen and pairs are shown");
  set.integer("final_draws", options.final_draws, 10, 1000000,
              "fresh draws behind curves and the numbers that are ranked");
  set.integer("points", options.points, 2, 10001, "of each curve");
  set.integer("pair_points", options.pair_points, 0, 1001, "of each side of a pair; 0: no pairs");
  set.real("caution", options.caution, 0.0, 100.0,
           "factor of the posterior standard deviation of the samplers, as for a decision");
  return set;
}

std::vector<Explanation> explain_all(const std::vector<DecisionProblem>& problems,
                                     const std::vector<std::vector<NamedValue>>& decisions,
                                     const ExplainOptions& options, const Context& context) {
  ExplainOptions checked = options;
  describe(checked).validate();
  if (!decisions.empty()) check_same_size("decisions", decisions.size(), "problems", problems.size());
  const auto side = static_cast<std::size_t>(checked.pair_points);
  std::size_t cells = 0;
  for (const DecisionProblem& problem : problems) {
    explained_domains(problem);
    cells += side * side * problem.alterable.size() * problem.alterable.size() / 2;
  }
  context.require_memory(cells * sizeof(double), "success over pairs");

  std::vector<std::unique_ptr<Explainer>> explainers(problems.size());
  parallel_for(context, 0, problems.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<NamedValue> nothing;
      explainers[i] =
          std::make_unique<Explainer>(problems[i], decisions.empty() ? nothing : decisions[i], checked, context);
    }
  });
  std::vector<std::pair<Explainer*, std::size_t>> parts;
  for (const auto& explainer : explainers) {
    for (std::size_t part = 0; part < explainer->parts(); ++part) parts.emplace_back(explainer.get(), part);
  }
  // A batch at a time, so that the caller's thread can report how far it is.
  const auto batch = 4 * static_cast<std::size_t>(context.thread_count());
  for (std::size_t first = 0; first < parts.size(); first += batch) {
    const std::size_t last = std::min(parts.size(), first + batch);
    parallel_for(context, first, last, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) parts[i].first->run(parts[i].second);
    });
    context.report_progress(static_cast<double>(last) / static_cast<double>(parts.size()), "curves and pairs");
  }
  std::vector<Explanation> results;
  for (const auto& explainer : explainers) results.push_back(explainer->finish());
  return results;
}

Explanation explain(const DecisionProblem& problem, const std::vector<NamedValue>& decision,
                    const ExplainOptions& options, const Context& context) {
  return std::move(explain_all({problem}, {decision}, options, context).front());
}

void check_alterations(const std::vector<LeverDomain>& alterable, const std::vector<NamedValue>& values,
                       std::span<const NamedColumn> columns) {
  const auto reject = [](const std::string& what, std::vector<Remedy> remedies = {}) {
    throw Error::of_option("at", what, std::move(remedies));
  };
  std::vector<std::string> names;
  for (const LeverDomain& range : alterable) names.push_back(range.name);
  for (auto value = values.begin(); value != values.end(); ++value) {
    const std::string& name = value->name;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string near = closest_name(name, names);
      reject(fmt::format("'{}' is no alterable variable of the task. {}", show_text(name),
                         near.empty() ? fmt::format("The alterable variables are {}.", fmt::join(names, ", "))
                                      : fmt::format("Did you mean '{}'?", near)));
    }
    const Column& about = about_column(columns, name);
    const LeverDomain range = resolve_lever(alterable[static_cast<std::size_t>(found - names.begin())], about);
    if (!contains(range, value->value)) {
      reject(has_values(range) ? fmt::format("{} is none of the values of '{}': {}.", value_name(about, value->value),
                                             show_text(name), domain_text(range, about))
                               : fmt::format("{} is outside of the domain [{}, {}] of '{}'.", value->value, range.low,
                                             range.high, show_text(name)));
    }
    if (std::any_of(values.begin(), value, [&](const NamedValue& other) { return other.name == name; }))
      reject(fmt::format("'{}' is given twice.", show_text(name)), {{"Give it once"}});
  }
}

}  // namespace olem
