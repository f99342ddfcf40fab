#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "decide/objective.h"
#include "decide/search.h"
#include "decide/success_interval.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/post_decision.h"

namespace olem {

namespace {

constexpr Choice kLosses[] = {
    {"center_mae", "mean L1 distance from the centre of the region (the paper's)"},
    {"center_mse", "mean squared distance from the centre"},
    {"ball_huber", "squared inside of the largest ball in the region, linear outside"},
    {"ball_insensitive", "distance outside of the largest ball"},
};
constexpr Choice kMethods[] = {
    {"olem-rh", "search by gradients, along an order or a graph"},
    {"qwz23", "most of the fixed draws in the region, exactly; for linear samplers"},
};
constexpr double kMostExcluded = 0.01;    // share of draws above which nothing can be relied on
constexpr double kMostlyOutside = 0.5;    // share of draws outside of the data above which a variable is named
constexpr double kForecastShare = 0.1;    // on either side of the forecast's interval
constexpr std::uint64_t kNoiseKinds = 4;  // search, judging, report, and one to spare per context

std::vector<std::string> names_of(const std::vector<NamedRange>& ranges) {
  std::vector<std::string> names;
  for (const NamedRange& range : ranges) names.push_back(range.name);
  return names;
}

void check_domains(const std::vector<NamedRange>& alterable) {
  for (const NamedRange& range : alterable) {
    if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The domain of '{}' is [{}, {}]: both sides must be finite numbers, "
                              "the lower one first.",
                              range.name, range.low, range.high));
    }
  }
}

double quantile(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(std::floor(share * static_cast<double>(values.size() - 1) + 0.5));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::vector<OutcomeForecast> forecasts(const OutcomeDraws& draws, const std::vector<std::string>& outcomes,
                                       const SamplerSet& samplers) {
  std::vector<OutcomeForecast> all;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const SamplerVariable& variable = samplers.variables[samplers.index(outcomes[k])];
    std::vector<double> values;
    double sum = 0.0;
    for (std::size_t i = 0; i < draws.draws; ++i) {
      if (draws.valid[i] == 0) continue;
      values.push_back(draws.values[k * draws.draws + i]);
      sum += values.back();
    }
    OutcomeForecast forecast;
    forecast.name = outcomes[k];
    if (!values.empty()) {
      forecast.mean = variable.restore(sum / static_cast<double>(values.size()));
      forecast.low = variable.restore(quantile(values, kForecastShare));
      forecast.high = variable.restore(quantile(values, 1.0 - kForecastShare));
    }
    all.push_back(std::move(forecast));
  }
  return all;
}

// One decision from the first search to the last number.
class Decider {
 public:
  Decider(const DecisionProblem& problem, const DecisionOptions& options, std::uint64_t stream, const Context& context)
      : problem_(problem),
        options_(options),
        stream_(stream),
        context_(context),
        prepared_(prepare_objective(problem.region, *problem.samplers, context)) {
    for (const NamedRange& range : problem.alterable) {
      const SamplerVariable& variable = problem.samplers->variables[problem.samplers->index(range.name)];
      box_.low.push_back(variable.standardise(range.low));
      box_.high.push_back(variable.standardise(range.high));
    }
  }

  Decision run() {
    const auto start = std::chrono::steady_clock::now();
    Decision decision;
    decision.context = problem_.context;
    decision.summary.warnings = prepared_.centre.warnings;
    expected_ = expected_values();
    std::vector<bool> influences(problem_.alterable.size(), false);
    Candidate winner{"no action", {}, 0.0};
    if (!problem_.alterable.empty()) {
      PostDecisionSampler searching = sampler(names_of(problem_.alterable), options_.draws, kSearch);
      influences = searching.influences();
      if (std::find(influences.begin(), influences.end(), true) != influences.end()) {
        winner = judge(options_.method == DecisionMethod::kQwz23 ? most_satisfied(decision) : candidates(searching));
        set_ = influences;
        if (!winner.values.empty()) leave_alone_what_can_be(winner);
      }
    }
    report(decision, winner, influences);
    decision.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return decision;
  }

 private:
  // Which draws: those the search saw flatter what it found.
  enum Noise : std::uint64_t { kSearch, kJudge, kReport };

  PostDecisionSampler sampler(std::vector<std::string> altered, int draws, Noise noise) const {
    PostDecisionPlan plan;
    plan.context = problem_.context;
    plan.altered = std::move(altered);
    plan.outcomes = problem_.region.outcomes();
    plan.draws = static_cast<std::size_t>(draws);
    plan.noise = stream_ * kNoiseKinds + noise;
    return PostDecisionSampler(problem_.samplers, plan, context_);
  }

