#include "sampler/location_scale_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/special.h"
#include "olem/random.h"
#include "sampler/gp/gp_blocks.h"
#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/location_scale_fit.h"
#include "sampler/ridge_trend.h"

namespace olem::internal::sampling {

namespace {

constexpr double kLocationVarianceLimit = 1.0;  // posterior variance over noise variance, as for gp
constexpr double kScaleVarianceShare = 4.0;     // a standard deviation of ln s of one half is outside of the data
// Three-point Gauss-Hermite rule of a standard normal number would do; five for the tails.
constexpr std::array<double, 5> kNodes = {-2.856970013872806, -1.355626179974266, 0.0, 1.355626179974266,
                                          2.856970013872806};
constexpr std::array<double, 5> kNodeWeights = {0.011257411327720689, 0.22207592200561266, 0.5333333333333333,
                                                0.22207592200561266, 0.011257411327720689};
constexpr double kLeastLogDensity = -700.0;
constexpr std::size_t kForecasts = 49;          // quantiles that stand for a forecast in its score
constexpr std::size_t kMostForecastRows = 500;  // scored by them

// What the draws need of the scale.
struct ScaleProcess {
  GpOnInputs process;
  double offset = 0.0;
  double factor = 0.0;
  double low = 0.0;
  double high = 0.0;

  double log_scale(double l) const { return offset + factor * std::clamp(l, low, high); }
  bool is_held(double l) const { return l <= low || l >= high; }
};

struct LocationScaleParts {
  std::string kind;
  TargetTransform transform;
  GpOnInputs location;
  std::optional<ScaleProcess> scale;
  NoiseDistribution noise;
  std::vector<SamplerScore> scores;
};

class LocationScaleRun : public SamplerRun {
 public:
  LocationScaleRun(const LocationScaleParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts),
        location_(parts.location.model),
        residual_(draws),
        location_normal_(noise.begin() + static_cast<std::ptrdiff_t>(draws),
                         noise.begin() + static_cast<std::ptrdiff_t>(2 * draws)) {
    for (std::size_t i = 0; i < draws; ++i) residual_[i] = parts.noise.draw(noise[i]);
    if (!parts.scale) return;
    scale_.emplace(parts.scale->process.model);
    scale_normal_.assign(noise.begin() + static_cast<std::ptrdiff_t>(2 * draws), noise.end());
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    caution_ = caution;
    const std::size_t n = y.size();
    parts_.location.pick(conditions, inputs_);
    location_.evaluate(inputs_, n, caution > 0.0);
    const std::span<const double> mean = location_.mean();
    if (scale_) {
      scales_.resize(n);
      parts_.scale->process.pick(conditions, scale_inputs_);
      scale_->evaluate(scale_inputs_, n, caution > 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        double log_scale = parts_.scale->log_scale(scale_->mean()[i]);
        if (caution > 0.0) {
          log_scale += caution * parts_.scale->factor * std::sqrt(scale_->variance()[i]) * held_or(1, scale_normal_[i]);
        }
        scales_[i] = std::exp(log_scale);
      }
      for (std::size_t i = 0; i < n; ++i) y[i] = mean[i] + scales_[i] * residual_[i];
    } else {
      for (std::size_t i = 0; i < n; ++i) y[i] = mean[i] + residual_[i];
    }
    if (caution > 0.0) {
      const std::span<const double> variance = location_.variance();
      for (std::size_t i = 0; i < n; ++i) y[i] += caution * std::sqrt(variance[i]) * held_or(0, location_normal_[i]);
    }
    if (parts_.transform.form == TargetTransform::Form::kIdentity) return;
    slopes_.resize(n);
    const bool rounded = parts_.transform.form == TargetTransform::Form::kCount && !relaxed_;
    for (std::size_t i = 0; i < n; ++i) {
      slopes_[i] = rounded ? 0.0 : parts_.transform.inverse_slope(y[i]);
      y[i] = parts_.transform.inverse(y[i]);
      if (rounded) y[i] = parts_.transform.round(y[i]);
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    const std::size_t n = adjoint.size();
    by_mean_.assign(adjoint.begin(), adjoint.end());
    if (parts_.transform.form != TargetTransform::Form::kIdentity) {
      for (std::size_t i = 0; i < n; ++i) by_mean_[i] *= slopes_[i];
    }
    by_variance_.clear();
    if (caution_ > 0.0) fill_by_variance(location_, location_normal_, by_mean_, caution_);
    parts_.location.pick(gradients, targets_);
    location_.add_gradient(by_mean_, by_variance_, targets_);
    if (!scale_) return;
    for (std::size_t i = 0; i < n; ++i) by_mean_[i] *= scales_[i] * residual_[i] * parts_.scale->factor;
    by_variance_.clear();
    if (caution_ > 0.0) fill_by_variance(*scale_, scale_normal_, by_mean_, caution_);
    for (std::size_t i = 0; i < n; ++i) {
      if (parts_.scale->is_held(scale_->mean()[i])) by_mean_[i] = 0.0;
    }
    parts_.scale->process.pick(gradients, targets_);
    scale_->add_gradient(by_mean_, by_variance_, targets_);
  }

  void forgo_gradient() override {
    location_.forgo_gradient();
    if (scale_) scale_->forgo_gradient();
  }

  void relax(double temperature) override { relaxed_ = temperature > 0.0; }

  void hold_function(std::span<const double> normals) override { held_.assign(normals.begin(), normals.end()); }

  bool move_noise(std::span<const double> offsets, std::span<double> y) override {
    const double sd = std::sqrt(parts_.location.model.parameters.noise);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double moved = target_of_draw(i) + offsets[i] * sd * (scale_ ? scales_[i] : 1.0);
      y[i] = parts_.transform.inverse(moved);
      if (parts_.transform.form == TargetTransform::Form::kCount) y[i] = parts_.transform.round(y[i]);
    }
    return true;
  }

