#include "olem/looking.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/parallel.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

constexpr int kLookingDraws = 500;
constexpr int kLookingJudgeDraws = 2000;
constexpr std::size_t kMostChosen = 4;  // later levers of which every choice is planned

// Success alone is compared.
DecisionOptions brief_options(const DecisionOptions& options) {
  DecisionOptions brief = options;
  brief.draws = std::min(options.draws, kLookingDraws);
  brief.judge_draws = std::min(options.judge_draws, kLookingJudgeDraws);
  brief.restarts = 0;
  brief.screen = std::min(options.screen, 15);
  brief.target = 0.0;
  brief.least_effort = 0.0;
  brief.proposals = 1;
  brief.worth_draws = 0;
  brief.quick = true;
  return brief;
}

class Looker {
 public:
  Looker(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
      : problem_(problem), options_(brief_options(options)), context_(context) {
    for (const LeverDomain& lever : problem.alterable) places_.push_back(fitted(problem.samplers).index(lever.name));
  }

  Looking run() {
    Looking looking;
    add_variables(looking);
    for (const LeverDomain& lever : problem_.alterable) looking.levers.push_back({lever.name, 0.0, 0.0, {}});
    const std::size_t count = looking.variables.size();
    const Context serial = context_.serial();
    if (count > 0) base_ = success(problem_, serial);
    parallel_for(context_, 0, count + looking.levers.size(), 1, [&](std::size_t part, std::size_t) {
      if (part < count) {
        look_at(looking.variables[part], serial);
      } else {
        change_or_watch(part - count, looking.levers[part - count], serial);
      }
    });
    std::stable_sort(looking.variables.begin(), looking.variables.end(),
                     [](const WorthOfLooking& a, const WorthOfLooking& b) { return a.gain() > b.gain(); });
    return looking;
  }

 private:
  double success(const DecisionProblem& problem, const Context& context) const {
    return decide(problem, options_, context).success_probability;
  }

  bool is_known(const std::string& name) const {
    const std::vector<NamedValue> known = known_values(problem_);
    const std::vector<std::string>& outcomes = problem_.region.outcomes();
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return std::any_of(known.begin(), known.end(), [&](const NamedValue& value) { return value.name == name; }) ||
           is_in(problem_.unknown) || is_in(outcomes) || (problem_.hidden && is_in(problem_.hidden->names()));
  }

  // Everything that is neither known nor a lever nor an outcome and stands before a lever.
  void add_variables(Looking& looking) const {
    for (std::size_t v = 0; v < problem_.samplers->variables.size(); ++v) {
      const std::string& name = problem_.samplers->variables[v].name;
      const bool lever = std::find(places_.begin(), places_.end(), v) != places_.end();
      const bool before = std::any_of(places_.begin(), places_.end(), [&](std::size_t place) { return v < place; });
      if (!lever && before && !is_known(name)) looking.variables.push_back({name, 0.0, 0.0});
    }
  }

  std::size_t place_of(const std::string& name) const { return problem_.samplers->index(name); }

  // The problem with the variable seen, or with it unseen where the problem has it seen already.
  void look_at(WorthOfLooking& worth, const Context& context) const {
    DecisionProblem other = problem_;
    for (SequenceStep& step : other.sequence) {
      if (std::erase(step.then_observe, worth.name) == 0) continue;
      worth.seen = base_;
      worth.unseen = success(other, context);
      return;
    }
    const std::size_t place = place_of(worth.name);
    if (other.sequence.size() < 2) {
      other.sequence = {{{}, {worth.name}}, {}};
      for (const LeverDomain& lever : other.alterable)
        other.sequence[place_of(lever.name) < place ? 0 : 1].alter.push_back(lever.name);
    } else {
      // Before the first step all of whose levers stand behind it.
      for (std::size_t s = 1; s < other.sequence.size(); ++s) {
        const std::vector<std::string>& levers = other.sequence[s].alter;
        if (!std::all_of(levers.begin(), levers.end(), [&](const auto& name) { return place < place_of(name); }))
          continue;
        other.sequence[s - 1].then_observe.push_back(worth.name);
        break;
      }
    }
    worth.unseen = base_;
    worth.seen = success(other, context);
  }

  // With lever `first` altered or watched, later levers in `changed` altered and the others watched.
  DecisionProblem arranged(std::size_t first, bool alter, const std::vector<std::size_t>& later,
                           const std::vector<bool>& changed) const {
    DecisionProblem problem = problem_;
    problem.sequence.clear();
    problem.fixed.clear();
    problem.left_alone.clear();
    problem.cost.clear();
    problem.cost_forms.clear();
    problem.constraints.clear();
    problem.max_alterations.reset();
    problem.alterable.clear();
    SequenceStep& present = problem.sequence.emplace_back();
    if (alter) {
      problem.alterable.push_back(problem_.alterable[first]);
      present.alter.push_back(problem_.alterable[first].name);
    } else {
      present.then_observe.push_back(problem_.alterable[first].name);
    }
    for (std::size_t i = 0; i < later.size(); ++i) {
      const LeverDomain& lever = problem_.alterable[later[i]];
      if (changed[i]) {
        problem.alterable.push_back(lever);
        problem.sequence.push_back({{lever.name}, {}});
      } else {
        problem.sequence.back().then_observe.push_back(lever.name);
      }
    }
    return problem;
  }

  void change_or_watch(std::size_t lever, ChangeOrWatch& result, const Context& context) const {
    std::vector<std::size_t> later;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      if (places_[k] > places_[lever]) later.push_back(k);
    }
    std::sort(later.begin(), later.end(), [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
    for (const std::vector<bool>& changed : choices(later.size())) {
      result.watched = std::max(result.watched, success(arranged(lever, false, later, changed), context));
      const DecisionProblem altered = arranged(lever, true, later, changed);
      for (const double value : values_to_try(altered, lever, context)) {
        DecisionProblem fixed = altered;
        fixed.fixed = {{result.name, value}};
        const double found = success(fixed, context);
        if (result.value && found <= result.changed) continue;
        result.changed = found;
        result.value = value;
      }
    }
  }

  static std::vector<std::vector<bool>> choices(std::size_t later) {
    std::vector<std::vector<bool>> all;
    if (later <= kMostChosen) {
      for (std::size_t bits = 0; bits < (std::size_t{1} << later); ++bits) {
        std::vector<bool>& choice = all.emplace_back();
        for (std::size_t i = 0; i < later; ++i) choice.push_back(((bits >> i) & 1U) != 0);
      }
      return all;
    }
    all.emplace_back(later, false);
    all.emplace_back(later, true);
    for (std::size_t i = 0; i < later; ++i) {
      all.emplace_back(later, false);
      all.back()[i] = true;
    }
    return all;
  }

  // All values of a list; otherwise what a free plan sets it to, or what is expected of it where that leaves it alone.
  std::vector<double> values_to_try(const DecisionProblem& altered, std::size_t lever, const Context& context) const {
    const LeverDomain domain =
        resolve_lever(problem_.alterable[lever], problem_.samplers->variables[places_[lever]].about);
    if (has_values(domain)) return domain.values;
    const Decision free = decide(altered, options_, context);
    const Alteration& alteration = free.alterations.front();
    return {alteration.value.value_or(std::clamp(alteration.expected, domain.low, domain.high))};
  }

  const DecisionProblem& problem_;
  DecisionOptions options_;
  const Context& context_;
  std::vector<std::size_t> places_;  // of the levers
  double base_ = 0.0;                // success of the problem as it is
};

}  // namespace

Looking explain_looking(const DecisionProblem& problem, const DecisionOptions& options, const Context& context) {
  return Looker(problem, options, context).run();
}

Json to_json(const Looking& looking, std::span<const NamedColumn> columns) {
  Json json = {{"variables", Json::array()}, {"levers", Json::array()}};
  for (const WorthOfLooking& worth : looking.variables) {
    json["variables"].push_back(
        {{"name", worth.name}, {"seen", worth.seen}, {"unseen", worth.unseen}, {"gain", worth.gain()}});
  }
  for (const ChangeOrWatch& lever : looking.levers) {
    json["levers"].push_back(
        {{"name", lever.name},
         {"changed", lever.changed},
         {"watched", lever.watched},
         {"difference", lever.difference()},
         {"value", lever.value ? value_json(about_column(columns, lever.name), *lever.value) : Json()}});
  }
  return json;
}

}  // namespace olem
