#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lapack.h"
#include "core/lbfgsb.h"
#include "core/special.h"
#include "sampler/gp/gp_search.h"

namespace olem::internal::sampling {

namespace {

constexpr int kIterations = 100;

// The likelihood of a linear process with covariance X D X^T + noise I depends on the data only through X^T X, X^T y
// and y^T y. Columns of X are the inputs and then ones, D holds their variances.
class LinearLikelihood {
 public:
  LinearLikelihood(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
                   double penalty)
      : rows_(static_cast<double>(target.size())), width_(inputs.size() + 1), penalty_(penalty) {
    const std::size_t n = target.size();
    std::vector<double> columns(n * width_, 1.0);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::copy(inputs[k].begin(), inputs[k].end(), columns.begin() + static_cast<std::ptrdiff_t>(k * n));
    }
    for (std::size_t k = 0; !weights.empty() && k < width_; ++k) {
      for (std::size_t i = 0; i < n; ++i) columns[k * n + i] *= weights[i];
    }
    squares_.resize(width_ * width_);
    products_.resize(width_);
    multiply(1.0, {columns.data(), n, width_, 0, true}, {columns.data(), n, width_}, 0.0, squares_.data());
    multiply(1.0, {columns.data(), n, width_, 0, true}, {target.data(), n, 1}, 0.0, products_.data());
    for (const double y : target) target_ += y * y;
  }

  // Logarithms of the linear variances, the constant and the noise.
  double evaluate(std::span<const double> logarithms, std::span<double> gradient) const {
    const std::size_t p = width_;
    const double noise = std::exp(logarithms[p]);
    std::vector<double> roots(p);
    for (std::size_t k = 0; k < p; ++k) roots[k] = std::exp(0.5 * logarithms[k]);
    // A = D^1/2 X^T X D^1/2 + noise I; by Woodbury it stands for the covariance.
    std::vector<double> factor(p * p);
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t i = 0; i < p; ++i) factor[j * p + i] = roots[i] * roots[j] * squares_[j * p + i];
      factor[j * p + j] += noise;
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);
    if (!cholesky_lower(factor.data(), p)) return std::numeric_limits<double>::infinity();
    double value = rows_ * kHalfLog2Pi + 0.5 * (rows_ - static_cast<double>(p)) * logarithms[p];
    for (std::size_t k = 0; k < p; ++k) value += std::log(factor[k * p + k]);

    // half = A^-1/2 D^1/2 (X^T X, X^T y, I) gives every form that is needed.
    std::vector<double> half(p * (p + 1));
    std::vector<double> trace(p * p, 0.0);
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t i = 0; i < p; ++i) half[j * p + i] = roots[i] * squares_[j * p + i];
      half[p * p + j] = roots[j] * products_[j];
      trace[j * p + j] = 1.0;
    }
    solve_lower(factor.data(), p, false, half.data(), p + 1);
    solve_lower(factor.data(), p, false, trace.data(), p);
    const double* solved = half.data() + p * p;
    const auto dot = [p](const double* a, const double* b) {
      double sum = 0.0;
      for (std::size_t i = 0; i < p; ++i) sum += a[i] * b[i];
      return sum;
    };
    const double left = target_ - dot(solved, solved);  // noise y^T K^-1 y
    value += 0.5 * left / noise;
    for (std::size_t k = 0; k < p; ++k) {
      const double* column = half.data() + k * p;
      const double square = (squares_[k * p + k] - dot(column, column)) / noise;  // x_k^T K^-1 x_k
      const double product = (products_[k] - dot(column, solved)) / noise;        // x_k^T K^-1 y
      gradient[k] = 0.5 * roots[k] * roots[k] * (square - product * product);
      if (k + 1 == p) continue;
      value += penalty_ * roots[k];
      gradient[k] += 0.5 * penalty_ * roots[k];
    }
    // noise (tr K^-1 - |K^-1 y|^2) / 2. With w = A^-1 D^1/2 X^T y, noise^2 |K^-1 y|^2 = left - noise |w|^2.
    std::vector<double> w(solved, solved + p);
    solve_lower(factor.data(), p, true, w.data(), 1);
    double inverse_trace = 0.0;
    for (const double entry : trace) inverse_trace += entry * entry;
    gradient[p] = 0.5 * (rows_ - static_cast<double>(p) + noise * inverse_trace) -
                  0.5 * (left - noise * dot(w.data(), w.data())) / noise;
    return value;
  }

 private:
  double rows_;
  std::size_t width_;
  double penalty_;
  std::vector<double> squares_;
  std::vector<double> products_;
  double target_ = 0.0;
};

}  // namespace

GpSearch optimise_linear_parameters(const Inputs& inputs, std::span<const double> target,
                                    std::span<const double> weights, const GpParameters& start, double penalty,
                                    const Context& context) {
  const LinearLikelihood likelihood(inputs, target, weights, penalty);
  std::vector<double> logarithms;
  for (const double variance : start.linear) logarithms.push_back(std::log(variance));
  logarithms.push_back(std::log(start.constant));
  logarithms.push_back(std::log(start.noise));
  std::vector<double> low(logarithms.size(), kLeastLogVariance);
  std::vector<double> high(logarithms.size(), kLargestLogVariance);
  low.back() = kLeastLogNoise;
  high.back() = kLargestLogNoise;
  LbfgsbOptions options;
  options.iterations = kIterations;
  options.gradient_tolerance = 1e-3;
  const LbfgsbResult result = minimise_lbfgsb(
      logarithms, low, high,
      [&](std::span<const double> x, std::span<double> gradient) { return likelihood.evaluate(x, gradient); }, options,
      context);
  GpSearch search;
  search.parameters = start;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    search.parameters.linear[k] = std::exp(result.x[k]);
    search.parameters.relevance[k] = 0.0;
  }
  search.parameters.constant = std::exp(result.x[inputs.size()]);
  search.parameters.noise = std::exp(result.x.back());
  search.objective = result.value;
  return search;
}

}  // namespace olem::internal::sampling
