#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sampler/gp/gp_blocks.h"
#include "sampler/gp/gp_evaluator.h"
#include "sampler/gp/gp_state.h"
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

constexpr double kVarianceLimit =
    1.0;  // posterior variance over noise variance: half of what is drawn is posterior variance

class GpSampler;

class GpRun : public SamplerRun {
 public:
  GpRun(const GpSampler& sampler, std::span<const double> noise, std::size_t draws);
  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override;
  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override;
  void forgo_gradient() override { evaluator_.forgo_gradient(); }
  void hold_function(std::span<const double> normals) override {
    held_ = normals.empty() ? std::nullopt : std::optional(normals.front());
  }

 private:
  const GpSampler& sampler_;
  GpEvaluator evaluator_;
  std::vector<double> residual_;
  std::vector<double> doubt_;
  std::optional<double> held_;  // in place of all of doubt_
  std::vector<Condition> inputs_;
  std::vector<double*> input_gradients_;
  std::vector<double> by_variance_;
  double caution_ = 0.0;
};

class GpSampler : public ConditionalSampler {
 public:
  GpSampler(GpOnInputs process, NoiseDistribution noise) : process_(std::move(process)), noise_(std::move(noise)) {}

  const GpOnInputs& process() const { return process_; }
  const NoiseDistribution& noise() const { return noise_; }

  std::size_t conditions() const override { return process_.conditions; }
  std::size_t noise_entries() const override { return 2; }
  std::size_t function_entries() const override { return 1; }

  SamplerFacts facts() const override { return gp_facts(process_); }

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
      out[at] = evaluator.variance()[i] / process_.model.parameters.noise;
    });
  }
  double extrapolation_limit() const override { return kVarianceLimit; }

  std::optional<std::vector<double>> slopes(double caution) const override {
    const GpModel& model = process_.model;
    if (model.points.points > 0 || (caution > 0.0 && !process_.inputs.empty())) return std::nullopt;
    std::vector<double> all(process_.conditions, 0.0);
    for (std::size_t k = 0; k < process_.inputs.size(); ++k) all[process_.inputs[k]] = model.slopes[k];
    return all;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "gp";
    store_gp(process_, state);
    store_noise(noise_, state);
    return state;
  }

 private:
  template <class Body>
  void for_blocks(std::span<const Condition> conditions, std::size_t draws, bool with_variance,
                  const Body& body) const {
    for_gp_blocks(process_, conditions, draws, with_variance, body);
  }

  GpOnInputs process_;
  NoiseDistribution noise_;
};

GpRun::GpRun(const GpSampler& sampler, std::span<const double> noise, std::size_t draws)
    : sampler_(sampler),
      evaluator_(sampler.process().model),
      residual_(draws),
      doubt_(noise.data() + draws, noise.data() + 2 * draws) {
  for (std::size_t i = 0; i < draws; ++i) residual_[i] = sampler.noise().draw(noise[i]);
}

void GpRun::sample(std::span<const Condition> conditions, double caution, std::span<double> y) {
  caution_ = caution;
  sampler_.process().pick(conditions, inputs_);
  evaluator_.evaluate(inputs_, y.size(), caution > 0.0);
  const std::span<const double> mean = evaluator_.mean();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = mean[i] + residual_[i];
  if (!(caution > 0.0)) return;
  const std::span<const double> variance = evaluator_.variance();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += caution * std::sqrt(variance[i]) * held_.value_or(doubt_[i]);
}

void GpRun::add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) {
  sampler_.process().pick(gradients, input_gradients_);
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

SamplerFacts gp_facts(const GpOnInputs& process) {
  const GpModel& model = process.model;
  SamplerFacts facts;
  facts.inputs.resize(process.conditions);
  for (std::size_t k = 0; k < process.inputs.size(); ++k) {
    SamplerInput& input = facts.inputs[process.inputs[k]];
    input.slope = model.slopes[k];
    input.relevance = model.points.points > 0 ? model.parameters.relevance[k] : 0.0;
    input.used = true;
  }
  facts.noise_sd = std::sqrt(model.parameters.noise);
  const std::size_t nonlinear = model.points.points > 0 ? model.parameters.nonlinear_inputs().size() : 0;
  if (process.inputs.empty()) {
    facts.form = process.conditions == 0 ? "marginal" : "depends on none of its inputs";
  } else if (nonlinear == 0) {
    facts.form = fmt::format("linear in {} of {} inputs", process.inputs.size(), process.conditions);
  } else {
    facts.form = fmt::format("nonlinear in {} and linear in {} of {} inputs", nonlinear, process.inputs.size(),
                             process.conditions);
  }
  return facts;
}

std::shared_ptr<const ConditionalSampler> fit_gp(const SamplerData& data, const SamplerOptions& options,
                                                 const Context& context) {
  TrainedGp trained = train_gp(data.conditions, data.target, options.gp, data.index, context);
  return make_gp(data.conditions.size(), std::move(trained));
}

std::shared_ptr<const ConditionalSampler> refit_gp(const ConditionalSampler& like, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context) {
  const auto* const gp = dynamic_cast<const GpSampler*>(&like);
  if (gp == nullptr || gp->conditions() != data.conditions.size()) return fit_gp(data, options, context);
  const GpOnInputs& process = gp->process();
  TrainedGp trained = retrain_gp(process.model.parameters, process.inputs, data.conditions, data.target, options.gp,
                                 data.index, context);
  return make_gp(data.conditions.size(), std::move(trained));
}

std::shared_ptr<const ConditionalSampler> extend_gp_sampler(const ConditionalSampler& like, const SamplerData& data,
                                                            const SamplerOptions& options, const Context& context) {
  const auto* const gp = dynamic_cast<const GpSampler*>(&like);
  if (gp == nullptr || gp->conditions() != data.conditions.size()) return nullptr;
  const GpOnInputs& process = gp->process();
  return make_gp(data.conditions.size(), extend_gp(process.model.parameters, process.inputs, data.conditions,
                                                   data.target, {}, options.gp, data.index, context));
}

std::shared_ptr<const ConditionalSampler> make_gp(std::size_t conditions, TrainedGp trained) {
  return std::make_shared<GpSampler>(GpOnInputs{conditions, std::move(trained.inputs), std::move(trained.model)},
                                     std::move(trained.noise.distribution));
}

std::shared_ptr<const ConditionalSampler> restore_gp(const SamplerState& state) {
  const StateReader reader(state);
  GpOnInputs process = read_gp(reader);
  return std::make_shared<GpSampler>(std::move(process), reader.noise());
}

}  // namespace olem::internal::sampling
