#include "decide/sequence_search.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/lbfgsb.h"
#include "decide/cheapen.h"
#include "decide/decision_report.h"
#include "decide/hidden_cause.h"
#include "decide/search.h"
#include "decide/sequence_plan.h"
#include "decide/subset_search.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostPresentLevels = 64;  // combinations of levels in the present step that are all looked at
constexpr std::size_t kFullPresentLevels = 3;   // those of them that get every search
constexpr int kListRounds = 3;                  // of levels in turn, each given the others
constexpr int kLevelDraws = 4;                  // times those of the search: levels are compared by counting
// Success is smoothed over these shares of the region's half width, one after the other, with so many steps for each.
constexpr double kClimbSmoothing[] = {0.5, 0.25, 0.12, 0.06};
constexpr int kClimbSteps = 25;
constexpr double kClimbReduction = 1e-5;  // of success: less is chance
// Success that is not worth an alteration or a slope, as for decisions at once (judge.cpp).
constexpr double kWorthless = 0.003;
// Success that squares in rules must add, and more than its standard error.
constexpr double kSquaresPay = 0.005;

bool can_move(const Domain& where) {
  const Box& box = where.box();
  for (std::size_t k = 0; k < box.size(); ++k) {
    if (box.low[k] < box.high[k]) return true;
  }
  return false;
}

class SequencePlanner {
 public:
  SequencePlanner(const DecisionProblem& problem, const Decision& at_once, const DecisionOptions& options,
                  const Context& context)
      : space_(problem, options, context),
        prepared_(space_.prepared()),
        at_once_(at_once),
        options_(space_.options()) {}

  Decision run() {
    idle_ = space_.judge(space_.idle(), prepared_.idle_finder());
    already_likely_ = options_.target > 0.0 && idle_.success >= options_.target;
    at_once_values_.clear();
    for (const Alteration& alteration : at_once_.alterations) at_once_values_.push_back(alteration.value);
    start_ = space_.of(at_once_values_, {});
    keep(space_.judge(start_, at_once_.found_by));
    search_everything();
    JudgedPlan winner = choose();
    if (!wants_cheapest() || winner.success < options_.target) winner = with_squares(winner);
    const bool reached = winner.success >= options_.target;
    if (!wants_cheapest() || !reached) winner = without_the_superfluous(winner);
    winner = least_effort(winner);
    if (!wants_cheapest()) winner = not_below_at_once(winner);
    return report(winner, reached);
  }

 private:
  const DecisionProblem& problem() const { return prepared_.problem(); }
  bool wants_cheapest() const { return options_.target > 0.0 && !already_likely_; }

