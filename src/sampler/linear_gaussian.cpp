#include "sampler/linear_gaussian.h"

#include <cmath>

#include "olem/sampler_state.h"

namespace olem::internal {

namespace {

constexpr double kNoVariance = 1e-14;

}  // namespace

std::optional<LinearGaussian> LinearGaussian::of(const SamplerSet& set, const std::vector<bool>& used) {
  const auto d = static_cast<Eigen::Index>(set.variables.size());
  LinearGaussian model;
  model.l_ = Eigen::MatrixXd::Zero(d, d);
  model.eta_ = Eigen::VectorXd::Zero(d);
  model.omega_ = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t v = 0; v < set.variables.size(); ++v) {
    const SamplerVariable& variable = set.variables[v];
    if (!used[v] || !variable.sampler) continue;
    const SamplerState state = variable.sampler->state();
    if (state.kind != "gaussian" || state.settings.value("fit", "") != "least_squares") return std::nullopt;
    const auto row = static_cast<Eigen::Index>(v);
    for (const SamplerState::Array& array : state.arrays) {
      if (array.name == "intercept") model.eta_[row] = array.values.front();
      if (array.name == "noise_sd") model.omega_(row, row) = array.values.front() * array.values.front();
      if (array.name != "slopes") continue;
      for (std::size_t k = 0; k < array.values.size(); ++k)
        model.l_(row, static_cast<Eigen::Index>(variable.conditions[k])) = array.values[k];
    }
  }
  return model;
}

Eigen::MatrixXd LinearGaussian::total_effects() const {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(l_.rows(), l_.cols());
  return (identity - l_).triangularView<Eigen::UnitLower>().solve(identity);
}

void LinearGaussian::set(std::size_t variable, double value) {
  const auto i = static_cast<Eigen::Index>(variable);
  l_.row(i).setZero();
  eta_[i] = value;
  omega_.row(i).setZero();
  omega_.col(i).setZero();
}

double LinearGaussian::observe(std::size_t variable, double value) {
  const Eigen::RowVectorXd effects = total_effects().row(static_cast<Eigen::Index>(variable));
  const Eigen::VectorXd g = omega_ * effects.transpose();
  const double variance = effects * g;
  if (!(variance > kNoVariance)) return 0.0;
  const double distance = value - effects * eta_;
  eta_ += g * (distance / variance);
  omega_ -= g * g.transpose() / variance;
  return distance / std::sqrt(variance);
}

Eigen::VectorXd LinearGaussian::mean() const { return total_effects() * eta_; }

Eigen::MatrixXd LinearGaussian::covariance() const {
  const Eigen::MatrixXd effects = total_effects();
  return effects * omega_ * effects.transpose();
}

}  // namespace olem::internal
