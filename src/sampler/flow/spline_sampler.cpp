#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lbfgsb.h"
#include "core/special.h"
#include "sampler/flow/network_sampler.h"
#include "sampler/flow/spline_network.h"
#include "sampler/kinds.h"
#include "sampler/ridge_trend.h"

namespace olem {

using namespace internal;

namespace {

constexpr int kMostSplineUnits = 10000;

}  // namespace

OptionSet describe(SplineOptions& options) {
  OptionSet set;
  set.integer("spline_bins", options.bins, 2, static_cast<int>(sampling::SplineMap::kMostBins),
              "bins of the spline sampler");
  set.integer("spline_width", options.width, 1, kMostSplineUnits,
              "units in each of the two hidden layers of the spline sampler");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

using nn::Index;
using Network = SplineNetwork<float>;

constexpr double kLeastScale = 1e-8;  // of residuals: where a line explains everything, rounding is left

// y = mean + sd (intercept + slopes^T inputs + scale S(z; inputs)), everything inside in the network's units and S the
// inverse of the spline map.
struct SplineParts {
  Network network;
  NetworkUnits units;
  double intercept = 0.0;
  std::vector<double> slopes;
  double scale = 1.0;
  bool bent = false;  // the inputs change the spline; otherwise they enter by the slopes alone
  std::vector<float> weights;

  double trend(const nn::Matrix<float>& input, Index column) const {
    double sum = intercept;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      sum += slopes[k] * static_cast<double>(input(static_cast<Index>(k), column));
    }
    return sum;
  }

  // Makes `map` that of one column.
  void set_map(const Network::Batch& batch, Index column, std::vector<double>& raw, SplineMap& map) const {
    raw.resize(static_cast<std::size_t>(batch.raw.rows()));
    for (std::size_t p = 0; p < raw.size(); ++p) raw[p] = static_cast<double>(batch.raw(static_cast<Index>(p), column));
    map.set(raw);
  }
};

class SplineRun : public SamplerRun {
 public:
  SplineRun(const SplineParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts),
        batch_(parts.network.shape(), static_cast<Index>(draws)),
        map_(parts.network.shape().bins),
        noise_(noise.begin(), noise.begin() + static_cast<std::ptrdiff_t>(draws)),
        residual_(draws) {}

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    shared_.clear();
    for (const Condition& condition : conditions) shared_.push_back(condition.shared);
    parts_.units.fill(conditions, 0, batch_.input);
    parts_.network.forward(parts_.weights.data(), batch_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto column = static_cast<Index>(i);
      parts_.set_map(batch_, column, raw_, map_);
      residual_[i] = map_.inverse(noise_[i]);
      y[i] = parts_.units.target_mean +
             parts_.units.target_sd * (parts_.trend(batch_.input, column) + parts_.scale * residual_[i]);
    }
  }

  // The noise z = f(r; parameters) of a draw is fixed: dr/dparameters = -(df/dparameters) / (df/dr).
  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    std::vector<double> gradient(static_cast<std::size_t>(batch_.raw.rows()));
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      const auto column = static_cast<Index>(i);
      parts_.set_map(batch_, column, raw_, map_);
      double log_slope = 0.0;
      map_.forward(residual_[i], log_slope);
      std::fill(gradient.begin(), gradient.end(), 0.0);
      map_.add_gradient(residual_[i], -adjoint[i] * parts_.units.target_sd * parts_.scale * std::exp(-log_slope), 0.0,
                        gradient);
      for (std::size_t p = 0; p < gradient.size(); ++p) {
        batch_.d_raw(static_cast<Index>(p), column) = static_cast<float>(gradient[p]);
      }
    }
    parts_.network.input_gradient(parts_.weights.data(), batch_);
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      for (std::size_t k = 0; k < parts_.slopes.size(); ++k) {
        batch_.d_input(static_cast<Index>(k), static_cast<Index>(i)) +=
            static_cast<float>(adjoint[i] * parts_.units.target_sd * parts_.slopes[k]);
      }
    }
    parts_.units.add_gradient(batch_.d_input, shared_, gradients);
  }

 private:
  const SplineParts& parts_;
  Network::Batch batch_;
  SplineMap map_;
  std::vector<double> noise_;
  std::vector<double> residual_;  // of the latest sample, before its scale
  std::vector<double> raw_;
  std::vector<bool> shared_;
};

class SplineMember : public NetworkMember {
 public:
  explicit SplineMember(SplineParts parts) : parts_(std::move(parts)) {}

