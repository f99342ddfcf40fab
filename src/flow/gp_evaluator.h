#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "flow/gp_model.h"
#include "olem/sampler.h"

namespace olem::flow {

// Mean and variance of a GpModel over a block of draws, and their derivatives. Conditions that all draws share are
// folded into the coefficients first; when all nonlinear ones are, the kernel is evaluated once for the whole block.
// For n draws, m points and r directions: O(n m) for the mean, O(n m r) for the variance, and as much for the
// derivatives.
class GpEvaluator {
 public:
  explicit GpEvaluator(const GpModel& model) : model_(model) {}

  // One condition per input of the model. They must stand until add_gradient is done.
  void evaluate(std::span<const Condition> conditions, std::size_t draws, bool with_variance);

  std::span<const double> mean() const { return mean_; }
  std::span<const double> variance() const { return variance_; }  // at least least_variance()
  // Where rounding would have it less, the variance is held at this value and has no derivative worth using.
  double least_variance() const;

  // Adds sum of by_mean dmean/dc_k + by_variance dvariance/dc_k to gradients[k], per draw or, for a shared condition,
  // summed over the draws. Null pointers are left out. `by_variance` is empty when the variance was not evaluated.
  void add_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                    std::span<double* const> gradients);

 private:
  void arrange(std::span<const Condition> conditions);
  void evaluate_kernel();
  void evaluate_variance();
  void add_linear_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                           std::span<double* const> gradients);
  void add_kernel_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                           std::span<double* const> gradients);
  // Directions that the kernel values enter.
  std::size_t kernel_directions() const { return std::min(model_.points.points, model_.directions); }
  double* kernel_values() { return features_.data() + varying_.size() * draws_; }
  double input(std::size_t k, std::size_t draw) const {
    return conditions_[k].values[conditions_[k].shared ? 0 : draw];
  }

  const GpModel& model_;
  std::span<const Condition> conditions_;
  std::size_t draws_ = 0;
  std::vector<bool> shared_;            // the arrangement that the next ones belong to
  std::vector<std::size_t> varying_;    // inputs that differ between draws
  std::vector<std::size_t> nonlinear_;  // inputs of the nonlinear part
  bool one_row_ = true;                 // all draws share the nonlinear inputs, or there are none
  std::size_t kernel_rows_ = 0;         // draws_ or 1; 0 without a nonlinear part
  std::vector<double> spread_;          // rows of the model's spread for the varying inputs

  std::vector<double> features_;       // draws x (varying inputs, then kernel values when there is a row per draw)
  std::vector<double> shared_values_;  // kernel values of the one row
  std::vector<double> angles_;         // kernel_rows x points
  std::vector<double> coordinates_;    // kernel_rows x coordinates
  std::vector<double> own_products_;   // kernel_rows
  std::vector<double> scales_;         // kernel_rows
  std::vector<double> prior_slopes_;   // kernel_rows
  std::vector<double> mean_;
  std::vector<double> variance_;
  std::vector<double> directions_;  // draws x directions
  std::vector<double> weights_;     // scratch of the gradient
  std::vector<double> turned_;
};

}  // namespace olem::flow