 private:
  // On the scale of the transform.
  double target_of_draw(std::size_t i) const {
    double target = location_.mean()[i] + (scale_ ? scales_[i] : 1.0) * residual_[i];
    if (caution_ > 0.0) target += caution_ * std::sqrt(location_.variance()[i]) * held_or(0, location_normal_[i]);
    return target;
  }

  double held_or(std::size_t entry, double own) const { return held_.empty() ? own : held_[entry]; }

  void fill_by_variance(const GpEvaluator& evaluator, std::span<const double> normal, std::span<const double> adjoint,
                        double caution) {
    const std::span<const double> variance = evaluator.variance();
    const double least = evaluator.least_variance();
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      by_variance_.push_back(variance[i] > least ? adjoint[i] * caution * normal[i] / (2.0 * std::sqrt(variance[i]))
                                                 : 0.0);
    }
  }

  const LocationScaleParts& parts_;
  GpEvaluator location_;
  std::optional<GpEvaluator> scale_;
  std::vector<double> residual_;
  std::vector<double> location_normal_;
  std::vector<double> scale_normal_;
  std::vector<double> held_;  // of location and scale, in place of the normal numbers of the draws; may be empty
  std::vector<Condition> inputs_;
  std::vector<Condition> scale_inputs_;
  std::vector<double*> targets_;
  std::vector<double> scales_;
  std::vector<double> slopes_;  // dy/dt
  std::vector<double> by_mean_;
  std::vector<double> by_variance_;
  double caution_ = 0.0;
  bool relaxed_ = false;
};

class LocationScaleSampler : public ConditionalSampler {
 public:
  explicit LocationScaleSampler(LocationScaleParts parts) : parts_(std::move(parts)) {}

  const LocationScaleParts& parts() const { return parts_; }

  std::size_t conditions() const override { return parts_.location.conditions; }
  std::size_t noise_entries() const override { return parts_.scale ? 3 : 2; }
  std::size_t function_entries() const override { return parts_.scale ? 2 : 1; }

