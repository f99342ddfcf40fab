#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "olem/random.h"

namespace olem::internal {

// Linear equations whose coefficients drift: V_t = A(t) V_t + e_t, e_t normal. The streams of Du, Qin, Wang and Zhou,
// NeurIPS 2024, and the Bermuda stream with a step or without any change. Variables stand causes first.
class LinearStream {
 public:
  // "bermuda", "market", "step" or "still"; an internal error for any other.
  explicit LinearStream(std::string_view name);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::size_t>& context() const { return context_; }
  const std::vector<std::size_t>& levers() const { return levers_; }
  const std::vector<std::size_t>& outcomes() const { return outcomes_; }
  const Eigen::MatrixXd& noise() const { return noise_; }      // covariance
  const Eigen::MatrixXd& rows() const { return rows_; }        // of the region M y <= d
  const Eigen::VectorXd& bounds() const { return bounds_; }    // d
  const Eigen::VectorXd& weights() const { return weights_; }  // cost: sum of weight x (value - datum)^2
  const Eigen::VectorXd& datums() const { return datums_; }
  double box() const { return box_; }            // levers lie in [-box, box]
  bool one_lever() const { return one_lever_; }  // of them is altered in each round
  std::size_t step() const { return step_; }     // the round from which on the step holds; 0: there is none
  // A(t); row i holds the equation of variable i.
  Eigen::MatrixXd coefficients(double t) const;

  Eigen::VectorXd draw_noise(RandomStream& random) const;

 private:
  enum class Kind { kBermuda, kMarket, kStep, kStill };
  void make_bermuda();
  void make_market();

  Kind kind_ = Kind::kBermuda;
  std::vector<std::string> names_;
  std::vector<std::size_t> context_;
  std::vector<std::size_t> levers_;
  std::vector<std::size_t> outcomes_;
  Eigen::MatrixXd coefficients_;
  Eigen::MatrixXd noise_;
  Eigen::MatrixXd factor_;  // of noise_
  Eigen::MatrixXd rows_;
  Eigen::VectorXd bounds_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd datums_;
  double box_ = 1.0;
  bool one_lever_ = false;
  std::size_t step_ = 0;
};

// Effects of variables and noises on all variables when `altered` are set and the context is given, both cut off from
// their causes: V = (I - A')^-1 (what is set, given or noise).
Eigen::MatrixXd stream_effects(const LinearStream& stream, const Eigen::MatrixXd& coefficients,
                               const std::vector<std::size_t>& altered);

}  // namespace olem::internal
