#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/lapack.h"
#include "sampler/bayesian_ridge.h"
#include "sampler/data_reach.h"
#include "sampler/kinds.h"
#include "sampler/ridge_trend.h"
#include "sampler/state_reader.h"

namespace olem {

using namespace internal;

namespace {

constexpr Choice kFits[] = {
    {"least_squares", "with an intercept; the residuals say how large the noise is"},
    {"bayesian_ridge", "by maximum of the evidence; the posterior of the weights gives the predictive variance"},
};

}  // namespace

OptionSet describe(GaussianSamplerOptions& options) {
  OptionSet set;
  set.choice("gaussian_fit", options.fit, kFits, "how the gaussian sampler is fitted");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

constexpr double kLeastNoise = 1e-8;  // of a target that the conditions determine
constexpr double kTinyRidge = 1e-10;  // chooses among equal columns and changes nothing else

double value_of(const Condition& condition, std::size_t draw) { return condition.values[condition.shared ? 0 : draw]; }

// A line with normal noise and, when `root` is not empty, weights that are themselves normal: their covariance is root
// root^T, root a lower triangle, column by column.
struct GaussianModel {
  double intercept = 0.0;
  std::vector<double> slopes;
  double noise_sd = 1.0;
  std::vector<double> root;

  double mean(std::span<const Condition> conditions, std::size_t draw) const {
    double sum = intercept;
    for (std::size_t k = 0; k < slopes.size(); ++k) sum += slopes[k] * value_of(conditions[k], draw);
    return sum;
  }

  // root^T c, whose length is the standard deviation of the weights' part.
  double spread_of(std::span<const Condition> conditions, std::size_t draw, std::vector<double>& projected) const {
    const std::size_t q = slopes.size();
    projected.assign(q, 0.0);
    double squares = 0.0;
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t a = k; a < q; ++a) projected[k] += root[k * q + a] * value_of(conditions[a], draw);
      squares += projected[k] * projected[k];
    }
    return std::sqrt(squares);
  }
};

class GaussianRun : public SamplerRun {
 public:
  GaussianRun(const GaussianModel& model, std::span<const double> noise, std::size_t draws)
      : model_(model), noise_(noise.begin(), noise.begin() + static_cast<std::ptrdiff_t>(draws)) {
    if (!model.root.empty()) spread_noise_.assign(noise.begin() + static_cast<std::ptrdiff_t>(draws), noise.end());
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    conditions_.assign(conditions.begin(), conditions.end());
    caution_ = model_.root.empty() ? 0.0 : caution;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = model_.mean(conditions, i) + model_.noise_sd * noise_[i];
      if (!(caution_ > 0.0)) continue;
      const double sd = model_.spread_of(conditions, i, projected_);
      if (held_.empty()) {
        y[i] += caution_ * sd * spread_noise_[i];
      } else {
        for (std::size_t k = 0; k < projected_.size(); ++k) y[i] += caution_ * projected_[k] * held_[k];
      }
    }
  }

  void hold_function(std::span<const double> normals) override { held_.assign(normals.begin(), normals.end()); }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    const std::size_t q = model_.slopes.size();
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      const double sd = caution_ > 0.0 ? model_.spread_of(conditions_, i, projected_) : 0.0;
      for (std::size_t k = 0; k < q; ++k) {
        if (gradients[k] == nullptr) continue;
        double slope = model_.slopes[k];
        if (sd > 0.0) {
          double along = 0.0;
          for (std::size_t b = 0; b <= k; ++b) along += model_.root[b * q + k] * projected_[b];
          slope += caution_ * spread_noise_[i] * along / sd;
        }
        gradients[k][conditions_[k].shared ? 0 : i] += slope * adjoint[i];
      }
    }
  }

 private:
  const GaussianModel& model_;
  std::vector<double> noise_;
  std::vector<double> spread_noise_;
  std::vector<double> held_;  // of each weight, in the directions of the root; may be empty
  std::vector<Condition> conditions_;
  double caution_ = 0.0;
  std::vector<double> projected_;
};

class GaussianSampler : public ConditionalSampler {
 public:
  GaussianSampler(GaussianModel model, DataReach reach) : model_(std::move(model)), reach_(std::move(reach)) {}

