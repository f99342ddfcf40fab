#include "sampler/acted_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

namespace {

// Up to so many groups the intercepts of a new one are normal with the covariance of those that were seen, whichever
// variables they belong to: a sum over the groups with shared normal numbers. Beyond, one of the groups is drawn.
constexpr std::size_t kMostSummedGroups = 32;
constexpr std::size_t kMostGroups = 1000000;
// Gauss-Hermite rule of a standard normal number.
constexpr std::array<double, 5> kTermNodes = {-2.856970013872806, -1.355626179974266, 0.0, 1.355626179974266,
                                              2.856970013872806};
constexpr std::array<double, 5> kTermWeights = {0.011257411327720689, 0.22207592200561266, 0.5333333333333333,
                                                0.22207592200561266, 0.011257411327720689};

bool has_groups(const ActedParts& parts) { return !parts.effects.empty(); }
bool sums_groups(const ActedParts& parts) { return parts.effects.size() <= kMostSummedGroups; }

std::size_t group_entries(const ActedParts& parts) {
  if (!has_groups(parts) || parts.group) return 0;
  return sums_groups(parts) ? parts.effects.size() : 1;
}

std::size_t own_entries(const ActedParts& parts) { return parts.inner->noise_entries() + (has_groups(parts) ? 1 : 0); }

double mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

// Of the sum over the groups: as many degrees of freedom as groups less one, and a new group is not one of them.
double sum_factor(const ActedParts& parts) {
  const auto count = static_cast<double>(parts.effects.size());
  return std::sqrt((1.0 + 1.0 / count) / std::max(1.0, count - 1.0));
}

double effect_mean(const ActedParts& parts) {
  return parts.group && has_groups(parts) ? parts.effects[*parts.group] : 0.0;
}

double effect_variance(const ActedParts& parts) {
  if (!has_groups(parts)) return 0.0;
  if (parts.group) return parts.spreads[*parts.group] * parts.spreads[*parts.group];
  const double factor = sums_groups(parts) ? sum_factor(parts) : 1.0 / std::sqrt(parts.effects.size());
  return factor * factor * mean_square(parts.effects) * static_cast<double>(parts.effects.size()) +
         mean_square(parts.spreads);
}

// The intercept of the group of each draw. `own`: a normal number per draw, `shared`: group_entries() of them.
std::vector<double> draw_effects(const ActedParts& parts, std::span<const double> own, std::span<const double> shared) {
  const std::size_t draws = own.size();
  std::vector<double> values(draws);
  const std::size_t count = parts.effects.size();
  const double spread = std::sqrt(mean_square(parts.spreads));
  for (std::size_t i = 0; i < draws; ++i) {
    if (parts.group) {
      values[i] = parts.effects[*parts.group] + parts.spreads[*parts.group] * own[i];
    } else if (sums_groups(parts)) {
      double sum = 0.0;
      for (std::size_t g = 0; g < count; ++g) sum += parts.effects[g] * shared[g * draws + i];
      values[i] = sum_factor(parts) * sum + spread * own[i];
    } else {
      const double share = 0.5 * std::erfc(-shared[i] / std::numbers::sqrt2);
      const auto g = std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
      values[i] = parts.effects[g] + parts.spreads[g] * own[i];
    }
  }
  return values;
}

class ActedRun : public SamplerRun {
 public:
  ActedRun(const ActedParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts), inner_(parts.inner->start(noise.first(parts.inner->noise_entries() * draws), draws)) {
    const std::span<const double> shared = noise.subspan(own_entries(parts) * draws);
    if (parts.additive) shift_.assign(draws, parts.offset);
    for (std::size_t h = 0; h < parts.hidden.size(); ++h) {
      const auto normals = shared.subspan(h * draws, draws);
      take(normals, parts.hidden[h].load, parts.hidden[h].divisor);
    }
    if (!has_groups(parts)) return;
    const auto own = noise.subspan(parts.inner->noise_entries() * draws, draws);
    take(draw_effects(parts, own, shared.subspan(parts.hidden.size() * draws)), 1.0, parts.group_divisor);
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    inputs_.clear();
    if (!parts_.marginal) inputs_.assign(conditions.begin(), conditions.end());
    for (const std::vector<double>& values : terms_) inputs_.push_back({values.data(), false});
    inner_->sample(inputs_, caution, y);
    if (!parts_.additive) return;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = parts_.scale * y[i] + shift_[i];
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    if (parts_.marginal) return;
    adjoint_.assign(adjoint.begin(), adjoint.end());
    if (parts_.additive) {
      for (double& value : adjoint_) value *= parts_.scale;
    }
    targets_.assign(gradients.begin(), gradients.end());
    targets_.resize(gradients.size() + terms_.size(), nullptr);
    inner_->add_gradient(adjoint_, targets_);
  }

  void forgo_gradient() override { inner_->forgo_gradient(); }
  void relax(double temperature) override { inner_->relax(temperature); }
  void hold_function(std::span<const double> normals) override { inner_->hold_function(normals); }

