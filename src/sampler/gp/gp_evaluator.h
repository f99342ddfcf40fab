#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "olem/sampler.h"
#include "sampler/gp/gp_model.h"
#include "sampler/gp/gp_spread.h"

namespace olem::internal::sampling {

// Mean and variance of a GpModel over a number of draws, and their derivatives. Conditions that all draws share are
// folded into the coefficients first; when all nonlinear ones are, the kernel is evaluated once for all draws.
// For n draws, m points, s of them spread points, and r directions: O(n m) for the mean and its derivatives, n (s r -
// r^2 / 2) products for the variance and as many for its derivatives; O(n) with one row of kernel values.
//
// The mean and its derivatives are smooth to the last digits of a double. Where the model has a SingleSpread and draws
// have kernel values of their own, the standard deviation differs from what double gives, as a rule by 1e-5 of the
// noise's one or less (5e-5 at worst), its derivatives by 1e-4: differences need larger steps.
class GpEvaluator {
 public:
  enum class Precision {
    kBest,    // single where the model has it
    kDouble,  // for reference
  };
  explicit GpEvaluator(const GpModel& model, Precision precision = Precision::kBest);

  // add_gradient will not be called any more: evaluate() computes no slopes and keeps nothing for it.
  void forgo_gradient() { gradient_ = false; }

  // One condition per input of the model. They must stand until add_gradient is done.
  void evaluate(std::span<const Condition> conditions, std::size_t draws, bool with_variance);

  std::span<const double> mean() const { return mean_; }
  std::span<const double> variance() const { return variance_; }  // at least least_variance()
  // Where rounding would have it less, the variance is held at this value and has no derivative worth using.
  double least_variance() const;

  // Adds sum of by_mean dmean/dc_k + by_variance dvariance/dc_k to gradients[k], per draw or, for a shared condition,
  // summed over the draws. Null pointers are left out. `by_variance` is empty when the variance was not evaluated. At
  // most once after evaluate(), whose intermediate results it overwrites.
  void add_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                    std::span<double* const> gradients);

 private:
  // Draws that are evaluated together. What is kept of them in a matrix of so many columns begins at first * columns
  // and has `count` rows.
  struct Block {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  void arrange(std::span<const Condition> conditions);
  template <class Body>
  void for_blocks(const Body& body) const;
  void evaluate_mean();
  template <class Keep>
  void evaluate_kernel(Block block, double* mean, const Keep& keep);
  void evaluate_prior();
  void fold_shared();
  void explain_one_row();
  void explain_by_products(std::span<const double> form);
  void add_one_row_gradient(std::span<const double> by_variance, bool kernel_wanted,
                            std::span<double* const> gradients);
  void add_linear_gradient(std::span<const double> by_mean, std::span<const double> by_variance,
                           std::span<double* const> gradients);
  void add_kernel_gradient(std::span<const double> by_variance, std::span<double* const> gradients);

  double input(std::size_t k, std::size_t draw) const {
    return conditions_[k].values[conditions_[k].shared ? 0 : draw];
  }

  const GpModel& model_;
  std::variant<GpSpread<float>, GpSpread<double>> explained_;  // of draws with kernel values of their own
  std::vector<std::size_t> nonlinear_;                         // inputs of the nonlinear part
  std::vector<double> columns_;                                // angle_columns
  std::vector<double> mean_columns_;                           // the same times the weights of the points

  bool gradient_ = true;  // add_gradient may follow
  std::span<const Condition> conditions_;
  std::size_t draws_ = 0;
  std::vector<bool> shared_;          // the arrangement that the next ones belong to
  std::vector<std::size_t> varying_;  // inputs that differ between draws
  bool one_row_ = true;               // all draws share the nonlinear inputs, or there are none
  std::size_t kernel_rows_ = 0;       // draws_ or 1; 0 without a nonlinear part

  std::vector<double> coordinates_;   // kernel_rows x coordinates, by blocks
  std::vector<double> own_products_;  // kernel_rows
  std::vector<double> scales_;        // kernel_rows
  std::vector<double> prior_slopes_;  // kernel_rows
  std::vector<double> products_;      // kernel_rows x coordinates, by blocks: slopes times mean_columns_
  std::vector<double> mean_;
  std::vector<double> variance_;

  // With one row of kernel values:
  std::vector<double> row_values_;  // points
  std::vector<double> row_slopes_;  // points: dvalue/dangle, for rbf the values
  // (varying inputs + 1) x directions: rows of the model's spread for the varying inputs, and one for what is shared.
  std::vector<double> folded_;
  std::vector<double> turned_;  // draws x (varying inputs + 1): these inputs, 1 at the end, times folded_ folded_^T
};

}  // namespace olem::internal::sampling
