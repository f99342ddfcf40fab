#include "decide/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "decide/decision_report.h"
#include "decide/hidden_cause.h"
#include "decide/influence_step.h"
#include "decide/judge.h"
#include "decide/member_claims.h"
#include "decide/order_question.h"
#include "decide/prepared_problem.h"
#include "decide/sequence_search.h"
#include "decide/so_far.h"
#include "olem/column_types.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "sampler/post_decision_streams.h"

namespace olem::internal {

namespace {

// By how much the mean of another decision must be above that of the fit's own: the best of several is flattered.
constexpr double kBetterByMean = 0.005;
// Success that is not worth an alteration, as for one fit (judge.cpp).
constexpr double kWorthNothingByMean = 0.003;
constexpr double kMostOfVariance = 0.5;  // from extrapolation: the number is a guess
constexpr double kOrdersDisagree = 0.1;
constexpr double kOtherOrderDiffers = 0.1;
constexpr double kUnitsMatter = 0.05;
// How often the fit aims above a target that its decision misses by the mean, and by how much of what was lacking.
constexpr int kHigherAims = 3;
constexpr double kHigherBy = 1.2;

// Success of one decision by every judge, draw by draw.
struct JudgedByAll {
  std::vector<std::vector<unsigned char>> inside;  // by judge
  double mean = 0.0;
};

class Ensemble {
 public:
  Ensemble(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
      : problem_(problem),
        options_(options),
        context_(context),
        serial_(context.serial()),
        claims_(problem, options, context) {}

  Decision run() {
    const PreparedProblem prepared(problem_, options_, context_);
    Decision by_fit = decide_all();
    const Values own = values_of(by_fit);
    gather(prepared, by_judge_);
    aim_higher(prepared, [&](const DecisionProblem& problem, const DecisionOptions& options) {
      return find_decision(problem, options, serial_);
    });
    const std::size_t chosen = choose(prepared);
    FoundDecision winner = candidates_[chosen];
    const bool reached = means_[chosen] >= options_.target;
    winner.values = released(prepared, winner.values, reached);
    if (winner.values == idle_) winner.found_by = prepared.idle_finder();
    Decision decision = winner.values == own ? std::move(by_fit) : reported(prepared, winner, by_fit);
    const Claim claim = claim_both(winner, decision);
    decision.uncertainty->chosen_by_members = winner.values != own;
    if (options_.target > 0.0) {
      const bool already = reached_without_action(prepared);
      if (another_conclusion(already, reached, decision)) conclude_target(prepared, already, reached, decision);
    }
    claim_proposals(winner.values, decision);
    if (!prepared.any_influence()) add_influence_step(prepared, decision);
    add_notes(winner.values, claim, decision);
    return decision;
  }

  // The same with later steps: the candidates are the plans of the fit and of the weighted orders, the best decision at
  // once and no action.
  Decision run_plan() {
    const PlanSpace space(problem_, options_, context_);
    const PreparedProblem& prepared = space.prepared();
    std::vector<std::optional<FoundDecision>> plans;
    Decision by_fit = plan_all(plans);
    gather(prepared, by_judge_);
    const std::size_t best = choose(prepared);
    FoundDecision at_once = candidates_[best];
    at_once.values = released(prepared, at_once.values, means_[best] >= options_.target);
    const double success_at_once = claims_.of(at_once.values).success;

    plans_ = &space;
    plans.emplace_back(at_once);
    gather(prepared, plans);
    aim_higher(prepared, [&](const DecisionProblem& problem, const DecisionOptions& options) {
      return found_in(decide(problem, options, serial_));
    });
    const std::size_t chosen = choose(prepared);
    const FoundDecision& winner = candidates_[chosen];
    const bool reached = means_[chosen] >= options_.target;
    Decision decision = chosen == 0 ? std::move(by_fit)
                                    : report_plan(space, space.of(winner.values, winner.rules), winner.found_by, 0.0);
    decision.sequence->at_once = success_at_once;
    rules_ = decision.sequence->rules;
    const Claim claim = claim_both({values_of(decision), winner.found_by, rules_}, decision);
    decision.uncertainty->chosen_by_members = chosen != 0;
    if (options_.target > 0.0) {
      const bool already = reached_without_action(prepared);
      if (another_conclusion(already, reached, decision)) conclude_target_of_plan(options_, already, reached, decision);
    }
    add_notes(values_of(decision), claim, decision);
    return decision;
  }

  // The numbers of the members in the place of those of the fit.
  void take_claim(const Claim& claim, const Claim& idle, Decision& decision) const {
    decision.uncertainty = describe_claim(decision, claim, idle);
    // What an alteration is worth was found with the fit alone; the differences stay.
    const double by_fit = decision.success_probability;
    for (Alteration& alteration : decision.alterations)
      alteration.success_if_released = std::clamp(alteration.success_if_released + claim.success - by_fit, 0.0, 1.0);
    decision.success_probability = claim.success;
    decision.without_action = idle.success;
    // So do those of the curve of hidden causes.
    if (decision.hidden_cause) {
      for (HiddenCause::Point& point : decision.hidden_cause->curve)
        point.success = std::clamp(point.success + claim.success - by_fit, 0.0, 1.0);
      find_breakdown(*decision.hidden_cause, idle.success);
    }
    decision.outcomes = claim.outcomes;
    decision.outcomes_without_action = idle.outcomes;
    const Ends ends = claims_.interval(claim, kTwoSided95);
    decision.success_low = ends.low;
    decision.success_high = ends.high;
  }

  // What the members say of a decision and of no action takes the place of what the fit says.
  Claim claim_both(const FoundDecision& winner, Decision& decision) const {
    Claim claim = claims_.of(winner.values, winner.rules);
    // Without action means without the fixed values too.
    const Values nothing(winner.values.size());
    const bool same = winner.values == nothing && winner.rules.empty();
    take_claim(claim, same ? claim : claims_.of(nothing), decision);
    return claim;
  }

  // What the fit has said of its own decision stands, unless the members see it otherwise.
  static bool another_conclusion(bool already, bool reached, Decision& decision) {
    const Status said = already ? Status::kAlreadyLikely : reached ? Status::kDone : Status::kTargetNotReached;
    Status& status = decision.summary.status;
    if (!decision.uncertainty->chosen_by_members && said != Status::kTargetNotReached && status == said) return false;
    if (status == Status::kAlreadyLikely || status == Status::kTargetNotReached) status = Status::kDone;
    return true;
  }

  SuccessClaim claim(const Values& values) {
    const Claim made = claims_.of(values);
    const Ends ends = claims_.interval(made, kTwoSided95);
    return {made.success, ends.low, ends.high};
  }

 private:
  // Enough for a candidate, or for what is only noted.
  DecisionOptions fewer_draws() const {
    DecisionOptions fewer = options_;
    fewer.draws = std::max(10, options_.draws / 2);
    fewer.judge_draws = std::max(10, options_.judge_draws / 2);
    fewer.proposals = 1;
    fewer.worth_draws = 0;
    return fewer;
  }

  // The fit's decision, and what each other judge and the order without units would decide, with half of the draws.
  Decision decide_all() {
    const DecisionOptions fewer = fewer_draws();
    const std::vector<const ModelMember*> units = problem_.members->of(MemberKind::kOtherUnits);
    const std::size_t others = judges_.size() - 1 + units.size();
    std::optional<Decision> by_fit;
    std::vector<std::optional<FoundDecision>> found(others);
    parallel_for(context_, 0, others + 1, 1, [&](std::size_t i, std::size_t) {
      if (i == 0) {
        by_fit = decide_by_fit(problem_, options_, serial_);
        return;
      }
      const auto& samplers = i < judges_.size() ? judges_[i].samplers : units.front()->samplers;
      found[i - 1] = if_possible([&] { return find_decision(problem_with(samplers), fewer, serial_); });
    });
    by_judge_.assign(judges_.size(), std::nullopt);
    by_judge_[0] = FoundDecision{values_of(*by_fit), by_fit->found_by};
    for (std::size_t j = 1; j < judges_.size(); ++j) by_judge_[j] = found[j - 1];
    if (!units.empty()) by_units_ = found.back();
    return std::move(*by_fit);
  }

  // The plan of the fit and those of the other judges, with half of the draws; their decisions at once are kept too.
  Decision plan_all(std::vector<std::optional<FoundDecision>>& plans) {
    const DecisionOptions fewer = fewer_draws();
    std::optional<Decision> by_fit;
    plans.assign(judges_.size(), std::nullopt);
    by_judge_.assign(judges_.size(), std::nullopt);
    parallel_for(context_, 0, judges_.size(), 1, [&](std::size_t j, std::size_t) {
      if (j == 0) {
        const Decision at_once = decide_by_fit(problem_, options_, serial_);
        by_fit = decide_sequence(problem_, at_once, options_, serial_);
        by_judge_[0] = FoundDecision{values_of(at_once), at_once.found_by};
        plans[0] = found_in(*by_fit);
        return;
      }
      plans[j] = if_possible([&] {
        const DecisionProblem own = problem_with(judges_[j].samplers);
        const Decision at_once = decide_by_fit(own, fewer, serial_);
        by_judge_[j] = FoundDecision{values_of(at_once), at_once.found_by};
        return found_in(decide_sequence(own, at_once, fewer, serial_));
      });
    });
    return std::move(*by_fit);
  }

  // What is expected of the variables left alone differs from order to order, and with it what constraints permit.
  template <class Find>
  static std::optional<FoundDecision> if_possible(const Find& find) {
    try {
      return find();
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kTask) throw;
      return std::nullopt;
    }
  }

