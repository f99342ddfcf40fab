#include "decide/sequence_plan.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

constexpr std::size_t kMostCells = 24;  // of a table; a rule of more levels takes them for numbers
// How far parameters may lie outside of the domain, in widths of it: what a rule says is cut to the domain.
constexpr double kConstantRoom = 1.0;
constexpr double kSlopeRoom = 2.0;

std::vector<Rule> rules_of(const Plan& plan, std::optional<std::size_t> without = std::nullopt) {
  std::vector<Rule> rules;
  for (const Plan::Later& later : plan.later) {
    if (later.lever != without) rules.push_back(later.rule);
  }
  return rules;
}

void add_sides(const Rule& rule, Box& box) {
  if (rule.parameters() == 0) return;
  const double width = rule.high - rule.low;
  for (std::size_t p = 0; p < rule.parameters(); ++p) {
    const bool constant = !rule.is_table() && p == 0;
    const bool value = rule.is_table();
    box.low.push_back(value ? rule.low : constant ? rule.low - kConstantRoom * width : -kSlopeRoom * width);
    box.high.push_back(value ? rule.high : constant ? rule.high + kConstantRoom * width : kSlopeRoom * width);
  }
}

}  // namespace

Subset Plan::altered() const {
  Subset all = altered_by(now);
  for (const Later& rule : later) all.push_back(rule.lever);
  std::sort(all.begin(), all.end());
  return all;
}