  std::size_t conditions() const override { return model_.slopes.size(); }
  std::size_t noise_entries() const override { return model_.root.empty() ? 1 : 2; }
  std::size_t function_entries() const override { return model_.root.empty() ? 0 : model_.slopes.size(); }

  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.form = model_.slopes.empty() ? "marginal" : "linear, normal noise";
    for (const double slope : model_.slopes) facts.inputs.push_back({slope, 0.0, slope != 0.0 || !model_.root.empty()});
    facts.noise_sd = model_.noise_sd;
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<GaussianRun>(model_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    std::vector<double> projected;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double spread = model_.root.empty() ? 0.0 : caution * model_.spread_of(conditions, i, projected);
      const double sd = std::hypot(model_.noise_sd, spread);
      const double distance = (y[i] - model_.mean(conditions, i)) / sd;
      out[i] = -0.5 * distance * distance - std::log(sd) - 0.5 * std::log(2.0 * std::numbers::pi);
    }
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    reach_.measure(conditions, out);
  }
  double extrapolation_limit() const override { return kReachLimit; }

  std::optional<std::vector<double>> slopes(double caution) const override {
    if (!model_.root.empty() && caution > 0.0) return std::nullopt;
    return model_.slopes;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "gaussian";
    state.settings["conditions"] = model_.slopes.size();
    state.settings["fit"] = model_.root.empty() ? "least_squares" : "bayesian_ridge";
    state.arrays.push_back({"intercept", {model_.intercept}});
    state.arrays.push_back({"slopes", model_.slopes});
    state.arrays.push_back({"noise_sd", {model_.noise_sd}});
    if (!model_.root.empty()) state.arrays.push_back({"root", model_.root});
    store_reach(reach_, state);
    return state;
  }

 private:
  GaussianModel model_;
  DataReach reach_;
};

GaussianModel least_squares(const SamplerData& data) {
  RidgeTrend trend = fit_ridge(data.conditions, data.target, kTinyRidge);
  double squares = 0.0;
  for (std::size_t i = 0; i < data.target.size(); ++i) {
    double residual = data.target[i] - trend.intercept;
    for (std::size_t k = 0; k < trend.slopes.size(); ++k) residual -= trend.slopes[k] * data.conditions[k][i];
    squares += residual * residual;
  }
  GaussianModel model;
  model.intercept = trend.intercept;
  model.slopes = std::move(trend.slopes);
  model.noise_sd = std::max(std::sqrt(squares / static_cast<double>(data.target.size() - 1)), kLeastNoise);
  return model;
}

// Standardised columns have mean 0, and so has the line.
GaussianModel bayesian_ridge(const SamplerData& data) {
  BayesianRidge fit = fit_bayesian_ridge(data.conditions, data.target);
  GaussianModel model;
  model.slopes = std::move(fit.weights);
  model.noise_sd = std::max(1.0 / std::sqrt(fit.noise_precision), kLeastNoise);
  const std::size_t q = model.slopes.size();
  if (q > 0 && cholesky_lower(fit.covariance.data(), q)) {
    model.root = std::move(fit.covariance);
    for (std::size_t k = 1; k < q; ++k) std::fill_n(model.root.begin() + static_cast<std::ptrdiff_t>(k * q), k, 0.0);
  }
  return model;
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_gaussian(const SamplerData& data, const SamplerOptions& options,
                                                       const Context& context) {
  GaussianModel model = options.gaussian.fit == GaussianFit::kLeastSquares ? least_squares(data) : bayesian_ridge(data);
  return std::make_shared<GaussianSampler>(std::move(model),
                                           find_reach(data.conditions, data.target.size(), data.index, context));
}

std::shared_ptr<const ConditionalSampler> restore_gaussian(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  const std::string fit = reader.word("fit");
  if (fit != "least_squares" && fit != "bayesian_ridge") reader.fail("its fit is not one that this version knows");
  GaussianModel model;
  model.intercept = reader.array("intercept", 1).front();
  model.slopes = reader.array("slopes", conditions);
  model.noise_sd = reader.positive("noise_sd", 1).front();
  if (fit == "bayesian_ridge") model.root = reader.array("root", conditions * conditions);
  return std::make_shared<GaussianSampler>(std::move(model), read_reach(reader, conditions));
}

}  // namespace olem::internal::sampling