  static FoundDecision found_in(const Decision& decision) {
    FoundDecision found{values_of(decision), decision.found_by};
    if (decision.sequence) found.rules = decision.sequence->rules;
    return found;
  }

  static Values values_of(const Decision& decision) {
    Values values;
    for (const Alteration& alteration : decision.alterations) values.push_back(alteration.value);
    return values;
  }

  static Setting to_setting(const PreparedProblem& prepared, const Values& values) {
    Setting setting(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k]) setting[k] = prepared.nearest(k, prepared.variable(k).standardise(*values[k]));
    }
    return setting;
  }

  // Every decision by every judge, on draws that all decisions share.
  std::vector<JudgedByAll> judge(const std::vector<FoundDecision>& decisions) const {
    std::vector<JudgedByAll> judged(decisions.size());
    for (JudgedByAll& one : judged) one.inside.resize(judges_.size());
    parallel_for(context_, 0, judges_.size(), 1, [&](std::size_t j, std::size_t) {
      MemberDraws draws(problem_, judges_[j].samplers, claims_.draws_of(j), MemberClaims::stream(j, false),
                        options_.caution, serial_);
      for (std::size_t i = 0; i < decisions.size(); ++i) {
        const FoundDecision& one = decisions[i];
        judged[i].inside[j] = one.rules.empty()
                                  ? draws.inside(one.values)
                                  : MemberDraws(problem_, judges_[j].samplers, claims_.draws_of(j),
                                                MemberClaims::stream(j, false), options_.caution, serial_, one.rules)
                                        .inside(one.values);
      }
    });
    for (JudgedByAll& one : judged) {
      for (std::size_t j = 0; j < judges_.size(); ++j) one.mean += judges_[j].weight * share_inside(one.inside[j]);
    }
    return judged;
  }

