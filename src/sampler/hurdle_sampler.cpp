#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/level_draws.h"
#include "sampler/levels_sampler.h"
#include "sampler/location_scale_sampler.h"

namespace olem::internal::sampling {

namespace {

constexpr double kLeastHurdleLogDensity = -700.0;

// The part is a discrete variable with a level for each special value and one for the rest, standardised by no one: its
// levels are 0, 1, ...
struct HurdleParts {
  std::vector<double> special;  // standardised values, ascending
  std::vector<bool> is_rest;    // per level of the part: it stands for the rest
  std::vector<double> value;    // per level of the part: its special value; 0 for the rest
  std::shared_ptr<const ConditionalSampler> part;
  std::shared_ptr<const ConditionalSampler> rest;
};

// Levels of the part in the order of the values: 0 stands below the rest, 1 above it.
void arrange_levels(HurdleParts& parts, double rest_middle) {
  parts.is_rest.clear();
  parts.value.clear();
  bool rest_done = false;
  for (const double special : parts.special) {
    if (!rest_done && special > rest_middle) {
      parts.is_rest.push_back(true);
      parts.value.push_back(0.0);
      rest_done = true;
    }
    parts.is_rest.push_back(false);
    parts.value.push_back(special);
  }
  if (!rest_done) {
    parts.is_rest.push_back(true);
    parts.value.push_back(0.0);
  }
}

class HurdleRun : public SamplerRun {
 public:
  HurdleRun(const HurdleParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts),
        part_(parts.part->start(noise.first(parts.part->noise_entries() * draws), draws)),
        rest_(parts.rest->start(noise.subspan(parts.part->noise_entries() * draws), draws)) {}

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    place_.resize(y.size());
    part_->sample(conditions, caution, place_);
    rest_->sample(conditions, caution, y);
    rest_values_.assign(y.begin(), y.end());
    const double last = static_cast<double>(parts_.value.size() - 1);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double place = std::clamp(place_[i], 0.0, last);
      const auto below = static_cast<std::size_t>(std::floor(place));
      const double share = place - std::floor(place);
      y[i] = value_at(below, i);
      if (share > 0.0) y[i] += share * (value_at(below + 1, i) - y[i]);
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    by_place_.assign(adjoint.size(), 0.0);
    by_rest_.assign(adjoint.size(), 0.0);
    const double last = static_cast<double>(parts_.value.size() - 1);
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      const double place = std::clamp(place_[i], 0.0, last);
      const auto below = std::min(static_cast<std::size_t>(std::floor(place)), parts_.value.size() - 1);
      const double share = place - static_cast<double>(below);
      if (share > 0.0) by_place_[i] = adjoint[i] * (value_at(below + 1, i) - value_at(below, i));
      if (parts_.is_rest[below]) by_rest_[i] += (1.0 - share) * adjoint[i];
      if (share > 0.0 && parts_.is_rest[below + 1]) by_rest_[i] += share * adjoint[i];
    }
    part_->add_gradient(by_place_, gradients);
    rest_->add_gradient(by_rest_, gradients);
  }

  void forgo_gradient() override {
    part_->forgo_gradient();
    rest_->forgo_gradient();
  }
  void relax(double temperature) override {
    part_->relax(temperature);
    rest_->relax(temperature);
  }
  void hold_function(std::span<const double> normals) override {
    const std::size_t own = normals.empty() ? 0 : parts_.part->function_entries();
    part_->hold_function(normals.first(own));
    rest_->hold_function(normals.subspan(own));
  }
  // What moves the rest upwards makes a value that stands apart below it rarer.
  bool move_noise(std::span<const double> offsets, std::span<double> y) override {
    if (!part_->move_noise(offsets, place_) || !rest_->move_noise(offsets, rest_values_)) return false;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = value_at(static_cast<std::size_t>(place_[i]), i);
    return true;
  }

 private:
  double value_at(std::size_t level, std::size_t i) const {
    return parts_.is_rest[level] ? rest_values_[i] : parts_.value[level];
  }

