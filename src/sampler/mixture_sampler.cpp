#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

namespace {

using Components = std::vector<std::shared_ptr<const ConditionalSampler>>;

std::size_t most_noise_entries(const Components& components) {
  std::size_t most = 0;
  for (const auto& component : components) most = std::max(most, component->noise_entries());
  return most;
}

// Every draw belongs to one component, which the first entry of its noise picks; the others are that component's own.
class MixtureRun : public SamplerRun {
 public:
  MixtureRun(const Components& components, std::span<const double> noise, std::size_t draws)
      : parts_(components.size()) {
    const auto count = static_cast<double>(components.size());
    for (std::size_t i = 0; i < draws; ++i) {
      const double place = std::floor(count * 0.5 * std::erfc(-noise[i] * std::numbers::sqrt2 / 2.0));
      parts_[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1.0))].draws.push_back(i);
    }
    for (std::size_t m = 0; m < components.size(); ++m) {
      Part& part = parts_[m];
      if (part.draws.empty()) continue;
      std::vector<double> own;
      for (std::size_t e = 1; e <= components[m]->noise_entries(); ++e) {
        for (const std::size_t i : part.draws) own.push_back(noise[e * draws + i]);
      }
      part.run = components[m]->start(own, part.draws.size());
      part.function_entries = components[m]->function_entries();
      part.y.resize(part.draws.size());
      part.values.resize(components[m]->conditions());
      part.gradients.resize(components[m]->conditions());
    }
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    shared_.clear();
    for (const Condition& condition : conditions) shared_.push_back(condition.shared);
    for (Part& part : parts_) {
      if (!part.run) continue;
      part.conditions.assign(conditions.begin(), conditions.end());
      for (std::size_t k = 0; k < conditions.size(); ++k) {
        if (shared_[k]) continue;
        part.values[k].clear();
        for (const std::size_t i : part.draws) part.values[k].push_back(conditions[k].values[i]);
        part.conditions[k].values = part.values[k].data();
      }
      part.run->sample(part.conditions, caution, part.y);
      for (std::size_t j = 0; j < part.draws.size(); ++j) y[part.draws[j]] = part.y[j];
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    std::vector<double> own_adjoint;
    std::vector<double*> own;
    for (Part& part : parts_) {
      if (!part.run) continue;
      own_adjoint.clear();
      for (const std::size_t i : part.draws) own_adjoint.push_back(adjoint[i]);
      own.assign(gradients.begin(), gradients.end());
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (own[k] == nullptr || shared_[k]) continue;
        part.gradients[k].assign(part.draws.size(), 0.0);
        own[k] = part.gradients[k].data();
      }
      part.run->add_gradient(own_adjoint, own);
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (own[k] == nullptr || shared_[k]) continue;
        for (std::size_t j = 0; j < part.draws.size(); ++j) gradients[k][part.draws[j]] += part.gradients[k][j];
      }
    }
  }

  void forgo_gradient() override {
    for (Part& part : parts_) {
      if (part.run) part.run->forgo_gradient();
    }
  }

  void relax(double temperature) override {
    for (Part& part : parts_) {
      if (part.run) part.run->relax(temperature);
    }
  }

  // The components are models of the same function.
  void hold_function(std::span<const double> normals) override {
    for (Part& part : parts_) {
      if (part.run) part.run->hold_function(normals.empty() ? normals : normals.first(part.function_entries));
    }
  }

  bool move_noise(std::span<const double> offsets, std::span<double> y) override {
    std::vector<double> own;
    for (Part& part : parts_) {
      if (!part.run) continue;
      own.clear();
      for (const std::size_t i : part.draws) own.push_back(offsets[i]);
      if (!part.run->move_noise(own, part.y)) return false;
      for (std::size_t j = 0; j < part.draws.size(); ++j) y[part.draws[j]] = part.y[j];
    }
    return true;
  }

 private:
  struct Part {
    std::vector<std::size_t> draws;
    std::unique_ptr<SamplerRun> run;  // null: it has no draws
    std::size_t function_entries = 0;
    std::vector<double> y;
    std::vector<Condition> conditions;
    std::vector<std::vector<double>> values;     // of its draws, per condition that is not shared
    std::vector<std::vector<double>> gradients;  // the same
  };
  std::vector<Part> parts_;
  std::vector<bool> shared_;
};

class MixtureSampler : public ConditionalSampler {
 public:
  explicit MixtureSampler(Components components) : components_(std::move(components)) {}

  std::size_t conditions() const override { return components_.front()->conditions(); }
  std::size_t noise_entries() const override { return 1 + most_noise_entries(components_); }
  bool picks_component() const override { return true; }
  std::size_t function_entries() const override {
    std::size_t most = 0;
    for (const auto& component : components_) most = std::max(most, component->function_entries());
    return most;
  }

