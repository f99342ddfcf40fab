#include "decide/rule_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "olem/error.h"
#include "olem/sampler_state.h"

namespace olem::internal {

namespace {

double at(const Condition& condition, std::size_t draw) { return condition.values[condition.shared ? 0 : draw]; }

double nearest_in(const std::vector<double>& list, double value) {
  return *std::min_element(list.begin(), list.end(),
                           [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
}

// Conditions: the parameters, the inputs, and of each limit the others.
class RuleRun : public SamplerRun {
 public:
  explicit RuleRun(const Rule& rule) : rule_(rule) {}

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    conditions_.assign(conditions.begin(), conditions.end());
    cut_.assign(y.size(), kFree);
    chosen_.assign(y.size(), 0);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = value(i);
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    if (!rule_.list.empty()) return;  // jumps
    const std::size_t p = rule_.parameters();
    const auto add = [&](std::size_t k, std::size_t i, double amount) {
      if (gradients[k] != nullptr) gradients[k][conditions_[k].shared ? 0 : i] += amount;
    };
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      if (cut_[i] == kSide) continue;
      if (cut_[i] != kFree) {
        add_limit_gradient(static_cast<std::size_t>(cut_[i]), i, adjoint[i], add);
        continue;
      }
      if (rule_.is_table()) {
        add(chosen_[i], i, adjoint[i]);
        continue;
      }
      add(0, i, adjoint[i]);
      for (std::size_t k = 0; k < rule_.inputs.size(); ++k) {
        const double seen = z(k, i);
        double slope = at(conditions_[1 + k], i);
        add(1 + k, i, adjoint[i] * seen);
        if (rule_.squares) {
          const std::size_t square = 1 + rule_.inputs.size() + k;
          slope += 2.0 * at(conditions_[square], i) * seen;
          add(square, i, adjoint[i] * seen * seen);
        }
        add(p + k, i, adjoint[i] * slope / rule_.scale[k]);
      }
    }
  }

 private:
  static constexpr int kFree = -1;
  static constexpr int kSide = -2;

  double input(std::size_t k, std::size_t i) const { return at(conditions_[rule_.parameters() + k], i); }
  double z(std::size_t k, std::size_t i) const { return (input(k, i) - rule_.centre[k]) / rule_.scale[k]; }
  double weight(std::size_t w, std::size_t i) const {
    return rule_.list.empty() ? at(conditions_[w], i) : rule_.weights[w];
  }

  double sum(std::size_t first, std::size_t i) const {
    double total = weight(first, i);
    const std::size_t q = rule_.inputs.size();
    for (std::size_t k = 0; k < q; ++k) {
      const double seen = z(k, i);
      total += weight(first + 1 + k, i) * seen;
      if (rule_.squares) total += weight(first + 1 + q + k, i) * seen * seen;
    }
    return total;
  }

  // What is left for the lever by one limit.
  double room(std::size_t limit, std::size_t i) const {
    std::size_t place = rule_.parameters() + rule_.inputs.size();
    for (std::size_t l = 0; l < limit; ++l) place += rule_.limits[l].others.size();
    const Rule::Limit& which = rule_.limits[limit];
    double left = which.bound;
    for (std::size_t o = 0; o < which.others.size(); ++o)
      left -= which.others[o].second * at(conditions_[place + o], i);
    return left / which.weight;
  }

  double value(std::size_t i) {
    double low = rule_.low;
    double high = rule_.high;
    int low_by = kSide;
    int high_by = kSide;
    for (std::size_t l = 0; l < rule_.limits.size(); ++l) {
      const double side = room(l, i);
      if (rule_.limits[l].weight > 0.0 && side < high) {
        high = side;
        high_by = static_cast<int>(l);
      } else if (rule_.limits[l].weight < 0.0 && side > low) {
        low = side;
        low_by = static_cast<int>(l);
      }
    }
    if (rule_.is_table()) {
      std::vector<double> seen;
      for (std::size_t k = 0; k < rule_.inputs.size(); ++k) seen.push_back(input(k, i));
      chosen_[i] = rule_.cell(seen);
    }
    if (!rule_.list.empty()) return listed(i, low, high);
    const double wanted = rule_.is_table() ? weight(chosen_[i], i) : sum(0, i);
    if (wanted > high) {
      cut_[i] = high_by;
      return std::max(high, rule_.low);
    }
    if (wanted < low) {
      cut_[i] = low_by;
      return std::min(low, rule_.high);
    }
    return wanted;
  }

  // The best value of the list that the limits allow.
  double listed(std::size_t i, double low, double high) const {
    constexpr double kSlack = 1e-9;
    double best = nearest_in(rule_.list, std::clamp(rule_.list.front(), low, std::max(low, high)));
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < rule_.list.size(); ++l) {
      const double value = rule_.list[l];
      if (value < low - kSlack || value > high + kSlack) continue;
      const double score =
          rule_.is_table() ? -std::abs(value - rule_.weights[chosen_[i]]) : sum(l * rule_.features(), i);
      if (score > highest) {
        highest = score;
        best = value;
      }
    }
    return best;
  }