  const HurdleParts& parts_;
  std::unique_ptr<SamplerRun> part_;
  std::unique_ptr<SamplerRun> rest_;
  std::vector<double> place_;
  std::vector<double> rest_values_;
  std::vector<double> by_place_;
  std::vector<double> by_rest_;
};

class HurdleSampler : public ConditionalSampler {
 public:
  explicit HurdleSampler(HurdleParts parts) : parts_(std::move(parts)) {}

  std::size_t conditions() const override { return parts_.part->conditions(); }
  std::size_t noise_entries() const override { return parts_.part->noise_entries() + parts_.rest->noise_entries(); }
  std::size_t function_entries() const override {
    return parts_.part->function_entries() + parts_.rest->function_entries();
  }

  SamplerFacts facts() const override {
    const SamplerFacts part = parts_.part->facts();
    SamplerFacts facts = parts_.rest->facts();
    for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
      facts.inputs[k].used = facts.inputs[k].used || part.inputs[k].used;
    }
    facts.additive = false;
    facts.form = fmt::format("{} value{} apart ({}); {}", parts_.special.size(), parts_.special.size() > 1 ? "s" : "",
                             part.form, facts.form);
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<HurdleRun>(parts_, noise, draws);
  }

  // The logarithm of a probability at a special value, of a density elsewhere.
  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    const std::vector<double> places = places_of(y);
    std::vector<double> part(y.size());
    parts_.part->log_density(conditions, places, caution, part);
    parts_.rest->log_density(conditions, y, caution, out);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool rest = parts_.is_rest[static_cast<std::size_t>(places[i])];
      out[i] = std::max(part[i] + (rest ? out[i] : 0.0), kLeastHurdleLogDensity);
    }
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    // Between its neighbours a value of the rest has its share of the rest's probability.
    const std::vector<double> places = places_of(y);
    std::vector<double> rest_below(y.size());
    std::vector<double> rest_up_to(y.size());
    if (!parts_.rest->distribution(conditions, y, caution, rest_below, rest_up_to)) return false;
    parts_.part->distribution(conditions, places, caution, below, up_to);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!parts_.is_rest[static_cast<std::size_t>(places[i])]) continue;
      const double low = below[i];
      const double width = up_to[i] - low;
      below[i] = low + width * rest_below[i];
      up_to[i] = low + width * rest_up_to[i];
    }
    return true;
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    std::vector<double> part(out.size());
    parts_.part->extrapolation(conditions, part);
    parts_.rest->extrapolation(conditions, out);
    const double limit = parts_.rest->extrapolation_limit();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::max(out[i], part[i] * limit / parts_.part->extrapolation_limit());
    }
  }
  double extrapolation_limit() const override { return parts_.rest->extrapolation_limit(); }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return std::nullopt; }
  bool is_discrete() const override { return true; }

  bool noise_behind(std::span<const Condition> conditions, double y, std::span<double> out) const override {
    const auto place = static_cast<std::size_t>(places_of(std::span(&y, 1)).front());
    return parts_.is_rest[place] ? parts_.rest->noise_behind(conditions, y, out)
                                 : parts_.part->noise_behind(conditions, static_cast<double>(place), out);
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "hurdle";
    state.arrays.push_back({"special", parts_.special});
    state.arrays.push_back({"is_rest", std::vector<double>(parts_.is_rest.begin(), parts_.is_rest.end())});
    store_nested(parts_.part->state(), "part", state);
    store_nested(parts_.rest->state(), "rest", state);
    return state;
  }

 private:
  std::vector<double> places_of(std::span<const double> y) const {
    std::vector<double> places;
    for (const double value : y) {
      std::size_t place = 0;
      for (std::size_t k = 0; k < parts_.value.size(); ++k) {
        const bool special = !parts_.is_rest[k] && std::abs(parts_.value[k] - value) <= 1e-9 * (1.0 + std::abs(value));
        if (special) {
          place = k;
          break;
        }
        if (parts_.is_rest[k]) place = k;
      }
      places.push_back(static_cast<double>(place));
    }
    return places;
  }

  HurdleParts parts_;
};

}  // namespace

