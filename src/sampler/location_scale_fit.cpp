#include "sampler/location_scale_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "sampler/ridge_trend.h"
#include "sampler/sampler_score.h"

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kScoreParts = 5;
constexpr std::size_t kFewestScaleRows = 50;  // with fewer nobody knows whether noise is the same everywhere
constexpr int kMostRounds = 3;
// Residuals are not known more finely than this share of their standard deviation; their logarithms go no lower.
constexpr double kFinestResidual = 0.03;
// Of the process of ln s: noise tells far less about its own size than about the function.
constexpr int kScalePoints = 50;
constexpr int kScaleRows = 1000;
// ln s is not continued beyond its values in the data by more than a factor of two.
constexpr double kBeyond = 0.693;

// Conditional on x, ln s from the logarithms of squared residuals.
struct ScaleFit {
  TrainedGp trained;
  double factor = 0.0;
  std::vector<double> left_out;  // ln s of each row by the others, up to a constant
  double effective = 0.0;
};

double root_mean_square(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

class LocationScale {
 public:
  LocationScale(const Inputs& inputs, std::span<const double> target, const GpOptions& options, FitDepth depth,
                std::uint64_t stream, const Context& context)
      : inputs_(inputs),
        target_(target),
        options_(options),
        brief_(options_at(FitDepth::kBrief, options)),
        depth_(depth),
        stream_(stream),
        context_(context),
        scored_(scored_rows(target.size())) {}

  LocationScaleFit run() {
    LocationScaleFit fit = with_constant_noise();
    const std::size_t rows = target_.size();
    if (rows < kFewestScaleRows || inputs_.empty() || !(fit.location.noise.left_out_variance > 0.0)) return fit;

    if (!is_promising(fit)) return fit;
    ScaleFit linear = fit_scale(fit, inputs_, true);
    std::vector<double> best = fit.held_out;
    std::optional<ScaleFit> chosen;
    bool is_process = false;
    if (linear.effective > 0.0) {
      const std::vector<double> held_out = score(fit, linear);
      fit.rivals.push_back({"noise linear", held_out, fit.left_out, scales_of(linear)});
      if (is_worth(gain_of(held_out, best, rows), linear.effective)) {
        best = held_out;
        chosen = std::move(linear);
      }
    }
    // A process of ln s costs a search, so it is sought only where squares of the inputs, or the mean, tell something.
    const ScaleFit screen = screen_scale(fit);
    if (screen.effective > 0.0 && is_worth(gain_of(score(fit, screen), best, rows), 0.5 * screen.effective)) {
      ScaleFit process = fit_scale(fit, inputs_, false);
      const double added = process.effective - (chosen ? chosen->effective : 0.0);
      const std::vector<double> held_out = score(fit, process);
      fit.rivals.push_back({"noise nonlinear", held_out, fit.left_out, scales_of(process)});
      if (process.trained.model.points.points > 0 && is_worth(gain_of(held_out, best, rows), std::max(added, 1.0))) {
        best = held_out;
        chosen = std::move(process);
        is_process = true;
      }
    }
    if (!chosen) return fit;

    if (depth_ == FitDepth::kFull) chosen = settle(std::move(*chosen), !is_process);
    LocationScaleFit current = with_scale(std::move(*chosen), depth_);
    if (sum_of(current.held_out) < sum_of(fit.held_out)) return fit;
    current.rivals.push_back({"noise constant", fit.held_out, fit.left_out, fit.left_out_scale});
    for (LocationScaleFit::Rival& rival : fit.rivals) {
      const bool own = rival.form == (is_process ? "noise nonlinear" : "noise linear");
      if (!own) current.rivals.push_back(std::move(rival));
    }
    return current;
  }

 private:
  static double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

  std::vector<double> score(const LocationScaleFit& fit, const ScaleFit& scale) const {
    return score_residuals(fit.left_out, scales_of(scale), scored_);
  }

  static std::vector<double> scales_of(const ScaleFit& scale) {
    std::vector<double> s;
    for (const double value : scale.left_out) s.push_back(std::exp(value));
    return s;
  }

  // f with weights 1 / s^2 and s to what it leaves, in turn.
  ScaleFit settle(ScaleFit scale, bool linear) const {
    LocationScaleFit current = with_scale(scale, FitDepth::kBrief);
    for (int round = 1; round < kMostRounds; ++round) {
      ScaleFit other = fit_scale(current, inputs_, linear);
      if (!(other.effective > 0.0)) break;
      LocationScaleFit next = with_scale(other, FitDepth::kBrief);
      if (!(sum_of(next.held_out) > sum_of(current.held_out))) break;
      scale = std::move(other);
      current = std::move(next);
    }
    return scale;
  }

  LocationScaleFit with_constant_noise() const {
    LocationScaleFit fit;
    fit.location = train(target_, {}, depth_);
    fit.left_out = fit.location.noise.left_out;
    fit.left_out_scale.assign(target_.size(), 1.0);
    fit.held_out = score_residuals(fit.left_out, fit.left_out_scale, scored_);
    return fit;
  }

  TrainedGp train(std::span<const double> target, GpTraining training, FitDepth depth) const {
    if (depth == FitDepth::kFull) return train_gp(inputs_, target, options_, stream_, context_, training);
    training.shape = false;
    return train_gp(inputs_, target, brief_, stream_, context_, training);
  }

  LocationScaleFit with_scale(ScaleFit scale, FitDepth depth) const {
    const std::size_t n = target_.size();
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < n; ++i) weights[i] = std::exp(-scale.left_out[i]);
    const double size = root_mean_square(weights);
    std::vector<double> weighted(n);
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] /= size;
      weighted[i] = weights[i] * target_[i];
    }
    GpTraining training;
    training.weights = weights;
    LocationScaleFit fit;
    fit.location = train(weighted, training, depth);
    fit.effective = scale.effective;
    fit.left_out = fit.location.noise.left_out;
    for (std::size_t i = 0; i < n; ++i) {
      fit.left_out[i] /= weights[i];
      fit.left_out_scale.push_back(1.0 / weights[i]);
    }
    fit.held_out = score_residuals(fit.left_out, fit.left_out_scale, scored_);
    NoiseScale noise;
    noise.inputs = std::move(scale.trained.inputs);
    noise.model = std::move(scale.trained.model);
    noise.factor = scale.factor;
    noise.offset = std::log(size);
    const auto [low, high] = std::minmax_element(scale.left_out.begin(), scale.left_out.end());
    noise.low = (*low - kBeyond) / scale.factor;
    noise.high = (*high + kBeyond) / scale.factor;
    fit.scale = std::move(noise);
    return fit;
  }

  // Of what the fit leaves, less their mean.
  std::vector<double> log_sizes(const LocationScaleFit& fit) const {
    const std::size_t n = target_.size();
    const double sd = std::sqrt(fit.location.noise.variance);
    std::vector<double> logs(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double own = sd * fit.left_out_scale[i];
      // The variance of the mean is part of the square.
      const double mean_variance = fit.location.noise.mean_variance[i] * fit.left_out_scale[i] * fit.left_out_scale[i];
      const double share = own * own / (own * own + mean_variance);
      logs[i] =
          0.5 * std::log(fit.left_out[i] * fit.left_out[i] * share + kFinestResidual * kFinestResidual * own * own);
    }
    const double mean = mean_of(logs);
    for (double& value : logs) value -= mean;
    return logs;
  }

  // Whether a regression of the logarithms forecasts better than a constant, by one standard error: a hundredth of the
  // cost of seeking ln s, and less than half of what ln s must gain. Columns: the inputs, squares of those that the
  // mean depends on, the mean and its square, as far as they are correlated with the logarithms beyond two standard
  // errors.
  bool is_promising(const LocationScaleFit& fit) const {
    constexpr double kFewestErrors = 2.0;
    constexpr double kRidge = 1e-6;
    std::vector<double> logs = log_sizes(fit);
    const auto n = static_cast<double>(logs.size());
    const double factor = root_mean_square(logs);
    if (!(factor > 0.0)) return false;
    for (double& value : logs) value /= factor;
    const std::vector<std::vector<double>> made = scale_columns(fit);
    Inputs all = inputs_;
    all.insert(all.end(), made.begin(), made.end());
    Inputs kept;
    for (const std::span<const double> column : all) {
      const double correlation = std::inner_product(column.begin(), column.end(), logs.begin(), 0.0) / n;
      if (std::abs(correlation) * std::sqrt(n) > kFewestErrors) kept.push_back(column);
    }
    if (kept.empty()) return false;
    const RidgeTrend trend = fit_ridge(kept, logs, kRidge);
    std::vector<double> scales;
    for (std::size_t i = 0; i < logs.size(); ++i)
      scales.push_back(std::exp(factor * (logs[i] - trend.leave_one_out[i])));
    const ScoreGain gain = gain_of(score_residuals(fit.left_out, scales, scored_), fit.held_out, logs.size());
    return gain.sum > gain.error;
  }

  // On `inputs`, to what the fit leaves. The logarithm of a squared residual is 2 ln s(x) plus noise of one shape.
  ScaleFit fit_scale(const LocationScaleFit& fit, const Inputs& inputs, bool linear) const {
    std::vector<double> logs = log_sizes(fit);
    const std::size_t n = logs.size();
    ScaleFit scale;
    scale.factor = root_mean_square(logs);
    if (!(scale.factor > 0.0)) return scale;
    for (double& value : logs) value /= scale.factor;
    GpOptions options = depth_ == FitDepth::kFull ? options_ : brief_;
    options.inducing = std::min(options.inducing, kScalePoints);
    options.rows = std::min(options.rows, kScaleRows);
    GpTraining training;
    training.linear = linear;
    scale.trained = train_gp(inputs, logs, options, stream_, context_, training);
    const ShapedNoise& noise = scale.trained.noise;
    double own_shares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      scale.left_out.push_back(scale.factor * (logs[i] - noise.left_out[i]));
      own_shares += noise.mean_variance[i] / (noise.mean_variance[i] + noise.variance);
    }
    scale.effective = scale.trained.inputs.empty() ? 0.0 : std::max(own_shares - 1.0, 0.5);
    return scale;
  }

  // Squares of the inputs of the mean, its own square and the mean, standardised.
  std::vector<std::vector<double>> scale_columns(const LocationScaleFit& fit) const {
    std::vector<std::vector<double>> columns;
    const auto add_square = [&](std::span<const double> column) {
      std::vector<double> squares;
      for (const double value : column) squares.push_back(value * value);
      const double mean = mean_of(squares);
      for (double& value : squares) value -= mean;
      const double sd = root_mean_square(squares);
      if (!(sd > 0.0)) return;
      for (double& value : squares) value /= sd;
      columns.push_back(std::move(squares));
    };
    std::vector<double> means(target_.begin(), target_.end());
    for (std::size_t i = 0; i < means.size(); ++i) means[i] -= fit.left_out[i];
    for (const std::size_t k : fit.location.inputs) add_square(inputs_[k]);
    add_square(means);
    const double sd = root_mean_square(means);
    if (sd > 0.0) {
      for (double& value : means) value /= sd;
      columns.push_back(std::move(means));
    }
    return columns;
  }

  ScaleFit screen_scale(const LocationScaleFit& fit) const {
    const std::vector<std::vector<double>> columns = scale_columns(fit);
    Inputs all = inputs_;
    all.insert(all.end(), columns.begin(), columns.end());
    return fit_scale(fit, all, true);
  }

  const Inputs& inputs_;
  std::span<const double> target_;
  const GpOptions& options_;
  GpOptions brief_;
  FitDepth depth_;
  std::uint64_t stream_;
  const Context& context_;
  std::vector<std::size_t> scored_;
};

}  // namespace

std::vector<double> score_residuals(std::span<const double> e, std::span<const double> s,
                                    std::span<const std::size_t> scored) {
  std::vector<double> result(scored.size());
  std::vector<double> others;
  for (std::size_t part = 0; part < kScoreParts; ++part) {
    others.clear();
    for (std::size_t j = 0; j < scored.size(); ++j) {
      if (j % kScoreParts != part) others.push_back(e[scored[j]] / s[scored[j]]);
    }
    if (others.size() < 2) continue;
    const NoiseDistribution shape = fit_noise(others);
    for (std::size_t j = part; j < scored.size(); j += kScoreParts) {
      result[j] = shape.log_density(e[scored[j]] / s[scored[j]]) - std::log(s[scored[j]]);
    }
  }
  return result;
}

LocationScaleFit fit_location_scale(const Inputs& inputs, std::span<const double> target, const GpOptions& options,
                                    FitDepth depth, std::uint64_t stream, const Context& context) {
  return LocationScale(inputs, target, options, depth, stream, context).run();
}

}  // namespace olem::internal::sampling