  template <class Add>
  void add_limit_gradient(std::size_t limit, std::size_t i, double adjoint, const Add& add) const {
    std::size_t place = rule_.parameters() + rule_.inputs.size();
    for (std::size_t l = 0; l < limit; ++l) place += rule_.limits[l].others.size();
    const Rule::Limit& which = rule_.limits[limit];
    for (std::size_t o = 0; o < which.others.size(); ++o)
      add(place + o, i, -adjoint * which.others[o].second / which.weight);
  }

  const Rule& rule_;
  std::vector<Condition> conditions_;
  std::vector<int> cut_;             // per draw: by which limit, by a side, or not
  std::vector<std::size_t> chosen_;  // per draw: the cell
};

class RuleSampler : public ConditionalSampler {
 public:
  explicit RuleSampler(Rule rule) : rule_(std::move(rule)) {
    conditions_ = rule_.parameters() + rule_.inputs.size();
    for (const Rule::Limit& limit : rule_.limits) conditions_ += limit.others.size();
  }

  std::size_t conditions() const override { return conditions_; }
  std::size_t noise_entries() const override { return 0; }
  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.form = "rule";
    facts.inputs.assign(conditions_, {0.0, 0.0, true});
    return facts;
  }
  std::unique_ptr<SamplerRun> start(std::span<const double> /*noise*/, std::size_t /*draws*/) const override {
    return std::make_unique<RuleRun>(rule_);
  }
  void log_density(std::span<const Condition> /*conditions*/, std::span<const double> /*y*/, double /*caution*/,
                   std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);  // it is certain
  }
  void extrapolation(std::span<const Condition> /*conditions*/, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  double extrapolation_limit() const override { return 1.0; }
  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return std::nullopt; }
  bool is_discrete() const override { return !rule_.list.empty(); }
  SamplerState state() const override {
    throw Error(ErrorCategory::kInternal, "A rule of a plan is not kept in a file.");
  }

 private:
  Rule rule_;
  std::size_t conditions_ = 0;
};

}  // namespace

std::size_t Rule::size() const {
  if (is_table()) {
    std::size_t cells = 1;
    for (const std::vector<double>& of_input : levels) cells *= of_input.size();
    return cells;
  }
  return features() * std::max<std::size_t>(1, list.size());
}

void Rule::set_constant(double value) {
  weights.assign(size(), is_table() ? value : 0.0);
  if (is_table()) return;
  if (list.empty()) {
    weights[0] = value;
    return;
  }
  const double chosen = nearest_in(list, value);
  for (std::size_t l = 0; l < list.size(); ++l) weights[l * features()] = list[l] == chosen ? 1.0 : 0.0;
}

void Rule::reframe(const std::vector<double>& new_centre, const std::vector<double>& new_scale) {
  if (!is_table()) {
    const std::size_t q = inputs.size();
    for (std::size_t first = 0; first < weights.size(); first += features()) {
      for (std::size_t k = 0; k < q; ++k) {
        // z = shift + ratio x new z
        const double shift = (new_centre[k] - centre[k]) / scale[k];
        const double ratio = new_scale[k] / scale[k];
        double& slope = weights[first + 1 + k];
        weights[first] += slope * shift;
        if (squares) {
          double& square = weights[first + 1 + q + k];
          weights[first] += square * shift * shift;
          slope += 2.0 * square * shift;
          square *= ratio * ratio;
        }
        slope *= ratio;
      }
    }
  }
  centre = new_centre;
  scale = new_scale;
}

void Rule::add_squares() {
  if (is_table() || squares) return;
  const std::size_t before = features();
  std::vector<double> longer;
  for (std::size_t first = 0; first < weights.size(); first += before) {
    longer.insert(longer.end(), weights.begin() + static_cast<std::ptrdiff_t>(first),
                  weights.begin() + static_cast<std::ptrdiff_t>(first + before));
    longer.insert(longer.end(), inputs.size(), 0.0);
  }
  weights = std::move(longer);
  squares = true;
}

std::size_t Rule::cell(const std::vector<double>& seen) const {
  std::size_t cell = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto found = std::min_element(levels[k].begin(), levels[k].end(), [&](double a, double b) {
      return std::abs(a - seen[k]) < std::abs(b - seen[k]);
    });
    cell = cell * levels[k].size() + static_cast<std::size_t>(found - levels[k].begin());
  }
  return cell;
}

