#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sampler/data_reach.h"
#include "sampler/kinds.h"
#include "sampler/noise_distribution.h"
#include "sampler/ridge_trend.h"
#include "sampler/state_reader.h"

namespace olem {

using namespace internal;

OptionSet describe(LinearSamplerOptions& options) {
  OptionSet set;
  set.real("linear_ridge", options.ridge, 1e-12, 1.0,
           "ridge of the linear sampler on standardised slopes, relative to the number of rows");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

class LinearRun : public SamplerRun {
 public:
  LinearRun(std::span<const double> slopes, double intercept, std::vector<double> residual)
      : slopes_(slopes), residual_(std::move(residual)) {
    for (double& value : residual_) value += intercept;
  }

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    double offset = 0.0;
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      if (conditions[k].shared) offset += slopes_[k] * conditions[k].values[0];
    }
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = residual_[i] + offset;
    shared_.clear();
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      shared_.push_back(conditions[k].shared);
      if (conditions[k].shared || slopes_[k] == 0.0) continue;
      const double* values = conditions[k].values;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += slopes_[k] * values[i];
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    double total = 0.0;
    for (const double value : adjoint) total += value;
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      if (gradients[k] == nullptr || slopes_[k] == 0.0) continue;
      if (shared_[k]) {
        gradients[k][0] += slopes_[k] * total;
      } else {
        for (std::size_t i = 0; i < adjoint.size(); ++i) gradients[k][i] += slopes_[k] * adjoint[i];
      }
    }
  }

 private:
  std::span<const double> slopes_;
  std::vector<double> residual_;
  std::vector<bool> shared_;
};

class LinearSampler : public ConditionalSampler {
 public:
  LinearSampler(double intercept, std::vector<double> slopes, NoiseDistribution noise, double noise_sd, DataReach reach)
      : intercept_(intercept),
        slopes_(std::move(slopes)),
        noise_(std::move(noise)),
        noise_sd_(noise_sd),
        reach_(std::move(reach)) {}

  std::size_t conditions() const override { return slopes_.size(); }
  std::size_t noise_entries() const override { return 1; }

  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.form = slopes_.empty() ? "marginal" : "linear";
    for (const double slope : slopes_) facts.inputs.push_back({slope, 0.0, slope != 0.0});
    facts.noise_sd = noise_sd_;
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    std::vector<double> residual(draws);
    for (std::size_t i = 0; i < draws; ++i) residual[i] = noise_.draw(noise[i]);
    return std::make_unique<LinearRun>(slopes_, intercept_, std::move(residual));
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double /*caution*/,
                   std::span<double> out) const override {
    for (std::size_t i = 0; i < y.size(); ++i) {
      double mean = intercept_;
      for (std::size_t k = 0; k < slopes_.size(); ++k) {
        mean += slopes_[k] * conditions[k].values[conditions[k].shared ? 0 : i];
      }
      out[i] = noise_.log_density(y[i] - mean);
    }
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    reach_.measure(conditions, out);
  }
  double extrapolation_limit() const override { return kReachLimit; }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return slopes_; }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "linear";
    state.settings["conditions"] = slopes_.size();
    state.arrays.push_back({"intercept", {intercept_}});
    state.arrays.push_back({"slopes", slopes_});
    state.arrays.push_back({"noise_sd", {noise_sd_}});
    store_reach(reach_, state);
    store_noise(noise_, state);
    return state;
  }

 private:
  double intercept_;
  std::vector<double> slopes_;
  NoiseDistribution noise_;
  double noise_sd_;
  DataReach reach_;
};

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_linear(const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context) {
  RidgeTrend trend = fit_ridge(data.conditions, data.target, options.linear.ridge);
  double sum_of_squares = 0.0;
  for (const double residual : trend.leave_one_out) sum_of_squares += residual * residual;
  const std::size_t n = data.target.size();
  return std::make_shared<LinearSampler>(trend.intercept, std::move(trend.slopes), fit_noise(trend.leave_one_out),
                                         std::sqrt(sum_of_squares / static_cast<double>(n)),
                                         find_reach(data.conditions, n, data.index, context));
}

std::shared_ptr<const ConditionalSampler> restore_linear(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  return std::make_shared<LinearSampler>(reader.array("intercept", 1).front(), reader.array("slopes", conditions),
                                         reader.noise(), reader.not_negative("noise_sd", 1).front(),
                                         read_reach(reader, conditions));
}

}  // namespace olem::internal::sampling