PlanSpace::PlanSpace(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
    : prepared_(problem, options, context) {
  find_steps();
}

void PlanSpace::find_steps() {
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

std::size_t PlanSpace::place(std::size_t lever) const { return set().index(problem().alterable[lever].name); }

Plan PlanSpace::idle() const {
  Plan plan;
  plan.now = prepared_.idle();
  return plan;
}

// The best rule that says nothing of what is seen. Inputs behind the lever, as in an order that contradicts the
// sequence, are left out: the lever may be their cause.
Plan::Later PlanSpace::new_rule(std::size_t lever, const Subset& altered) const {
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
bool PlanSpace::settled_before(std::size_t lever, std::size_t other) const {
  const bool now = step_[lever] == 0;
  const bool other_now = step_[other] == 0;
  if (now != other_now) return now;
  return place(lever) < place(other);
}

// What levers with level terms may add to a constraint at most, and what is certain of the others.
double PlanSpace::reserved(const PreparedProblem::Constraint& constraint, const Subset& altered) const {
  double sum = 0.0;
  for (const PreparedProblem::LevelTerm& term : constraint.levels) {
    const bool open = std::binary_search(altered.begin(), altered.end(), term.variable);
    if (open) sum += std::max(0.0, term.weight);
    if (!open && prepared_.expected()[term.variable] == term.level) sum += term.weight;
  }
  return sum;
}

double PlanSpace::least(const PreparedProblem::Constraint& constraint, std::size_t lever) const {
  const double weight = constraint.linear.weights[lever];
  return std::min(weight * prepared_.box().low[lever], weight * prepared_.box().high[lever]);
}

// Each lever leaves room for those that are settled after it, at their cheapest.
void PlanSpace::add_limits(std::size_t lever, const Subset& altered, Rule& rule) const {
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

Plan PlanSpace::start(const Subset& altered) const {
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
Plan PlanSpace::start(const Subset& altered, const Values& at_once) const {
  Plan plan = start(altered);
  const auto value_of = [&](std::size_t k) -> std::optional<double> {
    if (!at_once[k]) return std::nullopt;
    return prepared_.nearest(k, prepared_.variable(k).standardise(*at_once[k]));
  };
  for (const std::size_t k : altered_by(plan.now)) {
    if (const auto value = value_of(k)) plan.now[k] = *value;
  }
  for (Plan::Later& later : plan.later) {
    if (const auto value = value_of(later.lever)) later.rule.set_constant(*value);
  }
  return plan;
}

Plan PlanSpace::of(const Values& values, std::span<const AlterationRule> rules) const {
  Subset altered;
  for (std::size_t k = 0; k < prepared_.size(); ++k) {
    const bool ruled = std::any_of(rules.begin(), rules.end(), [&](const AlterationRule& rule) {
      return rule.name == problem().alterable[k].name;
    });
    if (ruled || values[k]) altered.push_back(k);
  }
  Plan plan = start(altered, values);
  for (Plan::Later& later : plan.later) {
    const std::string& name = problem().alterable[later.lever].name;
    const auto given =
        std::find_if(rules.begin(), rules.end(), [&](const AlterationRule& rule) { return rule.name == name; });
    if (given == rules.end()) continue;
    Rule rule = rule_for(*given, set(), rules);
    rule.limits = later.rule.limits;
    rule.list = later.rule.list;
    // Where inputs stand behind the lever, a table is a constant.
    if (rule.weights.size() != rule.size()) rule.set_constant(prepared_.nearest(later.lever, rule.weights.front()));
    later.rule = std::move(rule);
  }
  return plan;
}

// Draws of `outcomes` under the plan; one lever, `also`, may be altered beside it instead of following its rule.
PostDecisionSampler PlanSpace::sampler(const Plan& plan, const std::vector<std::string>& outcomes, int draws,
                                       DrawStream stream, bool gradient, std::optional<std::size_t> also) const {
  PostDecisionPlan asked = prepared_.plan(altered_by(plan.now), draws, stream);
  const std::vector<Rule> rules = rules_of(plan, also);
  for (const Rule& rule : rules) {
    const std::vector<std::string> names = parameter_names(set(), rule);
    asked.altered.insert(asked.altered.end(), names.begin(), names.end());
  }
  if (also) asked.altered.push_back(problem().alterable[*also].name);
  asked.outcomes = outcomes;
  asked.with_gradient = gradient;
  return PostDecisionSampler(rules.empty() ? problem().samplers : with_rules(set(), rules), asked, prepared_.context());
}

std::vector<double> PlanSpace::values(const Plan& plan, std::optional<std::size_t> without) const {
  std::vector<double> all = prepared_.values(plan.now);
  for (const Plan::Later& later : plan.later) {
    if (later.lever == without) continue;
    all.insert(all.end(), later.rule.weights.begin(),
               later.rule.weights.begin() + static_cast<std::ptrdiff_t>(later.rule.parameters()));
  }
  return all;
}

void PlanSpace::set_values(Plan& plan, std::span<const double> all) {
  std::size_t next = 0;
  for (std::optional<double>& value : plan.now) {
    if (value) value = all[next++];
  }
  for (Plan::Later& later : plan.later) {
    for (std::size_t p = 0; p < later.rule.parameters(); ++p) later.rule.weights[p] = all[next++];
  }
}

// What will be seen, one vector for each input of the rule.
std::vector<std::vector<double>> PlanSpace::inputs(const Plan& plan, const Rule& rule, int draws,
                                                   DrawStream stream) const {
  std::vector<std::string> names;
  for (const std::size_t input : rule.inputs) names.push_back(set().variables[input].name);
  std::vector<std::vector<double>> seen(names.size());
  if (names.empty()) return seen;
  PostDecisionSampler drawing = sampler(plan, names, draws, stream, false);
  const OutcomeDraws& drawn = drawing.sample(values(plan), options().caution);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto first = drawn.values.begin() + static_cast<std::ptrdiff_t>(k * drawn.draws);
    seen[k].assign(first, first + static_cast<std::ptrdiff_t>(drawn.draws));
  }
  return seen;
}

// Centre and scale of the inputs where the plan leads.
void PlanSpace::frame(Plan& plan) const {
  for (Plan::Later& later : plan.later) {
    Rule& rule = later.rule;
    if (rule.is_table() || rule.inputs.empty()) continue;
    std::vector<double> centre;
    std::vector<double> scale;
    for (const std::vector<double>& seen : inputs(plan, rule, options().draws, DrawStream::kSearch)) {
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
std::optional<Domain> PlanSpace::domain(const Plan& plan) const {
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

bool PlanSpace::permits(const Plan& plan) const {
  const std::optional<Domain> where = domain(plan);
  return plan.altered().empty() || (where && (where->size() == 0 || where->contains(values(plan))));
}

JudgedPlan PlanSpace::judge(Plan plan, FoundBy found_by) const {
  return judge(std::move(plan), found_by, options().judge_draws, DrawStream::kChoice);
}

JudgedPlan PlanSpace::judge(Plan plan, FoundBy found_by, int draws, DrawStream stream) const {
  prepared_.context().check_interrupt();
  PostDecisionSampler drawing = sampler(plan, outcomes(), draws, stream, false);
  JudgedPlan judged;
  judged.inside = prepared_.objective().inside(drawing.sample(values(plan), options().caution));
  const auto successes = std::count(judged.inside.begin(), judged.inside.end(), static_cast<unsigned char>(1));
  judged.success = static_cast<double>(successes) / draws;
  judged.cost = cost(plan, draws, stream);
  judged.found_by = found_by;
  judged.plan = std::move(plan);
  return judged;
}

std::vector<std::vector<double>> PlanSpace::later_values(const Plan& plan, int draws, DrawStream stream) const {
  std::vector<std::vector<double>> all;
  if (plan.later.empty()) return all;
  std::vector<std::string> levers;
  for (const Plan::Later& later : plan.later) levers.push_back(problem().alterable[later.lever].name);
  PostDecisionSampler drawing = sampler(plan, levers, draws, stream, false);
  const OutcomeDraws& drawn = drawing.sample(values(plan), options().caution);
  for (std::size_t r = 0; r < plan.later.size(); ++r) {
    const auto first = drawn.values.begin() + static_cast<std::ptrdiff_t>(r * drawn.draws);
    all.emplace_back(first, first + static_cast<std::ptrdiff_t>(drawn.draws));
  }
  return all;
}

// Of later levers on average.
double PlanSpace::cost(const Plan& plan, int draws, DrawStream stream) const {
  double sum = prepared_.cost(plan.now);
  const std::vector<std::vector<double>> later = later_values(plan, draws, stream);
  for (std::size_t r = 0; r < later.size(); ++r) {
    for (const double value : later[r])
      sum += prepared_.cost(plan.later[r].lever, value) / static_cast<double>(later[r].size());
  }
  return sum;
}

Plan without_lever(Plan plan, std::size_t lever) {
  plan.now[lever].reset();
  std::erase_if(plan.later, [&](const Plan::Later& later) { return later.lever == lever; });
  return plan;
}

// The limits of add_limits() in the user's units, with what each other lever takes at its cheapest.
std::vector<AlterationRule::Limit> PlanSpace::limits(std::size_t lever, const Subset& altered) const {
  std::vector<AlterationRule::Limit> result;
  for (const PreparedProblem::Constraint& constraint : prepared_.constraints()) {
    const std::vector<double>& weights = constraint.linear.weights;
    if (weights[lever] == 0.0) continue;
    // w x standardised value = (w / sd) x value - (w / sd) x mean
    const auto in_units = [&](std::size_t k) { return weights[k] / prepared_.variable(k).sd; };
    const auto shift = [&](std::size_t k) { return in_units(k) * prepared_.variable(k).mean; };
    AlterationRule::Limit& limit = result.emplace_back();
    limit.weight = in_units(lever);
    limit.max = constraint.linear.bound - reserved(constraint, altered) + shift(lever);
    for (std::size_t k = 0; k < prepared_.size(); ++k) {
      if (k == lever || weights[k] == 0.0) continue;
      if (!std::binary_search(altered.begin(), altered.end(), k)) {
        limit.max -= weights[k] * prepared_.expected()[k];
        continue;
      }
      limit.max += shift(k);
      limit.others.push_back(
          {problem().alterable[k].name, in_units(k), least(constraint, k) + shift(k), settled_before(k, lever)});
    }
  }
  return result;
}

std::vector<AlterationRule> PlanSpace::rules(const Plan& plan) const {
  const Subset altered = plan.altered();
  std::vector<AlterationRule> all;
  for (const Plan::Later& later : plan.later) all.push_back(in_user_units(later, altered));
  return all;
}

AlterationRule PlanSpace::in_user_units(const Plan::Later& later, const Subset& altered) const {
  const Rule& rule = later.rule;
  const SamplerVariable& lever = set().variables[rule.lever];
  AlterationRule result;
  result.name = lever.name;
  result.step = step_[later.lever] + 1;
  result.low = prepared_.restore(later.lever, rule.low);
  result.high = prepared_.restore(later.lever, rule.high);
  for (const std::size_t input : rule.inputs) result.inputs.push_back(set().variables[input].name);
  result.limits = limits(later.lever, altered);
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
      const double square = rule.squares ? sd * rule.weights[first + 1 + rule.inputs.size() + k] / (unit * unit) : 0.0;
      sum.constant += -slope * at + square * at * at;
      sum.slopes.push_back(slope - 2.0 * square * at);
      if (rule.squares) sum.squares.push_back(square);
    }
  }
  const auto is_zero = [](double weight) { return weight == 0.0; };
  if (std::all_of(result.sums.begin(), result.sums.end(), [&](const AlterationRule::Sum& sum) {
        return std::all_of(sum.squares.begin(), sum.squares.end(), is_zero);
      })) {
    for (AlterationRule::Sum& sum : result.sums) sum.squares.clear();
  }
  // A constant beyond the domain is cut to it anyway.
  AlterationRule::Sum& only = result.sums.front();
  if (!scores && std::all_of(only.slopes.begin(), only.slopes.end(), is_zero) &&
      std::all_of(only.squares.begin(), only.squares.end(), is_zero))
    only.constant = std::clamp(only.constant, result.low, result.high);
  return result;
}

}  // namespace olem::internal
