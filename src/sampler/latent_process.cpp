#include "sampler/latent_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/special.h"
#include "sampler/gp/gp_training.h"

namespace olem::internal::sampling {

namespace {

// A row tells little more than a bit: fewer points than for numbers carry all that it can show.
constexpr int kLatentPoints = 100;
constexpr double kLeastCurvature = 1e-4;  // sites beyond say nothing
constexpr double kLargestStep = 4.0;      // of a value in one Newton step
constexpr double kConverged = 1e-4;
constexpr std::size_t kLatentSpreadPoints = 100;
constexpr double kLatentNegligible = 0.1;  // as in gp_training.cpp

struct LogisticTerm {
  double weight;
  double slope;
};
constexpr std::array<LogisticTerm, 3> kLogisticTerms = {{{0.2522, 0.9079}, {0.58522, 0.57778}, {0.16258, 0.36403}}};

double latent_cdf(double z) { return 0.5 * std::erfc(-z * std::numbers::sqrt2 / 2.0); }

}  // namespace

double mean_logistic(double mean, double variance) {
  double sum = 0.0;
  for (const LogisticTerm& term : kLogisticTerms) {
    sum += term.weight * latent_cdf(term.slope * mean / std::sqrt(1.0 + term.slope * term.slope * variance));
  }
  return sum;
}

MeanLogisticSlopes mean_logistic_slopes(double mean, double variance) {
  MeanLogisticSlopes slopes;
  for (const LogisticTerm& term : kLogisticTerms) {
    const double square = 1.0 + term.slope * term.slope * variance;
    const double z = term.slope * mean / std::sqrt(square);
    const double density = term.weight * std::exp(-0.5 * z * z - kHalfLog2Pi);
    slopes.by_mean += density * term.slope / std::sqrt(square);
    slopes.by_variance -= 0.5 * density * z * term.slope * term.slope / square;
  }
  return slopes;
}

LatentProcess::LatentProcess(const Inputs& inputs, std::size_t rows, const GpOptions& options, std::uint64_t stream,
                             bool linear, const Context& context)
    : inputs_(inputs),
      rows_(rows),
      options_(options),
      stream_(stream),
      linear_(linear),
      context_(context),
      values_(rows, 0.0) {
  options_.inducing = std::min(options_.inducing, kLatentPoints);
}

LatentProcess::Sites LatentProcess::sites(const LatentLikelihood& likelihood) const {
  Sites result;
  for (std::size_t i = 0; i < rows_; ++i) {
    const LatentSlope at = likelihood(i, values_[i]);
    const double curvature = std::max(at.curvature, kLeastCurvature);
    result.weights.push_back(std::sqrt(curvature));
    result.targets.push_back(result.weights.back() * (values_[i] + at.slope / curvature));
  }
  return result;
}

void LatentProcess::train(const LatentLikelihood& likelihood) {
  const Sites at = sites(likelihood);
  GpTraining training;
  training.weights = at.weights;
  training.linear = linear_;
  training.shape = false;
  TrainedGp trained = train_gp(inputs_, at.targets, options_, stream_, context_, training);
  used_ = std::move(trained.inputs);
  inducing_ = std::move(trained.inducing);
  parameters_ = std::move(trained.model.parameters);
  parameters_.noise = 1.0;
}

double LatentProcess::step(const LatentLikelihood& likelihood, int most) {
  Inputs inputs;
  for (const std::size_t k : used_) inputs.push_back(inputs_[k]);
  double moved = 0.0;
  for (int iteration = 0; iteration < most; ++iteration) {
    const Sites at = sites(likelihood);
    GpRegression regression(parameters_, inputs, rows_, at.weights, inducing_, context_);
    regression.fit(at.targets, 1.0, context_);
    const std::vector<double>& left_out = regression.leave_one_out();
    const std::vector<double>& variance = regression.left_out_variance();
    left_out_mean_.resize(rows_);
    left_out_variance_.resize(rows_);
    moved = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const double weight = at.weights[i];
      const double residual = left_out[i] / (1.0 + variance[i]);  // noise 1: own share is v / (1 + v)
      const double value = (at.targets[i] - residual) / weight;
      const double change = std::clamp(value - values_[i], -kLargestStep, kLargestStep);
      moved = std::max(moved, std::abs(change));
      values_[i] += change;
      left_out_mean_[i] = (at.targets[i] - left_out[i]) / weight;
      left_out_variance_[i] = variance[i] / (weight * weight);
    }
    const bool last = moved < kConverged || iteration + 1 == most;
    if (last) model_ = regression.model(kLatentSpreadPoints, kLatentNegligible);
    if (last) break;
  }
  return moved;
}

void LatentProcess::scale_values(double factor) {
  for (double& value : values_) value *= factor;
}

GpOnInputs LatentProcess::posterior() const { return {inputs_.size(), used_, model_}; }

}  // namespace olem::internal::sampling
