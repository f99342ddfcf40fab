#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sampler/gp/gp_search.h"

namespace olem::internal::sampling {

// What hyper-parameters are sought by, in nats: a bound that the negative log marginal likelihood of the target does
// not exceed, plus `penalty` times the sum of the square roots of relevances and linear variances, as a function of the
// logarithms of the parameters. The nonlinear part is carried by m inducing rows, and what they leave of its variance
// counts against the parameters (Titsias 2009); the linear part is exact. With all rows inducing it is the likelihood
// itself. Value and gradient cost 4 n m^2 operations, so that all rows can speak where the likelihood would need n^3;
// memory is 4 n m numbers. `shape` says which kernel it is and which inputs the nonlinear part has, at least one; at
// least one row is inducing.
class GpBound {
 public:
  // `weights` as in gp_model.h.
  GpBound(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
          const GpParameters& shape, double penalty, std::span<const std::size_t> inducing, const Context& context);

  // The logarithms of all parameters that are sought, one after the other as Places says.
  std::vector<double> pack(const GpParameters& parameters) const;
  GpParameters unpack(std::span<const double> logarithms) const;

  // Within which the packed parameters are sought.
  struct Limits {
    std::vector<double> low;
    std::vector<double> high;
  };
  Limits limits() const;

  // +infinity where a covariance is not positive definite to working precision; the gradient is zero then.
  double evaluate(std::span<const double> logarithms, std::span<double> gradient);

 private:
  // Where each parameter stands among the packed ones, and its derivative in a gradient.
  struct Places {
    std::size_t constant = 0;
    std::size_t noise = 1;
    std::size_t linear = 2;     // the first of one per input
    std::size_t signal = 0;     // behind them
    std::size_t bias = 0;       // arcsine only
    std::size_t relevance = 0;  // the first of one per input of the nonlinear part
    std::size_t size = 0;
  };

  // Inner products of a block and what fill_covariance makes of them.
  struct Block {
    std::vector<double> angles;
    std::vector<double> values;
  };

  void fill(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns, Block& block) const;
  bool fill_features(const GpParameters& parameters, const ScaledPoints& points, const ScaledPoints& data);
  double explain_target(double noise);
  double add_left_variance(const GpParameters& parameters, const ScaledPoints& data, std::span<double> gradient) const;
  void add_linear_gradient(double noise, double left, std::span<double> gradient) const;
  void add_nonlinear_gradient(const GpParameters& parameters, const ScaledPoints& points, const ScaledPoints& data,
                              double left, std::span<double> gradient);
  // Adds what `weights`, derivatives of the bound by the values of the block, say about bias and relevances; `weights`
  // is overwritten.
  void add_block_gradient(const GpParameters& parameters, const ScaledPoints& rows, const ScaledPoints& columns,
                          const Block& block, std::vector<double>& weights, std::span<double> gradient) const;
  void add_coordinates(std::span<const double> by_coordinate, std::span<double> gradient) const;
  void add_penalty(const GpParameters& parameters, double& value, std::span<double> gradient) const;
  bool has_bias() const { return shape_.kernel == GpKernel::kArcsine; }
  double row_weight(std::size_t i) const { return row_weights_.empty() ? 1.0 : row_weights_[i]; }
  double freedom() const { return static_cast<double>(rows_) - static_cast<double>(width_); }

  Inputs inputs_;
  std::span<const double> target_;
  std::span<const double> row_weights_;
  GpParameters shape_;
  double penalty_;
  std::size_t rows_;
  std::vector<std::size_t> nonlinear_;
  std::vector<std::size_t> inducing_;
  Places places_;
  std::size_t width_;             // features: inducing rows, the constant, inputs
  Block among_;                   // the inducing rows, m x m
  Block between_;                 // them and all rows, m x n
  std::vector<double> factor_;    // lower Cholesky factor of among_
  std::vector<double> features_;  // width x n
  std::vector<double> squares_;   // width x width: features features^T
  std::vector<double> inverse_;   // of squares_ + noise; its Cholesky factor first
  std::vector<double> by_feature_;
  std::vector<double> by_row_;
  std::vector<double> weights_;  // m x n
};

// Descends from `start` by at most `iterations` of L-BFGS-B.
GpSearch optimise_parameters(GpBound& bound, const GpParameters& start, int iterations, const Context& context);

}  // namespace olem::internal::sampling
