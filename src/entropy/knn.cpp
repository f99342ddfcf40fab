// Kozachenko-Leonenko estimators: the k-th neighbour, and the weighted sum over the first k.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.h"
#include "entropy/estimators.h"
#include "entropy/neighbours.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem {

using namespace internal;

namespace {

double smallest_gap(std::span<const double> column) {
  std::vector<double> sorted(column.begin(), column.end());
  std::sort(sorted.begin(), sorted.end());
  double gap = kInfinity;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) gap = std::min(gap, sorted[i] - sorted[i - 1]);
  }
  return std::isinf(gap) ? 0.0 : gap;
}

double standard_deviation(std::span<const double> column) {
  double mean = 0.0;
  for (const double x : column) mean += x / static_cast<double>(column.size());
  double sum = 0.0;
  for (const double x : column) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(column.size()));
}

// Squared distances must neither overflow nor vanish, not even in sums over many columns and among near neighbours: the
// points concerned would be left out without a word.
void check_squares(std::span<const double> values, const Table& table, std::size_t column) {
  constexpr double kWidest = 1e150;
  constexpr double kNarrowest = 1e-140;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high - *low;
  if (range == 0.0 || (range >= kNarrowest && range <= kWidest)) return;
  throw Error(ErrorCategory::kData, fmt::format("{}The values of column '{}' are too {} to be squared. Rescale it.",
                                                table.prefix(), table.name(column), range > 1.0 ? "large" : "small"));
}

// Mean of ln rho over the points that are used; -infinity without any. Distances are multiplied as long as the product
// stays in range, and one logarithm is taken for all of them: fewer roundings than a sum of logarithms, and far less
// time. Blocks have a fixed size, so that the sum is the same however the work is spread.
class LogMean {
 public:
  explicit LogMean(const EntropyOptions& options) : options_(options) {}

  double of(std::span<const double> lists, std::size_t k, std::size_t neighbour) {
    constexpr std::size_t kBlock = 256;
    const std::size_t n = lists.size() / k;
    double total = 0.0;
    std::size_t used = 0;
    for (std::size_t first = 0; first < n; first += kBlock) {
      double block = 0.0;
      double product = 1.0;
      for (std::size_t i = first; i < std::min(n, first + kBlock); ++i) {
        double squared = lists[i * k + neighbour];
        if (options_.ties == TiePolicy::kFloor) squared = std::max(squared, options_.floor * options_.floor);
        if (squared == 0.0 || std::isinf(squared)) continue;
        ++used;
        if (squared < kSmall || squared > kLarge) {
          block += std::log(squared);
          continue;
        }
        product *= squared;
        if (product < kSmall || product > kLarge) {
          block += std::log(product);
          product = 1.0;
        }
      }
      total += block + std::log(product);
    }
    return used > 0 ? 0.5 * total / static_cast<double>(used) : -kInfinity;
  }

 private:
  // A product of two numbers from this range neither overflows nor loses digits.
  static constexpr double kSmall = 1e-150;
  static constexpr double kLarge = 1e150;
  const EntropyOptions& options_;
};

// How the lists of neighbour distances become an entropy: all weight on the k-th for kl and knn.
struct Weights {
  std::vector<double> weight;  // of neighbour 1, 2, ...
};

Weights weights_for(const EntropyOptions& options, int m, int k) {
  Weights weights;
  if (options.estimator == "weighted") {
    weights.weight = weighted_estimator_weights(m, std::min(k, std::max(options.k, 10 * (m / 4 + 1))));
  } else {
    weights.weight.assign(static_cast<std::size_t>(k), 0.0);
    weights.weight.back() = 1.0;
  }
  return weights;
}

class KnnSequence final : public EntropySequence {
 public:
  KnnSequence(const Table& table, const EntropyOptions& options, int k, const Context& context)
      : table_(table), options_(options), columns_(make_search_columns(table, options, context)) {
    ColumnSpans spans;
    for (const auto& column : columns_.values) spans.emplace_back(column);
    LeaveOneOutNeighbours::Options search;
    search.k = k;
    search.zeros = options.ties == TiePolicy::kDistinct ? ZeroRule::kIgnore : ZeroRule::kKeep;
    search.engine = options.engine;
    search.instruction_set = options.instruction_set;
    search.device = options.device;
    neighbours_ = std::make_unique<LeaveOneOutNeighbours>(std::move(spans), search);
  }

  StepEntropies evaluate(const Context& context, const std::function<void(double)>& progress) override {
    neighbours_->evaluate(context, progress);
    const int m = static_cast<int>(neighbours_->columns());
    double log_scale = 0.0;
    for (const double scale : columns_.log_scale) log_scale += scale;

    StepEntropies step;
    const auto count = static_cast<std::size_t>(m);
    step.without.resize(count);
    step.zero_share.resize(count);
    // The joint entropy is piece 0: under --ties error its message is the one that is seen.
    parallel_for(context, 0, count + 1, 1, [&](std::size_t piece, std::size_t) {
      if (piece == 0) {
        const Estimate joint = entropy_of(neighbours_->joint(), m);
        step.joint = joint.value + log_scale;
        step.joint_zero_share = joint.zero_share;
      } else {
        const std::size_t v = piece - 1;
        const Estimate without = entropy_of(neighbours_->without(v), m - 1);
        step.without[v] = without.value + log_scale - columns_.log_scale[v];
        step.zero_share[v] = without.zero_share;
      }
    });
    return step;
  }

  std::vector<double> contributions(std::size_t position) const override {
    const int m = static_cast<int>(neighbours_->columns()) - 1;
    const Weights weights = weights_for(options_, m, neighbours_->k());
    std::vector<double> result(neighbours_->points(), 0.0);
    for (std::size_t j = 0; j < weights.weight.size(); ++j) {
      if (weights.weight[j] == 0.0) continue;
      const auto logs = logs_of(neighbours_->without(position), j);
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += weights.weight[j] * m * logs[i];
    }
    return result;
  }