  std::size_t noise_entries() const override { return 1; }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<SplineRun>(parts_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y,
                   std::span<double> out) const override {
    constexpr std::size_t kRowsPerBlock = 256;
    const NetworkUnits& units = parts_.units;
    SplineMap map(parts_.network.shape().bins);
    std::vector<double> raw;
    std::vector<Condition> block(conditions.begin(), conditions.end());
    for (std::size_t first = 0; first < y.size(); first += kRowsPerBlock) {
      const std::size_t count = std::min(kRowsPerBlock, y.size() - first);
      for (std::size_t k = 0; k < block.size(); ++k) {
        block[k].values = conditions[k].values + (conditions[k].shared ? 0 : first);
      }
      Network::Batch batch(parts_.network.shape(), static_cast<Index>(count));
      units.fill(block, 0, batch.input);
      parts_.network.forward(parts_.weights.data(), batch);
      for (std::size_t i = 0; i < count; ++i) {
        const auto column = static_cast<Index>(i);
        parts_.set_map(batch, column, raw, map);
        const double residual =
            ((y[first + i] - units.target_mean) / units.target_sd - parts_.trend(batch.input, column)) / parts_.scale;
        double log_slope = 0.0;
        const double z = map.forward(residual, log_slope);
        out[first + i] = -0.5 * z * z - kHalfLog2Pi + log_slope - std::log(units.target_sd * parts_.scale);
      }
    }
  }

  std::optional<std::vector<double>> slopes() const override {
    if (parts_.bent) return std::nullopt;
    std::vector<double> result(parts_.slopes.size());
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = parts_.units.target_sd * parts_.slopes[k] * parts_.units.factor[k];
    }
    return result;
  }

  void store(const std::string& suffix, SamplerState& state) const override {
    const SplineShape& shape = parts_.network.shape();
    state.settings["bins"] = shape.bins;
    state.settings["width"] = static_cast<std::size_t>(shape.width);
    parts_.units.store(suffix, state);
    state.arrays.push_back({"intercept" + suffix, {parts_.intercept}});
    state.arrays.push_back({"slopes" + suffix, parts_.slopes});
    state.arrays.push_back({"scale" + suffix, {parts_.scale}});
    state.arrays.push_back({"bent" + suffix, {parts_.bent ? 1.0 : 0.0}});
    store_weights(parts_.weights, suffix, state);
  }

 private:
  SplineParts parts_;
};

// The raw parameters of one spline for all residuals, by maximum likelihood with a standard normal prior on each: it
// weighs as much as one row and keeps bins without rows at the identity.
std::vector<double> fit_marginal(std::span<const double> residuals, std::size_t bins, const Context& context) {
  const std::size_t count = SplineMap::parameters(bins);
  const auto n = static_cast<double>(residuals.size());
  SplineMap map(bins);
  const auto objective = [&](std::span<const double> raw, std::span<double> gradient) {
    map.set(raw);
    double sum = 0.0;
    for (std::size_t p = 0; p < count; ++p) {
      sum += 0.5 * raw[p] * raw[p] / n;
      gradient[p] = raw[p] / n;
    }
    for (const double residual : residuals) {
      double log_slope = 0.0;
      const double z = map.forward(residual, log_slope);
      sum += (0.5 * z * z - log_slope) / n;
      map.add_gradient(residual, z / n, -1.0 / n, gradient);
    }
    return sum;
  };
  const std::vector<double> unbounded(count, std::numeric_limits<double>::infinity());
  const std::vector<double> below(count, -std::numeric_limits<double>::infinity());
  LbfgsbOptions options;
  options.iterations = 200;
  options.relative_reduction = 1e-7;
  return minimise_lbfgsb(std::vector<double>(count, 0.0), below, unbounded, objective, options, context).x;
}