  SamplerFacts facts() const override {
    SamplerFacts facts = gp_facts(parts_.location);
    if (parts_.transform.form == TargetTransform::Form::kCount) {
      facts.form = "log(1 + count): " + facts.form;
    } else if (parts_.transform.form != TargetTransform::Form::kIdentity) {
      facts.form = fmt::format("{}: {}", transform_name(parts_.transform.form), facts.form);
    }
    if (parts_.scale) {
      const SamplerFacts noise = gp_facts(parts_.scale->process);
      facts.form += ", noise " + noise.form;
      for (std::size_t k = 0; k < noise.inputs.size(); ++k) {
        facts.inputs[k].used = facts.inputs[k].used || noise.inputs[k].used;
      }
    }
    facts.additive = parts_.transform.form == TargetTransform::Form::kIdentity && !parts_.scale;
    facts.scores = parts_.scores;
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<LocationScaleRun>(parts_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    for_rows(conditions, y.size(), caution, [&](std::size_t i, const Forecast& forecast) {
      if (is_discrete()) {
        const double cell = probability(forecast, parts_.transform.upper_end(y[i])) -
                            probability(forecast, parts_.transform.lower_end(y[i]));
        out[i] = std::max(std::log(std::max(cell, std::numeric_limits<double>::min())), kLeastLogDensity);
        return;
      }
      const double t = parts_.transform.forward(y[i]);
      if (!std::isfinite(t)) {
        out[i] = kLeastLogDensity;
        return;
      }
      double density = 0.0;
      if (!parts_.scale) {
        out[i] = parts_.noise.log_density(t - forecast.mean, forecast.sd) + parts_.transform.log_slope(y[i]);
        return;
      }
      for_scales(forecast, [&](double s, double weight) {
        density += weight * std::exp(parts_.noise.log_density((t - forecast.mean) / s, forecast.sd / s)) / s;
      });
      out[i] = std::log(std::max(density, std::numeric_limits<double>::min())) + parts_.transform.log_slope(y[i]);
    });
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    for_rows(conditions, y.size(), caution, [&](std::size_t i, const Forecast& forecast) {
      const TargetTransform& transform = parts_.transform;
      below[i] = probability(forecast, is_discrete() ? transform.lower_end(y[i]) : transform.forward(y[i]));
      up_to[i] = is_discrete() ? probability(forecast, transform.upper_end(y[i])) : below[i];
    });
    return true;
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    for_rows(conditions, out.size(), 1.0, [&](std::size_t i, const Forecast& forecast) {
      const double s = std::exp(forecast.log_scale);
      out[i] = std::max(forecast.sd * forecast.sd / (s * s * parts_.location.model.parameters.noise),
                        kScaleVarianceShare * forecast.scale_sd * forecast.scale_sd);
    });
  }
  double extrapolation_limit() const override { return kLocationVarianceLimit; }

  std::optional<std::vector<double>> slopes(double caution) const override {
    const GpModel& model = parts_.location.model;
    if (parts_.scale || parts_.transform.form != TargetTransform::Form::kIdentity || model.points.points > 0 ||
        (caution > 0.0 && !parts_.location.inputs.empty())) {
      return std::nullopt;
    }
    std::vector<double> all(conditions(), 0.0);
    for (std::size_t k = 0; k < parts_.location.inputs.size(); ++k) all[parts_.location.inputs[k]] = model.slopes[k];
    return all;
  }

  bool is_discrete() const override { return parts_.transform.form == TargetTransform::Form::kCount; }

  bool noise_behind(std::span<const Condition> conditions, double y, std::span<double> out) const override {
    const double t = parts_.transform.forward(y);
    const double sd = std::sqrt(parts_.location.model.parameters.noise);
    if (!std::isfinite(t) || !(sd > 0.0)) return false;
    for_rows(conditions, out.size(), 0.0, [&](std::size_t i, const Forecast& forecast) {
      out[i] = (t - forecast.mean) / (sd * std::exp(forecast.log_scale));
    });
    return true;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = parts_.kind;
    store_transform(parts_.transform, state);
    SamplerState location;
    location.kind = "process";
    store_gp(parts_.location, location);
    store_nested(location, "location", state);
    if (parts_.scale) {
      SamplerState scale;
      scale.kind = "process";
      store_gp(parts_.scale->process, scale);
      store_nested(scale, "scale", state);
      state.arrays.push_back(
          {"scale_range", {parts_.scale->offset, parts_.scale->factor, parts_.scale->low, parts_.scale->high}});
    }
    store_noise(parts_.noise, state);
    store_scores(parts_.scores, state);
    return state;
  }

 private:
  // Of t, at one place.
  struct Forecast {
    double mean = 0.0;
    double sd = 0.0;  // of the mean
    double log_scale = 0.0;
    double scale_sd = 0.0;  // of the logarithm
  };

  template <class Body>
  void for_rows(std::span<const Condition> conditions, std::size_t rows, double caution, const Body& body) const {
    std::vector<Forecast> forecasts(rows);
    for_gp_blocks(parts_.location, conditions, rows, caution > 0.0,
                  [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                    forecasts[at].mean = evaluator.mean()[i];
                    if (caution > 0.0) forecasts[at].sd = caution * std::sqrt(evaluator.variance()[i]);
                  });
    if (parts_.scale) {
      const ScaleProcess& scale = *parts_.scale;
      for_gp_blocks(scale.process, conditions, rows, caution > 0.0,
                    [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                      forecasts[at].log_scale = scale.log_scale(evaluator.mean()[i]);
                      if (caution > 0.0) {
                        forecasts[at].scale_sd = caution * scale.factor * std::sqrt(evaluator.variance()[i]);
                      }
                    });
    }
    for (std::size_t i = 0; i < rows; ++i) body(i, forecasts[i]);
  }

  template <class Body>
  void for_scales(const Forecast& forecast, const Body& body) const {
    if (!(forecast.scale_sd > 0.0)) {
      body(std::exp(forecast.log_scale), 1.0);
      return;
    }
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      body(std::exp(forecast.log_scale + forecast.scale_sd * kNodes[k]), kNodeWeights[k]);
    }
  }

