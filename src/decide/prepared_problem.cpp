#include "decide/prepared_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "olem/column_types.h"
#include "olem/error.h"
#include "sampler/fitted.h"

namespace olem::internal {

namespace {

// Of a constraint, relative to the size of what is added up in it.
constexpr double kRounding = 1e-9;

// In numbers, with the values of discrete columns.
std::vector<LeverDomain> resolved_domains(const DecisionProblem& problem) {
  std::vector<LeverDomain> domains;
  for (const LeverDomain& domain : problem.alterable) {
    const SamplerVariable& variable = problem.samplers->variables[problem.samplers->index(domain.name)];
    try {
      domains.push_back(resolve_lever(domain, variable.about));
    } catch (const Error& error) {
      throw Error(ErrorCategory::kUsage, error.finding(), error.remedies());
    }
  }
  return domains;
}

std::size_t place_of(const DecisionProblem& problem, const std::string& name, const char* wish) {
  for (std::size_t k = 0; k < problem.alterable.size(); ++k) {
    if (problem.alterable[k].name == name) return k;
  }
  throw Error(ErrorCategory::kUsage, fmt::format("'{}', which has a {}, is not alterable.", name, wish));
}

}  // namespace

double expected_value(const OutcomeDraws& draws, std::size_t outcome, const SamplerVariable& variable) {
  const double* const values = draws.values.data() + outcome * draws.draws;
  const std::vector<ColumnLevel>& levels = variable.about.levels;
  if (levels.empty() && variable.about.type != ColumnType::kCount) {
    double sum = 0.0;
    for (std::size_t i = 0; i < draws.draws; ++i) sum += values[i];
    return sum / static_cast<double>(std::max<std::size_t>(1, draws.draws - draws.excluded));
  }
  std::vector<double> drawn;
  for (std::size_t i = 0; i < draws.draws; ++i) {
    if (draws.valid[i] != 0) drawn.push_back(variable.restore(values[i]));
  }
  if (drawn.empty()) return 0.0;
  if (levels.empty()) {
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>((drawn.size() - 1) / 2);
    std::nth_element(drawn.begin(), middle, drawn.end());
    return variable.standardise(std::max(0.0, std::round(*middle)));
  }
  std::vector<std::size_t> counts(levels.size(), 0);
  for (const double value : drawn) {
    const auto nearest = std::min_element(levels.begin(), levels.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.value - value) < std::abs(b.value - value);
    });
    ++counts[static_cast<std::size_t>(nearest - levels.begin())];
  }
  std::size_t chosen = 0;
  if (variable.about.type == ColumnType::kOrdinal) {
    for (std::size_t below = counts[0]; 2 * below < drawn.size(); below += counts[chosen]) ++chosen;
  } else {
    chosen = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }
  return variable.standardise(levels[chosen].value);
}

double restore_expected(const SamplerVariable& variable, double expected) {
  const double value = variable.restore(expected);
  if (variable.about.type == ColumnType::kCount) return std::round(value);
  for (const ColumnLevel& level : variable.about.levels) {
    if (variable.standardise(level.value) == expected) return level.value;
  }
  return value;
}

double alteration_cost(const SamplerVariable& variable, std::optional<double> weight, double value, double expected,
                       const CostForm* form) {
  if (form != nullptr && form->datum) expected = variable.standardise(*form->datum);
  const auto distance_cost = [&](double distance) {
    return *weight * (form != nullptr && form->power == 2 ? distance * distance : distance);
  };
  const ColumnType type = variable.about.type;
  if (type == ColumnType::kBinary || type == ColumnType::kCategory)
    return value == expected ? 0.0 : weight.value_or(1.0);
  const std::vector<ColumnLevel>& levels = variable.about.levels;
  if (!weight) return std::abs(value - expected);
  if (levels.empty()) return distance_cost(variable.sd * std::abs(value - expected));
  const auto step_of = [&](double standardised) {
    const auto distance = [&](const ColumnLevel& level) {
      return std::abs(variable.standardise(level.value) - standardised);
    };
    return std::min_element(levels.begin(), levels.end(),
                            [&](const auto& a, const auto& b) { return distance(a) < distance(b); }) -
           levels.begin();
  };
  return distance_cost(static_cast<double>(std::abs(step_of(value) - step_of(expected))));
}

Subset altered_by(const Setting& setting) {
  Subset places;
  for (std::size_t k = 0; k < setting.size(); ++k) {
    if (setting[k]) places.push_back(k);
  }
  return places;
}

