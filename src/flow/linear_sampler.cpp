#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/lapack.h"
#include "flow/data_reach.h"
#include "flow/kinds.h"
#include "flow/noise_distribution.h"
#include "flow/state_reader.h"

namespace olem {

OptionSet describe(LinearSamplerOptions& options) {
  OptionSet set;
  set.real("linear_ridge", options.ridge, 1e-12, 1.0,
           "ridge of the linear sampler on standardised slopes, relative to the number of rows");
  return set;
}

}  // namespace olem

namespace olem::flow {

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
    state.settings["reach_rows"] = reach_.rows;
    state.arrays.push_back({"intercept", {intercept_}});
    state.arrays.push_back({"slopes", slopes_});
    state.arrays.push_back({"noise_sd", {noise_sd_}});
    state.arrays.push_back({"reach", reach_.values});
    state.arrays.push_back({"reach_spacing", {reach_.spacing}});
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
  const std::size_t n = data.target.size();
  const std::size_t q = data.conditions.size();
  const std::size_t p = q + 1;
  // Columns: the conditions, then ones, on which there is no ridge.
  std::vector<double> design(n * p, 1.0);
  for (std::size_t k = 0; k < q; ++k) {
    std::copy(data.conditions[k].begin(), data.conditions[k].end(),
              design.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  std::vector<double> squares(p * p);
  multiply_by_own_transpose(1.0, {design.data(), n, p, 0, true}, 0.0, squares.data());
  for (std::size_t k = 0; k < q; ++k) squares[k * p + k] += options.linear.ridge * static_cast<double>(n);
  std::vector<double> coefficients(p);
  multiply(1.0, {design.data(), n, p, 0, true}, {data.target.data(), n, 1}, 0.0, coefficients.data());
  // With the ridge on every slope and a constant column beside them the matrix is positive definite.
  cholesky_lower(squares.data(), p);
  solve_lower(squares.data(), p, false, coefficients.data(), 1);
  solve_lower(squares.data(), p, true, coefficients.data(), 1);

  // Residual of a row when it is left out: its residual / (1 - its leverage).
  std::vector<double> rows(p * n);
  std::vector<double> residuals(n);
  for (std::size_t i = 0; i < n; ++i) {
    double fitted = 0.0;
    for (std::size_t k = 0; k < p; ++k) {
      rows[i * p + k] = design[k * n + i];
      fitted += design[k * n + i] * coefficients[k];
    }
    residuals[i] = data.target[i] - fitted;
  }
  solve_lower(squares.data(), p, false, rows.data(), n);
  constexpr double kLeastFreedom = 1e-8;  // a row that alone determines a slope has nothing left to compare with
  double sum_of_squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double leverage = 0.0;
    for (std::size_t k = 0; k < p; ++k) leverage += rows[i * p + k] * rows[i * p + k];
    residuals[i] /= std::max(1.0 - leverage, kLeastFreedom);
    sum_of_squares += residuals[i] * residuals[i];
  }
  const double intercept = coefficients.back();
  coefficients.pop_back();
  return std::make_shared<LinearSampler>(intercept, std::move(coefficients), fit_noise(residuals),
                                         std::sqrt(sum_of_squares / static_cast<double>(n)),
                                         find_reach(data.conditions, n, data.index, context));
}

std::shared_ptr<const ConditionalSampler> restore_linear(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  DataReach reach;
  reach.values = reader.array("reach", StateReader::kAny);
  reach.spacing = reader.positive("reach_spacing", 1).front();
  reach.rows = conditions > 0 ? reach.values.size() / conditions : 0;
  if (reader.count("reach_rows", reach.rows) * conditions != reach.values.size()) {
    reader.fail("its rows of data have the wrong size");
  }
  if (conditions > 0 && reach.rows == 0) reader.fail("it has no rows of data");
  return std::make_shared<LinearSampler>(reader.array("intercept", 1).front(), reader.array("slopes", conditions),
                                         reader.noise(), reader.not_negative("noise_sd", 1).front(), std::move(reach));
}

}  // namespace olem::flow