  // The mean of each alterable variable, given the context, when nothing is done; standardised.
  std::vector<double> expected_values() const {
    if (problem_.alterable.empty()) return {};
    PostDecisionPlan plan;
    plan.context = problem_.context;
    plan.outcomes = names_of(problem_.alterable);
    plan.draws = static_cast<std::size_t>(options_.draws);
    plan.noise = stream_ * kNoiseKinds + kSearch;
    PostDecisionSampler drawn(problem_.samplers, plan, context_);
    const OutcomeDraws& draws = drawn.sample({}, options_.caution);
    std::vector<double> means;
    for (std::size_t k = 0; k < problem_.alterable.size(); ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < draws.draws; ++i) sum += draws.values[k * draws.draws + i];
      means.push_back(sum / static_cast<double>(std::max<std::size_t>(1, draws.draws - draws.excluded)));
    }
    return means;
  }

  std::vector<Candidate> candidates(PostDecisionSampler& searching) const {
    DecisionSearch search(searching, prepared_.objective, box_, options_, context_);
    RandomStream random(context_.seed, "decide.search", stream_);
    std::vector<Candidate> found = {search.surrogate(random)};
    if (options_.ascent_steps > 0) {
      const Candidate screened = search.screen(random);
      found.push_back(search.ascend(found.front()));
      found.push_back(search.ascend(screened));
    }
    for (Candidate& candidate : found) search.snap(candidate);
    const auto best = std::max_element(found.begin(), found.end(),
                                       [](const Candidate& a, const Candidate& b) { return a.success < b.success; });
    const std::vector<Candidate> sides = search.borders(*best);
    found.insert(found.end(), sides.begin(), sides.end());
    Candidate expected{"expected values", expected_, 0.0};
    for (std::size_t k = 0; k < expected_.size(); ++k)
      expected.values[k] = std::clamp(expected_[k], box_.low[k], box_.high[k]);
    found.push_back(std::move(expected));
    return found;
  }

  std::vector<Candidate> most_satisfied(Decision& decision) const {
    const AffineOutcomes outcomes =
        affine_outcomes(problem_.samplers, problem_.context, names_of(problem_.alterable), problem_.region.outcomes(),
                        static_cast<std::size_t>(options_.draws), stream_ * kNoiseKinds + kSearch, context_);
    std::vector<double> preferred;
    for (std::size_t k = 0; k < expected_.size(); ++k)
      preferred.push_back(std::clamp(expected_[k], box_.low[k], box_.high[k]));
    const Qwz23Answer answer = maximise_satisfied(outcomes, prepared_.objective.region(), box_.low, box_.high,
                                                  preferred, options_.qwz23, context_);
    if (answer.at_most > answer.satisfied) {
      decision.summary.warnings.push_back(
          {"not_proven",
           fmt::format(
               "{} of {} draws are satisfied, but the integer programme ended before it could rule out {}. More "
               "--qwz23-nodes may find a better decision.",
               answer.satisfied, outcomes.draws, answer.at_most),
           ""});
    }
    if (answer.values.empty()) return {};
    return {{answer.found_by, answer.values, 0.0}};
  }

  // Success on the draws of the judge when only some of the alterable variables are set.
  double success_of(const Candidate& candidate, const std::vector<bool>& set) const {
    std::vector<std::string> altered;
    std::vector<double> values;
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (!set[k]) continue;
      altered.push_back(problem_.alterable[k].name);
      values.push_back(candidate.values[k]);
    }
    PostDecisionSampler some = sampler(std::move(altered), options_.judge_draws, kJudge);
    return prepared_.objective.success(some.sample(values, options_.caution));
  }

  // Takes back alterations that gain nothing, those that seem to matter least first: a change costs effort, and where
  // it makes no difference its value is chance.
  void leave_alone_what_can_be(const Candidate& winner) {
    std::vector<std::pair<double, std::size_t>> by_loss;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      // A domain of one value is a wish to have it set.
      if (!set_[k] || box_.low[k] == box_.high[k]) continue;
      std::vector<bool> without = set_;
      without[k] = false;
      by_loss.emplace_back(winner.success - success_of(winner, without), k);
    }
    std::sort(by_loss.begin(), by_loss.end());
    for (const auto& [loss, k] : by_loss) {
      if (loss > 0.0) break;
      std::vector<bool> without = set_;
      without[k] = false;
      if (std::find(without.begin(), without.end(), true) == without.end()) break;
      if (success_of(winner, without) >= winner.success) set_ = without;
    }
  }

  double alteration(const Candidate& candidate) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < candidate.values.size(); ++k) sum += std::abs(candidate.values[k] - expected_[k]);
    return sum;
  }

  // The best on fresh draws; of equals the one that alters least. Doing nothing alters nothing.
  Candidate judge(std::vector<Candidate> candidates) const {
    PostDecisionSampler judging = sampler(names_of(problem_.alterable), options_.judge_draws, kJudge);
    PostDecisionSampler idle = sampler({}, options_.judge_draws, kJudge);
    Candidate best{"no action", {}, prepared_.objective.success(idle.sample({}, options_.caution))};
    for (Candidate& candidate : candidates) {
      context_.check_interrupt();
      candidate.success = prepared_.objective.success(judging.sample(candidate.values, options_.caution));
      const bool better =
          candidate.success > best.success ||
          (candidate.success == best.success && !best.values.empty() && alteration(candidate) < alteration(best));
      if (better) best = candidate;
    }
    return best;
  }

  void report(Decision& decision, const Candidate& winner, const std::vector<bool>& influences) const {
    const SamplerSet& samplers = *problem_.samplers;
    std::vector<std::string> altered;
    std::vector<double> values;
    for (std::size_t k = 0; k < problem_.alterable.size(); ++k) {
      const SamplerVariable& variable = samplers.variables[samplers.index(problem_.alterable[k].name)];
      Alteration alteration;
      alteration.name = variable.name;
      alteration.expected = variable.restore(expected_[k]);
      alteration.influences = influences[k];
      if (!winner.values.empty() && set_[k]) {
        altered.push_back(variable.name);
        values.push_back(winner.values[k]);
        // The domain's own ends, not what standardising and back makes of them.
        alteration.value =
            winner.values[k] == box_.low[k] ? problem_.alterable[k].low
            : winner.values[k] == box_.high[k]
                ? problem_.alterable[k].high
                : std::clamp(variable.restore(winner.values[k]), problem_.alterable[k].low, problem_.alterable[k].high);
      }
      decision.alterations.push_back(std::move(alteration));
    }
    decision.chosen = winner.origin;

    const int draws = 2 * options_.judge_draws;
    PostDecisionSampler idle = sampler({}, draws, kReport);
    const OutcomeDraws& without = idle.sample({}, options_.caution);
    decision.without_action = prepared_.objective.success(without);
    decision.outcomes_without_action = forecasts(without, problem_.region.outcomes(), samplers);

    PostDecisionSampler acting = sampler(altered, draws, kReport);
    decision.plug_in_probability = prepared_.objective.success(acting.sample(values, 0.0));
    for (const VariableReach& reach : acting.reach(values, options_.caution)) {
      if (reach.share_outside > kMostlyOutside) decision.extrapolated.push_back(reach.variable);
    }
    const OutcomeDraws& with = acting.sample(values, options_.caution);
    const std::size_t successes = prepared_.objective.successes(with);
    decision.success_probability = static_cast<double>(successes) / static_cast<double>(with.draws);
    const Interval interval = clopper_pearson(successes, with.draws);
    decision.success_low = interval.low;
    decision.success_high = interval.high;
    if (options_.method == DecisionMethod::kQwz23) {
      const Interval bound = qwz_interval(successes, with.draws).interval;
      decision.qwz23_interval = {bound.low, bound.high};
    }
    decision.outcomes = forecasts(with, problem_.region.outcomes(), samplers);
    decision.excluded_draws = with.excluded;
    releases(decision, altered, values);
    conclude(decision, influences, with.draws);
  }

  // What is lost when one of the altered variables is left alone after all.
  void releases(Decision& decision, const std::vector<std::string>& altered, const std::vector<double>& values) const {
    std::size_t at = 0;
    for (Alteration& alteration : decision.alterations) {
      if (!alteration.value) {
        alteration.success_if_released = decision.success_probability;
        continue;
      }
      std::vector<std::string> others = altered;
      std::vector<double> other_values = values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
      other_values.erase(other_values.begin() + static_cast<std::ptrdiff_t>(at));
      ++at;
      PostDecisionSampler released = sampler(others, 2 * options_.judge_draws, kReport);
      alteration.success_if_released = prepared_.objective.success(released.sample(other_values, options_.caution));
    }
  }

  void conclude(Decision& decision, const std::vector<bool>& influences, std::size_t draws) const {
    Summary& summary = decision.summary;
    if (std::find(influences.begin(), influences.end(), true) == influences.end()) {
      summary.status = "no_influence";
      summary.message = "No alterable variable can change an outcome in this order, so there is nothing to recommend.";
    } else if (!decision.acts()) {
      summary.status = "no_action";
      summary.message = "Nothing was found that is better than leaving everything alone.";
    } else {
      summary.message = fmt::format("Found by {}.", decision.chosen);
    }
    if (static_cast<double>(decision.excluded_draws) > kMostExcluded * static_cast<double>(draws)) {
      summary.status = "unreliable";
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

  const DecisionProblem& problem_;
  const DecisionOptions& options_;
  std::uint64_t stream_;
  const Context& context_;
  PreparedObjective prepared_;
  Box box_;
  std::vector<double> expected_;
  std::vector<bool> set_;  // which of the alterable variables the winner sets
};

Json forecast_json(const std::vector<OutcomeForecast>& forecasts) {
  Json json = Json::object();
  for (const OutcomeForecast& forecast : forecasts)
    json[forecast.name] = {{"mean", forecast.mean}, {"interval", {forecast.low, forecast.high}}};
  return json;
}

}  // namespace

