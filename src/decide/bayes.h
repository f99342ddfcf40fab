#pragma once

#include <functional>
#include <span>
#include <vector>

#include "decide/domain.h"
#include "olem/context.h"
#include "olem/random.h"

namespace olem::internal {

struct EvaluatedPoint {
  std::vector<double> values;
  double value = 0.0;
};

struct BayesOptions {
  int evaluations = 40;           // in all
  int acquisition_points = 1000;  // random points at which the expected improvement is tried
  int local_searches = 3;         // from the best of them
  int restarts = 2;               // random starts of the hyperparameters, beside the last ones
  int refit_period = 10;          // evaluations between two fits with restarts
  double noise_variance = 1e-6;   // of a deterministic objective: what rounding and small steps need
};

// Bayesian optimisation: a Gaussian process with a Matern 5/2 kernel and one length scale per coordinate models the
// objective on the domain scaled to [0, 1]^k; the next point is where the expected improvement over the best value so
// far is largest (Jones, Schonlau and Welch 1998). Starts with the middle and 2k + 2 points of a low-discrepancy
// sequence. The hyperparameters maximise the marginal likelihood. Linear constraints are known, so that the probability
// that they hold (Gardner et al. 2014) is 0 or 1: only points of the domain are considered.
//
// Returns all points in the order of their evaluation. For n evaluations O(n^4 k) at worst and n calls of `objective`.
std::vector<EvaluatedPoint> maximise_by_bayes(const Domain& domain,
                                              const std::function<double(std::span<const double>)>& objective,
                                              const BayesOptions& options, RandomStream& random,
                                              const Context& context);

// The Gaussian process behind it, on points of [0, 1]^k.
class MaternProcess {
 public:
  // `noise_variance` in units of the values. Values are centred at their mean.
  MaternProcess(std::size_t dimensions, double noise_variance);

  void add(std::span<const double> point, double value);
  std::size_t size() const { return values_.size(); }

  // ln of signal variance and length scales, in this order.
  const std::vector<double>& parameters() const { return parameters_; }

  // Log marginal likelihood of the values so far, with its gradient by the parameters. -infinity when the kernel matrix
  // is not positive definite.
  double log_likelihood(std::span<const double> parameters, std::span<double> gradient) const;

  // Maximises it from the present parameters and from `restarts` random ones, then prepares predictions. To be called
  // after add() and before predict().
  void fit(int restarts, RandomStream& random, const Context& context);

  struct Prediction {
    double mean = 0.0;
    double deviation = 0.0;
  };
  Prediction predict(std::span<const double> point) const;

 private:
  double kernel(std::span<const double> a, std::span<const double> b, std::span<const double> parameters) const;
  std::vector<double> matrix(std::span<const double> parameters) const;
  double mean_value() const;

  std::size_t dimensions_;
  double noise_variance_;
  std::vector<double> points_;  // size x dimensions
  std::vector<double> values_;
  std::vector<double> parameters_;
  std::vector<double> factor_;   // Cholesky factor of kernel + noise
  std::vector<double> weights_;  // (kernel + noise)^-1 (values - mean)
};

// (m - best) Phi(u) + s phi(u), u = (m - best) / s; max(0, m - best) for s = 0.
double expected_improvement(const MaternProcess::Prediction& prediction, double best);

}  // namespace olem::internal