  static double share_inside(const std::vector<unsigned char>& inside) {
    const auto count = std::count(inside.begin(), inside.end(), static_cast<unsigned char>(1));
    return static_cast<double>(count) / static_cast<double>(inside.size());
  }

  Gain mean_gain(const JudgedByAll& decision, const JudgedByAll& other) const {
    Gain sum;
    double squares = 0.0;
    for (std::size_t j = 0; j < judges_.size(); ++j) {
      Judged one;
      one.inside = decision.inside[j];
      Judged two;
      two.inside = other.inside[j];
      const Gain own = gain(one, two);
      sum.mean += judges_[j].weight * own.mean;
      squares += judges_[j].weight * judges_[j].weight * own.standard_error * own.standard_error;
    }
    sum.standard_error = std::sqrt(squares);
    return sum;
  }

  bool permits(const PreparedProblem& prepared, const FoundDecision& found) const {
    return plans_ ? plans_->permits(plans_->of(found.values, found.rules))
                  : prepared.permits(to_setting(prepared, found.values));
  }
  double cost(const PreparedProblem& prepared, const FoundDecision& found) const {
    return plans_ ? plans_->cost(plans_->of(found.values, found.rules), options_.judge_draws, DrawStream::kChoice)
                  : prepared.cost(to_setting(prepared, found.values));
  }
  bool is_known(const FoundDecision& found) const {
    return found.rules.empty() && std::any_of(candidates_.begin(), candidates_.end(), [&](const FoundDecision& one) {
             return one.values == found.values && one.rules.empty();
           });
  }