OptionSet describe(DecisionOptions& options) {
  OptionSet set;
  set.choice("decision", options.method, kMethods, "how the values are found");
  set.append(describe(options.qwz23));
  set.choice("loss", options.loss, kLosses, "what the first search pulls towards");
  set.integer("draws", options.draws, 10, 1000000, "fixed draws of the search");
  set.integer("judge_draws", options.judge_draws, 10, 1000000,
              "fresh draws for judging candidates; twice as many for the numbers reported");
  set.real("learning_rate", options.learning_rate, 1e-6, 100.0, "of the first search");
  set.integer("steps", options.steps, 1, 100000, "at most, for each start of the first search");
  set.integer("patience", options.patience, 1, 100000, "steps without a new minimum after which a start ends");
  set.integer("restarts", options.restarts, 0, 1000, "further starts of the first search, at random");
  set.integer("screen", options.screen, 0, 100000, "random points that are tried before the direct ascent");
  set.integer("ascent_steps", options.ascent_steps, 0, 100000,
              "of the direct ascent for each degree of smoothing; 0: only the first search");
  set.real("caution", options.caution, 0.0, 100.0, "multiplies the samplers' own doubt: more stays nearer to the data");
  return set;
}

bool Decision::acts() const {
  return std::any_of(alterations.begin(), alterations.end(), [](const Alteration& a) { return a.value.has_value(); });
}