  void remove(const Context& context, std::size_t position) override {
    neighbours_->remove(context, position);
    columns_.log_scale.erase(columns_.log_scale.begin() + static_cast<std::ptrdiff_t>(position));
  }

 private:
  struct Estimate {
    double value = 0.0;
    double zero_share = 0.0;
  };

  std::vector<double> logs_of(std::span<const double> lists, std::size_t neighbour) const {
    const auto k = static_cast<std::size_t>(neighbours_->k());
    std::vector<double> logs(neighbours_->points());
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = log_distance(lists[i * k + neighbour], options_);
    return logs;
  }

  Estimate entropy_of(std::span<const double> lists, int m) const {
    Estimate estimate;
    if (m == 0) return estimate;
    const auto k = static_cast<std::size_t>(neighbours_->k());
    const std::size_t n = neighbours_->points();
    const double constant = log_unit_ball_volume(m) + std::log(static_cast<double>(n - 1));
    const Weights weights = weights_for(options_, m, neighbours_->k());
    for (std::size_t j = 0; j < weights.weight.size(); ++j) {
      if (weights.weight[j] == 0.0) continue;
      std::size_t zeros = 0;
      for (std::size_t i = 0; i < n; ++i) zeros += lists[i * k + j] == 0.0 ? 1U : 0U;
      if (zeros > 0 && options_.ties == TiePolicy::kError) refuse_zero_distances(table_, zeros);
      estimate.zero_share = std::max(estimate.zero_share, static_cast<double>(zeros) / static_cast<double>(n));
      const double mean = LogMean(options_).of(lists, k, j);
      estimate.value += weights.weight[j] * (m * mean + constant - digamma_integer(static_cast<int>(j) + 1));
    }
    if (std::isnan(estimate.value)) estimate.value = -kInfinity;  // weights of both signs on -infinity
    return estimate;
  }

  const Table& table_;
  EntropyOptions options_;
  SearchColumns columns_;
  std::unique_ptr<LeaveOneOutNeighbours> neighbours_;
};

std::unique_ptr<EntropySequence> start_with_neighbours(const Table& table, const EntropyOptions& options, int k,
                                                       const Context& context) {
  const std::size_t needed = static_cast<std::size_t>(k) + 1;
  if (table.rows() < needed) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}The {} estimator with k = {} needs at least {} rows, but there are {}.", table.prefix(),
                            options.estimator, k, needed, table.rows()),
                {{"Use a nearer neighbour", "k", fmt::format("{}", std::max<std::size_t>(1, table.rows() - 1))},
                 {"Give more rows"}});
  }
  context.require_memory(LeaveOneOutNeighbours::memory(table.rows(), table.columns(), k), "The search for neighbours");
  return std::make_unique<KnnSequence>(table, options, k, context);
}

}  // namespace

}  // namespace olem

namespace olem::internal {

SearchColumns make_search_columns(const Table& table, const EntropyOptions& options, const Context& context) {
  SearchColumns result;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto cells = table.column(j);
    std::vector<double> values(cells.begin(), cells.end());
    if (options.ties == TiePolicy::kJitter) {
      // Keyed by name, so that the noise stays with its column when columns change places.
      RandomStream random(context.seed, "jitter:" + table.name(j));
      const double half = 0.5 * smallest_gap(cells);
      for (double& value : values) value += random.uniform(-half, half);
    }
    double scale = 1.0;
    if (options.affine == AffineCorrection::kScale) {
      const double deviation = standard_deviation(values);
      if (deviation > 0.0) scale = deviation;
      for (double& value : values) value /= scale;
    }
    check_squares(values, table, j);
    result.values.push_back(std::move(values));
    result.log_scale.push_back(std::log(scale));
  }
  return result;
}

}  // namespace olem::internal

namespace olem {

std::vector<double> weighted_estimator_weights(int m, int k) {
  std::vector<double> weights(static_cast<std::size_t>(k), 0.0);
  if (m < 4) {
    weights.back() = 1.0;
    return weights;
  }
  const int constraints = m / 4 + 1;
  if (k < constraints) {
    throw Error(ErrorCategory::kData,
                fmt::format("The weighted estimator in {} dimensions needs at least {} neighbours.", m, constraints));
  }
  Eigen::MatrixXd g(constraints, k);
  for (int l = 0; l < constraints; ++l) {
    for (int j = 1; j <= k; ++j) g(l, j - 1) = std::exp(log_gamma(j + 2.0 * l / m) - log_gamma(j));
  }
  Eigen::VectorXd target = Eigen::VectorXd::Zero(constraints);
  target(0) = 1.0;
  // Minimum norm: w = G^T (G G^T)^-1 e_1, by a decomposition that does not square the condition.
  const Eigen::VectorXd solution = g.completeOrthogonalDecomposition().solve(target);
  std::copy(solution.data(), solution.data() + k, weights.begin());
  return weights;
}

}  // namespace olem

namespace olem::internal {

std::unique_ptr<EntropySequence> start_knn_entropy(const Table& table, const EntropyOptions& options,
                                                   const Context& context) {
  return start_with_neighbours(table, options, options.k, context);
}

std::unique_ptr<EntropySequence> start_weighted_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& context) {
  // Few neighbours make weights of huge size; ten for each constraint keep them near one.
  const int m = static_cast<int>(table.columns());
  const int k = std::max(options.k, 10 * (m / 4 + 1));
  return start_with_neighbours(table, options, k, context);
}

}  // namespace olem::internal
