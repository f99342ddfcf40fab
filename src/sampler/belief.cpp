#include "olem/belief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

#include "olem/error.h"
#include "olem/random.h"
#include "sampler/fitted.h"
#include "sampler/linear_gaussian.h"
#include "sampler/post_decision_streams.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kResampleBelow = 0.25;  // of the draws
constexpr double kMoreDrawsBelow = 50.0;
constexpr std::size_t kMostMore = 64;     // times the draws that were asked for
constexpr double kUnlikely = 10.0;        // effective draws
constexpr double kFarOut = 4.0;           // standard deviations
constexpr std::size_t kLookDraws = 2000;  // by which an observation is judged
constexpr std::size_t kKeptResults = 8;   // a decision asks for the same few sets of draws again and again
constexpr std::uint64_t kLookNoise = 0;

}  // namespace

class Belief::Model {
 public:
  enum class BeliefRole { kOther, kGiven, kUnknown, kHidden, kSeen };

  Model(std::shared_ptr<const SamplerSet> set, Situation situation)
      : set_(std::move(set)), situation_(std::move(situation)) {
    assign_roles();
    find_exact();
  }

  const std::vector<std::string>& names() const { return names_; }
  const Situation& situation() const { return situation_; }
  bool is_exact() const { return exact_.has_value(); }

