#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sampler/gp/gp_evaluator.h"
#include "sampler/gp/gp_training.h"
#include "sampler/kinds.h"
#include "sampler/noise_distribution.h"
#include "sampler/state_reader.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kKernels = {{
    {"arcsine", "of a sigmoid network with infinitely many units: levels off away from the data"},
    {"rbf", "squared exponential: returns to the linear part away from the data"},
}};

}  // namespace

OptionSet describe(GpOptions& options) {
  OptionSet set;
  set.choice("gp_kernel", options.kernel, kKernels, "nonlinear part of the gp sampler");
  set.integer("gp_rows", options.rows, 10, 20000, "most rows on which the gp sampler seeks its hyper-parameters");
  set.integer("gp_inducing", options.inducing, 1, 1000, "most points that carry the nonlinear part of a gp sampler");
  set.real("gp_penalty", options.penalty, 0.0, 1000.0,
           "weight of the square roots of relevances and linear variances, in nats");
  set.real("gp_prune", options.prune, 0.0, 1e6,
           "an input leaves the nonlinear part when that costs less than this many nats");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

constexpr double kVarianceLimit = 1.0;  // posterior variance over noise variance: half of what is drawn is doubt
constexpr std::size_t kDrawsAtOnce = 256;

class GpSampler;

class GpRun : public SamplerRun {
 public:
  GpRun(const GpSampler& sampler, std::span<const double> noise, std::size_t draws);
  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override;
  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override;
  void forgo_gradient() override { evaluator_.forgo_gradient(); }

 private:
  const GpSampler& sampler_;
  GpEvaluator evaluator_;
  std::vector<double> residual_;
  std::vector<double> doubt_;
  std::vector<Condition> inputs_;
  std::vector<double*> input_gradients_;
  std::vector<double> by_variance_;
  double caution_ = 0.0;
};

class GpSampler : public ConditionalSampler {
 public:
  GpSampler(std::size_t conditions, std::vector<std::size_t> inputs, GpModel model, NoiseDistribution noise)
      : conditions_(conditions), inputs_(std::move(inputs)), model_(std::move(model)), noise_(std::move(noise)) {}

  const GpModel& model() const { return model_; }
  const NoiseDistribution& noise() const { return noise_; }

  template <class T>
  void pick(std::span<const T> all, std::vector<T>& used) const {
    used.clear();
    for (const std::size_t k : inputs_) used.push_back(all[k]);
  }

  std::size_t conditions() const override { return conditions_; }
  std::size_t noise_entries() const override { return 2; }

  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.inputs.resize(conditions_);
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      SamplerInput& input = facts.inputs[inputs_[k]];
      input.slope = model_.slopes[k];
      input.relevance = model_.points.points > 0 ? model_.parameters.relevance[k] : 0.0;
      input.used = true;
    }
    facts.noise_sd = std::sqrt(model_.parameters.noise);
    const std::size_t nonlinear = model_.points.points > 0 ? model_.parameters.nonlinear_inputs().size() : 0;
    if (inputs_.empty()) {
      facts.form = conditions_ == 0 ? "marginal" : "depends on none of its inputs";
    } else if (nonlinear == 0) {
      facts.form = fmt::format("linear in {} of {} inputs", inputs_.size(), conditions_);
    } else {
      facts.form = fmt::format("nonlinear in {} and linear in {} of {} inputs", nonlinear, inputs_.size(), conditions_);
    }
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<GpRun>(*this, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    for_blocks(conditions, y.size(), caution > 0.0, [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
      const double sd = caution > 0.0 ? caution * std::sqrt(evaluator.variance()[i]) : 0.0;
      out[at] = noise_.log_density(y[at] - evaluator.mean()[i], sd);
    });
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    for_blocks(conditions, out.size(), true, [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
      out[at] = evaluator.variance()[i] / model_.parameters.noise;
    });
  }
  double extrapolation_limit() const override { return kVarianceLimit; }

  std::optional<std::vector<double>> slopes(double caution) const override {
    if (model_.points.points > 0 || (caution > 0.0 && !inputs_.empty())) return std::nullopt;
    std::vector<double> all(conditions_, 0.0);
    for (std::size_t k = 0; k < inputs_.size(); ++k) all[inputs_[k]] = model_.slopes[k];
    return all;
  }

  SamplerState state() const override {
    const GpParameters& parameters = model_.parameters;
    SamplerState state;
    state.kind = "gp";
    state.settings["kernel"] = std::string(kKernels[static_cast<std::size_t>(parameters.kernel)].name);
    state.settings["conditions"] = conditions_;
    state.settings["points"] = model_.points.points;
    if (model_.spread_points < model_.points.points) state.settings["spread_points"] = model_.spread_points;
    state.settings["directions"] = model_.directions;
    state.arrays.push_back({"inputs", {inputs_.begin(), inputs_.end()}});
    state.arrays.push_back({"variances", {parameters.constant, parameters.noise, parameters.signal, parameters.bias}});
    state.arrays.push_back({"linear", parameters.linear});
    state.arrays.push_back({"relevance", parameters.relevance});
    state.arrays.push_back({"points", model_.points.values});
    state.arrays.push_back({"scales", model_.points.scales});
    state.arrays.push_back({"intercept", {model_.intercept}});
    state.arrays.push_back({"slopes", model_.slopes});
    state.arrays.push_back({"weights", model_.weights});
    state.arrays.push_back({"spread", model_.spread});
    store_noise(noise_, state);
    return state;
  }

 private:
  template <class Body>
  void for_blocks(std::span<const Condition> conditions, std::size_t draws, bool with_variance,
                  const Body& body) const {
    GpEvaluator evaluator(model_);
    evaluator.forgo_gradient();
    std::vector<Condition> inputs;
    for (std::size_t first = 0; first < draws; first += kDrawsAtOnce) {
      const std::size_t count = std::min(kDrawsAtOnce, draws - first);
      pick(conditions, inputs);
      for (Condition& input : inputs) input.values += input.shared ? 0 : first;
      evaluator.evaluate(inputs, count, with_variance);
      for (std::size_t i = 0; i < count; ++i) body(first + i, i, evaluator);
    }
  }

  std::size_t conditions_;
  std::vector<std::size_t> inputs_;  // the conditions that the model uses
  GpModel model_;
  NoiseDistribution noise_;
};