Decision decide(const DecisionProblem& problem, const DecisionOptions& options, std::uint64_t stream,
                const Context& context) {
  DecisionOptions checked = options;
  describe(checked).validate();
  check_domains(problem.alterable);
  return Decider(problem, checked, stream, context).run();
}

std::vector<Decision> decide_all(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                                 const Context& context) {
  std::vector<Decision> decisions(problems.size());
  const Context serial = context.serial();
  // A batch at a time, so that the caller's thread can report how far it is.
  const auto batch = static_cast<std::size_t>(context.thread_count());
  for (std::size_t first = 0; first < problems.size(); first += batch) {
    const std::size_t last = std::min(problems.size(), first + batch);
    parallel_for(context, first, last, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) decisions[i] = decide(problems[i], options, i, serial);
    });
    context.report_progress(static_cast<double>(last) / static_cast<double>(problems.size()), "decisions");
  }
  return decisions;
}

Json to_json(const Decision& decision) {
  Json json;
  json["context"] = Json::object();
  for (const NamedValue& value : decision.context) json["context"][value.name] = value.value;
  json["alterations"] = Json::object();
  json["expected"] = Json::object();
  json["success_if_released"] = Json::object();
  for (const Alteration& alteration : decision.alterations) {
    json["alterations"][alteration.name] = alteration.value ? Json(*alteration.value) : Json();
    json["expected"][alteration.name] = alteration.expected;
    json["success_if_released"][alteration.name] = alteration.success_if_released;
  }
  json["success_probability"] = decision.success_probability;
  json["interval"] = {decision.success_low, decision.success_high};
  if (decision.qwz23_interval)
    json["qwz23_interval"] = {decision.qwz23_interval->first, decision.qwz23_interval->second};
  json["plug_in_probability"] = decision.plug_in_probability;
  json["without_action"] = decision.without_action;
  json["outcomes"] = forecast_json(decision.outcomes);
  json["outcomes_without_action"] = forecast_json(decision.outcomes_without_action);
  json["extrapolation"] = !decision.extrapolated.empty();
  json["extrapolated"] = decision.extrapolated;
  json["no_influence"] = Json::array();
  for (const Alteration& alteration : decision.alterations) {
    if (!alteration.influences) json["no_influence"].push_back(alteration.name);
  }
  json["found_by"] = decision.chosen;
  json["excluded_draws"] = decision.excluded_draws;
  json["status"] = decision.summary.status;
  json["message"] = decision.summary.message;
  json["seconds"] = decision.summary.seconds;
  return json;
}

}  // namespace olem
