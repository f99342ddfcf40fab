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
#include "decide/judge.h"
#include "decide/rule_sampler.h"
#include "decide/search.h"
#include "decide/subset_search.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostCells = 24;          // of a table; a rule of more levels takes them for numbers
constexpr std::size_t kMostPresentLevels = 64;  // combinations of levels in the present step that are all looked at
constexpr std::size_t kFullPresentLevels = 3;   // those of them that get every search
constexpr int kListRounds = 3;                  // of levels in turn, each given the others
constexpr int kLevelDraws = 4;                  // times those of the search: levels are compared by counting
// Success is smoothed over these shares of the region's half width, one after the other, with so many steps for each.
constexpr double kClimbSmoothing[] = {0.5, 0.25, 0.12, 0.06};
constexpr int kClimbSteps = 25;
constexpr double kClimbReduction = 1e-5;  // of success: less is chance
// How far parameters may lie outside of the domain, in widths of it: what a rule says is cut to the domain.
constexpr double kConstantRoom = 1.0;
constexpr double kSlopeRoom = 2.0;
// Success that is not worth an alteration or a slope, as for decisions at once (judge.cpp).
constexpr double kWorthless = 0.003;

// What is done with the levers: values now, rules later.
struct Plan {
  struct Later {
    std::size_t lever = 0;  // among the alterable ones
    Rule rule;
  };
  Setting now;
  std::vector<Later> later;  // by place in the order of the samplers

  Subset altered() const {
    Subset all = altered_by(now);
    for (const Later& rule : later) all.push_back(rule.lever);
    std::sort(all.begin(), all.end());
    return all;
  }
};

struct JudgedPlan : Judged {
  Plan plan;
};

class SequencePlanner {
 public:
  SequencePlanner(const DecisionProblem& problem, const Decision& at_once, const DecisionOptions& options,
                  const Context& context)
      : prepared_(problem, options, context), at_once_(at_once), options_(prepared_.options()) {
    find_steps();
  }

  Decision run() {
    idle_ = judge(idle_plan(), prepared_.idle_finder());
    already_likely_ = options_.target > 0.0 && idle_.success >= options_.target;
    start_ = at_once_plan();
    keep(judge(start_, at_once_.found_by));
    search_everything();
    JudgedPlan winner = choose();
    const bool reached = winner.success >= options_.target;
    if (!wants_cheapest() || !reached) winner = without_the_superfluous(winner);
    winner = least_effort(winner);
    return report(winner, reached);
  }

 private:
  const DecisionProblem& problem() const { return prepared_.problem(); }
  const SamplerSet& set() const { return *problem().samplers; }
  bool wants_cheapest() const { return options_.target > 0.0 && !already_likely_; }

  void find_steps() {
    step_.assign(prepared_.size(), 0);
    seen_.resize(problem().sequence.size());
    std::vector<std::size_t> seen;
    for (std::size_t s = 0; s < problem().sequence.size(); ++s) {
      seen_[s] = seen;
      for (const std::string& name : problem().sequence[s].alter) {
        for (std::size_t k = 0; k < prepared_.size(); ++k) {
          if (problem().alterable[k].name == name) step_[k] = s;
        }
      }
      for (const std::string& name : problem().sequence[s].then_observe) seen.push_back(set().index(name));
    }
    // A value that is given is known now, whenever it will be set.
    for (const std::size_t k : prepared_.fixed()) step_[k] = 0;
  }

  std::size_t place(std::size_t lever) const { return set().index(problem().alterable[lever].name); }

  Plan idle_plan() const {
    Plan plan;
    plan.now = prepared_.idle();
    return plan;
  }