  // The candidates: the fit's decision, which is first, others that are permitted, and no action, which is last.
  void gather(const PreparedProblem& prepared, const std::vector<std::optional<FoundDecision>>& found) {
    candidates_.clear();
    idle_.assign(prepared.size(), std::nullopt);
    for (const std::size_t k : prepared.fixed()) idle_[k] = prepared.restore(k, *prepared.idle()[k]);
    const FoundDecision nothing{idle_, prepared.idle_finder()};
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (!found[j]) continue;
      const bool idle = found[j]->values == idle_ && found[j]->rules.empty();
      if (j == 0 || (!idle && !is_known(*found[j]) && permits(prepared, *found[j]))) candidates_.push_back(*found[j]);
    }
    candidates_.push_back(nothing);
    judged_ = judge(candidates_);
    means_.clear();
    for (const JudgedByAll& one : judged_) means_.push_back(one.mean);
  }

  // Its mean; nothing when it is no candidate, or one already.
  std::optional<double> add_candidate(const PreparedProblem& prepared, const FoundDecision& found) {
    if (is_known(found) || !permits(prepared, found)) return std::nullopt;
    JudgedByAll judged = judge({found}).front();
    const double mean = judged.mean;
    candidates_.insert(candidates_.end() - 1, found);
    means_.insert(means_.end() - 1, mean);
    judged_.insert(judged_.end() - 1, std::move(judged));
    return mean;
  }

  bool reached_without_action(const PreparedProblem& prepared) const {
    return permits(prepared, candidates_.back()) && means_.back() >= options_.target;
  }

  // A target, and the standard error of the mean beyond it, so that it is rarely missed on other draws.
  double safe_target() const {
    double squares = 0.0;
    for (std::size_t j = 0; j < judges_.size(); ++j)
      squares += judges_[j].weight * judges_[j].weight / claims_.draws_of(j);
    return options_.target + std::sqrt(squares * options_.target * (1.0 - options_.target));
  }

  // Each fit has aimed at the target by its own draws. By the mean that may miss it, though more can be reached: then
  // the fit aims higher, and at last all look for the best there is.
  template <class Find>
  void aim_higher(const PreparedProblem& prepared, const Find& find) {
    if (options_.target <= 0.0 || reached_without_action(prepared)) return;
    DecisionOptions higher = options_;
    higher.proposals = 1;
    higher.worth_draws = 0;
    const auto most = [&] { return *std::max_element(means_.begin(), means_.end()); };
    const double wanted = safe_target();
    double latest = means_.front();
    for (int aim = 0; aim < kHigherAims && most() < wanted; ++aim) {
      higher.target += kHigherBy * (wanted - latest);
      if (higher.target >= 1.0) break;
      const std::optional<FoundDecision> found =
          if_possible([&] { return find(problem_with(problem_.samplers), higher); });
      const std::optional<double> mean = found ? add_candidate(prepared, *found) : std::nullopt;
      if (!mean) break;
      latest = *mean;
    }
    if (most() >= options_.target) return;
    higher.target = 0.0;
    std::vector<std::optional<FoundDecision>> best(judges_.size());
    parallel_for(context_, 0, judges_.size(), 1, [&](std::size_t j, std::size_t) {
      best[j] = if_possible([&] { return find(problem_with(judges_[j].samplers), higher); });
    });
    for (const std::optional<FoundDecision>& found : best) {
      if (found) add_candidate(prepared, *found);
    }
  }

  // The place of the best candidate.
  std::size_t choose(const PreparedProblem& prepared) {
    const std::size_t last = candidates_.size() - 1;
    const bool idle_permitted = permits(prepared, candidates_.back());
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      if (i == last && !idle_permitted) continue;
      if (means_[i] > means_[best]) best = i;
    }
    goal_ = means_[best] >= safe_target() ? safe_target() : options_.target;
    if (options_.target > 0.0 && !reached_without_action(prepared) && means_[best] >= options_.target) {
      std::size_t cheapest = best;
      for (std::size_t i = 0; i < last; ++i) {
        if (means_[i] >= goal_ && cost(prepared, candidates_[i]) < cost(prepared, candidates_[cheapest])) cheapest = i;
      }
      return cheapest;
    }
    const Gain better = mean_gain(judged_[best], judged_[0]);
    return better.mean > std::max(kBetterByMean, better.standard_error) ? best : 0;
  }

  // Without the alterations that make no visible difference to the mean, the least of them first.
  Values released(const PreparedProblem& prepared, const Values& found, bool reached) const {
    const bool for_target = options_.target > 0.0 && reached && means_.back() < options_.target;
    Values current = found;
    const JudgedByAll whole = judge({{found}}).front();
    while (true) {
      std::vector<FoundDecision> fewer;
      for (std::size_t k = 0; k < current.size(); ++k) {
        const bool free = std::find(prepared.free().begin(), prepared.free().end(), k) != prepared.free().end();
        if (!current[k] || !free || !(prepared.box().low[k] < prepared.box().high[k])) continue;
        fewer.push_back({current});
        fewer.back().values[k].reset();
        if (!prepared.permits(to_setting(prepared, fewer.back().values))) fewer.pop_back();
      }
      if (fewer.empty()) return current;
      const std::vector<JudgedByAll> judged = judge(fewer);
      std::size_t best = 0;
      for (std::size_t i = 1; i < judged.size(); ++i) {
        if (judged[i].mean > judged[best].mean) best = i;
      }
      const Gain lost = mean_gain(whole, judged[best]);
      // Each candidate has lost what its own fit could spare already, so that this asks for more.
      const bool harmless =
          for_target ? judged[best].mean >= goal_ : lost.mean + lost.standard_error <= kWorthNothingByMean;
      if (!harmless) return current;
      current = fewer[best].values;
    }
  }

  // The fit's own numbers of another decision than its own.
  Decision reported(const PreparedProblem& prepared, const FoundDecision& winner, const Decision& by_fit) const {
    Decision decision = report_decision(prepared, to_setting(prepared, winner.values), winner.found_by);
    if (options_.proposals > 1) {
      decision.proposals = by_fit.proposals;
      decision.proposals.insert(decision.proposals.begin(),
                                report_proposal(prepared, to_setting(prepared, winner.values), winner.found_by));
      if (decision.proposals.size() > static_cast<std::size_t>(options_.proposals))
        decision.proposals.resize(static_cast<std::size_t>(options_.proposals));
    }
    if (!prepared.any_influence() && decision.acts()) {
      decision.summary.status = Status::kDone;
      decision.summary.message =
          "No alterable variable can change an outcome in the learned order, but in other orders that the data allow.";
    }
    return decision;
  }

  DecisionUncertainty describe_claim(const Decision& decision, const Claim& claim, const Claim& idle) const {
    DecisionUncertainty result;
    const bool any_halves = !halves_.empty();
    const Ends ends = claims_.interval(claim, kTwoSided80);
    result.low_80 = ends.low;
    result.high_80 = ends.high;
    result.low_draws = decision.success_low;
    result.high_draws = decision.success_high;
    const Ends without = claims_.interval(idle, kTwoSided95);
    result.without_action_low = without.low;
    result.without_action_high = without.high;
    result.draws = claim.draws;
    result.order = claim.order_part(any_halves);
    result.rows = any_halves ? claim.halves - result.order : 0.0;
    result.extrapolation = claim.functions;
    for (std::size_t m = 0; m < judge_of_.size(); ++m) {
      result.members.push_back({m == 0 ? "fit" : std::string(name_of(MemberKind::kOrder)), claim.by_judge[judge_of_[m]],
                                idle.by_judge[judge_of_[m]]});
    }
    for (std::size_t h = 0; h < halves_.size(); ++h)
      result.members.push_back({std::string(name_of(MemberKind::kHalf)), claim.by_half[h], idle.by_half[h]});
    for (std::size_t f = 0; f < claim.by_function.size(); ++f)
      result.members.push_back({"posterior_function", claim.by_function[f], idle.by_function[f]});
    return result;
  }

  void claim_proposals(const Values& chosen, Decision& decision) const {
    for (Proposal& proposal : decision.proposals) {
      Values values;
      for (const Proposal::Value& value : proposal.alterations) values.push_back(value.value);
      if (values == chosen) {
        proposal.success_probability = decision.success_probability;
        proposal.success_low = decision.success_low;
        proposal.success_high = decision.success_high;
        continue;
      }
      const Claim claim = claims_.of(values);
      const Ends ends = claims_.interval(claim, kTwoSided95);
      proposal.success_probability = claim.success;
      proposal.success_low = ends.low;
      proposal.success_high = ends.high;
    }
  }

  double success_along(const ModelMember& member, std::size_t place, const Values& values,
                       std::span<const AlterationRule> rules = {}) const {
    return MemberDraws(problem_, member.samplers, options_.judge_draws, MemberClaims::stream(place, true),
                       options_.caution, serial_, rules)
        .success(values);
  }
  double success_along(MemberKind kind, std::size_t place, const Values& values,
                       std::span<const AlterationRule> rules = {}) const {
    return success_along(*problem_.members->of(kind).front(), place, values, rules);
  }

  // The problem with the samplers of one fit alone.
  DecisionProblem problem_with(const std::shared_ptr<const SamplerSet>& samplers) const {
    DecisionProblem other = problem_;
    other.members = nullptr;
    other.opinions = nullptr;
    other.samplers = samplers;
    other.hidden = hidden_for(problem_, other.samplers);
    return other;
  }

  // No lever can change an outcome in the fit: the step of the order that this rests on, by the first member that has
  // it the other way round, and what that would decide.
  void add_influence_step(const PreparedProblem& prepared, Decision& decision) const {
    const std::vector<std::string> levers = prepared.names(prepared.with_fixed(prepared.free()));
    const std::vector<std::string> outcomes = problem_.region.outcomes();
    for (const MemberKind kind : {MemberKind::kOrder, MemberKind::kOtherOrder, MemberKind::kOtherUnits}) {
      for (const ModelMember* const member : problem_.members->of(kind)) {
        const auto step = turned_step(*problem_.samplers, *member->samplers, levers, outcomes);
        if (!step) continue;
        DecisionOptions alone = options_;
        alone.worth_draws = 0;
        const Values values = find_decision(problem_with(member->samplers), alone, serial_).values;
        const std::size_t place = judges_.size() + halves_.size() + 2;
        const InfluenceStep found{step->first, step->second, std::string(name_of(kind)),
                                  named(values, success_along(*member, place, values)),
                                  success_along(*member, place, idle_)};
        decision.uncertainty->influence_step = found;
        decision.summary.message = fmt::format(
            "No alterable variable can change an outcome in the learned order. It rests on {} coming before {}: the "
            "other way round the best would be to {}, which has a probability of success of {:.0f} % by that order, "
            "where doing nothing has {:.0f} %.",
            found.first, found.second, words_of(values), 100.0 * found.decision.success, 100.0 * found.without_action);
        return;
      }
    }
  }

  std::string words_of(const Values& values) const {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string& name = problem_.alterable[k].name;
      const Column& about = problem_.samplers->variables[problem_.samplers->index(name)].about;
      if (!values[k]) continue;
      // As in the table of a decision: the digits that matter, and the unit.
      const std::string value = has_words(about)
                                    ? value_name(about, *values[k])
                                    : fmt::format("{:.4g}{}{}", *values[k], about.unit.empty() ? "" : " ", about.unit);
      parts.push_back(fmt::format("{} to {}", name, value));
    }
    return parts.empty() ? "leave everything alone" : fmt::format("set {}", fmt::join(parts, ", "));
  }

  OtherDecision named(const Values& values, double success) const {
    OtherDecision other;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k]) other.alterations.push_back({problem_.alterable[k].name, *values[k]});
    }
    other.success = success;
    return other;
  }

  void add_notes(const Values& values, const Claim& claim, Decision& decision) const {
    DecisionUncertainty& uncertainty = *decision.uncertainty;
    if ((decision.acts() || !rules_.empty()) && claim.functions > kMostOfVariance * claim.variance(!halves_.empty())) {
      decision.summary.status = Status::kUnreliable;
      decision.summary.warnings.push_back(
          {"beyond_data",
           "The decision leads to where there is no data: most of the uncertainty is that of the models themselves, "
           "and the probability of success is a guess.",
           fmt::format("{}", fmt::join(decision.extrapolated, ", "))});
    }
    const std::size_t after = judges_.size() + halves_.size();
    if (const auto others = problem_.members->of(MemberKind::kOtherOrder); !others.empty()) {
      const double along = success_along(MemberKind::kOtherOrder, after, values, rules_);
      if (std::abs(along - claim.success) > kOtherOrderDiffers) {
        uncertainty.other_order = OtherOrderNote{along, success_along(MemberKind::kOtherOrder, after, idle_),
                                                 turned_pairs(others.front()->order)};
      }
    }
    if (decision.sequence) {
      note_units_of_plan(values, claim, uncertainty);
    } else if (by_units_) {
      const double along = success_along(MemberKind::kOtherUnits, after + 1, values);
      const double by_members = by_units_->values == values ? claim.success : judge({*by_units_}).front().mean;
      if (std::abs(along - claim.success) > kUnitsMatter || std::abs(by_members - claim.success) > kUnitsMatter) {
        const double best = success_along(MemberKind::kOtherUnits, after + 1, by_units_->values);
        uncertainty.units = UnitsNote{along, named(by_units_->values, best), by_members};
      }
    }
    std::vector<Order> orders = {order_of(*problem_.samplers)};
    std::vector<double> logits = {logit(claim.by_judge[0])};
    std::vector<double> successes = {claim.by_judge[0]};
    for (const ModelMember* const member : problem_.members->of(MemberKind::kOrder)) {
      orders.push_back(member->order);
      logits.push_back(logit(claim.by_judge[judge_of_[orders.size() - 1]]));
      successes.push_back(claim.by_judge[judge_of_[orders.size() - 1]]);
    }
    const std::optional<SeparatingPair> pair = separating_pair(orders, logits);
    const auto [least, most] = std::minmax_element(successes.begin(), successes.end());
    if (pair && *most - *least > kOrdersDisagree) uncertainty.question = question_of(*pair, successes);
    uncertainty.next = next_measurement(pair, claim, uncertainty);
  }

  // A plan of the order without units is made only where the two differ: it takes as long as the plan itself.
  void note_units_of_plan(const Values& values, const Claim& claim, DecisionUncertainty& uncertainty) const {
    const std::vector<const ModelMember*> units = problem_.members->of(MemberKind::kOtherUnits);
    if (units.empty()) return;
    const std::size_t place = judges_.size() + halves_.size() + 1;
    const double along = success_along(*units.front(), place, values, rules_);
    if (std::abs(along - claim.success) <= kUnitsMatter) return;
    const Decision other = decide(problem_with(units.front()->samplers), fewer_draws(), serial_);
    const std::vector<AlterationRule> rules = other.sequence ? other.sequence->rules : std::vector<AlterationRule>();
    uncertainty.units =
        UnitsNote{along, named(values_of(other), success_along(*units.front(), place, values_of(other), rules)),
                  claims_.of(values_of(other), rules).success};
  }

  static Order order_of(const SamplerSet& set) {
    Order order;
    for (const SamplerVariable& variable : set.variables) order.push_back(variable.name);
    return order;
  }

  // Columns and levers that stand the other way round in another order.
  std::vector<std::pair<std::string, std::string>> turned_pairs(const Order& other) const {
    const Order own = order_of(*problem_.samplers);
    const auto place = [](const Order& order, const std::string& name) {
      return std::find(order.begin(), order.end(), name) - order.begin();
    };
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& column : own) {
      for (const LeverDomain& lever : problem_.alterable) {
        const bool is_lever = std::any_of(problem_.alterable.begin(), problem_.alterable.end(),
                                          [&](const LeverDomain& one) { return one.name == column; });
        if (is_lever) continue;
        if ((place(own, column) < place(own, lever.name)) != (place(other, column) < place(other, lever.name)))
          pairs.emplace_back(column, lever.name);
      }
    }
    return pairs;
  }

  // With the pair the other way round: the best of all candidates by the members that have it so.
  OrderQuestion question_of(const SeparatingPair& pair, const std::vector<double>& successes) const {
    OrderQuestion question;
    question.first = pair.first;
    question.second = pair.second;
    question.explained = pair.explained;
    double as_learned = 0.0;
    double others = 0.0;
    for (std::size_t m = 0; m < successes.size(); ++m) (pair.as_first[m] ? as_learned : others) += 1.0;
    for (std::size_t m = 0; m < successes.size(); ++m)
      (pair.as_first[m] ? question.as_learned : question.other_way) +=
          successes[m] / (pair.as_first[m] ? as_learned : others);
    double best = -1.0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      double mean = 0.0;
      for (std::size_t m = 0; m < successes.size(); ++m) {
        if (!pair.as_first[m]) mean += share_inside(judged_[i].inside[judge_of_[m]]) / others;
      }
      if (mean <= best) continue;
      best = mean;
      question.other_decision = named(candidates_[i].values, mean);
    }
    return question;
  }

  // What would take most of the variance away: twice as many rows take half of what the rows leave open, a pair of
  // variables in known order what lies between the two groups of orders, and rows near the decision what one posterior
  // function accounts for.
  std::optional<NextMeasurement> next_measurement(const std::optional<SeparatingPair>& pair, const Claim& claim,
                                                  const DecisionUncertainty& uncertainty) const {
    const double all = uncertainty.variance();
    if (!(all > 0.0)) return std::nullopt;
    NextMeasurement next{NextMeasurement::Kind::kRows, "", "", 0.5 * uncertainty.rows / all};
    if (pair && pair->explained * uncertainty.order / all > next.reduction)
      next = {NextMeasurement::Kind::kPair, pair->first, pair->second, pair->explained * uncertainty.order / all};
    const SamplerSet& set = *problem_.samplers;
    const Signature needed = signature_of(set, problem_.region.outcomes());
    for (std::size_t v = 0; v < set.variables.size(); ++v) {
      const SamplerVariable& variable = set.variables[v];
      if (!needed.contains(variable.name) || variable.sampler->function_entries() == 0) continue;
      std::vector<double> first;
      for (std::size_t f = 0; f < claim.by_function.size(); ++f)
        first.push_back(function_normals(context_.seed, f, v, 1).front());
      const double share = squared_correlation(first, logits_of(claim.by_function)) * uncertainty.extrapolation / all;
      if (share > next.reduction) next = {NextMeasurement::Kind::kRegion, variable.name, "", share};
    }
    return next;
  }

  const DecisionProblem& problem_;
  const DecisionOptions& options_;
  const Context& context_;
  Context serial_;
  MemberClaims claims_;
  const std::vector<MeanJudge>& judges_ = claims_.judges();
  const std::vector<std::size_t>& judge_of_ = claims_.judge_of();
  const std::vector<const ModelMember*>& halves_ = claims_.halves();
  std::vector<std::optional<FoundDecision>> by_judge_;
  std::optional<FoundDecision> by_units_;
  Values idle_;
  const PlanSpace* plans_ = nullptr;   // where candidates are plans
  std::vector<AlterationRule> rules_;  // of the plan that is taken
  std::vector<FoundDecision> candidates_;
  std::vector<JudgedByAll> judged_;  // of the candidates
  std::vector<double> means_;        // the same
  double goal_ = 0.0;                // what a decision for the target must have
};

}  // namespace

Decision decide_with_members(const DecisionProblem& problem, const DecisionOptions& options, const Context& context) {
  Ensemble ensemble(problem, options, context);
  return has_later_steps(problem) ? ensemble.run_plan() : ensemble.run();
}

double success_by(const DecisionProblem& problem, const std::shared_ptr<const SamplerSet>& samplers,
                  const std::vector<std::optional<double>>& values, std::span<const AlterationRule> rules,
                  std::uint64_t noise, const DecisionOptions& options, const Context& context) {
  return MemberDraws(problem, samplers, report_draws(options), noise, options.caution, context, rules).success(values);
}

SuccessClaim claim_of(const DecisionProblem& problem, const std::vector<std::optional<double>>& values,
                      const DecisionOptions& options, const Context& context) {
  return Ensemble(problem, options, context).claim(values);
}

}  // namespace olem::internal