ScoredSampler fit_hurdle(std::span<const double> special, const SamplerData& data, const SamplerOptions& options,
                         const Context& context, FitDepth depth) {
  HurdleParts parts;
  parts.special.assign(special.begin(), special.end());
  const std::size_t rows = data.target.size();
  std::vector<std::size_t> others;
  double middle = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (level_place(special, data.target[i]) < special.size()) continue;
    others.push_back(i);
    middle += data.target[i];
  }
  middle /= static_cast<double>(std::max<std::size_t>(others.size(), 1));
  arrange_levels(parts, middle);

  std::vector<double> places(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t found = level_place(special, data.target[i]);
    for (std::size_t k = 0; k < parts.value.size(); ++k) {
      const bool own =
          found < special.size() ? !parts.is_rest[k] && parts.value[k] == special[found] : parts.is_rest[k];
      if (own) places[i] = static_cast<double>(k);
    }
  }
  SamplerData part_data = data;
  part_data.target = places;
  part_data.target_column = {};
  const ScoredSampler part = special.size() > 1 ? fit_category(part_data, options, context)
                                                : fit_levels("binary", part_data, options, context);
  parts.part = part.sampler;

  SamplerData rest_data = data;
  std::vector<double> target;
  for (const std::size_t i : others) target.push_back(data.target[i]);
  rest_data.target = target;
  std::vector<std::vector<double>> columns(data.conditions.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (const std::size_t i : others) columns[k].push_back(data.conditions[k][i]);
    rest_data.conditions[k] = columns[k];
  }
  const ScoredSampler rest = fit_continuous(rest_data, options, context, depth);
  parts.rest = rest.sampler;

  ScoredSampler result;
  result.scores = rest.scores;
  result.sampler = std::make_shared<HurdleSampler>(std::move(parts));
  // By both parts; the rest counts where there is one.
  const std::vector<std::size_t> scored = scored_rows(rows);
  std::vector<double> rest_of(rows, 0.0);
  const std::vector<std::size_t> rest_scored = scored_rows(others.size());
  for (std::size_t j = 0; j < rest_scored.size(); ++j) rest_of[others[rest_scored[j]]] = rest.held_out[j];
  for (std::size_t j = 0; j < scored.size(); ++j) result.held_out.push_back(part.held_out[j] + rest_of[scored[j]]);
  return result;
}

std::shared_ptr<const ConditionalSampler> restore_hurdle(const SamplerState& state) {
  const StateReader reader(state);
  HurdleParts parts;
  parts.special = reader.array("special", StateReader::kAny);
  const std::vector<double> is_rest = reader.array("is_rest", parts.special.size() + 1);
  const bool sound =
      !parts.special.empty() &&
      std::adjacent_find(parts.special.begin(), parts.special.end(), std::greater_equal<>()) == parts.special.end() &&
      std::count(is_rest.begin(), is_rest.end(), 1.0) == 1 &&
      std::count(is_rest.begin(), is_rest.end(), 0.0) == static_cast<std::ptrdiff_t>(parts.special.size());
  if (!sound) reader.fail("its special values are not in order");
  std::size_t next = 0;
  for (const double rest : is_rest) {
    parts.is_rest.push_back(rest == 1.0);
    parts.value.push_back(rest == 1.0 ? 0.0 : parts.special[next++]);
  }
  const auto restore_part = [&](const std::string& name, std::initializer_list<const char*> kinds) {
    const SamplerState part = read_nested(state, name);
    if (std::find(kinds.begin(), kinds.end(), part.kind) == kinds.end()) {
      reader.fail(fmt::format("the part '{}' is of the kind '{}'", name, part.kind));
    }
    return restore_sampler(part);
  };
  parts.part = restore_part("part", {"binary", "category"});
  parts.rest = restore_part("rest", {"location-scale"});
  if (parts.part->conditions() != parts.rest->conditions()) reader.fail("its parts have other conditions");
  return std::make_shared<HurdleSampler>(std::move(parts));
}

}  // namespace olem::internal::sampling
