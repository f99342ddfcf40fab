#include "sampler/bayesian_ridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/lapack.h"

namespace olem::internal::sampling {

namespace {

constexpr double kHyperprior = 1e-6;
constexpr double kTolerance = 1e-3;
constexpr int kMostIterations = 300;

// The regression in the directions in which the inputs are uncorrelated.
class Evidence {
 public:
  Evidence(const Inputs& inputs, std::span<const double> target)
      : inputs_(inputs), target_(target), q_(inputs.size()), vectors_(q_ * q_), squares_(q_), along_(q_) {
    for (std::size_t a = 0; a < q_; ++a) {
      for (std::size_t b = a; b < q_; ++b) {
        vectors_[a * q_ + b] = std::inner_product(inputs[a].begin(), inputs[a].end(), inputs[b].begin(), 0.0);
      }
    }
    if (q_ > 0) symmetric_eigen(vectors_.data(), q_, squares_.data());
    // Rounding leaves dependent inputs with tiny squares of either sign.
    for (double& square : squares_) square = std::max(square, 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
      for (std::size_t a = 0; a < q_; ++a) {
        along_[k] += vectors_[k * q_ + a] * std::inner_product(inputs[a].begin(), inputs[a].end(), target.begin(), 0.0);
      }
    }
  }

  std::vector<double> weights(double noise, double weight) const {
    std::vector<double> result(q_, 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
      const double coordinate = noise * along_[k] / (weight + noise * squares_[k]);
      for (std::size_t a = 0; a < q_; ++a) result[a] += coordinate * vectors_[k * q_ + a];
    }
    return result;
  }

  std::vector<double> covariance(double noise, double weight) const {
    std::vector<double> result(q_ * q_, 0.0);
    for (std::size_t k = 0; k < q_; ++k) {
      const double variance = 1.0 / (weight + noise * squares_[k]);
      for (std::size_t a = 0; a < q_; ++a) {
        for (std::size_t b = 0; b < q_; ++b)
          result[a * q_ + b] += variance * vectors_[k * q_ + a] * vectors_[k * q_ + b];
      }
    }
    return result;
  }

  // The number of weights that the data determines, gamma.
  double determined(double noise, double weight) const {
    double sum = 0.0;
    for (const double square : squares_) sum += noise * square / (weight + noise * square);
    return sum;
  }

  double residual_squares(std::span<const double> weights) const {
    std::vector<double> residual(target_.begin(), target_.end());
    for (std::size_t a = 0; a < q_; ++a) {
      for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= weights[a] * inputs_[a][i];
    }
    return std::inner_product(residual.begin(), residual.end(), residual.begin(), 0.0);
  }

 private:
  const Inputs& inputs_;
  std::span<const double> target_;
  std::size_t q_;
  std::vector<double> vectors_;  // one per column
  std::vector<double> squares_;  // of the inputs in these directions, summed over the rows
  std::vector<double> along_;    // products of the target with them
};

}  // namespace

BayesianRidge fit_bayesian_ridge(const Inputs& inputs, std::span<const double> target) {
  const auto n = static_cast<double>(target.size());
  const Evidence evidence(inputs, target);
  BayesianRidge fit;
  const double variance = std::inner_product(target.begin(), target.end(), target.begin(), 0.0) / n;
  fit.noise_precision = 1.0 / std::max(variance, kHyperprior);
  fit.weight_precision = 1.0;
  std::vector<double> previous;
  while (fit.iterations < kMostIterations && !fit.converged) {
    ++fit.iterations;
    const std::vector<double> weights = evidence.weights(fit.noise_precision, fit.weight_precision);
    const double determined = evidence.determined(fit.noise_precision, fit.weight_precision);
    const double size = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    fit.weight_precision = (determined + 2.0 * kHyperprior) / (size + 2.0 * kHyperprior);
    fit.noise_precision =
        (n - determined + 2.0 * kHyperprior) / (evidence.residual_squares(weights) + 2.0 * kHyperprior);
    double moved = 0.0;
    for (std::size_t a = 0; a < previous.size(); ++a) moved += std::abs(weights[a] - previous[a]);
    fit.converged = fit.iterations > 1 && moved < kTolerance;
    previous = weights;
  }
  fit.weights = evidence.weights(fit.noise_precision, fit.weight_precision);
  fit.covariance = evidence.covariance(fit.noise_precision, fit.weight_precision);
  return fit;
}

}  // namespace olem::internal::sampling
