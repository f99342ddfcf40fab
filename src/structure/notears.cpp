#include "olem/notears.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/lapack.h"
#include "core/lbfgsb.h"
#include "core/matrix_exponential.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

// Penalty growth and its end, and by how much h must fall for the penalty to stay (the paper's code).
constexpr double kPenaltyFactor = 10.0;
constexpr double kLargestPenalty = 1e16;
constexpr double kSufficientDecrease = 0.25;

// X^T X / n of the centred columns, column-major.
std::vector<double> covariance(const Table& table) {
  const std::size_t n = table.rows();
  const std::size_t d = table.columns();
  std::vector<double> centred(table.values().begin(), table.values().end());
  for (std::size_t j = 0; j < d; ++j) {
    const auto column = centred.begin() + static_cast<std::ptrdiff_t>(j * n);
    const auto end = column + static_cast<std::ptrdiff_t>(n);
    const double mean = std::accumulate(column, end, 0.0) / static_cast<double>(n);
    std::for_each(column, end, [&](double& value) { value -= mean; });
  }
  std::vector<double> product(d * d);
  multiply(1.0 / static_cast<double>(n), {centred.data(), n, d, n, true}, {centred.data(), n, d}, 0.0, product.data());
  for (std::size_t j = 0; j < d; ++j) {
    if (!std::isfinite(product[j * d + j])) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The values of column '{}' are too large to be squared. Rescale it.", table.prefix(),
                              table.name(j)));
    }
  }
  return product;
}

// The smooth parts of the problem. Matrices are column-major: the weight of i -> j stands at j d + i.
class NotearsProblem {
 public:
  NotearsProblem(const Table& table, const Precedence& knowledge)
      : d_(table.columns()), covariance_(covariance(table)), known_(d_ * d_, 0.0), free_(d_ * d_, true) {
    for (std::size_t i = 0; i < d_; ++i) {
      free_[i * d_ + i] = false;
      for (std::size_t j = 0; j < d_; ++j) {
        if (!knowledge.precedes(i, j)) continue;
        free_[i * d_ + j] = false;
        // An edge that only takes part in the search for cycles, so that no path contradicts what is known. Light,
        // since there may be d^2 / 2 of them and the exponential grows with their sum.
        known_[j * d_ + i] = 1.0 / static_cast<double>(d_);
      }
    }
  }

  std::size_t size() const { return d_; }
  bool is_free(std::size_t place) const { return free_[place]; }

  // (1 / 2n) ||X - X W||^2 = tr((I - W)^T S (I - W)) / 2; the gradient -S (I - W) is added.
  double add_loss(std::span<const double> weights, std::vector<double>& gradient) const {
    const std::size_t size = d_ * d_;
    std::vector<double> residual(size);
    for (std::size_t i = 0; i < size; ++i) residual[i] = -weights[i];
    for (std::size_t i = 0; i < size; i += d_ + 1) residual[i] += 1.0;
    std::vector<double> product(size);
    multiply(1.0, {covariance_.data(), d_, d_}, {residual.data(), d_, d_}, 0.0, product.data());
    double loss = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      loss += residual[i] * product[i];
      gradient[i] -= product[i];
    }
    return 0.5 * loss;
  }

  // h = tr(exp(W o W)) - d. With `slope` times its gradient 2 exp(W o W)^T o W added, where `slope` is a function of h.
  template <class Slope>
  double add_acyclicity(std::span<const double> weights, const Slope& slope, std::vector<double>& gradient) const {
    std::vector<double> squares = known_;
    for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += weights[i] * weights[i];
    const std::vector<double> exponential = matrix_exponential(squares, d_);
    double h = 0.0;
    for (std::size_t i = 0; i < d_; ++i) h += exponential[i * d_ + i] - 1.0;
    const double factor = 2.0 * slope(h);
    for (std::size_t j = 0; j < d_; ++j) {
      for (std::size_t i = 0; i < d_; ++i)
        gradient[j * d_ + i] += factor * exponential[i * d_ + j] * weights[j * d_ + i];
    }
    return h;
  }

  double loss(std::span<const double> weights) const {
    std::vector<double> ignored(weights.size(), 0.0);
    return add_loss(weights, ignored);
  }

  double acyclicity(std::span<const double> weights) const {
    std::vector<double> ignored(weights.size(), 0.0);
    return add_acyclicity(
        weights, [](double) { return 0.0; }, ignored);
  }

  std::vector<Edge> known_edges() const {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) {
        if (known_[j * d_ + i] > 0.0) edges.push_back({i, j});
      }
    }
    return edges;
  }

 private:
  std::size_t d_;
  std::vector<double> covariance_;
  std::vector<double> known_;
  std::vector<bool> free_;
};

