#include <algorithm>
#include <limits>

#include "sampler/kinds.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

namespace {

class ConstantRun : public SamplerRun {
 public:
  void sample(std::span<const Condition> /*conditions*/, double /*caution*/, std::span<double> y) override {
    std::fill(y.begin(), y.end(), 0.0);
  }
  void add_gradient(std::span<const double> /*adjoint*/, std::span<double* const> /*gradients*/) override {}
};

class ConstantSampler : public ConditionalSampler {
 public:
  explicit ConstantSampler(std::size_t conditions) : conditions_(conditions) {}

  std::size_t conditions() const override { return conditions_; }
  std::size_t noise_entries() const override { return 0; }
  SamplerFacts facts() const override { return {"constant", std::vector<SamplerInput>(conditions_), 0.0, true, {}}; }

  std::unique_ptr<SamplerRun> start(std::span<const double> /*noise*/, std::size_t /*draws*/) const override {
    return std::make_unique<ConstantRun>();
  }

  // All probability is on one value: the logarithm of a probability, not of a density.
  void log_density(std::span<const Condition> /*conditions*/, std::span<const double> y, double /*caution*/,
                   std::span<double> out) const override {
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = y[i] == 0.0 ? 0.0 : -std::numeric_limits<double>::infinity();
  }

  void extrapolation(std::span<const Condition> /*conditions*/, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  double extrapolation_limit() const override { return 1.0; }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override {
    return std::vector<double>(conditions_, 0.0);
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "constant";
    state.settings["conditions"] = conditions_;
    return state;
  }

 private:
  std::size_t conditions_;
};

}  // namespace

std::shared_ptr<const ConditionalSampler> make_constant(std::size_t conditions) {
  return std::make_shared<ConstantSampler>(conditions);
}

std::shared_ptr<const ConditionalSampler> restore_constant(const SamplerState& state) {
  return make_constant(StateReader(state).count("conditions", kMostConditions));
}

}  // namespace olem::internal::sampling
