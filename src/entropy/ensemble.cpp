// Weighted ensemble of plug-in estimates over several neighbourhood sizes (Sricharan, Wei and Hero 2013).
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "entropy/estimators.h"
#include "entropy/neighbours.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kSizes = 20;  // neighbourhood sizes k = l sqrt(M), l from kLeast to kGreatest
constexpr double kLeast = 0.3;
constexpr double kGreatest = 3.0;
constexpr double kLargestNorm = 3.0;  // of the weights, squared: bounds the variance
constexpr std::size_t kFewestRows = 20;

std::vector<double> size_factors() {
  std::vector<double> factors;
  for (int i = 0; i < kSizes; ++i) factors.push_back(kLeast + (kGreatest - kLeast) * i / (kSizes - 1));
  return factors;
}

// Every second row is an evaluation point, the others make the density.
class EnsembleSequence final : public EntropySequence {
 public:
  EnsembleSequence(const Table& table, const EntropyOptions& options, const Context& context)
      : table_(table), options_(options), columns_(make_search_columns(table, options, context)) {
    evaluation_points_ = (table.rows() + 1) / 2;
    density_points_ = table.rows() / 2;
    for (const double factor : size_factors()) {
      const double size = std::round(factor * std::sqrt(static_cast<double>(density_points_)));
      ranks_.push_back(std::clamp<std::size_t>(static_cast<std::size_t>(size), 2, density_points_));
    }
  }

  StepEntropies evaluate(const Context& context, const std::function<void(double)>& progress) override {
    const std::size_t m = columns_.values.size();
    contributions_.assign(m + 1, std::vector<double>(table_.rows(), kNaN));
    zeros_.assign(m + 1, 0);
    const auto joint_weights = weights(m);
    const auto weights_without = weights(m - 1);
    std::vector<std::vector<std::size_t>> zeros(evaluation_points_, std::vector<std::size_t>(m + 1, 0));
    parallel_for(context, 0, evaluation_points_, 16, [&](std::size_t first, std::size_t last) {
      std::vector<std::vector<double>> squared(m + 1, std::vector<double>(density_points_));
      for (std::size_t e = first; e < last; ++e) {
        fill_distances(2 * e, squared);
        for (std::size_t v = 0; v <= m; ++v) {
          const auto& used = v == m ? joint_weights : weights_without;
          const auto dimensions = static_cast<double>(v == m ? m : m - 1);
          contributions_[v][2 * e] = contribution(squared[v], used, dimensions, zeros[e][v]);
        }
      }
    });
    for (const auto& counts : zeros) {
      for (std::size_t v = 0; v <= m; ++v) zeros_[v] += counts[v];
    }
    if (options_.ties == TiePolicy::kError) {
      for (std::size_t v = 0; v <= m; ++v) {
        if (zeros_[v] > 0) refuse_zero_distances(table_, zeros_[v]);
      }
    }
    progress(1.0);
    return entropies();
  }

  std::vector<double> contributions(std::size_t position) const override { return contributions_[position]; }

  void remove(const Context& /*context*/, std::size_t position) override {
    columns_.values.erase(columns_.values.begin() + static_cast<std::ptrdiff_t>(position));
    columns_.log_scale.erase(columns_.log_scale.begin() + static_cast<std::ptrdiff_t>(position));
  }

 private:
  std::vector<double> weights(std::size_t m) const {
    if (m == 0) return std::vector<double>(kSizes, 1.0 / kSizes);
    const auto factors = size_factors();
    return ensemble_estimator_weights(static_cast<int>(m), static_cast<double>(table_.rows()), factors, kLargestNorm);
  }

  // Squared distances from one row to the density points without each column, and over all columns at the end. Sums
  // from the left and from the right meet at the column left out, so that nothing is subtracted.
  void fill_distances(std::size_t row, std::vector<std::vector<double>>& squared) const {
    const std::size_t m = columns_.values.size();
    std::vector<double> terms(m);
    std::vector<double> right(m + 1, 0.0);
    for (std::size_t q = 0; q < density_points_; ++q) {
      for (std::size_t v = 0; v < m; ++v) {
        const double difference = columns_.values[v][row] - columns_.values[v][2 * q + 1];
        terms[v] = difference * difference;
      }
      for (std::size_t v = m; v-- > 0;) right[v] = right[v + 1] + terms[v];
      double left = 0.0;
      for (std::size_t v = 0; v < m; ++v) {
        squared[v][q] = left + right[v + 1];
        left += terms[v];
      }
      squared[m][q] = right[0];
    }
  }

