#include "decide/bayes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/lapack.h"
#include "core/lbfgsb.h"

namespace olem::internal {

namespace {

constexpr double kSqrt5 = 2.2360679774997896964;
// A success probability varies by no more than this, and no less is worth a model.
constexpr double kLeastSignal = 1e-6;
constexpr double kMostSignal = 4.0;
// Of the side of the domain: below, every point is an island; above, everything is flat.
constexpr double kLeastLength = 0.02;
constexpr double kMostLength = 10.0;
constexpr double kFirstLength = 0.3;
// A share of draws moves in steps of a thousandth or so: what is expected to gain less than this gains nothing.
constexpr double kLeastImprovement = 1e-6;
constexpr double kFirstStep = 0.1;  // of the local search, in sides of the domain
constexpr double kLastStep = 0.005;

double square(double x) { return x * x; }

// Point i of the additive recurrence with the generalised golden ratio, the root of x^(k + 1) = x + 1: fills [0, 1]^k
// evenly for every number of points.
void low_discrepancy(std::size_t i, std::span<double> point) {
  const auto k = static_cast<double>(point.size());
  double ratio = 2.0;
  for (int iteration = 0; iteration < 60; ++iteration) ratio = std::pow(1.0 + ratio, 1.0 / (k + 1.0));
  double step = 1.0;
  for (double& coordinate : point) {
    step /= ratio;
    const double at = 0.5 + static_cast<double>(i + 1) * step;
    coordinate = at - std::floor(at);
  }
}

std::vector<double> to_unit(const Domain& domain, std::span<const double> values) {
  std::vector<double> unit;
  for (std::size_t k = 0; k < values.size(); ++k) unit.push_back(0.5 * (1.0 + domain.box().coordinate(k, values[k])));
  return unit;
}

std::vector<double> from_unit(const Domain& domain, std::span<const double> unit) {
  std::vector<double> values;
  for (std::size_t k = 0; k < unit.size(); ++k) values.push_back(domain.box().at(k, 2.0 * unit[k] - 1.0));
  return values;
}

// Steps along each coordinate, halved when none helps.
EvaluatedPoint climb(const Domain& domain, EvaluatedPoint best,
                     const std::function<double(std::span<const double>)>& acquisition) {
  for (double step = kFirstStep; step > kLastStep;) {
    bool better = false;
    for (std::size_t k = 0; k < best.values.size(); ++k) {
      for (const double sign : {-1.0, 1.0}) {
        std::vector<double> moved = best.values;
        moved[k] = domain.box().at(k, domain.box().coordinate(k, moved[k]) + 2.0 * sign * step);
        if (moved == best.values || !domain.contains(moved)) continue;
        const double value = acquisition(moved);
        if (value <= best.value) continue;
        best = {std::move(moved), value};
        better = true;
      }
    }
    if (!better) step *= 0.5;
  }
  return best;
}

}  // namespace

MaternProcess::MaternProcess(std::size_t dimensions, double noise_variance)
    : dimensions_(dimensions), noise_variance_(noise_variance), parameters_(dimensions + 1, std::log(kFirstLength)) {
  parameters_[0] = std::log(0.05);
}

void MaternProcess::add(std::span<const double> point, double value) {
  points_.insert(points_.end(), point.begin(), point.end());
  values_.push_back(value);
}

double MaternProcess::mean_value() const {
  double sum = 0.0;
  for (const double value : values_) sum += value;
  return sum / static_cast<double>(values_.size());
}

double MaternProcess::kernel(std::span<const double> a, std::span<const double> b,
                             std::span<const double> parameters) const {
  double squares = 0.0;
  for (std::size_t k = 0; k < dimensions_; ++k) squares += square((a[k] - b[k]) * std::exp(-parameters[k + 1]));
  const double r = kSqrt5 * std::sqrt(squares);
  return std::exp(parameters[0] - r) * (1.0 + r + r * r / 3.0);
}

std::vector<double> MaternProcess::matrix(std::span<const double> parameters) const {
  const std::size_t n = size();
  std::vector<double> k(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      k[j * n + i] =
          kernel({&points_[i * dimensions_], dimensions_}, {&points_[j * dimensions_], dimensions_}, parameters);
    }
    k[j * n + j] += noise_variance_;
  }
  return k;
}

double MaternProcess::log_likelihood(std::span<const double> parameters, std::span<double> gradient) const {
  const std::size_t n = size();
  const std::vector<double> k = matrix(parameters);
  std::vector<double> factor = k;
  if (!cholesky_lower(factor.data(), n)) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return -std::numeric_limits<double>::infinity();
  }
  const double mean = mean_value();
  std::vector<double> centred;
  for (const double value : values_) centred.push_back(value - mean);
  std::vector<double> weights = centred;
  solve_lower(factor.data(), n, false, weights.data(), 1);
  solve_lower(factor.data(), n, true, weights.data(), 1);
  double likelihood = -0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
  for (std::size_t i = 0; i < n; ++i) likelihood -= 0.5 * centred[i] * weights[i] + std::log(factor[i * n + i]);

  // 1/2 tr((w w^T - K^-1) dK), of which the lower triangle is stored.
  invert_from_cholesky(factor.data(), n);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::vector<double> inverse_lengths;
  for (std::size_t d = 0; d < dimensions_; ++d) inverse_lengths.push_back(std::exp(-parameters[d + 1]));
  const double signal = std::exp(parameters[0]);
  std::vector<double> scaled(dimensions_);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      const double share = (i == j ? 0.5 : 1.0) * (weights[i] * weights[j] - factor[j * n + i]);
      gradient[0] += share * (k[j * n + i] - (i == j ? noise_variance_ : 0.0));
      double squares = 0.0;
      for (std::size_t d = 0; d < dimensions_; ++d) {
        scaled[d] = square((points_[i * dimensions_ + d] - points_[j * dimensions_ + d]) * inverse_lengths[d]);
        squares += scaled[d];
      }
      const double r = kSqrt5 * std::sqrt(squares);
      const double slope = share * signal * (5.0 / 3.0) * (1.0 + r) * std::exp(-r);
      for (std::size_t d = 0; d < dimensions_; ++d) gradient[d + 1] += slope * scaled[d];
    }
  }
  return likelihood;
}