PreparedProblem::PreparedProblem(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
    : problem_(problem),
      options_(options),
      context_(context),
      prepared_(prepare_objective(problem.region, fitted(problem.samplers), context)) {
  if (problem.max_alterations) check_at_least("max_alterations", *problem.max_alterations, 1);
  settle();
  for (std::size_t k = 0; k < problem.alterable.size(); ++k) {
    box_.low.push_back(variable(k).standardise(domains_[k].low));
    box_.high.push_back(variable(k).standardise(domains_[k].high));
    cost_weights_.push_back(problem.cost.empty() ? 1.0 : 0.0);
    cost_forms_.push_back(nullptr);
  }
  for (const CostForm& form : problem.cost_forms) {
    if (form.datum) check_finite(form.name, *form.datum);
    if (form.power != 1 && form.power != 2)
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The power of the cost of '{}' is {}: it must be 1 or 2.", form.name, form.power));
    cost_forms_[place_of(problem, form.name, "cost")] = &form;
  }
  for (const NamedValue& weight : problem.cost) {
    check_finite(weight.name, weight.value);
    const std::size_t k = place_of(problem, weight.name, "cost");
    if (weight.value < 0.0)
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The cost of '{}' is {}: it must not be negative.", weight.name, weight.value));
    cost_weights_[k] += weight.value;
  }
  for (std::size_t k = 0; k < problem.alterable.size(); ++k) {
    std::vector<double>& list = lists_.emplace_back();
    for (const double value : domains_[k].values) list.push_back(variable(k).standardise(value));
  }
  for (const AlterationConstraint& constraint : problem.constraints) add_constraint(constraint);
  find_expected_values();
  find_influences();
}

void PreparedProblem::add_constraint(const AlterationConstraint& constraint) {
  check_finite("max of a constraint", constraint.max);
  Constraint made{{std::vector<double>(size(), 0.0), constraint.max, std::abs(constraint.max)}, {}};
  LinearCondition& condition = made.linear;
  for (const NamedValue& weight : constraint.weights) {
    check_finite(weight.name, weight.value);
    if (const auto level = find_level_of(problem_.alterable, weight.name)) {
      const SamplerVariable& its = variable(level->lever);
      const auto found = find_level(its.about, level->level);
      if (!found) {
        throw Error(ErrorCategory::kUsage,
                    fmt::format("'{}', which has a constraint, is no level of '{}'. {}", level->level, its.name,
                                levels_sentence(its.about, level->level)));
      }
      made.levels.push_back({level->lever, its.standardise(found->value), weight.value});
      condition.tolerance += std::abs(weight.value);
      continue;
    }
    const std::size_t k = place_of(problem_, weight.name, "constraint");
    condition.weights[k] += weight.value * variable(k).sd;
    condition.bound -= weight.value * variable(k).mean;
    condition.tolerance += std::abs(weight.value) * std::max(std::abs(domains_[k].low), std::abs(domains_[k].high));
  }
  condition.tolerance *= kRounding;
  constraints_.push_back(std::move(made));
}

void PreparedProblem::settle() {
  domains_ = resolved_domains(problem_);
  std::vector<bool> settled(domains_.size(), false);
  const auto take = [&](const std::string& name, const char* how) {
    const std::size_t k = place_of(problem_, name, how);
    if (settled[k]) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is settled twice. Settle it once.", name));
    settled[k] = true;
    return k;
  };
  for (const NamedValue& given : problem_.fixed) {
    check_finite(given.name, given.value);
    const std::size_t k = take(given.name, "fixed value");
    LeverDomain& domain = domains_[k];
    if (!contains(domain, given.value)) {
      const Column& about = variable(k).about;
      throw Error(ErrorCategory::kUsage,
                  has_values(domain) ? fmt::format("'{}' is fixed at {}, which is none of its values: {}.", given.name,
                                                   value_name(about, given.value), domain_text(domain, about))
                                     : fmt::format("'{}' is fixed at {}, which is outside of its domain [{}, {}].",
                                                   given.name, given.value, domain.low, domain.high));
    }
    domain.low = domain.high = given.value;
    if (has_values(domain)) domain.values = {given.value};
    fixed_.push_back(k);
  }
  std::sort(fixed_.begin(), fixed_.end());
  for (const std::string& name : problem_.left_alone) take(name, "wish to be left alone");
  for (std::size_t k = 0; k < settled.size(); ++k) {
    if (!settled[k]) free_.push_back(k);
  }
  const std::optional<int> most = problem_.max_alterations;
  if (most && fixed_.size() > static_cast<std::size_t>(*most)) {
    throw Error(ErrorCategory::kTask, fmt::format("{} variables are fixed, but no more than {} may be altered. Free "
                                                  "some of them.",
                                                  fixed_.size(), *most));
  }
}

bool PreparedProblem::any_influence() const {
  const Subset movable = with_fixed(free_);
  return std::any_of(movable.begin(), movable.end(), [&](std::size_t k) { return influences_[k]; });
}

Setting PreparedProblem::idle() const {
  Setting setting(size());
  for (const std::size_t k : fixed_) setting[k] = box_.low[k];
  return setting;
}

Subset PreparedProblem::with_fixed(const Subset& variables) const {
  Subset all;
  std::set_union(variables.begin(), variables.end(), fixed_.begin(), fixed_.end(), std::back_inserter(all));
  return all;
}

const SamplerVariable& PreparedProblem::variable(std::size_t alterable) const {
  return problem_.samplers->variables[problem_.samplers->index(problem_.alterable[alterable].name)];
}

std::vector<std::string> PreparedProblem::names(const Subset& altered) const {
  std::vector<std::string> names;
  for (const std::size_t k : altered) names.push_back(problem_.alterable[k].name);
  return names;
}

PostDecisionPlan PreparedProblem::plan(const Subset& altered, int draws, DrawStream stream) const {
  PostDecisionPlan plan;
  plan.context = known_values(problem_);
  plan.unknown = problem_.unknown;
  plan.context_model = problem_.context_model;
  plan.hidden = problem_.hidden;
  plan.altered = names(altered);
  plan.outcomes = problem_.region.outcomes();
  plan.draws = static_cast<std::size_t>(draws);
  plan.noise = static_cast<std::uint64_t>(stream);
  return plan;
}

PostDecisionSampler PreparedProblem::sampler(const Subset& altered, int draws, DrawStream stream) const {
  return PostDecisionSampler(problem_.samplers, plan(altered, draws, stream), context_);
}

PostDecisionSampler PreparedProblem::plain_sampler(const Subset& altered, int draws, DrawStream stream) const {
  PostDecisionPlan without = plan(altered, draws, stream);
  without.with_gradient = false;
  return PostDecisionSampler(problem_.samplers, without, context_);
}

void PreparedProblem::find_expected_values() {
  if (size() == 0) return;
  PostDecisionPlan levers = plan({}, options_.draws, DrawStream::kSearch);
  levers.outcomes.clear();
  for (const LeverDomain& range : problem_.alterable) levers.outcomes.push_back(range.name);
  levers.with_gradient = false;
  PostDecisionSampler drawn(problem_.samplers, levers, context_);
  const OutcomeDraws& draws = drawn.sample({}, options_.caution);
  for (std::size_t k = 0; k < size(); ++k) expected_.push_back(expected_value(draws, k, variable(k)));
}

bool PreparedProblem::any_list(const Subset& altered) const {
  return std::any_of(altered.begin(), altered.end(), [&](std::size_t k) { return lists_[k].size() > 1; });
}

bool PreparedProblem::is_nominal(std::size_t alterable) const {
  const ColumnType type = variable(alterable).about.type;
  return type == ColumnType::kBinary || type == ColumnType::kCategory;
}

double PreparedProblem::nearest(std::size_t alterable, double value) const {
  const std::vector<double>& list = lists_[alterable];
  if (list.empty()) return std::clamp(value, box_.low[alterable], box_.high[alterable]);
  return *std::min_element(list.begin(), list.end(),
                           [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
}

void PreparedProblem::find_influences() {
  for (std::size_t k = 0; k < size(); ++k)
    influences_.push_back(plain_sampler({k}, 1, DrawStream::kSearch).influences().front());
}

std::optional<Domain> PreparedProblem::domain(const Subset& altered, std::span<const double> at) const {
  Box box;
  std::vector<std::optional<double>> held(size());  // of what has a list
  std::vector<bool> open(size(), false);            // any value of the list may be meant
  for (std::size_t i = 0; i < altered.size(); ++i) {
    const std::size_t k = altered[i];
    const bool hold = has_list(k) && (!at.empty() || lists_[k].size() == 1);
    if (hold) held[k] = at.empty() ? lists_[k].front() : at[i];
    open[k] = has_list(k) && !hold;
    box.low.push_back(hold ? *held[k] : box_.low[k]);
    box.high.push_back(hold ? *held[k] : box_.high[k]);
  }
  std::vector<LinearCondition> conditions;
  for (const Constraint& constraint : constraints_) {
    LinearCondition condition;
    condition.bound = constraint.linear.bound;
    condition.tolerance = constraint.linear.tolerance;
    for (std::size_t k = 0; k < size(); ++k) condition.bound -= constraint.linear.weights[k] * expected_[k];
    bool binds = false;
    bool moves = false;
    for (const std::size_t k : altered) {
      const double weight = constraint.linear.weights[k];
      condition.bound += weight * expected_[k];
      if (held[k]) condition.bound -= weight * *held[k];
      condition.weights.push_back(held[k] ? 0.0 : weight);
      binds = binds || weight != 0.0;
      moves = moves || condition.weights.back() != 0.0;
    }
    for (const LevelTerm& term : constraint.levels) {
      const std::size_t k = term.variable;
      if (open[k]) {
        condition.bound -= std::min(0.0, term.weight);
      } else if (held[k].value_or(expected_[k]) == term.level) {
        condition.bound -= term.weight;
      }
      binds = binds || std::find(altered.begin(), altered.end(), k) != altered.end();
    }
    if (!binds) continue;
    if (moves) {
      conditions.push_back(std::move(condition));
    } else if (condition.bound < -condition.tolerance) {
      return std::nullopt;
    }
  }
  return Domain::make(std::move(box), std::move(conditions), context_);
}

bool PreparedProblem::permits(const Setting& setting) const {
  const Subset altered = altered_by(setting);
  if (altered.empty()) return true;
  if (problem_.max_alterations && altered.size() > static_cast<std::size_t>(*problem_.max_alterations)) return false;
  const std::vector<double> at = values(setting);
  const std::optional<Domain> where = domain(altered, at);
  return where && where->contains(at);
}

std::vector<double> PreparedProblem::slope_of_cost(const Subset& altered) const {
  std::vector<double> slopes;
  for (const std::size_t k : altered) {
    const double unit = problem_.cost.empty() ? 1.0 : variable(k).sd;
    slopes.push_back(has_list(k) ? 0.0 : cost_weights_[k] * (power_of_cost(k) == 2 ? unit * unit : unit));
  }
  return slopes;
}

double PreparedProblem::origin_of_cost(std::size_t alterable) const {
  const CostForm* const form = cost_forms_[alterable];
  return form != nullptr && form->datum ? variable(alterable).standardise(*form->datum) : expected_[alterable];
}

int PreparedProblem::power_of_cost(std::size_t alterable) const {
  return cost_forms_[alterable] == nullptr ? 1 : cost_forms_[alterable]->power;
}

double PreparedProblem::cost(std::size_t alterable, double value) const {
  const std::optional<double> weight = problem_.cost.empty() ? std::nullopt : std::optional(cost_weights_[alterable]);
  return alteration_cost(variable(alterable), weight, value, expected_[alterable], cost_forms_[alterable]);
}

double PreparedProblem::cost(const Setting& setting) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < setting.size(); ++k) {
    if (setting[k]) sum += cost(k, *setting[k]);
  }
  return sum;
}

double PreparedProblem::restore(std::size_t alterable, double value) const {
  const LeverDomain& range = domains_[alterable];
  if (has_values(range)) {
    const std::vector<double>& list = lists_[alterable];
    const auto found = std::min_element(list.begin(), list.end(),
                                        [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
    return range.values[static_cast<std::size_t>(found - list.begin())];
  }
  if (value == box_.low[alterable]) return range.low;
  if (value == box_.high[alterable]) return range.high;
  return std::clamp(variable(alterable).restore(value), range.low, range.high);
}

Setting PreparedProblem::setting(const Subset& altered, const std::vector<double>& values) const {
  Setting all(size());
  for (std::size_t k = 0; k < altered.size(); ++k) all[altered[k]] = values[k];
  return all;
}

std::vector<double> PreparedProblem::values(const Setting& setting) const {
  std::vector<double> set;
  for (const std::optional<double>& value : setting) {
    if (value) set.push_back(*value);
  }
  return set;
}

}  // namespace olem::internal
