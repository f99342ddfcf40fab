#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <span>
#include <vector>

namespace olem::internal {

// Rows back in time count lambda, lambda^2, ...: memories of all rows, 100, 33, 17, 10 and 5.
inline constexpr double kForgettingFactors[] = {1.0, 0.99, 0.97, 0.94, 0.9, 0.8};

// Linear regression on rows in time order, by recursive least squares at several forgetting factors at once. Each is
// weighted by how well it forecast every row before it was given that row, the past forecasts counting .95^age, so that
// one that remembers everything wins where nothing changes, and one that forgets within some tens of rows of a change.
class ForgettingBank {
 public:
  explicit ForgettingBank(std::size_t inputs, std::span<const double> factors = kForgettingFactors);

  // O(factors x inputs^3).
  void add(const Eigen::VectorXd& x, double y);

  std::size_t rows() const { return rows_; }
  std::size_t factors() const { return experts_.size(); }
  double factor(std::size_t k) const { return experts_[k].factor; }
  std::vector<double> weights() const;  // one per factor, sum 1
  // Of one factor, and the weighted mean of all of them.
  const Eigen::VectorXd& coefficients(std::size_t k) const { return experts_[k].coefficients; }
  Eigen::VectorXd coefficients() const;
  // Weighted mean of the noise variances.
  double variance() const;
  // Weighted mean of how many rows each factor remembers.
  double memory() const;

 private:
  struct Expert {
    double factor = 1.0;
    Eigen::MatrixXd information;
    Eigen::VectorXd moment;
    Eigen::VectorXd coefficients;
    double count = 0.0;    // of forecasts
    double squares = 0.0;  // of their errors, by what the coefficients' own error allows
    double log_weight = 0.0;
  };
  std::vector<Expert> experts_;
  std::size_t rows_ = 0;
};

}  // namespace olem::internal