  // The best rule that says nothing of what is seen. Inputs behind the lever, as in an order that contradicts the
  // sequence, are left out: the lever may be their cause.
  Plan::Later new_rule(std::size_t lever, const Subset& altered) const {
    Plan::Later later;
    later.lever = lever;
    Rule& rule = later.rule;
    rule.lever = place(lever);
    for (const std::size_t input : seen_[step_[lever]]) {
      if (input < rule.lever) rule.inputs.push_back(input);
    }
    rule.centre.assign(rule.inputs.size(), 0.0);
    rule.scale.assign(rule.inputs.size(), 1.0);
    rule.low = prepared_.box().low[lever];
    rule.high = prepared_.box().high[lever];
    rule.list = prepared_.values_of(lever);
    std::size_t cells = 1;
    std::vector<std::vector<double>> levels;
    for (const std::size_t input : rule.inputs) {
      const SamplerVariable& variable = set().variables[input];
      std::vector<double>& of_input = levels.emplace_back();
      for (const ColumnLevel& level : variable.about.levels) of_input.push_back(variable.standardise(level.value));
      cells = cells > kMostCells ? cells : cells * of_input.size();
    }
    if (!rule.inputs.empty() && cells >= 1 && cells <= kMostCells) rule.levels = std::move(levels);
    add_limits(lever, altered, rule);
    rule.set_constant(prepared_.nearest(lever, prepared_.expected()[lever]));
    return later;
  }

  // Whether one lever is settled before another.
  bool settled_before(std::size_t lever, std::size_t other) const {
    const bool now = step_[lever] == 0;
    const bool other_now = step_[other] == 0;
    if (now != other_now) return now;
    return place(lever) < place(other);
  }

  // What levers with level terms may add to a constraint at most, and what is certain of the others.
  double reserved(const PreparedProblem::Constraint& constraint, const Subset& altered) const {
    double sum = 0.0;
    for (const PreparedProblem::LevelTerm& term : constraint.levels) {
      const bool open = std::binary_search(altered.begin(), altered.end(), term.variable);
      if (open) sum += std::max(0.0, term.weight);
      if (!open && prepared_.expected()[term.variable] == term.level) sum += term.weight;
    }
    return sum;
  }
  double least(const PreparedProblem::Constraint& constraint, std::size_t lever) const {
    const double weight = constraint.linear.weights[lever];
    return std::min(weight * prepared_.box().low[lever], weight * prepared_.box().high[lever]);
  }

  // Each lever leaves room for those that are settled after it, at their cheapest.
  void add_limits(std::size_t lever, const Subset& altered, Rule& rule) const {
    for (const PreparedProblem::Constraint& constraint : prepared_.constraints()) {
      Rule::Limit limit;
      limit.weight = constraint.linear.weights[lever];
      if (limit.weight == 0.0) continue;
      limit.bound = constraint.linear.bound - reserved(constraint, altered);
      for (std::size_t k = 0; k < prepared_.size(); ++k) {
        const double weight = constraint.linear.weights[k];
        if (k == lever || weight == 0.0) continue;
        if (!std::binary_search(altered.begin(), altered.end(), k)) {
          limit.bound -= weight * prepared_.expected()[k];
        } else if (settled_before(k, lever)) {
          limit.others.emplace_back(place(k), weight);
        } else {
          limit.bound -= least(constraint, k);
        }
      }
      rule.limits.push_back(std::move(limit));
    }
  }

  Plan new_plan(const Subset& altered) const {
    Plan plan;
    plan.now.resize(prepared_.size());
    for (const std::size_t k : altered) {
      if (step_[k] == 0) {
        plan.now[k] = prepared_.nearest(k, prepared_.expected()[k]);
      } else {
        plan.later.push_back(new_rule(k, altered));
      }
    }
    std::sort(plan.later.begin(), plan.later.end(),
              [](const Plan::Later& a, const Plan::Later& b) { return a.rule.lever < b.rule.lever; });
    return plan;
  }

  // The values of the decision at once, as far as these levers are altered there.
  Plan at_once_plan(const Subset& altered) const {
    Plan plan = new_plan(altered);
    const auto value_of = [&](std::size_t k) -> std::optional<double> {
      const std::optional<double>& value = at_once_.alterations[k].value;
      if (!value) return std::nullopt;
      return prepared_.nearest(k, prepared_.variable(k).standardise(*value));
    };
    for (const std::size_t k : altered_by(plan.now)) {
      if (const auto value = value_of(k)) plan.now[k] = *value;
    }
    for (Plan::Later& later : plan.later) {
      if (const auto value = value_of(later.lever)) later.rule.set_constant(*value);
    }
    return plan;
  }
  Plan at_once_plan() const {
    Subset altered;
    for (std::size_t k = 0; k < prepared_.size(); ++k) {
      if (at_once_.alterations[k].value) altered.push_back(k);
    }
    return at_once_plan(altered);
  }