  // Means of what are numbers; an input counts as used where one component uses it.
  SamplerFacts facts() const override {
    SamplerFacts facts = components_.front()->facts();
    const auto count = static_cast<double>(components_.size());
    double variance = 0.0;
    for (SamplerInput& input : facts.inputs) input = {};
    std::size_t others = 0;
    const std::string form = facts.form;
    for (const auto& component : components_) {
      const SamplerFacts own = component->facts();
      for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
        facts.inputs[k].slope += own.inputs[k].slope / count;
        facts.inputs[k].relevance += own.inputs[k].relevance / count;
        facts.inputs[k].used = facts.inputs[k].used || own.inputs[k].used;
      }
      variance += own.noise_sd * own.noise_sd / count;
      facts.additive = facts.additive && own.additive;
      if (own.form != form) ++others;
    }
    facts.noise_sd = std::sqrt(variance);
    facts.form = others == 0
                     ? fmt::format("mean of {} models: {}", components_.size(), form)
                     : fmt::format("mean of {} models: {}; {} of another form", components_.size(), form, others);
    return facts;
  }

  bool noise_behind(std::span<const Condition> conditions, double y, std::span<double> out) const override {
    const auto count = static_cast<double>(components_.size());
    std::vector<double> sum(out.size(), 0.0);
    for (const auto& component : components_) {
      if (!component->noise_behind(conditions, y, out)) return false;
      for (std::size_t i = 0; i < out.size(); ++i) sum[i] += out[i] / count;
    }
    std::copy(sum.begin(), sum.end(), out.begin());
    return true;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<MixtureRun>(components_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    components_.front()->log_density(conditions, y, caution, out);
    std::vector<double> other(y.size());
    for (std::size_t m = 1; m < components_.size(); ++m) {
      components_[m]->log_density(conditions, y, caution, other);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double high = std::max(out[i], other[i]);
        const double low = std::min(out[i], other[i]);
        out[i] = std::isfinite(high) ? high + std::log1p(std::exp(low - high)) : high;
      }
    }
    for (double& value : out) value -= std::log(static_cast<double>(components_.size()));
  }

  // In units of the limit of the first component; the mean of the components, each in units of its own.
  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    std::vector<double> own(out.size());
    for (const auto& component : components_) {
      component->extrapolation(conditions, own);
      const double unit = extrapolation_limit() / component->extrapolation_limit();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += own[i] * unit / static_cast<double>(components_.size());
    }
  }
  double extrapolation_limit() const override { return components_.front()->extrapolation_limit(); }

  // Draws of different components have different slopes.
  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return std::nullopt; }

  bool is_discrete() const override {
    return std::any_of(components_.begin(), components_.end(), [](const auto& own) { return own->is_discrete(); });
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    std::vector<double> sum_below(y.size(), 0.0);
    std::vector<double> sum_up_to(y.size(), 0.0);
    std::vector<double> own_below(y.size());
    std::vector<double> own_up_to(y.size());
    for (const auto& component : components_) {
      if (!component->distribution(conditions, y, caution, own_below, own_up_to)) return false;
      for (std::size_t i = 0; i < y.size(); ++i) {
        sum_below[i] += own_below[i];
        sum_up_to[i] += own_up_to[i];
      }
    }
    const auto count = static_cast<double>(components_.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      below[i] = sum_below[i] / count;
      up_to[i] = sum_up_to[i] / count;
    }
    return true;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "mixture";
    state.settings["components"] = components_.size();
    for (std::size_t m = 0; m < components_.size(); ++m)
      store_nested(components_[m]->state(), fmt::format("component_{}", m), state);
    return state;
  }

 private:
  Components components_;
};

}  // namespace

std::shared_ptr<const ConditionalSampler> make_mixture(Components components) {
  if (components.size() == 1) return components.front();
  return std::make_shared<MixtureSampler>(std::move(components));
}

std::shared_ptr<const ConditionalSampler> restore_mixture(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t count = reader.count("components", kMostMembers);
  if (count < 2) reader.fail("it has fewer than two components");
  Components components;
  for (std::size_t m = 0; m < count; ++m) {
    const SamplerState own = read_nested(state, fmt::format("component_{}", m));
    if (own.kind == state.kind) reader.fail("a mixture stands inside of another");
    components.push_back(restore_sampler(own));
    if (components.back()->conditions() != components.front()->conditions())
      reader.fail("its components have other conditions");
  }
  return std::make_shared<MixtureSampler>(std::move(components));
}

}  // namespace olem::internal::sampling
