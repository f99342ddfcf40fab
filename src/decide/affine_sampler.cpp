#include "decide/affine_sampler.h"

#include <algorithm>
#include <utility>

#include "olem/error.h"
#include "olem/sampler_state.h"

namespace olem::internal {

namespace {

class AffineRun : public SamplerRun {
 public:
  AffineRun(double constant, const std::vector<double>& slopes) : constant_(constant), slopes_(slopes) {}

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    shared_.clear();
    for (const Condition& condition : conditions) shared_.push_back(condition.shared);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = constant_;
      for (std::size_t k = 0; k < slopes_.size(); ++k)
        y[i] += slopes_[k] * conditions[k].values[conditions[k].shared ? 0 : i];
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      if (gradients[k] == nullptr) continue;
      for (std::size_t i = 0; i < adjoint.size(); ++i) gradients[k][shared_[k] ? 0 : i] += slopes_[k] * adjoint[i];
    }
  }

 private:
  double constant_;
  const std::vector<double>& slopes_;
  std::vector<bool> shared_;
};

class AffineSampler : public ConditionalSampler {
 public:
  AffineSampler(double constant, std::vector<double> slopes) : constant_(constant), slopes_(std::move(slopes)) {}

  std::size_t conditions() const override { return slopes_.size(); }
  std::size_t noise_entries() const override { return 0; }
  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.form = kAffineForm;
    for (const double slope : slopes_) facts.inputs.push_back({slope, 0.0, slope != 0.0});
    return facts;
  }
  std::unique_ptr<SamplerRun> start(std::span<const double> /*noise*/, std::size_t /*draws*/) const override {
    return std::make_unique<AffineRun>(constant_, slopes_);
  }
  void log_density(std::span<const Condition> /*conditions*/, std::span<const double> /*y*/, double /*caution*/,
                   std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);  // it is certain
  }
  void extrapolation(std::span<const Condition> /*conditions*/, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  double extrapolation_limit() const override { return 1.0; }
  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return slopes_; }
  SamplerState state() const override {
    throw Error(ErrorCategory::kInternal, "A sum of a plan is not kept in a file.");
  }

 private:
  double constant_;
  std::vector<double> slopes_;
};

}  // namespace

std::shared_ptr<const ConditionalSampler> make_affine_sampler(double constant, std::vector<double> slopes) {
  return std::make_shared<AffineSampler>(constant, std::move(slopes));
}

}  // namespace olem::internal