 private:
  void take(std::span<const double> values, double load, double divisor) {
    if (parts_.additive) {
      for (std::size_t i = 0; i < values.size(); ++i) shift_[i] += load * values[i];
      return;
    }
    std::vector<double>& term = terms_.emplace_back(values.begin(), values.end());
    for (double& value : term) value /= divisor;
  }

  const ActedParts& parts_;
  std::unique_ptr<SamplerRun> inner_;
  std::vector<double> shift_;               // additive
  std::vector<std::vector<double>> terms_;  // otherwise
  std::vector<Condition> inputs_;
  std::vector<double> adjoint_;
  std::vector<double*> targets_;
};

class ActedSampler : public ConditionalSampler {
 public:
  explicit ActedSampler(ActedParts parts) : parts_(std::move(parts)) {}

  const ActedParts& parts() const { return parts_; }

  std::size_t conditions() const override { return parts_.conditions; }
  std::size_t noise_entries() const override {
    return own_entries(parts_) + parts_.hidden.size() + group_entries(parts_);
  }
  std::vector<SharedNoise> shared_noise() const override {
    std::vector<SharedNoise> shared;
    for (const ActedParts::Hidden& hidden : parts_.hidden) shared.push_back({hidden.variable, 0});
    for (std::size_t g = 0; g < group_entries(parts_); ++g) shared.push_back({"", g});
    return shared;
  }
  bool picks_component() const override { return parts_.inner->picks_component(); }
  std::size_t function_entries() const override { return parts_.inner->function_entries(); }

  SamplerFacts facts() const override {
    SamplerFacts facts = parts_.inner->facts();
    double variance = parts_.scale * facts.noise_sd * parts_.scale * facts.noise_sd;
    if (parts_.marginal) {
      facts.inputs.assign(parts_.conditions, {});
    } else {
      facts.inputs.resize(parts_.conditions);
      for (SamplerInput& input : facts.inputs) input.slope *= parts_.scale;
    }
    for (const ActedParts::Hidden& hidden : parts_.hidden) {
      facts.form += fmt::format(", hidden cause with {}", hidden.variable);
      if (parts_.additive) variance += hidden.load * hidden.load;
    }
    if (has_groups(parts_)) {
      facts.form += ", intercept by group";
      if (parts_.additive) variance += effect_variance(parts_);
    }
    facts.noise_sd = std::sqrt(variance);
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<ActedRun>(parts_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    std::vector<double> sum(y.size(), 0.0);
    std::vector<double> own(y.size());
    for_nodes(conditions, y, [&](std::span<const Condition> inputs, std::span<const double> at, double weight) {
      parts_.inner->log_density(inputs, at, caution, own);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * std::exp(own[i]);
    });
    const double shift = parts_.additive ? std::log(parts_.scale) : 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i)
      out[i] = std::log(std::max(sum[i], std::numeric_limits<double>::min())) - shift;
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    std::vector<double> lower(y.size(), 0.0);
    std::vector<double> upper(y.size(), 0.0);
    std::vector<double> own_lower(y.size());
    std::vector<double> own_upper(y.size());
    bool known = true;
    for_nodes(conditions, y, [&](std::span<const Condition> inputs, std::span<const double> at, double weight) {
      known = known && parts_.inner->distribution(inputs, at, caution, own_lower, own_upper);
      for (std::size_t i = 0; i < lower.size(); ++i) {
        lower[i] += weight * own_lower[i];
        upper[i] += weight * own_upper[i];
      }
    });
    if (!known) return false;
    std::copy(lower.begin(), lower.end(), below.begin());
    std::copy(upper.begin(), upper.end(), up_to.begin());
    return true;
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    const double zero = 0.0;
    std::vector<Condition> inputs;
    if (!parts_.marginal) inputs.assign(conditions.begin(), conditions.end());
    if (!parts_.additive) inputs.resize(inputs.size() + terms(), {&zero, true});
    parts_.inner->extrapolation(inputs, out);
  }
  double extrapolation_limit() const override { return parts_.inner->extrapolation_limit(); }

  std::optional<std::vector<double>> slopes(double caution) const override {
    if (parts_.marginal) return std::vector<double>(parts_.conditions, 0.0);
    std::optional<std::vector<double>> inner = parts_.inner->slopes(caution);
    if (!inner) return std::nullopt;
    inner->resize(parts_.conditions);
    if (parts_.additive) {
      for (double& slope : *inner) slope *= parts_.scale;
    }
    return inner;
  }

  bool is_discrete() const override { return parts_.inner->is_discrete(); }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "acted";
    state.settings["conditions"] = parts_.conditions;
    state.settings["marginal"] = parts_.marginal;
    state.settings["additive"] = parts_.additive;
    state.settings["hidden"] = Json::array();
    std::vector<double> loads;
    std::vector<double> divisors;
    for (const ActedParts::Hidden& hidden : parts_.hidden) {
      state.settings["hidden"].push_back(hidden.variable);
      loads.push_back(hidden.load);
      divisors.push_back(hidden.divisor);
    }
    state.settings["groups"] = parts_.effects.size();
    state.arrays.push_back({"form", {parts_.offset, parts_.scale, parts_.group_divisor}});
    state.arrays.push_back({"loads", std::move(loads)});
    state.arrays.push_back({"divisors", std::move(divisors)});
    state.arrays.push_back({"effects", parts_.effects});
    state.arrays.push_back({"spreads", parts_.spreads});
    store_nested(parts_.inner->state(), "inner", state);
    return state;
  }