  // Searches for values and parameters from the plan, levels held; `full`: from other starts too. Plans, best last.
  std::vector<Plan> move(Plan plan, bool full) const {
    space_.frame(plan);
    const std::optional<Domain> where = space_.domain(plan);
    if (!where || !can_move(*where)) return {};
    PostDecisionSampler exact = space_.sampler(plan, space_.outcomes(), options_.draws, DrawStream::kSearch, true);
    std::optional<PostDecisionSampler> relaxed;
    if (exact.has_jumps()) {
      relaxed.emplace(std::move(exact));
      exact = space_.sampler(plan, space_.outcomes(), options_.draws, DrawStream::kSearch, false);
    }
    DecisionSearch search(exact, relaxed ? &*relaxed : nullptr, prepared_.objective(), *where, options_,
                          prepared_.context());
    RandomStream random(prepared_.context().seed, "decide.sequence");
    std::vector<Candidate> found;
    Candidate start{FoundBy::kDirectAscent, space_.values(plan), 0.0};
    where->project(start.values);
    start.success = search.success(start.values);
    found.push_back(climb(search, start));
    if (full) {
      found.push_back(climb(search, search.surrogate(random)));
      found.push_back(climb(search, search.screen(random)));
    }
    std::vector<Plan> plans;
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.success < b.success; });
    for (Candidate& candidate : found) {
      if (search.has_jumps()) candidate = search.polish(candidate);
      plans.push_back(plan);
      space_.set_values(plans.back(), candidate.values);
    }
    return plans;
  }

  // Values and slopes depend on each other, so that the ascent of decisions at once would take many steps: here second
  // derivatives are approximated too, where the domain is a box.
  Candidate climb(DecisionSearch& search, const Candidate& start) const {
    const Box& box = search.domain().box();
    if (!search.domain().is_box()) return search.ascend(start);
    std::vector<double> lower(box.size(), -1.0);
    std::vector<double> upper(box.size(), 1.0);
    std::vector<double> at;
    for (std::size_t k = 0; k < box.size(); ++k) at.push_back(box.coordinate(k, start.values[k]));
    std::vector<double> values(box.size());
    const auto place = [&](std::span<const double> coordinates) {
      for (std::size_t k = 0; k < box.size(); ++k) values[k] = box.at(k, coordinates[k]);
    };
    LbfgsbOptions options;
    options.iterations = kClimbSteps;
    options.relative_reduction = kClimbReduction;
    for (const double tau : kClimbSmoothing) {
      const auto loss = [&](std::span<const double> coordinates, std::span<double> gradient) {
        place(coordinates);
        const double success = search.smoothed(tau, values, gradient);
        for (std::size_t k = 0; k < box.size(); ++k) gradient[k] *= -0.5 * (box.high[k] - box.low[k]);
        return -success;
      };
      at = minimise_lbfgsb(at, lower, upper, loss, options, prepared_.context()).x;
    }
    place(at);
    const double success = search.success(values);
    if (success < start.success) return start;
    return {FoundBy::kDirectAscent, values, success};
  }

  // The levels of later steps: of each rule in turn, by what the outcomes do under each level on the same draws.
  void set_levels(Plan& plan) const {
    std::vector<std::size_t> lists;
    for (std::size_t r = 0; r < plan.later.size(); ++r) {
      if (!plan.later[r].rule.list.empty()) lists.push_back(r);
    }
    if (lists.empty()) return;
    space_.frame(plan);
    for (int round = 0; round < (lists.size() > 1 ? kListRounds : 1); ++round) {
      const std::vector<std::vector<double>> before = weights_of(plan);
      for (const std::size_t r : lists) set_level_rule(plan, r);
      if (weights_of(plan) == before) break;
    }
  }

  static std::vector<std::vector<double>> weights_of(const Plan& plan) {
    std::vector<std::vector<double>> all;
    for (const Plan::Later& later : plan.later) all.push_back(later.rule.weights);
    return all;
  }

  void set_level_rule(Plan& plan, std::size_t r) const {
    const std::size_t lever = plan.later[r].lever;
    Rule& rule = plan.later[r].rule;
    const int count = kLevelDraws * options_.draws;
    const std::vector<std::vector<double>> seen = space_.inputs(plan, rule, count, DrawStream::kSearch);
    PostDecisionSampler drawing = space_.sampler(plan, space_.outcomes(), count, DrawStream::kSearch, false, lever);
    std::vector<double> given = space_.values(plan, lever);
    given.push_back(0.0);
    std::vector<std::vector<unsigned char>> inside;
    for (const double level : rule.list) {
      given.back() = level;
      inside.push_back(prepared_.objective().inside(drawing.sample(given, options_.caution)));
    }
    const auto draws = static_cast<std::size_t>(count);
    if (rule.is_table()) {
      std::vector<std::vector<std::size_t>> counts(rule.size(), std::vector<std::size_t>(rule.list.size(), 0));
      std::vector<double> at(rule.inputs.size());
      for (std::size_t i = 0; i < draws; ++i) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] = seen[k][i];
        const std::size_t cell = rule.cell(at);
        for (std::size_t l = 0; l < inside.size(); ++l) counts[cell][l] += inside[l][i];
      }
      // Of equals, and where nothing was seen, what stands there already.
      for (std::size_t c = 0; c < counts.size(); ++c) {
        const auto best = std::max_element(counts[c].begin(), counts[c].end());
        const auto now = std::find(rule.list.begin(), rule.list.end(), rule.weights[c]);
        if (now != rule.list.end() && counts[c][static_cast<std::size_t>(now - rule.list.begin())] == *best) continue;
        rule.weights[c] = rule.list[static_cast<std::size_t>(best - counts[c].begin())];
      }
      return;
    }
    const std::size_t width = rule.features();
    Eigen::MatrixXd features(static_cast<Eigen::Index>(draws), static_cast<Eigen::Index>(width));
    for (std::size_t i = 0; i < draws; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      features(row, 0) = 1.0;
      for (std::size_t k = 0; k < rule.inputs.size(); ++k) {
        const double z = (seen[k][i] - rule.centre[k]) / rule.scale[k];
        features(row, static_cast<Eigen::Index>(1 + k)) = z;
        if (rule.squares) features(row, static_cast<Eigen::Index>(1 + rule.inputs.size() + k)) = z * z;
      }
    }
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> regression(features);
    for (std::size_t l = 0; l < rule.list.size(); ++l) {
      Eigen::VectorXd target(static_cast<Eigen::Index>(draws));
      for (std::size_t i = 0; i < draws; ++i) target[static_cast<Eigen::Index>(i)] = inside[l][i];
      const Eigen::VectorXd weights = regression.solve(target);
      for (std::size_t w = 0; w < width; ++w) rule.weights[l * width + w] = weights[static_cast<Eigen::Index>(w)];
    }
  }

  // From one plan, its levels of the present step held.
  std::vector<Plan> improve(Plan plan, bool full) const {
    set_levels(plan);
    std::vector<Plan> plans = move(plan, full);
    if (plans.empty()) return {plan};
    // Where the first search led the inputs lie elsewhere, and so may the best levels.
    Plan again = plans.back();
    set_levels(again);
    const std::vector<Plan> more = move(again, false);
    plans.insert(plans.end(), more.begin(), more.end());
    return plans;
  }

  // Combinations of levels of the present step; beyond many only those at one change from the plan.
  std::vector<Plan> present_levels(const Plan& plan) const {
    std::vector<Plan> plans = {plan};
    Subset lists;
    std::size_t combinations = 1;
    for (const std::size_t k : altered_by(plan.now)) {
      if (prepared_.values_of(k).size() < 2) continue;
      lists.push_back(k);
      combinations = combinations > kMostPresentLevels ? combinations : combinations * prepared_.values_of(k).size();
    }
    for (const std::size_t k : lists) {
      const std::size_t count = combinations <= kMostPresentLevels ? plans.size() : 1;
      for (std::size_t p = 0; p < count; ++p) {
        for (const double value : prepared_.values_of(k)) {
          if (value == *plans[p].now[k]) continue;
          Plan other = plans[p];
          other.now[k] = value;
          plans.push_back(std::move(other));
        }
      }
    }
    return plans;
  }

  // Adds what can be done with these levers to the pool; returns the success of the best.
  double search(const Subset& altered) {
    if (!searched_.insert(altered).second) return -1.0;
    std::vector<JudgedPlan> found;
    std::vector<Plan> starts = present_levels(space_.start(altered, at_once_values_));
    if (starts.size() > 1) {
      std::vector<JudgedPlan> brief;
      for (const Plan& start : starts)
        brief.push_back(space_.judge(improve(start, false).back(), FoundBy::kDirectAscent));
      std::stable_sort(brief.begin(), brief.end(),
                       [](const JudgedPlan& a, const JudgedPlan& b) { return a.success > b.success; });
      starts.clear();
      for (const JudgedPlan& plan : brief) {
        if (starts.size() < kFullPresentLevels) starts.push_back(plan.plan);
      }
      found = std::move(brief);
    }
    for (const Plan& start : starts) {
      for (Plan& plan : improve(start, true)) found.push_back(space_.judge(std::move(plan), FoundBy::kDirectAscent));
    }
    double best = -1.0;
    const JudgedPlan* highest = nullptr;
    for (const JudgedPlan& plan : found) {
      if (!space_.permits(plan.plan) || plan.success <= best) continue;
      best = plan.success;
      highest = &plan;
    }
    if (highest == nullptr) return -1.0;
    keep(*highest);
    if (wants_cheapest() && highest->success >= options_.target) keep(least_effort(*highest));
    return best;
  }

  // Free levers that can change an outcome, directly or by what is seen of them, when all are altered.
  bool useful(const Subset& subset) const { return influential(subset) == subset; }
  Subset influential(const Subset& among) const {
    const Plan plan = space_.start(prepared_.with_fixed(among));
    PostDecisionSampler drawing = space_.sampler(plan, space_.outcomes(), 1, DrawStream::kSearch, false);
    const std::vector<bool>& influences = drawing.influences();
    Subset found;
    std::size_t next = 0;
    const auto take = [&](std::size_t lever, std::size_t count) {
      bool any = false;
      for (std::size_t p = 0; p < count; ++p) any = influences[next++] || any;
      if (any && std::binary_search(among.begin(), among.end(), lever)) found.push_back(lever);
    };
    for (const std::size_t k : altered_by(plan.now)) take(k, 1);
    for (const Plan::Later& later : plan.later) {
      // A rule of levels has no parameters among what is altered.
      if (later.rule.parameters() == 0) {
        if (prepared_.influences()[later.lever]) found.push_back(later.lever);
        continue;
      }
      take(later.lever, later.rule.parameters());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  void search_everything() {
    const Subset all = influential(prepared_.free());
    const std::optional<int> most = problem().max_alterations;
    const std::size_t others = most ? static_cast<std::size_t>(*most) - prepared_.fixed().size() : all.size();
    if (others == 0 || all.empty()) return;
    if (others < all.size()) {
      how_subsets_ = search_subsets(
          prepared_, others, [this](const Subset& chosen) { return search(prepared_.with_fixed(chosen)); },
          [this](const Subset& subset) { return useful(subset); });
    } else {
      search(prepared_.with_fixed(all));
    }
  }

  void keep(JudgedPlan plan) { pool_.push_back(std::move(plan)); }

  double enough() const {
    double best = idle_.success;
    for (const JudgedPlan& plan : pool_) best = std::max(best, plan.success);
    const double error = std::sqrt(options_.target * (1.0 - options_.target) / options_.judge_draws);
    return best >= options_.target + error ? options_.target + error : options_.target;
  }

  JudgedPlan choose() const {
    const JudgedPlan* best = &idle_;
    for (const JudgedPlan& plan : pool_) {
      if (plan.success > best->success || (plan.success == best->success && plan.cost < best->cost)) best = &plan;
    }
    if (!wants_cheapest() || best->success < options_.target) return *best;
    const double goal = enough();
    for (const JudgedPlan& plan : pool_) {
      if (plan.success >= goal && plan.cost < best->cost) best = &plan;
    }
    return *best;
  }

  // A square beside every slope, where draws that no choice has seen say that they pay.
  JudgedPlan with_squares(const JudgedPlan& found) const {
    Plan richer = found.plan;
    bool any = false;
    for (Plan::Later& later : richer.later) {
      if (later.rule.is_table() || later.rule.inputs.empty()) continue;
      later.rule.add_squares();
      any = true;
    }
    if (!any) return found;
    std::vector<Plan> plans = improve(richer, false);
    const JudgedPlan plain = judge_fresh(found.plan, found.found_by);
    const JudgedPlan squared = judge_fresh(std::move(plans.back()), found.found_by);
    const Gain won = gain(squared, plain);
    if (won.mean <= std::max(won.standard_error, kSquaresPay) || !space_.permits(squared.plan)) return found;
    return space_.judge(squared.plan, found.found_by);
  }

  // A plan is the best of many on the draws that chose it. On draws that did not it may be worse than the decision at
  // once, which is then the plan.
  JudgedPlan not_below_at_once(const JudgedPlan& found) const {
    const double at_once = judge_fresh(start_, at_once_.found_by).success;
    if (judge_fresh(found.plan, found.found_by).success >= at_once) return found;
    return space_.judge(start_, at_once_.found_by);
  }

  JudgedPlan judge_fresh(Plan plan, FoundBy found_by) const {
    return space_.judge(std::move(plan), found_by, 4 * options_.judge_draws, DrawStream::kRelease);
  }

  // Without what gains no more than .003 beyond one standard error on draws of its own: levers, then what a rule takes
  // from one input.
  JudgedPlan without_the_superfluous(const JudgedPlan& found) const {
    const int draws = 4 * options_.judge_draws;
    const JudgedPlan whole = space_.judge(found.plan, found.found_by, draws, DrawStream::kRelease);
    JudgedPlan best = whole;
    const auto try_plan = [&](Plan fewer) {
      JudgedPlan judged = space_.judge(std::move(fewer), found.found_by, draws, DrawStream::kRelease);
      const Gain lost = gain(whole, judged);
      if (lost.mean - lost.standard_error <= kWorthless && space_.permits(judged.plan)) best = std::move(judged);
    };
    const Subset& fixed = prepared_.fixed();
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t k : whole.plan.altered()) {
      if (std::binary_search(fixed.begin(), fixed.end(), k)) continue;
      order.emplace_back(
          -space_.judge(without_lever(whole.plan, k), found.found_by, draws, DrawStream::kRelease).success, k);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [success, lever] : order) try_plan(without_lever(best.plan, lever));
    for (std::size_t r = 0; r < best.plan.later.size(); ++r) {
      const Rule rule = best.plan.later[r].rule;  // a copy, since a plan that is as good takes the place of the best
      if (rule.is_table() || !rule.list.empty()) continue;
      for (std::size_t k = 0; k < rule.inputs.size(); ++k) {
        Plan fewer = best.plan;
        Rule& plainer = fewer.later[r].rule;
        plainer.weights[1 + k] = 0.0;
        if (plainer.squares) plainer.weights[1 + plainer.inputs.size() + k] = 0.0;
        try_plan(std::move(fewer));
      }
      for (std::size_t k = 0; rule.squares && k < rule.inputs.size(); ++k) {
        Plan fewer = best.plan;
        fewer.later[r].rule.weights[1 + rule.inputs.size() + k] = 0.0;
        try_plan(std::move(fewer));
      }
    }
    if (best.plan.altered() == altered_by(prepared_.idle())) best.found_by = prepared_.idle_finder();
    return space_.judge(best.plan, best.found_by);
  }

  // The same success, or the target, for less: along the ridge of plans that are as good. The draws that chose a plan
  // flatter it by more than the ridge may cost, so that its success without a target is that on fresh ones.
  JudgedPlan least_effort(const JudgedPlan& chosen) const {
    const bool for_target = wants_cheapest() && chosen.success >= options_.target;
    if (!for_target && options_.least_effort <= 0.0) return chosen;
    const int draws = options_.judge_draws;
    const DrawStream stream = for_target ? DrawStream::kChoice : DrawStream::kRelease;
    const JudgedPlan found = for_target ? chosen : space_.judge(chosen.plan, chosen.found_by, draws, stream);
    const double goal = for_target ? enough() : found.success - options_.least_effort;
    if (found.success < goal) return chosen;
    Plan plan = found.plan;
    space_.frame(plan);
    const std::optional<Domain> where = space_.domain(plan);
    if (!where || !can_move(*where)) return chosen;
    LeverCost price;
    const Subset present = altered_by(plan.now);
    price.weights = prepared_.slope_of_cost(present);
    for (const std::size_t k : present) {
      price.origin.push_back(prepared_.origin_of_cost(k));
      price.powers.push_back(prepared_.power_of_cost(k));
    }
    for (const Plan::Later& later : plan.later) {
      const double slope = prepared_.slope_of_cost({later.lever}).front();
      for (std::size_t p = 0; p < later.rule.parameters(); ++p) {
        // Of a table all cells count alike; of z about four fifths of a standard deviation on average, of its square
        // one.
        const bool value = later.rule.is_table() || p == 0;
        price.weights.push_back(later.rule.is_table() ? slope / static_cast<double>(later.rule.parameters())
                                : value || p > later.rule.inputs.size() ? slope
                                                                        : 0.8 * slope);
        price.origin.push_back(value ? prepared_.origin_of_cost(later.lever) : 0.0);
        price.powers.push_back(prepared_.power_of_cost(later.lever));
      }
    }
    PostDecisionSampler exact = space_.sampler(plan, space_.outcomes(), draws, stream, true);
    std::optional<PostDecisionSampler> relaxed;
    if (exact.has_jumps()) {
      relaxed.emplace(std::move(exact));
      exact = space_.sampler(plan, space_.outcomes(), draws, stream, false);
    }
    DecisionSearch searching(exact, relaxed ? &*relaxed : nullptr, prepared_.objective(), *where, options_,
                             prepared_.context());
    const Candidate start{found.found_by, space_.values(plan), found.success};
    const Candidate cheap = cheapen(searching, start, goal, price);
    if (cheap.values == start.values) return chosen;
    space_.set_values(plan, cheap.values);
    const JudgedPlan judged =
        space_.judge(std::move(plan), for_target ? cheap.found_by : found.found_by, draws, stream);
    if (judged.cost >= found.cost || judged.success < goal) return chosen;
    return for_target ? judged : space_.judge(judged.plan, judged.found_by);
  }

  Decision report(const JudgedPlan& winner, bool reached) const {
    Decision decision = report_plan(space_, winner.plan, winner.found_by, at_once_.success_probability);
    conclude_target_of_plan(options_, already_likely_, reached, decision);
    if (!how_subsets_.empty()) decision.summary.message += " " + how_subsets_;
    return decision;
  }

  PlanSpace space_;
  const PreparedProblem& prepared_;
  const Decision& at_once_;
  Values at_once_values_;
  const DecisionOptions& options_;
  Plan start_;
  JudgedPlan idle_;
  bool already_likely_ = false;
  std::vector<JudgedPlan> pool_;
  std::set<Subset> searched_;
  std::string how_subsets_;
};

}  // namespace

