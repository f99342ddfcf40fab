#include "decide/prepared_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "olem/error.h"
#include "sampler/fitted.h"

namespace olem::internal {

namespace {

// Of a constraint, relative to the size of what is added up in it.
constexpr double kRounding = 1e-9;

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

std::size_t place_of(const DecisionProblem& problem, const std::string& name, const char* wish) {
  for (std::size_t k = 0; k < problem.alterable.size(); ++k) {
    if (problem.alterable[k].name == name) return k;
  }
  throw Error(ErrorCategory::kUsage, fmt::format("'{}', which has a {}, is not alterable.", name, wish));
}

}  // namespace

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
  check_domains(problem.alterable);
  if (problem.max_alterations) check_at_least("max_alterations", *problem.max_alterations, 1);
  settle();
  for (std::size_t k = 0; k < problem.alterable.size(); ++k) {
    box_.low.push_back(variable(k).standardise(domains_[k].low));
    box_.high.push_back(variable(k).standardise(domains_[k].high));
    cost_weights_.push_back(problem.cost.empty() ? 1.0 : 0.0);
  }
  for (const NamedValue& weight : problem.cost) {
    check_finite(weight.name, weight.value);
    const std::size_t k = place_of(problem, weight.name, "cost");
    if (weight.value < 0.0)
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The cost of '{}' is {}: it must not be negative.", weight.name, weight.value));
    cost_weights_[k] += weight.value * variable(k).sd;
  }
  for (const AlterationConstraint& constraint : problem.constraints) {
    check_finite("max of a constraint", constraint.max);
    LinearCondition condition{std::vector<double>(size(), 0.0), constraint.max, std::abs(constraint.max)};
    for (const NamedValue& weight : constraint.weights) {
      check_finite(weight.name, weight.value);
      const std::size_t k = place_of(problem, weight.name, "constraint");
      condition.weights[k] += weight.value * variable(k).sd;
      condition.bound -= weight.value * variable(k).mean;
      condition.tolerance += std::abs(weight.value) * std::max(std::abs(domains_[k].low), std::abs(domains_[k].high));
    }
    condition.tolerance *= kRounding;
    constraints_.push_back(std::move(condition));
  }
  find_expected_values();
  find_influences();
}

void PreparedProblem::settle() {
  domains_ = problem_.alterable;
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
    NamedRange& domain = domains_[k];
    if (given.value < domain.low || given.value > domain.high) {
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' is fixed at {}, which is outside of its domain [{}, {}].",
                                                     given.name, given.value, domain.low, domain.high));
    }
    domain.low = domain.high = given.value;
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
  plan.context = problem_.context;
  plan.unknown = problem_.unknown;
  plan.context_model = problem_.context_model;
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
  PostDecisionPlan plan;
  plan.context = problem_.context;
  plan.unknown = problem_.unknown;
  plan.context_model = problem_.context_model;
  for (const NamedRange& range : problem_.alterable) plan.outcomes.push_back(range.name);
  plan.draws = static_cast<std::size_t>(options_.draws);
  plan.noise = static_cast<std::uint64_t>(DrawStream::kSearch);
  plan.with_gradient = false;
  PostDecisionSampler drawn(problem_.samplers, plan, context_);
  const OutcomeDraws& draws = drawn.sample({}, options_.caution);
  for (std::size_t k = 0; k < size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < draws.draws; ++i) sum += draws.values[k * draws.draws + i];
    expected_.push_back(sum / static_cast<double>(std::max<std::size_t>(1, draws.draws - draws.excluded)));
  }
}

void PreparedProblem::find_influences() {
  for (std::size_t k = 0; k < size(); ++k)
    influences_.push_back(plain_sampler({k}, 1, DrawStream::kSearch).influences().front());
}

std::optional<Domain> PreparedProblem::domain(const Subset& altered) const {
  Box box;
  for (const std::size_t k : altered) {
    box.low.push_back(box_.low[k]);
    box.high.push_back(box_.high[k]);
  }
  std::vector<LinearCondition> conditions;
  for (const LinearCondition& constraint : constraints_) {
    LinearCondition condition;
    condition.bound = constraint.bound;
    condition.tolerance = constraint.tolerance;
    for (std::size_t k = 0; k < size(); ++k) condition.bound -= constraint.weights[k] * expected_[k];
    bool binds = false;
    for (const std::size_t k : altered) {
      condition.bound += constraint.weights[k] * expected_[k];
      condition.weights.push_back(constraint.weights[k]);
      binds = binds || constraint.weights[k] != 0.0;
    }
    if (binds) conditions.push_back(std::move(condition));
  }
  return Domain::make(std::move(box), std::move(conditions), context_);
}

bool PreparedProblem::permits(const Setting& setting) const {
  const Subset altered = altered_by(setting);
  if (altered.empty()) return true;
  if (problem_.max_alterations && altered.size() > static_cast<std::size_t>(*problem_.max_alterations)) return false;
  const std::optional<Domain> where = domain(altered);
  return where && where->contains(values(setting));
}

double PreparedProblem::cost(const Setting& setting) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < setting.size(); ++k) {
    if (setting[k]) sum += cost_weights_[k] * std::abs(*setting[k] - expected_[k]);
  }
  return sum;
}

double PreparedProblem::restore(std::size_t alterable, double value) const {
  const NamedRange& range = domains_[alterable];
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