  // Sum over the sizes of weight * -ln density, all but the constants that every candidate shares.
  double contribution(std::vector<double>& squared, const std::vector<double>& used, double dimensions,
                      std::size_t& zeros) const {
    const auto kept = squared.begin() + static_cast<std::ptrdiff_t>(ranks_.back());
    if (options_.ties == TiePolicy::kDistinct) {
      std::replace(squared.begin(), squared.end(), 0.0, std::numeric_limits<double>::infinity());
    }
    std::partial_sort(squared.begin(), kept, squared.end());
    double sum = 0.0;
    for (std::size_t l = 0; l < ranks_.size(); ++l) {
      const double distance = squared[ranks_[l] - 1];
      if (distance == 0.0) zeros = 1;
      sum += used[l] * (dimensions * log_distance(distance, options_) - std::log(static_cast<double>(ranks_[l] - 1)));
    }
    return sum;
  }

  StepEntropies entropies() const {
    const std::size_t m = columns_.values.size();
    double log_scale = 0.0;
    for (const double scale : columns_.log_scale) log_scale += scale;
    const auto value_of = [&](std::size_t v, std::size_t dimensions) {
      if (dimensions == 0) return 0.0;
      double sum = 0.0;
      std::size_t used = 0;
      for (const double c : contributions_[v]) {
        if (std::isnan(c)) continue;
        sum += c;
        ++used;
      }
      if (used == 0) return -std::numeric_limits<double>::infinity();
      return sum / static_cast<double>(used) + std::log(static_cast<double>(density_points_)) +
             log_unit_ball_volume(static_cast<int>(dimensions));
    };
    const auto share = [&](std::size_t v) {
      return static_cast<double>(zeros_[v]) / static_cast<double>(evaluation_points_);
    };
    StepEntropies step;
    step.joint = value_of(m, m) + log_scale;
    step.joint_zero_share = share(m);
    for (std::size_t v = 0; v < m; ++v) {
      step.without.push_back(value_of(v, m - 1) + log_scale - columns_.log_scale[v]);
      step.zero_share.push_back(share(v));
    }
    return step;
  }

  const Table& table_;
  EntropyOptions options_;
  SearchColumns columns_;
  std::size_t evaluation_points_ = 0;
  std::size_t density_points_ = 0;
  std::vector<std::size_t> ranks_;
  std::vector<std::vector<double>> contributions_;  // [column, then all][row]; NaN for density rows
  std::vector<std::size_t> zeros_;
};

}  // namespace

std::vector<double> ensemble_estimator_weights(int m, double sample_size, std::span<const double> factors,
                                               double largest_norm) {
  const auto count = static_cast<Eigen::Index>(factors.size());
  Eigen::MatrixXd g(m, count);  // row i: l^(i/m); row 0 is the sum of the weights
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index l = 0; l < count; ++l) {
      g(i, l) = std::pow(factors[static_cast<std::size_t>(l)], static_cast<double>(i) / m);
    }
  }
  if (m <= count) {
    const Eigen::VectorXd exact = g.completeOrthogonalDecomposition().solve(Eigen::VectorXd::Unit(m, 0));
    const bool solved = (g * exact - Eigen::VectorXd::Unit(m, 0)).cwiseAbs().maxCoeff() < 1e-8;
    if (solved && exact.squaredNorm() <= largest_norm) return {exact.data(), exact.data() + count};
  }
  // Relaxed: minimise the slow bias terms, each weighted by its rate, plus mu |w|^2, subject to sum w = 1.
  Eigen::MatrixXd bias = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 1; i < m; ++i) {
    const double rate = std::pow(sample_size, 1.0 - static_cast<double>(i) / m);
    bias += rate * g.row(i).transpose() * g.row(i);
  }
  const auto solve = [&](double log_mu) -> Eigen::VectorXd {
    const Eigen::MatrixXd system = bias + std::exp(log_mu) * Eigen::MatrixXd::Identity(count, count);
    const Eigen::VectorXd direction = system.ldlt().solve(Eigen::VectorXd::Ones(count));
    return direction / direction.sum();
  };
  // The norm falls with mu, from the exact solution's to that of equal weights.
  double low = std::log(1e-12 * (bias.trace() + 1.0));
  double high = std::log(1e6 * (bias.trace() + 1.0));
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double middle = 0.5 * (low + high);
    (solve(middle).squaredNorm() > largest_norm ? low : high) = middle;
  }
  const Eigen::VectorXd relaxed = solve(high);
  return {relaxed.data(), relaxed.data() + count};
}

}  // namespace olem

namespace olem::internal {

std::unique_ptr<EntropySequence> start_ensemble_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& context) {
  if (table.rows() < kFewestRows) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}The ensemble estimator needs at least {} rows, but there are {}.", table.prefix(),
                            kFewestRows, table.rows()),
                {{"Choose another estimator", "estimator", "kl"}});
  }
  const std::size_t lists = (table.columns() + 1) * table.rows();
  context.require_memory(lists * 8 * (1 + static_cast<std::size_t>(context.thread_count())), "The ensemble estimator");
  return std::make_unique<EnsembleSequence>(table, options, context);
}

}  // namespace olem::internal