  double probability(const Forecast& forecast, double t) const {
    if (!std::isfinite(t)) return t > 0.0 ? 1.0 : 0.0;
    double sum = 0.0;
    for_scales(forecast, [&](double s, double weight) {
      sum += weight * parts_.noise.probability((t - forecast.mean) / s, forecast.sd / s);
    });
    return sum;
  }

  LocationScaleParts parts_;
};

// Mean score of forecasts that every row gets from the others.
double mean_crps(const SamplerData& data, const TargetTransform& transform, std::span<const double> t,
                 std::span<const double> left_out, std::span<const double> scale) {
  const std::size_t n = t.size();
  std::vector<double> standard;
  for (std::size_t i = 0; i < n; ++i) standard.push_back(left_out[i] / scale[i]);
  const NoiseDistribution shape = fit_noise(standard);
  std::array<double, kForecasts> quantiles;
  for (std::size_t j = 0; j < kForecasts; ++j) {
    quantiles[j] = shape.draw(normal_quantile((static_cast<double>(j) + 0.5) / static_cast<double>(kForecasts)));
  }
  const std::size_t step = std::max<std::size_t>(1, n / kMostForecastRows);
  double sum = 0.0;
  std::size_t count = 0;
  std::array<double, kForecasts> forecasts;
  for (std::size_t i = 0; i < n; i += step) {
    for (std::size_t j = 0; j < kForecasts; ++j) {
      forecasts[j] = transform.inverse(t[i] - left_out[i] + scale[i] * quantiles[j]);
      if (transform.form == TargetTransform::Form::kCount) forecasts[j] = transform.round(forecasts[j]);
    }
    sum += crps_of(forecasts, data.target[i]);
    ++count;
  }
  return sum / static_cast<double>(count);
}

double mean_score(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

struct Candidate {
  TargetTransform transform;
  std::vector<double> target;  // t
  LocationScaleFit fit;
  std::vector<double> slopes;    // ln dt/dy, of the scored rows
  std::vector<double> held_out;  // ln density of y, of the scored rows
  SamplerScore score;
};

std::string noise_form(const LocationScaleFit& fit) {
  if (!fit.scale) return "noise constant";
  return fit.scale->model.points.points > 0 ? "noise nonlinear" : "noise linear";
}

Candidate fit_candidate(TargetTransform::Form form, const SamplerData& data, const SamplerOptions& options,
                        FitDepth depth, const Context& context) {
  Candidate candidate;
  candidate.transform = make_transform(form, data);
  for (const double y : data.target) candidate.target.push_back(candidate.transform.forward(y));
  candidate.fit = fit_location_scale(data.conditions, candidate.target, options.gp, depth, data.index, context);
  for (const std::size_t i : scored_rows(data.target.size())) {
    candidate.slopes.push_back(candidate.transform.log_slope(data.target[i]));
    candidate.held_out.push_back(candidate.fit.held_out[candidate.held_out.size()] + candidate.slopes.back());
  }
  candidate.score = {
      fmt::format("{}, {}", transform_name(form), noise_form(candidate.fit)), mean_score(candidate.held_out),
      mean_crps(data, candidate.transform, candidate.target, candidate.fit.left_out, candidate.fit.left_out_scale),
      false};
  return candidate;
}

// Other forms of the noise.
void add_rivals(const SamplerData& data, const Candidate& candidate, std::vector<SamplerScore>& scores) {
  for (const LocationScaleFit::Rival& rival : candidate.fit.rivals) {
    scores.push_back({fmt::format("{}, {}", transform_name(candidate.transform.form), rival.form),
                      mean_score(rival.held_out) + mean_score(candidate.slopes),
                      mean_crps(data, candidate.transform, candidate.target, rival.left_out, rival.left_out_scale),
                      false});
  }
}

SamplerScore score_line(const SamplerData& data, const SamplerOptions& options) {
  const RidgeTrend line = fit_ridge(data.conditions, data.target, options.linear.ridge);
  const std::vector<double> ones(data.target.size(), 1.0);
  return {"linear", mean_score(score_residuals(line.leave_one_out, ones, scored_rows(data.target.size()))),
          mean_crps(data, TargetTransform(), data.target, line.leave_one_out, ones), false};
}

ScoredSampler finish(std::string kind, const SamplerData& data, Candidate candidate, std::vector<SamplerScore> scores) {
  const std::size_t conditions = data.conditions.size();
  LocationScaleParts parts;
  parts.kind = std::move(kind);
  parts.transform = candidate.transform;
  TrainedGp& location = candidate.fit.location;
  parts.location = {conditions, std::move(location.inputs), std::move(location.model)};
  parts.noise = std::move(location.noise.distribution);
  if (candidate.fit.scale) {
    NoiseScale& scale = *candidate.fit.scale;
    parts.scale = ScaleProcess{{conditions, std::move(scale.inputs), std::move(scale.model)},
                               scale.offset,
                               scale.factor,
                               scale.low,
                               scale.high};
  }
  parts.scores = scores;
  return {std::make_shared<LocationScaleSampler>(std::move(parts)), std::move(candidate.held_out), std::move(scores)};
}

}  // namespace

std::shared_ptr<const ConditionalSampler> refit_continuous(const ConditionalSampler& like, const SamplerData& data,
                                                           const SamplerOptions& options, const Context& context) {
  const auto* const known = dynamic_cast<const LocationScaleSampler*>(&like);
  if (known == nullptr || known->conditions() != data.conditions.size()) return nullptr;
  const LocationScaleParts& chosen = known->parts();
  const TargetTransform::Form form = chosen.transform.form;
  if (chosen.scale || (form != TargetTransform::Form::kIdentity && !suits(form, data))) return nullptr;
  LocationScaleParts parts;
  parts.kind = chosen.kind;
  parts.transform = make_transform(form, data);
  std::vector<double> target;
  for (const double y : data.target) target.push_back(parts.transform.forward(y));
  TrainedGp location = retrain_gp(chosen.location.model.parameters, chosen.location.inputs, data.conditions, target,
                                  options.gp, data.index, context);
  parts.location = {data.conditions.size(), std::move(location.inputs), std::move(location.model)};
  parts.noise = std::move(location.noise.distribution);
  return std::make_shared<LocationScaleSampler>(std::move(parts));
}

std::shared_ptr<const ConditionalSampler> extend_continuous(const ConditionalSampler& like, const SamplerData& data,
                                                            const SamplerOptions& options, const Context& context) {
  const auto* const known = dynamic_cast<const LocationScaleSampler*>(&like);
  if (known == nullptr || known->conditions() != data.conditions.size()) return nullptr;
  const LocationScaleParts& chosen = known->parts();
  const TargetTransform::Form form = chosen.transform.form;
  if (form != TargetTransform::Form::kIdentity && !suits(form, data)) return nullptr;
  LocationScaleParts parts = chosen;
  parts.transform = make_transform(form, data);
  const std::size_t n = data.target.size();
  std::vector<double> target(n);
  for (std::size_t i = 0; i < n; ++i) target[i] = parts.transform.forward(data.target[i]);
  std::vector<double> weights;
  if (chosen.scale) {
    std::vector<Condition> conditions;
    for (const std::span<const double> column : data.conditions) conditions.push_back({column.data(), false});
    weights.resize(n);
    for_gp_blocks(chosen.scale->process, conditions, n, false,
                  [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                    weights[at] = std::exp(-chosen.scale->log_scale(evaluator.mean()[i]));
                  });
    for (std::size_t i = 0; i < n; ++i) target[i] *= weights[i];
  }
  TrainedGp location = extend_gp(chosen.location.model.parameters, chosen.location.inputs, data.conditions, target,
                                 weights, options.gp, data.index, context);
  parts.location = {data.conditions.size(), std::move(location.inputs), std::move(location.model)};
  parts.noise = std::move(location.noise.distribution);
  return std::make_shared<LocationScaleSampler>(std::move(parts));
}

ScoredSampler fit_continuous(const SamplerData& data, const SamplerOptions& options, const Context& context,
                             FitDepth depth) {
  using Form = TargetTransform::Form;
  std::vector<SamplerScore> rivals;
  Form form = Form::kIdentity;
  const ColumnType type = data.target_column.about.type;
  const Form other = type == ColumnType::kPositive ? Form::kLog
                     : type == ColumnType::kShare  ? Form::kLogit
                                                   : Form::kIdentity;
  if (other != Form::kIdentity && suits(other, data)) {
    const Candidate plain = fit_candidate(form, data, options, FitDepth::kBrief, context);
    const Candidate transformed = fit_candidate(other, data, options, FitDepth::kBrief, context);
    const bool better = is_worth(gain_of(transformed.held_out, plain.held_out, data.target.size()), 0.0);
    if (better) form = other;
    rivals.push_back(better ? plain.score : transformed.score);
  }
  Candidate best = fit_candidate(form, data, options, depth, context);
  best.score.chosen = true;
  std::vector<SamplerScore> scores = {best.score};
  add_rivals(data, best, scores);
  scores.insert(scores.end(), rivals.begin(), rivals.end());
  scores.push_back(score_line(data, options));
  return finish("location-scale", data, std::move(best), std::move(scores));
}

ScoredSampler fit_large_count(const SamplerData& data, const SamplerOptions& options, const Context& context,
                              FitDepth depth) {
  Candidate candidate = fit_candidate(TargetTransform::Form::kCount, data, options, depth, context);
  candidate.score.chosen = true;
  std::vector<SamplerScore> scores = {candidate.score};
  add_rivals(data, candidate, scores);
  return finish("count", data, std::move(candidate), std::move(scores));
}

std::shared_ptr<const ConditionalSampler> restore_location_scale(const SamplerState& state) {
  const StateReader reader(state);
  LocationScaleParts parts;
  parts.kind = state.kind;
  parts.transform = read_transform(reader);
  if ((parts.transform.form == TargetTransform::Form::kCount) != (state.kind == "count")) {
    reader.fail("its transform belongs to another kind");
  }
  parts.location = read_gp(StateReader(read_nested(state, "location")));
  if (reader.has("scale")) {
    const std::vector<double> range = reader.array("scale_range", 4);
    if (!(range[1] > 0.0) || !(range[2] <= range[3])) reader.fail("the range of its scale is empty");
    parts.scale =
        ScaleProcess{read_gp(StateReader(read_nested(state, "scale"))), range[0], range[1], range[2], range[3]};
    if (parts.scale->process.conditions != parts.location.conditions) reader.fail("its parts have other conditions");
  }
  parts.noise = reader.noise();
  parts.scores = read_scores(state);
  return std::make_shared<LocationScaleSampler>(std::move(parts));
}

}  // namespace olem::internal::sampling