Decision report_plan(const PlanSpace& space, const Plan& plan, FoundBy found_by, double at_once) {
  const PreparedProblem& prepared = space.prepared();
  Decision decision;
  decision.context = space.problem().context;
  decision.group = space.problem().group;
  decision.so_far = space.problem().so_far;
  decision.alterations = alterations_of(prepared, plan.now);
  decision.found_by = found_by;
  const int draws = report_draws(prepared.options());
  decision.cost = space.cost(plan, draws, DrawStream::kReport);
  PostDecisionSampler idle = prepared.plain_sampler({}, draws, DrawStream::kReport);
  report_without_action(prepared, idle, decision);
  PostDecisionSampler acting = space.sampler(plan, space.outcomes(), draws, DrawStream::kReport, false);
  report_success(prepared, acting, space.values(plan), decision);
  const Subset altered = plan.altered();
  if (!altered.empty()) {
    std::vector<RuledLever> later;
    for (std::vector<double>& values : space.later_values(plan, draws, DrawStream::kReport))
      later.push_back({plan.later[later.size()].lever, std::move(values)});
    decision.hidden_cause =
        hidden_cause(prepared, plan.now, acting, space.values(plan), decision.without_action, later);
  }
  for (std::size_t k = 0; k < decision.alterations.size(); ++k) {
    const bool is_altered = std::binary_search(altered.begin(), altered.end(), k);
    decision.alterations[k].success_if_released =
        is_altered ? space.judge(without_lever(plan, k), found_by, draws, DrawStream::kReport).success
                   : decision.success_probability;
  }
  SequencePlan& sequence = decision.sequence.emplace();
  sequence.steps = space.problem().sequence;
  sequence.at_once = at_once;
  sequence.rules = space.rules(plan);
  conclude_report(prepared, decision);
  if (!altered.empty() && !decision.acts()) {
    if (decision.summary.status != Status::kUnreliable) decision.summary.status = Status::kDone;
    decision.summary.message = "Nothing is to be altered in this step; later ones answer to what is seen.";
  }
  return decision;
}