 private:
  std::size_t terms() const { return parts_.hidden.size() + (has_groups(parts_) ? 1 : 0); }

  // body(inputs of the inner sampler, y for it, weight) at the nodes of what the terms may be. Of several terms that
  // are conditions the nodes move together: their sum matters, not each of them.
  template <class Body>
  void for_nodes(std::span<const Condition> conditions, std::span<const double> y, const Body& body) const {
    std::vector<Condition> inputs;
    if (!parts_.marginal) inputs.assign(conditions.begin(), conditions.end());
    const std::size_t first = inputs.size();
    double variance = effect_variance(parts_);
    for (const ActedParts::Hidden& hidden : parts_.hidden) variance += hidden.load * hidden.load;
    std::vector<double> at(y.begin(), y.end());
    std::vector<double> values(terms());
    for (std::size_t k = 0; k < kTermNodes.size(); ++k) {
      if (parts_.additive) {
        const double shift = parts_.offset + effect_mean(parts_) + kTermNodes[k] * std::sqrt(variance);
        for (std::size_t i = 0; i < y.size(); ++i) at[i] = (y[i] - shift) / parts_.scale;
      } else {
        inputs.resize(first);
        for (std::size_t h = 0; h < parts_.hidden.size(); ++h) values[h] = kTermNodes[k] / parts_.hidden[h].divisor;
        if (has_groups(parts_)) {
          values.back() =
              (effect_mean(parts_) + kTermNodes[k] * std::sqrt(effect_variance(parts_))) / parts_.group_divisor;
        }
        for (const double& value : values) inputs.push_back({&value, true});
      }
      body(inputs, at, kTermWeights[k]);
    }
  }

  ActedParts parts_;
};

}  // namespace

std::shared_ptr<const ConditionalSampler> make_acted(ActedParts parts) {
  const bool plain =
      !parts.marginal && parts.hidden.empty() && parts.effects.empty() && parts.offset == 0.0 && parts.scale == 1.0;
  if (plain) return parts.inner;
  return std::make_shared<ActedSampler>(std::move(parts));
}

const ActedParts* acted_parts(const ConditionalSampler& sampler) {
  const auto* const acted = dynamic_cast<const ActedSampler*>(&sampler);
  return acted == nullptr ? nullptr : &acted->parts();
}

std::shared_ptr<const ConditionalSampler> in_group(const std::shared_ptr<const ConditionalSampler>& sampler,
                                                   std::size_t group) {
  const ActedParts* const parts = sampler ? acted_parts(*sampler) : nullptr;
  if (parts == nullptr || group >= parts->effects.size()) return sampler;
  ActedParts own = *parts;
  own.group = group;
  return std::make_shared<ActedSampler>(std::move(own));
}

std::shared_ptr<const ConditionalSampler> restore_acted(const SamplerState& state) {
  const StateReader reader(state);
  ActedParts parts;
  parts.conditions = reader.count("conditions", kMostConditions);
  const auto flag = [&](const char* name) {
    if (!reader.has(name) || !state.settings[name].is_boolean()) reader.fail(fmt::format("lacks \"{}\"", name));
    return state.settings[name].get<bool>();
  };
  parts.marginal = flag("marginal");
  parts.additive = flag("additive");
  if (!reader.has("hidden") || !state.settings["hidden"].is_array()) reader.fail("lacks \"hidden\"");
  const std::size_t hidden = state.settings["hidden"].size();
  const std::size_t groups = reader.count("groups", kMostGroups);
  const std::vector<double> form = reader.array("form", 3);
  parts.offset = form[0];
  parts.scale = form[1];
  parts.group_divisor = form[2];
  const std::vector<double> loads = reader.array("loads", hidden);
  const std::vector<double> divisors = reader.positive("divisors", hidden);
  for (std::size_t h = 0; h < hidden; ++h) {
    if (!state.settings["hidden"][h].is_string()) reader.fail("has a hidden cause without a name");
    parts.hidden.push_back({state.settings["hidden"][h].get<std::string>(), loads[h], divisors[h]});
  }
  parts.effects = reader.array("effects", groups);
  parts.spreads = reader.not_negative("spreads", groups);
  parts.inner = restore_sampler(read_nested(state, "inner"));
  const std::size_t terms = hidden + (groups > 0 ? 1 : 0);
  const std::size_t expected = (parts.marginal ? 0 : parts.conditions) + (parts.additive ? 0 : terms);
  if (!(parts.scale > 0.0) || !(parts.group_divisor > 0.0) || parts.inner->conditions() != expected ||
      acted_parts(*parts.inner) != nullptr)
    reader.fail("does not fit the sampler inside of it");
  return std::make_shared<ActedSampler>(std::move(parts));
}

}  // namespace olem::internal::sampling
