#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/sampler.h"
#include "sampler/gp/gp_state.h"

namespace olem::internal::sampling {

// The slope of the log-likelihood of row i by its latent value a, and its curvature, downwards (positive).
struct LatentSlope {
  double slope = 0.0;
  double curvature = 0.0;
};
using LatentLikelihood = std::function<LatentSlope(std::size_t row, double a)>;

// A Gaussian process a(x) behind observations that are not a(x) plus noise, by Laplace's method (Rasmussen and Williams
// 2006, section 3.4): near the mode each row is like a target a + slope / curvature with noise variance 1 / curvature,
// so that the posterior is that of a weighted regression. Hyper-parameters are those of this regression.
class LatentProcess {
 public:
  // `inputs` must stand.
  LatentProcess(const Inputs& inputs, std::size_t rows, const GpOptions& options, std::uint64_t stream, bool linear,
                const Context& context);

  // Seeks hyper-parameters for the likelihood at the present values.
  void train(const LatentLikelihood& likelihood);
  // Newton steps with these, `most` of them or until the values move by less than 1e-4; says by how much they moved.
  double step(const LatentLikelihood& likelihood, int most);

  std::span<const double> values() const { return values_; }  // the mode, of each row
  // Multiplies the values, which the next steps start from.
  void scale_values(double factor);

  // Of each row by the others: mean and variance of its value.
  std::span<const double> left_out_mean() const { return left_out_mean_; }
  std::span<const double> left_out_variance() const { return left_out_variance_; }

  // The posterior at the latest step.
  GpOnInputs posterior() const;

 private:
  struct Sites {
    std::vector<double> weights;  // roots of the curvatures
    std::vector<double> targets;  // times the weights
  };
  Sites sites(const LatentLikelihood& likelihood) const;
  void take(const GpRegression& regression, const Sites& at);

  const Inputs& inputs_;
  std::size_t rows_;
  GpOptions options_;
  std::uint64_t stream_;
  bool linear_;
  const Context& context_;

  std::vector<double> values_;
  std::vector<std::size_t> used_;      // inputs
  std::vector<std::size_t> inducing_;  // rows
  GpParameters parameters_;
  std::vector<double> left_out_mean_;
  std::vector<double> left_out_variance_;
  GpModel model_;
};

// E logistic(a) for a normal a, by a mixture of three normal distribution functions that is within 5e-5 of the logistic
// one everywhere (Monahan and Stefanski 1992).
double mean_logistic(double mean, double variance);
// Its derivatives by the mean and by the variance.
struct MeanLogisticSlopes {
  double by_mean = 0.0;
  double by_variance = 0.0;
};
MeanLogisticSlopes mean_logistic_slopes(double mean, double variance);

}  // namespace olem::internal::sampling