void MaternProcess::fit(int restarts, RandomStream& random, const Context& context) {
  std::vector<double> lower(dimensions_ + 1, std::log(kLeastLength));
  std::vector<double> upper(dimensions_ + 1, std::log(kMostLength));
  lower[0] = std::log(kLeastSignal);
  upper[0] = std::log(kMostSignal);
  const Objective objective = [&](std::span<const double> x, std::span<double> gradient) {
    const double value = log_likelihood(x, gradient);
    for (double& g : gradient) g = -g;
    return -value;
  };
  LbfgsbOptions options;
  options.relative_reduction = 1e-6;  // a length scale that is right to a hundredth will do
  options.iterations = 50;
  double best = std::numeric_limits<double>::infinity();
  const std::vector<double> last = parameters_;
  for (int start = 0; start <= restarts; ++start) {
    std::vector<double> from = last;
    for (std::size_t p = 0; start > 0 && p < from.size(); ++p) from[p] = random.uniform(lower[p], upper[p]);
    const LbfgsbResult result = minimise_lbfgsb(std::move(from), lower, upper, objective, options, context);
    if (!(result.value < best)) continue;
    best = result.value;
    parameters_ = result.x;
  }
  const std::size_t n = size();
  factor_ = matrix(parameters_);
  // With the noise on its diagonal the matrix is positive definite but for rounding, which more noise takes away.
  for (double jitter = noise_variance_; !cholesky_lower(factor_.data(), n); jitter *= 10.0) {
    factor_ = matrix(parameters_);
    for (std::size_t i = 0; i < n; ++i) factor_[i * n + i] += jitter;
  }
  const double mean = mean_value();
  weights_.clear();
  for (const double value : values_) weights_.push_back(value - mean);
  solve_lower(factor_.data(), n, false, weights_.data(), 1);
  solve_lower(factor_.data(), n, true, weights_.data(), 1);
}

MaternProcess::Prediction MaternProcess::predict(std::span<const double> point) const {
  const std::size_t n = size();
  std::vector<double> k(n);
  double mean = mean_value();
  for (std::size_t i = 0; i < n; ++i) {
    k[i] = kernel({&points_[i * dimensions_], dimensions_}, point, parameters_);
    mean += k[i] * weights_[i];
  }
  solve_lower(factor_.data(), n, false, k.data(), 1);
  double variance = std::exp(parameters_[0]);
  for (const double v : k) variance -= v * v;
  return {mean, std::sqrt(std::max(0.0, variance))};
}

double expected_improvement(const MaternProcess::Prediction& prediction, double best) {
  const double ahead = prediction.mean - best;
  if (!(prediction.deviation > 0.0)) return std::max(0.0, ahead);
  const double u = ahead / prediction.deviation;
  const double below = 0.5 * std::erfc(-u / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * u * u) / std::sqrt(2.0 * std::numbers::pi);
  return ahead * below + prediction.deviation * density;
}

std::vector<EvaluatedPoint> maximise_by_bayes(const Domain& domain,
                                              const std::function<double(std::span<const double>)>& objective,
                                              const BayesOptions& options, RandomStream& random,
                                              const Context& context) {
  const std::size_t k = domain.size();
  MaternProcess process(k, options.noise_variance);
  std::vector<EvaluatedPoint> points;
  double best = -std::numeric_limits<double>::infinity();
  const auto evaluate = [&](std::vector<double> values) {
    context.check_interrupt();
    const double value = objective(values);
    process.add(to_unit(domain, values), value);
    best = std::max(best, value);
    points.push_back({std::move(values), value});
  };
  evaluate(domain.middle());
  std::vector<double> unit(k);
  for (std::size_t i = 0; i < 2 * k + 2; ++i) {
    low_discrepancy(i, unit);
    std::vector<double> values = from_unit(domain, unit);
    domain.project(values);
    evaluate(std::move(values));
  }
  for (int step = 0; static_cast<int>(points.size()) < options.evaluations; ++step) {
    process.fit(step % options.refit_period == 0 ? options.restarts : 0, random, context);
    const auto acquisition = [&](std::span<const double> values) {
      return expected_improvement(process.predict(to_unit(domain, values)), best);
    };
    std::vector<EvaluatedPoint> tried;
    for (int i = 0; i < options.acquisition_points; ++i) {
      std::vector<double> values(k);
      domain.draw(random, values);
      const double value = acquisition(values);
      tried.push_back({std::move(values), value});
    }
    const auto by_value = [](const EvaluatedPoint& a, const EvaluatedPoint& b) { return a.value > b.value; };
    std::stable_sort(tried.begin(), tried.end(), by_value);
    tried.resize(std::min(tried.size(), static_cast<std::size_t>(options.local_searches)));
    for (EvaluatedPoint& start : tried) start = climb(domain, std::move(start), acquisition);
    std::stable_sort(tried.begin(), tried.end(), by_value);
    // A process that has seen only one value, or believes that it knows everything, learns most from anywhere else.
    if (tried.front().value < kLeastImprovement) domain.draw(random, tried.front().values);
    evaluate(std::move(tried.front().values));
  }
  return points;
}

}  // namespace olem::internal