void conclude_target_of_plan(const DecisionOptions& options, bool already_likely, bool reached, Decision& decision) {
  if (options.target <= 0.0) return;
  Summary& summary = decision.summary;
  const bool reliable = summary.status != Status::kUnreliable;
  const bool idle = !decision.acts() && decision.sequence->rules.empty();
  const std::string target = fmt::format("{:.4g} %", 100.0 * options.target);
  if (already_likely) {
    if (reliable) summary.status = Status::kAlreadyLikely;
    summary.message = fmt::format(
        "The target of {} is reached without action. {}", target,
        idle ? "Nothing was found that is better." : "The best that can be done beyond it is shown all the same.");
  } else if (!reached) {
    if (reliable) summary.status = Status::kTargetNotReached;
    summary.message = fmt::format("No plan was found that reaches the target of {}: the best one has {:.1f} %.", target,
                                  100.0 * decision.success_probability);
  } else {
    summary.message = fmt::format("The cheapest plan found that reaches the target of {}.", target);
  }
}

bool has_later_steps(const DecisionProblem& problem) {
  for (std::size_t s = 1; s < problem.sequence.size(); ++s) {
    if (!problem.sequence[s].alter.empty()) return true;
  }
  return false;
}

Decision decide_sequence(const DecisionProblem& problem, const Decision& at_once, const DecisionOptions& options,
                         const Context& context) {
  if (options.method == DecisionMethod::kQwz23) {
    throw Error(ErrorCategory::kTask, "QWZ23 sets all levers at once and cannot plan steps.",
                {{"Remove the sequence"}, {"Choose the other method", "decision", "olem-rh"}});
  }
  return SequencePlanner(problem, at_once, options, context).run();
}

}  // namespace olem::internal
