#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "olem/sampler_set.h"

namespace olem::internal {

// V = L V + e, e ~ N(eta, Omega): variables of a sampler set in standardised units, each a line of those before it with
// normal noise. What is set or seen changes L, eta and Omega; the distribution of V follows.
class LinearGaussian {
 public:
  // Variables without a sampler begin at 0 without noise, to be set. Nothing when a sampler is no line with normal
  // noise. `used` limits the variables that are looked at; others stay 0.
  static std::optional<LinearGaussian> of(const SamplerSet& set, const std::vector<bool>& used);

  // V_i = value from outside: its causes are cut off.
  void set(std::size_t variable, double value);
  // V_i = value was seen: everything that shares noise with it is known better. Returns by how many standard deviations
  // it lies from what was expected; 0 where it was certain.
  double observe(std::size_t variable, double value);

  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  const Eigen::VectorXd& eta() const { return eta_; }
  const Eigen::MatrixXd& omega() const { return omega_; }

 private:
  Eigen::MatrixXd total_effects() const;  // (I - L)^-1

  Eigen::MatrixXd l_;
  Eigen::VectorXd eta_;
  Eigen::MatrixXd omega_;
};

}  // namespace olem::internal