  static std::vector<Rule> rules_of(const Plan& plan, std::optional<std::size_t> without = std::nullopt) {
    std::vector<Rule> rules;
    for (const Plan::Later& later : plan.later) {
      if (later.lever != without) rules.push_back(later.rule);
    }
    return rules;
  }

  // Draws of `outcomes` under the plan; one lever, `also`, may be altered beside it instead of following its rule.
  PostDecisionSampler sampler(const Plan& plan, const std::vector<std::string>& outcomes, int draws, DrawStream stream,
                              bool gradient, std::optional<std::size_t> also = std::nullopt) const {
    PostDecisionPlan asked = prepared_.plan(altered_by(plan.now), draws, stream);
    const std::vector<Rule> rules = rules_of(plan, also);
    for (const Rule& rule : rules) {
      const std::vector<std::string> names = parameter_names(set(), rule);
      asked.altered.insert(asked.altered.end(), names.begin(), names.end());
    }
    if (also) asked.altered.push_back(problem().alterable[*also].name);
    asked.outcomes = outcomes;
    asked.with_gradient = gradient;
    return PostDecisionSampler(rules.empty() ? problem().samplers : with_rules(set(), rules), asked,
                               prepared_.context());
  }

  std::vector<double> values(const Plan& plan, std::optional<std::size_t> without = std::nullopt) const {
    std::vector<double> all = prepared_.values(plan.now);
    for (const Plan::Later& later : plan.later) {
      if (later.lever == without) continue;
      all.insert(all.end(), later.rule.weights.begin(),
                 later.rule.weights.begin() + static_cast<std::ptrdiff_t>(later.rule.parameters()));
    }
    return all;
  }

  void set_values(Plan& plan, std::span<const double> all) const {
    std::size_t next = 0;
    for (std::optional<double>& value : plan.now) {
      if (value) value = all[next++];
    }
    for (Plan::Later& later : plan.later) {
      for (std::size_t p = 0; p < later.rule.parameters(); ++p) later.rule.weights[p] = all[next++];
    }
  }

  const std::vector<std::string>& outcomes() const { return problem().region.outcomes(); }