  std::vector<std::vector<double>> draw(std::size_t draws, std::uint64_t noise, const Context& context) const {
    if (names_.empty()) return {};
    const Key key = {draws, noise, context.seed};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto known = results_.find(key);
      if (known != results_.end()) return known->second;
    }
    std::vector<std::vector<double>> drawn =
        exact_ ? draw_exactly(draws, noise, context) : draw_by_weight(draws, noise, context);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (results_.size() >= kKeptResults) results_.clear();
    results_.emplace(key, drawn);
    return drawn;
  }

  double effective_number(std::size_t draws, const Context& context) const {
    if (names_.empty() || exact_) return static_cast<double>(draws);
    return weigh(draws, kLookNoise, context).effective;
  }

  double surprise(const Context& context) const {
    if (exact_) return exact_surprise_;
    return weigh(kLookDraws, kLookNoise, context).surprise;
  }

 private:
  using Key = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;

  void take(const NamedValue& given, BeliefRole role) {
    check_finite(given.name, given.value);
    const std::size_t v = take(given.name, role);
    values_[v] = set_->variables[v].standardise(given.value);
  }
  std::size_t take(const std::string& name, BeliefRole role) {
    const std::size_t v = set_->index(name);
    if (roles_[v] != BeliefRole::kOther) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", name));
    roles_[v] = role;
    return v;
  }

  // Hidden is what a variable that was seen depends on, directly or through others, without being known.
  void assign_roles() {
    const std::size_t count = fitted(set_).variables.size();
    roles_.assign(count, BeliefRole::kOther);
    values_.assign(count, 0.0);
    uses_.assign(count, {});
    for (const NamedValue& given : situation_.context) take(given, BeliefRole::kGiven);
    for (const NamedValue& given : situation_.set) take(given, BeliefRole::kGiven);
    for (const std::string& name : situation_.unknown) take(name, BeliefRole::kUnknown);
    for (const NamedValue& given : situation_.seen) take(given, BeliefRole::kSeen);
    if (!situation_.unknown.empty() && !situation_.context_model)
      throw Error(ErrorCategory::kUsage, "Context values that are not known need a model of the context to be drawn.");
    for (std::size_t v = count; v-- > 0;) {
      if (roles_[v] != BeliefRole::kSeen && roles_[v] != BeliefRole::kHidden) continue;
      const SamplerVariable& variable = set_->variables[v];
      if (!variable.sampler) {
        throw Error(ErrorCategory::kData,
                    fmt::format("'{}' has no sampler, since it was fitted as always given. Give its value as context.",
                                variable.name));
      }
      const SamplerFacts facts = variable.sampler->facts();
      for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
        uses_[v].push_back(facts.inputs[k].used);
        BeliefRole& role = roles_[variable.conditions[k]];
        if (facts.inputs[k].used && role == BeliefRole::kOther) role = BeliefRole::kHidden;
      }
    }
    // All that is unknown of the context is drawn here: what was seen may say something about it.
    for (std::size_t v = 0; v < count; ++v) {
      if (roles_[v] != BeliefRole::kHidden && roles_[v] != BeliefRole::kUnknown) continue;
      hidden_.push_back(v);
      names_.push_back(set_->variables[v].name);
    }
  }

  void find_exact() {
    if (!situation_.unknown.empty()) return;
    std::vector<bool> used;
    for (const BeliefRole role : roles_) used.push_back(role == BeliefRole::kHidden || role == BeliefRole::kSeen);
    std::optional<LinearGaussian> model = LinearGaussian::of(*set_, used);
    if (!model) return;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] == BeliefRole::kGiven) model->set(v, values_[v]);
    }
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] == BeliefRole::kSeen)
        exact_surprise_ = std::max(exact_surprise_, std::abs(model->observe(v, values_[v])));
    }
    if (hidden_.empty()) {
      exact_.emplace();  // nothing to draw
      return;
    }
    const Eigen::VectorXd mean = model->mean();
    const Eigen::MatrixXd covariance = model->covariance();
    const auto size = static_cast<Eigen::Index>(hidden_.size());
    Exact exact{Eigen::VectorXd(size), Eigen::MatrixXd(size, size)};
    for (Eigen::Index a = 0; a < size; ++a) {
      const auto row = static_cast<Eigen::Index>(hidden_[static_cast<std::size_t>(a)]);
      exact.mean[a] = mean[row];
      for (Eigen::Index b = 0; b < size; ++b)
        exact.root(a, b) = covariance(row, static_cast<Eigen::Index>(hidden_[static_cast<std::size_t>(b)]));
    }
    // A covariance may be singular where something is determined; its root is not unique, and any will do.
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(exact.root);
    exact.root = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
    exact_ = std::move(exact);
  }

  static std::vector<double> normals(std::uint64_t noise, std::size_t v, std::size_t entries, std::size_t draws,
                                     const Context& context) {
    std::vector<double> numbers;
    numbers.reserve(entries * draws);
    for (std::size_t e = 0; e < entries; ++e) {
      RandomStream random(context.seed, "decision.hidden", stream_index({{noise, 40}, {v, 20}, {e, 4}}));
      for (std::size_t i = 0; i < draws; ++i) numbers.push_back(random.normal());
    }
    return numbers;
  }

  // All entries of the variable's noise.
  std::vector<double> noise_of(std::uint64_t noise, std::size_t v, std::size_t draws, const Context& context) const {
    std::vector<double> numbers;
    for (RandomStream& random :
         noise_streams(*set_, v, context.seed, "decision.hidden", "decision.hidden_group", noise)) {
      for (std::size_t i = 0; i < draws; ++i) numbers.push_back(random.normal());
    }
    return numbers;
  }

  std::vector<std::vector<double>> draw_exactly(std::size_t draws, std::uint64_t noise, const Context& context) const {
    const std::size_t size = hidden_.size();
    std::vector<std::vector<double>> numbers;
    for (const std::size_t v : hidden_) numbers.push_back(normals(noise, v, 1, draws, context));
    std::vector<std::vector<double>> drawn(size, std::vector<double>(draws));
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t i = 0; i < draws; ++i) {
        double value = exact_->mean[static_cast<Eigen::Index>(a)];
        for (std::size_t b = 0; b < size; ++b)
          value += exact_->root(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) * numbers[b][i];
        drawn[a][i] = value;
      }
    }
    return drawn;
  }

  struct Weighted {
    std::vector<std::vector<double>> values;  // per variable of the set; of those that are hidden
    std::vector<double> log_weights;
    double effective = 0.0;
    double surprise = 0.0;
  };

  // exp(log weight - largest); all 1 where no draw is possible at all. Returns the effective number.
  static double weights_of(const std::vector<double>& log_weights, std::vector<double>& weights) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double w : log_weights) {
      if (std::isfinite(w)) largest = std::max(largest, w);
    }
    weights.assign(log_weights.size(), 1.0);
    if (!std::isfinite(largest)) return 0.0;
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = std::isfinite(log_weights[i]) ? std::exp(log_weights[i] - largest) : 0.0;
      sum += weights[i];
      squares += weights[i] * weights[i];
    }
    return sum * sum / squares;
  }

  // Places of `count` draws in proportion to their weights, at equal distances from one random start.
  static std::vector<std::size_t> systematic(const std::vector<double>& weights, std::size_t count, double start) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::size_t> places;
    places.reserve(count);
    double below = 0.0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double target = (static_cast<double>(i) + start) / static_cast<double>(count) * sum;
      while (at + 1 < weights.size() && below + weights[at] < target) below += weights[at++];
      places.push_back(at);
    }
    return places;
  }

  std::vector<Condition> conditions_of(std::size_t v, const std::vector<std::vector<double>>& values) const {
    std::vector<Condition> conditions;
    for (const std::size_t c : set_->variables[v].conditions) {
      const bool drawn = !values[c].empty();
      conditions.push_back({drawn ? values[c].data() : &values_[c], !drawn});
    }
    return conditions;
  }

  Weighted weigh(std::size_t draws, std::uint64_t noise, const Context& context) const {
    std::size_t count = draws;
    while (true) {
      Weighted result = weigh_once(count, noise, context);
      if (result.effective >= kMoreDrawsBelow || names_.empty() || count >= kMostMore * draws) return result;
      count *= 4;
    }
  }

  Weighted weigh_once(std::size_t draws, std::uint64_t noise, const Context& context) const {
    context.require_memory((hidden_.size() + 3) * draws * sizeof(double), "Drawing what was not seen");
    Weighted result;
    result.values.resize(roles_.size());
    result.log_weights.assign(draws, 0.0);
    if (!situation_.unknown.empty()) {
      const std::vector<std::vector<double>> drawn =
          draw_unknown(*situation_.context_model, situation_.context, situation_.unknown, draws, noise, context);
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        const std::size_t v = set_->index(situation_.unknown[k]);
        for (const double value : drawn[k]) result.values[v].push_back(set_->variables[v].standardise(value));
      }
    }
    RandomStream starts(context.seed, "decision.resample", noise);
    std::vector<double> weights(draws, 1.0);
    result.effective = static_cast<double>(draws);
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      context.check_interrupt();
      const ConditionalSampler* const sampler = set_->variables[v].sampler.get();
      if (roles_[v] == BeliefRole::kHidden) {
        const auto run = sampler->start(noise_of(noise, v, draws, context), draws);
        run->forgo_gradient();
        std::vector<double> values(draws);
        run->sample(conditions_of(v, result.values), 1.0, values);
        result.values[v] = std::move(values);
      } else if (roles_[v] == BeliefRole::kSeen) {
        see(*sampler, v, noise_of(noise, v, draws, context), result, weights);
        result.effective = weights_of(result.log_weights, weights);
        if (result.effective < kResampleBelow * static_cast<double>(draws) && result.effective >= kMoreDrawsBelow)
          resample(result, weights, starts.uniform());
      }
    }
    return result;
  }

  // Multiplies the weights by the density of what was seen, and keeps how unusual it is.
  void see(const ConditionalSampler& sampler, std::size_t v, const std::vector<double>& noise, Weighted& result,
           const std::vector<double>& weights) const {
    const std::size_t draws = result.log_weights.size();
    const std::vector<Condition> conditions = conditions_of(v, result.values);
    const std::vector<double> seen(draws, values_[v]);
    std::vector<double> density(draws);
    sampler.log_density(conditions, seen, 1.0, density);
    for (std::size_t i = 0; i < draws; ++i) result.log_weights[i] += density[i];
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> below(draws);
    std::vector<double> up_to(draws);
    if (sampler.distribution(conditions, seen, 1.0, below, up_to)) {
      double lower = 0.0;
      double upper = 0.0;
      for (std::size_t i = 0; i < draws; ++i) {
        lower += weights[i] * up_to[i];
        upper += weights[i] * (1.0 - below[i]);
      }
      const double tail = std::clamp(std::min(lower, upper) / sum, 1e-12, 0.5);
      result.surprise = std::max(result.surprise, -normal_quantile(tail));
      return;
    }
    const auto run = sampler.start(noise, draws);
    run->forgo_gradient();
    run->sample(conditions, 1.0, below);
    double mean = 0.0;
    for (std::size_t i = 0; i < draws; ++i) mean += weights[i] * below[i] / sum;
    double variance = 0.0;
    for (std::size_t i = 0; i < draws; ++i) variance += weights[i] * (below[i] - mean) * (below[i] - mean) / sum;
    if (variance > 0.0) result.surprise = std::max(result.surprise, std::abs(values_[v] - mean) / std::sqrt(variance));
  }

  void resample(Weighted& result, std::vector<double>& weights, double start) const {
    const std::vector<std::size_t> places = systematic(weights, weights.size(), start);
    for (std::vector<double>& values : result.values) {
      if (values.empty()) continue;
      std::vector<double> chosen;
      chosen.reserve(places.size());
      for (const std::size_t place : places) chosen.push_back(values[place]);
      values = std::move(chosen);
    }
    std::fill(result.log_weights.begin(), result.log_weights.end(), 0.0);
    std::fill(weights.begin(), weights.end(), 1.0);
  }

  std::vector<std::vector<double>> draw_by_weight(std::size_t draws, std::uint64_t noise,
                                                  const Context& context) const {
    const Weighted weighted = weigh(draws, noise, context);
    std::vector<double> weights;
    weights_of(weighted.log_weights, weights);
    RandomStream random(context.seed, "decision.kept", noise);
    std::vector<std::size_t> places = systematic(weights, draws, random.uniform());
    // In any order, so that copies of one draw do not stand together.
    for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
    std::vector<std::vector<double>> drawn;
    for (const std::size_t v : hidden_) {
      std::vector<double>& column = drawn.emplace_back();
      for (const std::size_t place : places) column.push_back(weighted.values[v][place]);
    }
    return drawn;
  }

  struct Exact {
    Eigen::VectorXd mean;
    Eigen::MatrixXd root;
  };

  std::shared_ptr<const SamplerSet> set_;
  Situation situation_;
  std::vector<BeliefRole> roles_;
  std::vector<double> values_;           // of what is given or seen
  std::vector<std::vector<bool>> uses_;  // per condition of what is hidden or seen
  std::vector<std::size_t> hidden_;
  std::vector<std::string> names_;
  std::optional<Exact> exact_;
  double exact_surprise_ = 0.0;
  mutable std::mutex mutex_;
  mutable std::map<Key, std::vector<std::vector<double>>> results_;
};