// W = W+ - W-, the first and the second half of the variables.
std::vector<double> weights_of(std::span<const double> halves) {
  const std::size_t size = halves.size() / 2;
  std::vector<double> weights(size);
  for (std::size_t i = 0; i < size; ++i) weights[i] = halves[i] - halves[size + i];
  return weights;
}

// One minimisation of loss + rho / 2 h^2 + alpha h + lambda sum(W+ + W-) from `start`.
LbfgsbResult minimise(const NotearsProblem& problem, std::vector<double> start, double rho, double alpha, double lambda,
                      const Context& context) {
  const std::size_t size = start.size() / 2;
  const std::vector<double> lower(2 * size, 0.0);
  std::vector<double> upper(2 * size);
  for (std::size_t i = 0; i < 2 * size; ++i) {
    upper[i] = problem.is_free(i % size) ? std::numeric_limits<double>::infinity() : 0.0;
  }
  const Objective objective = [&](std::span<const double> halves, std::span<double> gradient) {
    const std::vector<double> weights = weights_of(halves);
    std::vector<double> smooth(size, 0.0);
    double value = problem.add_loss(weights, smooth);
    const double h = problem.add_acyclicity(
        weights, [&](double now) { return rho * now + alpha; }, smooth);
    value += 0.5 * rho * h * h + alpha * h + lambda * std::accumulate(halves.begin(), halves.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      gradient[i] = lambda + smooth[i];
      gradient[size + i] = lambda - smooth[i];
    }
    return value;
  };
  return minimise_lbfgsb(std::move(start), lower, upper, objective, LbfgsbOptions{}, context);
}

// How far the search is: every iteration brings h down or the penalty up.
double progress_of(const NotearsIteration& last, std::size_t done, const NotearsOptions& options) {
  const double by_count = static_cast<double>(done) / options.iterations;
  const double by_penalty = std::log(last.rho) / std::log(kLargestPenalty);
  const double by_h = last.h > 0.0 ? std::log(last.h) / std::log(options.tolerance) : 1.0;
  return std::max({by_count, by_penalty, std::clamp(by_h, 0.0, 1.0)});
}

void search(const NotearsProblem& problem, const NotearsOptions& options, const Context& context,
            std::vector<double>& halves, NotearsResult& result) {
  double rho = 1.0;
  double alpha = 0.0;
  result.h = std::numeric_limits<double>::infinity();
  double progress = 0.0;
  while (result.iterations.size() < static_cast<std::size_t>(options.iterations)) {
    NotearsIteration iteration;
    std::vector<double> found;
    while (true) {
      const LbfgsbResult inner = minimise(problem, halves, rho, alpha, options.lambda, context);
      ++iteration.minimisations;
      iteration.inner_iterations += inner.iterations;
      iteration.evaluations += inner.evaluations;
      iteration.rho = rho;
      found = inner.x;
      iteration.h = problem.acyclicity(weights_of(found));
      if (!(iteration.h > kSufficientDecrease * result.h)) break;
      rho *= kPenaltyFactor;
      if (rho >= kLargestPenalty) break;
    }
    halves = std::move(found);
    result.h = iteration.h;
    iteration.alpha = alpha;
    iteration.loss = problem.loss(weights_of(halves));
    alpha += rho * result.h;
    result.iterations.push_back(iteration);
    context.log_info(fmt::format(
        "NOTEARS iteration {}: rho {:g}, alpha {:g}, h {:.3g}, loss {:.6g}, {} L-BFGS-B iterations, {} evaluations",
        result.iterations.size(), iteration.rho, iteration.alpha, iteration.h, iteration.loss,
        iteration.inner_iterations, iteration.evaluations));
    progress = std::max(progress, progress_of(iteration, result.iterations.size(), options));
    context.report_progress(progress, "augmented Lagrangian");
    if (result.h <= options.tolerance || rho >= kLargestPenalty) break;
  }
  result.converged = result.h <= options.tolerance;
}