  // What will be seen, one vector for each input of the rule.
  std::vector<std::vector<double>> inputs(const Plan& plan, const Rule& rule, int draws, DrawStream stream) const {
    std::vector<std::string> names;
    for (const std::size_t input : rule.inputs) names.push_back(set().variables[input].name);
    std::vector<std::vector<double>> seen(names.size());
    if (names.empty()) return seen;
    PostDecisionSampler drawing = sampler(plan, names, draws, stream, false);
    const OutcomeDraws& drawn = drawing.sample(values(plan), options_.caution);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto first = drawn.values.begin() + static_cast<std::ptrdiff_t>(k * drawn.draws);
      seen[k].assign(first, first + static_cast<std::ptrdiff_t>(drawn.draws));
    }
    return seen;
  }

  // Centre and scale of the inputs where the plan leads.
  void frame(Plan& plan) const {
    for (Plan::Later& later : plan.later) {
      Rule& rule = later.rule;
      if (rule.is_table() || rule.inputs.empty()) continue;
      std::vector<double> centre;
      std::vector<double> scale;
      for (const std::vector<double>& seen : inputs(plan, rule, options_.draws, DrawStream::kSearch)) {
        const auto count = static_cast<double>(seen.size());
        double mean = 0.0;
        for (const double value : seen) mean += value / count;
        double variance = 0.0;
        for (const double value : seen) variance += (value - mean) * (value - mean) / count;
        centre.push_back(mean);
        scale.push_back(variance > 1e-12 ? std::sqrt(variance) : 1.0);
      }
      rule.reframe(centre, scale);
    }
  }

  // Where the values of the plan may lie, levels of the present step held. Nothing when the constraints leave no room.
  std::optional<Domain> domain(const Plan& plan) const {
    const Subset altered = plan.altered();
    Box box;
    std::vector<std::size_t> present;
    for (const std::size_t k : altered_by(plan.now)) {
      const bool held = prepared_.has_list(k);
      box.low.push_back(held ? *plan.now[k] : prepared_.box().low[k]);
      box.high.push_back(held ? *plan.now[k] : prepared_.box().high[k]);
      present.push_back(k);
    }
    for (const Plan::Later& later : plan.later) add_sides(later.rule, box);
    std::vector<LinearCondition> conditions;
    for (const PreparedProblem::Constraint& constraint : prepared_.constraints()) {
      LinearCondition condition;
      condition.bound = constraint.linear.bound - reserved(constraint, altered);
      condition.tolerance = constraint.linear.tolerance;
      condition.weights.assign(box.size(), 0.0);
      bool binds = false;
      for (std::size_t k = 0; k < prepared_.size(); ++k) {
        const double weight = constraint.linear.weights[k];
        const auto found = std::find(present.begin(), present.end(), k);
        if (found != present.end()) {
          condition.weights[static_cast<std::size_t>(found - present.begin())] = weight;
          binds = binds || weight != 0.0;
        } else if (std::binary_search(altered.begin(), altered.end(), k)) {
          condition.bound -= least(constraint, k);
          binds = binds || weight != 0.0;
        } else {
          condition.bound -= weight * prepared_.expected()[k];
        }
      }
      if (binds) conditions.push_back(std::move(condition));
    }
    return Domain::make(std::move(box), std::move(conditions), prepared_.context());
  }

  static bool can_move(const Domain& where) {
    const Box& box = where.box();
    for (std::size_t k = 0; k < box.size(); ++k) {
      if (box.low[k] < box.high[k]) return true;
    }
    return false;
  }

  static void add_sides(const Rule& rule, Box& box) {
    if (rule.parameters() == 0) return;
    const double width = rule.high - rule.low;
    for (std::size_t p = 0; p < rule.parameters(); ++p) {
      const bool constant = !rule.is_table() && p == 0;
      const bool value = rule.is_table();
      box.low.push_back(value ? rule.low : constant ? rule.low - kConstantRoom * width : -kSlopeRoom * width);
      box.high.push_back(value ? rule.high : constant ? rule.high + kConstantRoom * width : kSlopeRoom * width);
    }
  }

  // Searches for values and parameters from the plan, levels held; `full`: from other starts too. Plans, best last.
  std::vector<Plan> move(Plan plan, bool full) const {
    frame(plan);
    const std::optional<Domain> where = domain(plan);
    if (!where || !can_move(*where)) return {};
    PostDecisionSampler exact = sampler(plan, outcomes(), options_.draws, DrawStream::kSearch, true);
    std::optional<PostDecisionSampler> relaxed;
    if (exact.has_jumps()) {
      relaxed.emplace(std::move(exact));
      exact = sampler(plan, outcomes(), options_.draws, DrawStream::kSearch, false);
    }
    DecisionSearch search(exact, relaxed ? &*relaxed : nullptr, prepared_.objective(), *where, options_,
                          prepared_.context());
    RandomStream random(prepared_.context().seed, "decide.sequence");
    std::vector<Candidate> found;
    Candidate start{FoundBy::kDirectAscent, values(plan), 0.0};
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
      set_values(plans.back(), candidate.values);
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
    frame(plan);
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
    const std::vector<std::vector<double>> seen = inputs(plan, rule, count, DrawStream::kSearch);
    PostDecisionSampler drawing = sampler(plan, outcomes(), count, DrawStream::kSearch, false, lever);
    std::vector<double> given = values(plan, lever);
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
    std::vector<Plan> starts = present_levels(at_once_plan(altered));
    if (starts.size() > 1) {
      std::vector<JudgedPlan> brief;
      for (const Plan& start : starts) brief.push_back(judge(improve(start, false).back(), FoundBy::kDirectAscent));
      std::stable_sort(brief.begin(), brief.end(),
                       [](const JudgedPlan& a, const JudgedPlan& b) { return a.success > b.success; });
      starts.clear();
      for (const JudgedPlan& plan : brief) {
        if (starts.size() < kFullPresentLevels) starts.push_back(plan.plan);
      }
      found = std::move(brief);
    }
    for (const Plan& start : starts) {
      for (Plan& plan : improve(start, true)) found.push_back(judge(std::move(plan), FoundBy::kDirectAscent));
    }
    double best = -1.0;
    const JudgedPlan* highest = nullptr;
    for (const JudgedPlan& plan : found) {
      if (!permits(plan.plan) || plan.success <= best) continue;
      best = plan.success;
      highest = &plan;
    }
    if (highest == nullptr) return -1.0;
    keep(*highest);
    if (wants_cheapest() && highest->success >= options_.target) keep(least_effort(*highest));
    return best;
  }

  bool permits(const Plan& plan) const {
    const std::optional<Domain> where = domain(plan);
    return plan.altered().empty() || (where && (where->size() == 0 || where->contains(values(plan))));
  }

  // Free levers that can change an outcome, directly or by what is seen of them, when all are altered.
  bool useful(const Subset& subset) const { return influential(subset) == subset; }
  Subset influential(const Subset& among) const {
    const Plan plan = new_plan(prepared_.with_fixed(among));
    PostDecisionSampler drawing = sampler(plan, outcomes(), 1, DrawStream::kSearch, false);
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

  JudgedPlan judge(Plan plan, FoundBy found_by) const {
    return judge(std::move(plan), found_by, options_.judge_draws, DrawStream::kChoice);
  }
  JudgedPlan judge(Plan plan, FoundBy found_by, int draws, DrawStream stream) const {
    prepared_.context().check_interrupt();
    PostDecisionSampler drawing = sampler(plan, outcomes(), draws, stream, false);
    JudgedPlan judged;
    judged.inside = prepared_.objective().inside(drawing.sample(values(plan), options_.caution));
    const auto successes = std::count(judged.inside.begin(), judged.inside.end(), static_cast<unsigned char>(1));
    judged.success = static_cast<double>(successes) / draws;
    judged.cost = cost(plan, draws, stream);
    judged.found_by = found_by;
    judged.plan = std::move(plan);
    return judged;
  }

  // Of later levers on average.
  double cost(const Plan& plan, int draws, DrawStream stream) const {
    double sum = prepared_.cost(plan.now);
    if (plan.later.empty()) return sum;
    std::vector<std::string> levers;
    for (const Plan::Later& later : plan.later) levers.push_back(problem().alterable[later.lever].name);
    PostDecisionSampler drawing = sampler(plan, levers, draws, stream, false);
    const OutcomeDraws& drawn = drawing.sample(values(plan), options_.caution);
    for (std::size_t r = 0; r < plan.later.size(); ++r) {
      for (std::size_t i = 0; i < drawn.draws; ++i)
        sum +=
            prepared_.cost(plan.later[r].lever, drawn.values[r * drawn.draws + i]) / static_cast<double>(drawn.draws);
    }
    return sum;
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

  static Plan without(Plan plan, std::size_t lever) {
    plan.now[lever].reset();
    std::erase_if(plan.later, [&](const Plan::Later& later) { return later.lever == lever; });
    return plan;
  }

  // Without what gains no more than .003 beyond one standard error on draws of its own: levers, then what a rule takes
  // from one input.
  JudgedPlan without_the_superfluous(const JudgedPlan& found) const {
    const int draws = 4 * options_.judge_draws;
    const JudgedPlan whole = judge(found.plan, found.found_by, draws, DrawStream::kRelease);
    JudgedPlan best = whole;
    const auto try_plan = [&](Plan fewer) {
      JudgedPlan judged = judge(std::move(fewer), found.found_by, draws, DrawStream::kRelease);
      const Gain lost = gain(whole, judged);
      if (lost.mean - lost.standard_error <= kWorthless && permits(judged.plan)) best = std::move(judged);
    };
    const Subset& fixed = prepared_.fixed();
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t k : whole.plan.altered()) {
      if (std::binary_search(fixed.begin(), fixed.end(), k)) continue;
      order.emplace_back(-judge(without(whole.plan, k), found.found_by, draws, DrawStream::kRelease).success, k);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [success, lever] : order) try_plan(without(best.plan, lever));
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
    }
    if (best.plan.altered() == altered_by(prepared_.idle())) best.found_by = prepared_.idle_finder();
    return judge(best.plan, best.found_by);
  }

  // The same success, or the target, for less: along the ridge of plans that are as good.
  JudgedPlan least_effort(const JudgedPlan& found) const {
    const double goal =
        wants_cheapest() && found.success >= options_.target ? enough() : found.success - options_.least_effort;
    if ((!wants_cheapest() && options_.least_effort <= 0.0) || found.success < goal) return found;
    Plan plan = found.plan;
    frame(plan);
    const std::optional<Domain> where = domain(plan);
    if (!where || !can_move(*where)) return found;
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
        // Of a table all cells count alike; of z about four fifths of a standard deviation on average.
        const bool value = later.rule.is_table() || p == 0;
        price.weights.push_back(later.rule.is_table() ? slope / static_cast<double>(later.rule.parameters())
                                : value               ? slope
                                                      : 0.8 * slope);
        price.origin.push_back(value ? prepared_.origin_of_cost(later.lever) : 0.0);
        price.powers.push_back(prepared_.power_of_cost(later.lever));
      }
    }
    PostDecisionSampler exact = sampler(plan, outcomes(), options_.judge_draws, DrawStream::kChoice, true);
    std::optional<PostDecisionSampler> relaxed;
    if (exact.has_jumps()) {
      relaxed.emplace(std::move(exact));
      exact = sampler(plan, outcomes(), options_.judge_draws, DrawStream::kChoice, false);
    }
    DecisionSearch searching(exact, relaxed ? &*relaxed : nullptr, prepared_.objective(), *where, options_,
                             prepared_.context());
    const Candidate start{found.found_by, values(plan), found.success};
    const Candidate cheap = cheapen(searching, start, goal, price);
    if (cheap.values == start.values) return found;
    set_values(plan, cheap.values);
    JudgedPlan judged = judge(std::move(plan), wants_cheapest() ? cheap.found_by : found.found_by);
    return judged.cost < found.cost && judged.success >= goal ? judged : found;
  }

  AlterationRule in_user_units(const Plan::Later& later) const {
    const Rule& rule = later.rule;
    const SamplerVariable& lever = set().variables[rule.lever];
    AlterationRule result;
    result.name = lever.name;
    result.step = step_[later.lever] + 1;
    result.low = prepared_.restore(later.lever, rule.low);
    result.high = prepared_.restore(later.lever, rule.high);
    for (const std::size_t input : rule.inputs) result.inputs.push_back(set().variables[input].name);
    if (rule.is_table()) {
      result.form = AlterationRule::Form::kTable;
      for (std::size_t cell = 0; cell < rule.size(); ++cell) {
        AlterationRule::Cell& row = result.cells.emplace_back();
        row.value = prepared_.restore(later.lever, std::clamp(rule.weights[cell], rule.low, rule.high));
        row.seen.resize(rule.inputs.size());
        std::size_t rest = cell;
        for (std::size_t k = rule.inputs.size(); k-- > 0;) {
          const SamplerVariable& input = set().variables[rule.inputs[k]];
          row.seen[k] = input.about.levels[rest % rule.levels[k].size()].value;
          rest /= rule.levels[k].size();
        }
      }
      return result;
    }
    // z = (x - centre) / scale of the standardised x = (u - mean) / sd, so z = (u - at) / unit.
    const bool scores = !rule.list.empty();
    result.form = scores ? AlterationRule::Form::kScores : AlterationRule::Form::kAffine;
    const double sd = scores ? 1.0 : lever.sd;
    for (std::size_t first = 0; first < rule.weights.size(); first += rule.features()) {
      AlterationRule::Sum& sum = result.sums.emplace_back();
      if (scores) sum.value = prepared_.restore(later.lever, rule.list[first / rule.features()]);
      sum.constant = sd * rule.weights[first] + (scores ? 0.0 : lever.mean);
      for (std::size_t k = 0; k < rule.inputs.size(); ++k) {
        const SamplerVariable& input = set().variables[rule.inputs[k]];
        const double at = input.restore(rule.centre[k]);
        const double unit = input.sd * rule.scale[k];
        const double slope = sd * rule.weights[first + 1 + k] / unit;
        const double square =
            rule.squares ? sd * rule.weights[first + 1 + rule.inputs.size() + k] / (unit * unit) : 0.0;
        sum.constant += -slope * at + square * at * at;
        sum.slopes.push_back(slope - 2.0 * square * at);
        if (rule.squares) sum.squares.push_back(square);
      }
    }
    // A constant beyond the domain is cut to it anyway.
    const auto is_zero = [](double weight) { return weight == 0.0; };
    AlterationRule::Sum& only = result.sums.front();
    if (!scores && std::all_of(only.slopes.begin(), only.slopes.end(), is_zero) &&
        std::all_of(only.squares.begin(), only.squares.end(), is_zero))
      only.constant = std::clamp(only.constant, result.low, result.high);
    return result;
  }

  Decision report(const JudgedPlan& winner, bool reached) const {
    const Plan& plan = winner.plan;
    Decision decision;
    decision.context = problem().context;
    decision.group = problem().group;
    decision.so_far = problem().so_far;
    decision.alterations = alterations_of(prepared_, plan.now);
    decision.found_by = winner.found_by;
    const int draws = report_draws(prepared_.options());
    decision.cost = cost(plan, draws, DrawStream::kReport);
    PostDecisionSampler idle = prepared_.plain_sampler({}, draws, DrawStream::kReport);
    report_without_action(prepared_, idle, decision);
    PostDecisionSampler acting = sampler(plan, outcomes(), draws, DrawStream::kReport, false);
    report_success(prepared_, acting, values(plan), decision);
    const Subset altered = plan.altered();
    for (std::size_t k = 0; k < decision.alterations.size(); ++k) {
      const bool is_altered = std::binary_search(altered.begin(), altered.end(), k);
      decision.alterations[k].success_if_released =
          is_altered ? judge(without(plan, k), winner.found_by, draws, DrawStream::kReport).success
                     : decision.success_probability;
    }
    SequencePlan& sequence = decision.sequence.emplace();
    sequence.steps = problem().sequence;
    sequence.at_once = at_once_.success_probability;
    for (const Plan::Later& later : plan.later) sequence.rules.push_back(in_user_units(later));
    conclude_report(prepared_, decision);
    conclude(decision, reached, altered.empty());
    return decision;
  }

  void conclude(Decision& decision, bool reached, bool idle) const {
    Summary& summary = decision.summary;
    const bool reliable = summary.status != Status::kUnreliable;
    const std::string target = fmt::format("{:.4g} %", 100.0 * options_.target);
    if (!idle && !decision.acts()) {
      if (reliable) summary.status = Status::kDone;
      summary.message = "Nothing is to be altered in this step; later ones answer to what is seen.";
    }
    if (already_likely_) {
      if (reliable) summary.status = Status::kAlreadyLikely;
      summary.message = fmt::format(
          "The target of {} is reached without action. {}", target,
          idle ? "Nothing was found that is better." : "The best that can be done beyond it is shown all the same.");
    } else if (options_.target > 0.0 && !reached) {
      if (reliable) summary.status = Status::kTargetNotReached;
      summary.message = fmt::format("No plan was found that reaches the target of {}: the best one has {:.1f} %.",
                                    target, 100.0 * decision.success_probability);
    } else if (options_.target > 0.0) {
      summary.message = fmt::format("The cheapest plan found that reaches the target of {}.", target);
    }
    if (!how_subsets_.empty()) summary.message += " " + how_subsets_;
  }

  PreparedProblem prepared_;
  const Decision& at_once_;
  const DecisionOptions& options_;
  std::vector<std::size_t> step_;               // of each lever, 0: now
  std::vector<std::vector<std::size_t>> seen_;  // before each step: places in the set
  Plan start_;
  JudgedPlan idle_;
  bool already_likely_ = false;
  std::vector<JudgedPlan> pool_;
  std::set<Subset> searched_;
  std::string how_subsets_;
};

}  // namespace

bool has_later_steps(const DecisionProblem& problem) {
  for (std::size_t s = 1; s < problem.sequence.size(); ++s) {
    if (!problem.sequence[s].alter.empty()) return true;
  }
  return false;
}

Decision decide_sequence(const DecisionProblem& problem, const Decision& at_once, const DecisionOptions& options,
                         const Context& context) {
  if (options.method == DecisionMethod::kQwz23) {
    throw Error(ErrorCategory::kTask, "QWZ23 decides at once and knows no steps.",
                {{"Remove the sequence"}, {"Choose the other method", "decision", "olem-rh"}});
  }
  return SequencePlanner(problem, at_once, options, context).run();
}

}  // namespace olem::internal