Belief::Belief(std::shared_ptr<const SamplerSet> set, Situation situation)
    : model_(std::make_unique<const Model>(std::move(set), std::move(situation))) {}
Belief::~Belief() = default;

const std::vector<std::string>& Belief::names() const { return model_->names(); }
bool Belief::is_exact() const { return model_->is_exact(); }

std::shared_ptr<const Belief> Belief::with_samplers(std::shared_ptr<const SamplerSet> set) const {
  return std::make_shared<const Belief>(std::move(set), model_->situation());
}

std::vector<std::vector<double>> Belief::draw(std::size_t draws, std::uint64_t noise, const Context& context) const {
  return model_->draw(draws, noise, context);
}

double Belief::effective_number(std::size_t draws, const Context& context) const {
  return model_->effective_number(draws, context);
}

double Belief::surprise(const Context& context) const { return model_->surprise(context); }

std::vector<Warning> observation_warnings(const Belief& belief, const Situation& situation, const Context& context) {
  if (situation.seen.empty()) return {};
  const double effective = belief.effective_number(kLookDraws, context);
  const double surprise = belief.surprise(context);
  if (effective >= kUnlikely && surprise < kFarOut) return {};
  std::vector<std::string> names;
  for (const NamedValue& seen : situation.seen) names.push_back(seen.name);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  const std::string how =
      effective < kUnlikely
          ? fmt::format("of {} draws about {:.0f} agree with it", kLookDraws * kMostMore, std::floor(effective))
          : fmt::format("it lies {:.1f} standard deviations from what was expected", surprise);
  return {{"unlikely_observation",
           fmt::format("What was seen ({}) is very unlikely by the model: {}. What is said of the next step rests on "
                       "little.",
                       all, how),
           all,
           {{"Check the values, and whether the case is one that the data cover"}}}};
}

}  // namespace olem