std::vector<Edge> edges_from(const std::vector<std::vector<double>>& weights, double threshold) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[i][j] != 0.0 && std::abs(weights[i][j]) >= threshold) edges.push_back({i, j});
    }
  }
  return edges;
}

// The smallest of the absolute weights, and not below `asked`, that leaves no cycle; one that leaves no edge when the
// greatest weights are equal and make a cycle.
double acyclic_threshold(const std::vector<std::vector<double>>& weights, double asked,
                         const std::vector<Edge>& known) {
  const auto has_cycle = [&](double threshold) {
    std::vector<Edge> edges = edges_from(weights, threshold);
    edges.insert(edges.end(), known.begin(), known.end());
    return find_cycle(weights.size(), edges).has_value();
  };
  if (!has_cycle(asked)) return asked;
  std::vector<double> sizes;
  for (const std::vector<double>& row : weights) {
    for (const double weight : row) {
      if (std::abs(weight) > asked) sizes.push_back(std::abs(weight));
    }
  }
  std::sort(sizes.begin(), sizes.end());
  // Fewer edges never make a cycle, so the place where cycles end can be halved in on.
  const auto end = std::partition_point(sizes.begin(), sizes.end(), has_cycle);
  if (end != sizes.end()) return *end;
  return std::nextafter(sizes.empty() ? asked : sizes.back(), std::numeric_limits<double>::infinity());
}

}  // namespace

OptionSet describe(NotearsOptions& options) {
  OptionSet set;
  set.real("notears_lambda", options.lambda, 0.0, 1e300, "weight of the sum of absolute weights");
  set.real("notears_threshold", options.threshold, 0.0, 1e300, "weights below this in absolute value become 0");
  set.integer("notears_iterations", options.iterations, 1, 100000, "most iterations of the augmented Lagrangian");
  set.real("notears_tolerance", options.tolerance, 1e-14, 1.0, "of the acyclicity h at which the search has converged");
  return set;
}

NotearsResult learn_notears(const Table& table, const NotearsOptions& options, const Precedence& knowledge,
                            const Context& context) {
  NotearsOptions checked = options;
  describe(checked).validate();
  const std::size_t d = table.columns();
  // The variables, and what L-BFGS-B keeps of each.
  context.require_memory(sizeof(double) * (2 * d * d * 32 + table.rows() * d), "NOTEARS");
  const NotearsProblem problem(table, knowledge);
  NotearsResult result;
  std::vector<double> halves(2 * d * d, 0.0);
  search(problem, checked, context, halves, result);

  const std::vector<double> flat = weights_of(halves);
  result.weights.assign(d, std::vector<double>(d, 0.0));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) result.weights[i][j] = flat[j * d + i];
  }
  result.threshold = acyclic_threshold(result.weights, checked.threshold, problem.known_edges());
  result.graph = Dag(table.names(), edges_from(result.weights, result.threshold));
  if (result.threshold > checked.threshold) {
    result.summary.warnings.push_back(
        {"threshold_raised",
         fmt::format("Weights of at least {:g} form a cycle; the threshold was raised to {:.4g}, the smallest weight "
                     "that leaves none.",
                     checked.threshold, result.threshold),
         ""});
  }
  const auto count = result.iterations.size();
  if (result.converged) {
    result.summary.message =
        fmt::format("The acyclicity fell to {:.2g} in {} iteration{}.", result.h, count, count == 1 ? "" : "s");
  } else {
    result.summary.status = Status::kNotConverged;
    result.summary.message = fmt::format("The acyclicity was still {:.2g} after {} iteration{}, above {:g}.", result.h,
                                         count, count == 1 ? "" : "s", checked.tolerance);
    const bool more_iterations = count == static_cast<std::size_t>(checked.iterations);
    std::vector<Remedy> remedies = {{"Allow more iterations", "notears_iterations"}};
    if (!more_iterations) {
      remedies = {{"Compare the weights of the edges with the threshold", "notears_threshold"},
                  {"Rescale columns whose units differ greatly"}};
    }
    result.summary.warnings.push_back(
        {"not_converged", result.summary.message + (more_iterations ? "" : " The penalty cannot grow further."), "",
         std::move(remedies)});
  }
  return result;
}

}  // namespace olem
