#include "rehearse/forgetting.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace olem::internal {

namespace {

constexpr double kRidge = 1e-3;  // of standardised inputs: nothing beside ten rows
// Of earlier forecasts. .9, .95 and .98 differed by at most .001 in true success on the Bermuda streams with drift,
// with a step and without change (a prototype of these equations, 10 repetitions each).
constexpr double kForecastMemory = 0.95;
constexpr double kLeastCount = 2.0;  // forecasts behind a variance

}  // namespace

ForgettingBank::ForgettingBank(std::size_t inputs, std::span<const double> factors) {
  const auto q = static_cast<Eigen::Index>(inputs);
  for (const double factor : factors) {
    experts_.push_back({factor, kRidge * Eigen::MatrixXd::Identity(q, q), Eigen::VectorXd::Zero(q),
                        Eigen::VectorXd::Zero(q), 0.0, 0.0, 0.0});
  }
}

void ForgettingBank::add(const Eigen::VectorXd& x, double y) {
  ++rows_;
  double best = -std::numeric_limits<double>::infinity();
  for (Expert& expert : experts_) {
    const double leverage = x.dot(expert.information.llt().solve(x));
    const double error = y - expert.coefficients.dot(x);
    double log_density = 0.0;
    if (expert.count > kLeastCount) {
      const double variance = std::max(expert.squares / expert.count, 1e-12) * (1.0 + leverage);
      log_density = -0.5 * (std::log(variance) + error * error / variance);
    }
    expert.log_weight = kForecastMemory * expert.log_weight + log_density;
    best = std::max(best, expert.log_weight);
    expert.count = expert.factor * expert.count + 1.0;
    expert.squares = expert.factor * expert.squares + error * error / (1.0 + leverage);
    expert.information = expert.factor * expert.information + x * x.transpose();
    expert.moment = expert.factor * expert.moment + y * x;
    expert.coefficients = expert.information.llt().solve(expert.moment);
  }
  for (Expert& expert : experts_) expert.log_weight -= best;
}

std::vector<double> ForgettingBank::weights() const {
  std::vector<double> weights;
  double sum = 0.0;
  for (const Expert& expert : experts_) {
    weights.push_back(std::exp(expert.log_weight));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

Eigen::VectorXd ForgettingBank::coefficients() const {
  const std::vector<double> weight = weights();
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(experts_.front().coefficients.size());
  for (std::size_t k = 0; k < experts_.size(); ++k) mean += weight[k] * experts_[k].coefficients;
  return mean;
}

double ForgettingBank::variance() const {
  const std::vector<double> weight = weights();
  double mean = 0.0;
  for (std::size_t k = 0; k < experts_.size(); ++k) {
    if (experts_[k].count > 0.0) mean += weight[k] * experts_[k].squares / experts_[k].count;
  }
  return mean;
}

double ForgettingBank::memory() const {
  const std::vector<double> weight = weights();
  double mean = 0.0;
  for (std::size_t k = 0; k < experts_.size(); ++k) {
    const double factor = experts_[k].factor;
    const auto rows = static_cast<double>(rows_);
    mean += weight[k] * (factor == 1.0 ? rows : (1.0 - std::pow(factor, rows)) / (1.0 - factor));
  }
  return mean;
}

}  // namespace olem::internal