namespace {

Rule rule_without_limits(const AlterationRule& given, const SamplerSet& set) {
  Rule rule;
  rule.lever = set.index(given.name);
  const SamplerVariable& lever = set.variables[rule.lever];
  rule.low = lever.standardise(given.low);
  rule.high = lever.standardise(given.high);
  std::vector<std::size_t> places;
  for (const std::string& input : given.inputs) places.push_back(set.index(input));
  const bool all_before = std::all_of(places.begin(), places.end(), [&](std::size_t v) { return v < rule.lever; });
  if (given.form == AlterationRule::Form::kTable && all_before) {
    rule.inputs = places;
    for (const std::size_t place : places) {
      std::vector<double>& levels = rule.levels.emplace_back();
      for (const ColumnLevel& level : set.variables[place].about.levels)
        levels.push_back(set.variables[place].standardise(level.value));
    }
    rule.centre.assign(places.size(), 0.0);
    rule.scale.assign(places.size(), 1.0);
    rule.weights.assign(rule.size(), 0.0);
    for (const AlterationRule::Cell& cell : given.cells) {
      std::vector<double> seen;
      for (std::size_t k = 0; k < places.size(); ++k)
        seen.push_back(set.variables[places[k]].standardise(cell.seen[k]));
      rule.weights[rule.cell(seen)] = lever.standardise(cell.value);
    }
    return rule;
  }
  if (given.form == AlterationRule::Form::kTable) {
    std::vector<double> means;
    for (const std::size_t place : places) means.push_back(set.variables[place].mean);
    rule.set_constant(lever.standardise(given(means)));
    return rule;
  }
  // u = mean + sd x standardised u
  const bool scores = given.form == AlterationRule::Form::kScores;
  for (const std::size_t place : places) {
    if (place < rule.lever) rule.inputs.push_back(place);
  }
  rule.centre.assign(rule.inputs.size(), 0.0);
  rule.scale.assign(rule.inputs.size(), 1.0);
  rule.squares = !given.sums.front().squares.empty();
  const double sd = scores ? 1.0 : lever.sd;
  for (const AlterationRule::Sum& sum : given.sums) {
    double constant = sum.constant - (scores ? 0.0 : lever.mean);
    std::vector<double> slopes;
    std::vector<double> squares;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const SamplerVariable& input = set.variables[places[k]];
      const double square = rule.squares ? sum.squares[k] : 0.0;
      constant += sum.slopes[k] * input.mean + square * input.mean * input.mean;
      if (places[k] >= rule.lever) continue;
      slopes.push_back(input.sd * (sum.slopes[k] + 2.0 * square * input.mean) / sd);
      squares.push_back(input.sd * input.sd * square / sd);
    }
    if (scores) rule.list.push_back(lever.standardise(*sum.value));
    rule.weights.push_back(constant / sd);
    rule.weights.insert(rule.weights.end(), slopes.begin(), slopes.end());
    if (rule.squares) rule.weights.insert(rule.weights.end(), squares.begin(), squares.end());
  }
  return rule;
}

}  // namespace

Rule rule_for(const AlterationRule& given, const SamplerSet& set, std::span<const AlterationRule> rules) {
  Rule rule = rule_without_limits(given, set);
  const SamplerVariable& lever = set.variables[rule.lever];
  for (const AlterationRule::Limit& limit : given.limits) {
    Rule::Limit& own = rule.limits.emplace_back();
    own.weight = limit.weight * lever.sd;
    own.bound = limit.max - limit.weight * lever.mean;
    for (const AlterationRule::Limit::Other& other : limit.others) {
      const std::size_t place = set.index(other.name);
      const bool later =
          std::any_of(rules.begin(), rules.end(), [&](const AlterationRule& one) { return one.name == other.name; });
      if (later && place > rule.lever) {
        own.bound -= other.least;
        continue;
      }
      const SamplerVariable& variable = set.variables[place];
      own.bound -= other.weight * variable.mean;
      own.others.emplace_back(place, other.weight * variable.sd);
    }
  }
  // A limit leaves a lever with levels one of those that the rule has.
  if (!rule.limits.empty() && is_discrete(lever.about.type) && rule.list.empty()) {
    rule.list = rule.weights;
    std::sort(rule.list.begin(), rule.list.end());
    rule.list.erase(std::unique(rule.list.begin(), rule.list.end()), rule.list.end());
  }
  return rule;
}

std::vector<std::string> parameter_names(const SamplerSet& set, const Rule& rule) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < rule.parameters(); ++p)
    names.push_back(fmt::format("parameter {} of the rule for {}", p, set.variables[rule.lever].name));
  return names;
}

std::shared_ptr<const SamplerSet> with_rules(const SamplerSet& set, const std::vector<Rule>& rules) {
  auto ruled = std::make_shared<SamplerSet>(set);
  for (const Rule& rule : rules) {
    SamplerVariable& lever = ruled->variables[rule.lever];
    lever.sampler = std::make_shared<RuleSampler>(rule);
    lever.conditions.clear();
    const std::vector<std::string> names = parameter_names(set, rule);
    for (std::size_t p = 0; p < names.size(); ++p) lever.conditions.push_back(ruled->variables.size() + p);
    lever.conditions.insert(lever.conditions.end(), rule.inputs.begin(), rule.inputs.end());
    for (const Rule::Limit& limit : rule.limits) {
      for (const auto& [place, weight] : limit.others) lever.conditions.push_back(place);
    }
    for (const std::string& name : names) {
      SamplerVariable& parameter = ruled->variables.emplace_back();
      parameter.name = name;
    }
  }
  return ruled;
}

}  // namespace olem::internal