std::unique_ptr<const NetworkMember> fit_spline(const NetworkRows& rows, const SamplerOptions& options,
                                                const Context& context) {
  const std::size_t q = rows.inputs.size();
  SplineParts parts{
      Network({static_cast<Index>(q), options.spline.width, static_cast<std::size_t>(options.spline.bins)}),
      rows.units,
      0.0,
      {},
      1.0,
      false,
      {}};
  Inputs training_inputs;
  for (const std::vector<double>& column : rows.inputs) training_inputs.emplace_back(column.data(), rows.training);
  RidgeTrend trend = fit_ridge(training_inputs, std::span(rows.target).first(rows.training), options.linear.ridge);
  parts.intercept = trend.intercept;
  parts.slopes = std::move(trend.slopes);
  double squares = 0.0;
  for (const double residual : trend.leave_one_out) squares += residual * residual;
  parts.scale = std::max(kLeastScale, std::sqrt(squares / static_cast<double>(rows.training)));

  std::vector<double> residuals(rows.target.size());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    double fitted = parts.intercept;
    for (std::size_t k = 0; k < q; ++k) fitted += parts.slopes[k] * rows.inputs[k][i];
    residuals[i] = (rows.target[i] - fitted) / parts.scale;
  }
  for (double& residual : trend.leave_one_out) residual /= parts.scale;
  const std::vector<double> marginal =
      fit_marginal(trend.leave_one_out, static_cast<std::size_t>(options.spline.bins), context);

  const Network& network = parts.network;
  const auto count = static_cast<std::size_t>(network.weight_count());
  context.require_memory(6 * count * sizeof(float), fmt::format("The spline sampler of '{}'", rows.name));
  parts.weights.resize(count);
  network.initialise(parts.weights.data(), marginal, RandomStream(context.seed, "spline.weights", rows.index));
  if (q == 0) return std::make_unique<SplineMember>(std::move(parts));

  const nn::TrainingOptions training = training_options(options.network, rows, "spline");
  const auto fill = [&](Index column, std::size_t row, Network::Batch& batch) {
    for (std::size_t k = 0; k < q; ++k) {
      batch.input(static_cast<Index>(k), column) = static_cast<float>(rows.inputs[k][row]);
    }
  };
  nn::TrainingProblem<float> problem;
  problem.loss = [&](std::span<const std::size_t> chosen, std::uint64_t /*step*/, std::span<float> gradient) {
    Network::Batch batch(network.shape(), static_cast<Index>(chosen.size()));
    std::vector<double> target(chosen.size());
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      fill(static_cast<Index>(j), chosen[j], batch);
      target[j] = residuals[chosen[j]];
    }
    network.forward(parts.weights.data(), batch);
    const double loss = network.loss(target, batch, true);
    network.add_gradient(parts.weights.data(), batch, gradient.data());
    return loss;
  };
  problem.validation_loss = [&] {
    double sum = 0.0;
    for (std::size_t first = rows.training; first < residuals.size(); first += training.batch) {
      context.check_interrupt();
      const std::size_t columns = std::min(training.batch, residuals.size() - first);
      Network::Batch batch(network.shape(), static_cast<Index>(columns));
      for (std::size_t j = 0; j < columns; ++j) fill(static_cast<Index>(j), first + j, batch);
      network.forward(parts.weights.data(), batch);
      sum += network.loss(std::span(residuals).subspan(first, columns), batch, false) * static_cast<double>(columns);
    }
    return sum / static_cast<double>(rows.validation());
  };
  const std::vector<float> first_stage = parts.weights;
  const double first_loss = problem.validation_loss();
  const nn::TrainingResult trained = nn::train<float>(parts.weights, problem, training, context);
  parts.bent = trained.best_loss && *trained.best_loss < first_loss;
  if (parts.bent) {
    warn_unless_converged(trained, training, rows);
  } else {
    parts.weights = first_stage;
  }
  return std::make_unique<SplineMember>(std::move(parts));
}

std::unique_ptr<const NetworkMember> read_spline(const StateReader& reader, std::size_t inputs,
                                                 const std::string& suffix) {
  SplineShape shape;
  shape.inputs = static_cast<Index>(inputs);
  shape.width = static_cast<Index>(reader.count("width", kMostSplineUnits));
  shape.bins = reader.count("bins", SplineMap::kMostBins);
  if (shape.width < 1 || shape.bins < 2) reader.fail("its network is empty");
  SplineParts parts{Network(shape), read_units(reader, inputs, suffix), 0.0, {}, 1.0, false, {}};
  parts.intercept = reader.array("intercept" + suffix, 1).front();
  parts.slopes = reader.array("slopes" + suffix, inputs);
  parts.scale = reader.positive("scale" + suffix, 1).front();
  parts.bent = reader.indices("bent" + suffix, 1, 2).front() == 1;
  parts.weights = read_weights(reader, static_cast<std::size_t>(parts.network.weight_count()), suffix);
  return std::make_unique<SplineMember>(std::move(parts));
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_spline(const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context) {
  return fit_network(
      "spline", data, options, [&](const NetworkRows& rows) { return fit_spline(rows, options, context); }, context);
}

std::shared_ptr<const ConditionalSampler> restore_spline(const SamplerState& state) {
  return restore_network(state, read_spline);
}

}  // namespace olem::internal::sampling