GpRun::GpRun(const GpSampler& sampler, std::span<const double> noise, std::size_t draws)
    : sampler_(sampler),
      evaluator_(sampler.model()),
      residual_(draws),
      doubt_(noise.data() + draws, noise.data() + 2 * draws) {
  for (std::size_t i = 0; i < draws; ++i) residual_[i] = sampler.noise().draw(noise[i]);
}

void GpRun::sample(std::span<const Condition> conditions, double caution, std::span<double> y) {
  caution_ = caution;
  sampler_.pick(conditions, inputs_);
  evaluator_.evaluate(inputs_, y.size(), caution > 0.0);
  const std::span<const double> mean = evaluator_.mean();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = mean[i] + residual_[i];
  if (!(caution > 0.0)) return;
  const std::span<const double> variance = evaluator_.variance();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += caution * std::sqrt(variance[i]) * doubt_[i];
}

void GpRun::add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) {
  sampler_.pick(gradients, input_gradients_);
  by_variance_.clear();
  if (caution_ > 0.0) {
    const std::span<const double> variance = evaluator_.variance();
    const double least = evaluator_.least_variance();
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      by_variance_.push_back(variance[i] > least ? adjoint[i] * caution_ * doubt_[i] / (2.0 * std::sqrt(variance[i]))
                                                 : 0.0);
    }
  }
  evaluator_.add_gradient(adjoint, by_variance_, input_gradients_);
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_gp(const SamplerData& data, const SamplerOptions& options,
                                                 const Context& context) {
  TrainedGp trained = train_gp(data.conditions, data.target, options.gp, data.index, context);
  return std::make_shared<GpSampler>(data.conditions.size(), std::move(trained.inputs), std::move(trained.model),
                                     std::move(trained.noise.distribution));
}

std::shared_ptr<const ConditionalSampler> restore_gp(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  const std::vector<std::size_t> inputs = reader.indices("inputs", StateReader::kAny, conditions);
  const std::size_t q = inputs.size();
  GpModel model;
  GpParameters& parameters = model.parameters;
  const std::string kernel = reader.word("kernel");
  const auto found = std::find_if(kKernels.begin(), kKernels.end(), [&](const Choice& c) { return c.name == kernel; });
  if (found == kKernels.end()) reader.fail(fmt::format("'{}' is not a kernel", kernel));
  parameters.kernel = static_cast<GpKernel>(found - kKernels.begin());
  const std::vector<double> variances = reader.positive("variances", 4);
  parameters.constant = variances[0];
  parameters.noise = variances[1];
  parameters.signal = variances[2];
  parameters.bias = variances[3];
  parameters.linear = reader.not_negative("linear", q);
  parameters.relevance = reader.not_negative("relevance", q);

  model.weights = reader.array("weights", StateReader::kAny);
  model.points.points = model.weights.size();
  if (reader.count("points", model.points.points) != model.points.points) reader.fail("the points are too many");
  model.points.coordinates = model.points.points > 0 ? parameters.nonlinear_inputs().size() + 1 : 0;
  model.points.values = reader.array("points", model.points.points * model.points.coordinates);
  model.points.scales = reader.array("scales", model.points.points);
  model.intercept = reader.array("intercept", 1).front();
  model.slopes = reader.array("slopes", q);
  model.spread_points =
      reader.has("spread_points") ? reader.count("spread_points", model.points.points) : model.points.points;
  std::vector<double> spread = reader.array("spread", StateReader::kAny);
  const std::size_t directions = reader.count("directions", model.features());
  if (directions * model.features() != spread.size()) reader.fail("the posterior spread has the wrong size");
  set_spread(model, directions, std::move(spread));
  return std::make_shared<GpSampler>(conditions, inputs, std::move(model), reader.noise());
}

}  // namespace olem::internal::sampling
