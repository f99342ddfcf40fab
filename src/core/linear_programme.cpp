#include "core/linear_programme.h"

#include <fmt/format.h>

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/special.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

enum class Algorithm { kDual, kPrimal };

struct Attempt {
  Algorithm algorithm;
  bool scaling;  // whether Clp may choose its own scales on top of ours
};

// Ends the simplex method between two iterations. Nothing may be thrown through Clp.
class ClpStopHandler final : public ClpEventHandler {
 public:
  explicit ClpStopHandler(const Context& context) : context_(&context) {}
  ClpEventHandler* clone() const override { return new ClpStopHandler(*this); }
  int event(Event what) override {
    const bool between_steps = what == endOfIteration || what == endOfFactorization;
    return between_steps && context_->should_stop() ? kStop : kContinue;
  }

 private:
  static constexpr int kContinue = -1;
  static constexpr int kStop = 0;
  const Context* context_;
};

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorCategory::kInternal, "A linear programme was stated wrongly: " + reason);
}

void check_statement(const LinearProgramme& programme) {
  const std::size_t size = programme.size();
  const std::size_t rows = programme.rows();
  if (programme.lower.size() != size || programme.upper.size() != size) refuse("bounds and costs differ in number.");
  if (programme.row_upper.size() != rows || programme.row_start.size() != rows + 1 ||
      programme.row_start.front() != 0 || programme.row_start.back() != programme.values.size() ||
      programme.columns.size() != programme.values.size() ||
      !std::is_sorted(programme.row_start.begin(), programme.row_start.end())) {
    refuse("its rows do not fit together.");
  }
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max() / 2);
  if (size > kMost || rows > kMost || programme.values.size() > kMost) refuse("it is too large.");
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto number = [](double value) { return !std::isnan(value); };
  if (!std::all_of(programme.cost.begin(), programme.cost.end(), finite) ||
      !std::all_of(programme.values.begin(), programme.values.end(), finite)) {
    refuse("a cost or an entry is not finite.");
  }
  for (const auto* bounds : {&programme.lower, &programme.upper, &programme.row_lower, &programme.row_upper}) {
    if (!std::all_of(bounds->begin(), bounds->end(), number)) refuse("a bound is NaN.");
  }
  std::vector<std::size_t> seen_in(size, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t e = programme.row_start[i]; e < programme.row_start[i + 1]; ++e) {
      const std::size_t j = programme.columns[e];
      if (j >= size || seen_in[j] == i) refuse("a row names a variable twice, or one that does not exist.");
      seen_in[j] = i;
    }
  }
}

// The power of two next to 1 / max |a_ij|, by which row i is multiplied so that no unit of a row counts more than
// another; exact in floating point.
std::vector<double> row_factors(const LinearProgramme& programme) {
  std::vector<double> factors(programme.rows(), 1.0);
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    double largest = 0.0;
    for (std::size_t e = programme.row_start[i]; e < programme.row_start[i + 1]; ++e) {
      largest = std::max(largest, std::abs(programme.values[e]));
    }
    if (largest > 0.0) factors[i] = std::exp2(-std::clamp(std::ilogb(largest), -1000, 1000));
  }
  return factors;
}

LinearProgramme with_rows_scaled(const LinearProgramme& programme, const std::vector<double>& factors) {
  LinearProgramme scaled = programme;
  for (std::size_t i = 0; i < scaled.rows(); ++i) {
    scaled.row_lower[i] *= factors[i];
    scaled.row_upper[i] *= factors[i];
    for (std::size_t e = scaled.row_start[i]; e < scaled.row_start[i + 1]; ++e) scaled.values[e] *= factors[i];
  }
  return scaled;
}

double row_activity(const LinearProgramme& programme, std::size_t i, std::span<const double> x, double& magnitude) {
  double sum = 0.0;
  magnitude = 1.0;
  for (std::size_t e = programme.row_start[i]; e < programme.row_start[i + 1]; ++e) {
    const double term = programme.values[e] * x[programme.columns[e]];
    sum += term;
    magnitude += std::abs(term);
  }
  return sum;
}

bool is_feasible(const LinearProgramme& programme, std::span<const double> x, double tolerance) {
  for (std::size_t j = 0; j < programme.size(); ++j) {
    const double slack = tolerance * (1.0 + std::abs(x[j]));
    if (!(x[j] >= programme.lower[j] - slack && x[j] <= programme.upper[j] + slack)) return false;
  }
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    double magnitude = 1.0;
    const double activity = row_activity(programme, i, x, magnitude);
    const double slack = tolerance * magnitude;
    if (!(activity >= programme.row_lower[i] - slack && activity <= programme.row_upper[i] + slack)) return false;
  }
  return true;
}

// Weak duality: for every y, with z = cost - A^T y, the cost of a feasible x is y^T A x + z^T x, which is at least the
// sum of y_i times the side of row i that its sign points to and of z_j times such a bound of x_j. An x whose cost
// equals this bound is optimal. Where that side is infinite, y_i or z_j must vanish.
bool is_optimal(const LinearProgramme& programme, const LinearSolution& solution, double tolerance) {
  std::vector<double> reduced = programme.cost;
  std::vector<double> reduced_magnitude(programme.size());
  for (std::size_t j = 0; j < programme.size(); ++j) reduced_magnitude[j] = 1.0 + std::abs(programme.cost[j]);
  double bound = 0.0;
  double magnitude = 1.0 + std::abs(solution.value);
  const auto add_side = [&](double multiplier, double low, double high, double slack, double current) {
    const double side = multiplier > 0.0 ? low : high;
    if (multiplier == 0.0) return true;
    if (std::abs(multiplier) <= slack && !std::isfinite(side)) {
      bound += multiplier * current;
      magnitude += std::abs(multiplier * current);
      return true;
    }
    bound += multiplier * side;
    magnitude += std::abs(multiplier * side);
    return std::isfinite(side);
  };
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    const double dual = solution.row_duals[i];
    for (std::size_t e = programme.row_start[i]; e < programme.row_start[i + 1]; ++e) {
      const double part = programme.values[e] * dual;
      reduced[programme.columns[e]] -= part;
      reduced_magnitude[programme.columns[e]] += std::abs(part);
    }
    double row_magnitude = 1.0;
    const double activity = row_activity(programme, i, solution.x, row_magnitude);
    if (!add_side(dual, programme.row_lower[i], programme.row_upper[i], tolerance, activity)) return false;
  }
  for (std::size_t j = 0; j < programme.size(); ++j) {
    const double slack = tolerance * reduced_magnitude[j];
    if (!add_side(reduced[j], programme.lower[j], programme.upper[j], slack, solution.x[j])) return false;
  }
  return std::abs(solution.value - bound) <= tolerance * magnitude;
}

// What Clp says, not yet tested.
LinearSolution run_simplex(const LinearProgramme& programme, const Attempt& attempt, const LinearOptions& options,
                           const Context& context) {
  const int size = static_cast<int>(programme.size());
  std::vector<CoinBigIndex> starts(programme.row_start.begin(), programme.row_start.end());
  std::vector<int> columns(programme.columns.begin(), programme.columns.end());
  std::vector<int> lengths(programme.rows());
  for (std::size_t i = 0; i < programme.rows(); ++i) lengths[i] = starts[i + 1] - starts[i];
  const int rows = static_cast<int>(programme.rows());

  LinearSolution solution;
  try {
    ClpSimplex model;
    model.setLogLevel(0);
    // Row-ordered matrices are turned into column order by Clp.
    const CoinPackedMatrix matrix(false, size, rows, static_cast<CoinBigIndex>(programme.values.size()),
                                  programme.values.data(), columns.data(), starts.data(), lengths.data());
    model.loadProblem(matrix, programme.lower.data(), programme.upper.data(), programme.cost.data(),
                      programme.row_lower.data(), programme.row_upper.data());
    model.setPrimalTolerance(options.tolerance);
    model.setDualTolerance(options.tolerance);
    model.setMaximumIterations(options.iterations);
    model.scaling(attempt.scaling ? 3 : 0);
    ClpStopHandler stop(context);
    model.passInEventHandler(&stop);
    if (attempt.algorithm == Algorithm::kDual) {
      model.dual();
    } else {
      model.primal();
    }
    solution.iterations = model.numberIterations();
    if (model.status() == 0) {
      // Clp shifts bounds a little against stalling; without that the same basis gives the vertex to rounding.
      model.setPerturbation(100);
      model.primal();
    }
    context.check_interrupt();
    const double* const x = model.primalColumnSolution();
    const double* const duals = model.dualRowSolution();
    switch (model.status()) {
      case 0:
        solution.status = LinearStatus::kOptimal;
        solution.x.assign(x, x + size);
        solution.row_duals.assign(duals, duals + rows);
        break;
      case 1: solution.status = LinearStatus::kInfeasible; break;
      case 2: solution.status = LinearStatus::kUnbounded; break;
      case 3: solution.message = fmt::format("no optimum within {} iterations", options.iterations); break;
      default: solution.message = "the solver met numerical difficulties"; break;
    }
  } catch (const CoinError& error) {
    solution = {};
    solution.message = error.message();
  }
  return solution;
}

std::array<Attempt, 3> attempts(const LinearProgramme& programme) {
  // The dual method is the faster one, but it gives free variables bounds of its own and may leave them there, at 1e10.
  const bool is_free =
      std::any_of(programme.lower.begin(), programme.lower.end(), [](double low) { return std::isinf(low); });
  const Algorithm first = is_free ? Algorithm::kPrimal : Algorithm::kDual;
  const Algorithm second = is_free ? Algorithm::kDual : Algorithm::kPrimal;
  return {Attempt{first, true}, Attempt{second, true}, Attempt{Algorithm::kPrimal, false}};
}

// An optimum only when it stands the test; other answers as Clp gives them.
LinearSolution try_to_solve(const LinearProgramme& programme, const Attempt& attempt, const LinearOptions& options,
                            const Context& context) {
  LinearSolution solution = run_simplex(programme, attempt, options, context);
  if (solution.status != LinearStatus::kOptimal) return solution;
  for (std::size_t j = 0; j < programme.size(); ++j) {
    solution.x[j] = std::clamp(solution.x[j], programme.lower[j], programme.upper[j]);
  }
  solution.value = std::inner_product(solution.x.begin(), solution.x.end(), programme.cost.begin(), 0.0);
  if (is_feasible(programme, solution.x, options.tolerance) && is_optimal(programme, solution, options.tolerance)) {
    return solution;
  }
  LinearSolution failed;
  failed.message = "no vertex that was called optimal stood the test";
  return failed;
}

// For programmes that have an optimum; kFailed when none is found.
LinearSolution find_optimum(const LinearProgramme& programme, const LinearOptions& options, const Context& context) {
  LinearSolution failed;
  failed.message = "an optimum that exists was not found";
  for (const Attempt& attempt : attempts(programme)) {
    LinearSolution solution = try_to_solve(programme, attempt, options, context);
    if (solution.status == LinearStatus::kOptimal) return solution;
    if (!solution.message.empty()) failed.message = solution.message;
  }
  return failed;
}

// The least sum of violations of the rows within the bounds. There always is one, so that a tested optimum settles
// whether the programme is feasible.
LinearSolution least_violation(const LinearProgramme& programme, const LinearOptions& options, const Context& context) {
  LinearProgramme elastic = programme;
  std::fill(elastic.cost.begin(), elastic.cost.end(), 0.0);
  elastic.row_start = {0};
  elastic.columns.clear();
  elastic.values.clear();
  elastic.row_lower.clear();
  elastic.row_upper.clear();
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    const std::size_t begin = programme.row_start[i];
    const std::size_t end = programme.row_start[i + 1];
    std::vector<std::size_t> places(programme.columns.begin() + static_cast<std::ptrdiff_t>(begin),
                                    programme.columns.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<double> entries(programme.values.begin() + static_cast<std::ptrdiff_t>(begin),
                                programme.values.begin() + static_cast<std::ptrdiff_t>(end));
    places.push_back(elastic.add_variable(1.0, 0.0, kInfinity));
    entries.push_back(1.0);
    places.push_back(elastic.add_variable(1.0, 0.0, kInfinity));
    entries.push_back(-1.0);
    elastic.add_row(places, entries, programme.row_lower[i], programme.row_upper[i]);
  }
  return find_optimum(elastic, options, context);
}

// The steepest descent of the cost along directions in which one may walk for ever, |direction_j| <= 1. There always is
// one as well.
LinearSolution steepest_ray(const LinearProgramme& programme, const LinearOptions& options, const Context& context) {
  LinearProgramme cone = programme;
  const auto open = [](double low, double high, double& new_low, double& new_high) {
    new_low = std::isfinite(low) ? 0.0 : new_low;
    new_high = std::isfinite(high) ? 0.0 : new_high;
  };
  for (std::size_t j = 0; j < cone.size(); ++j) {
    cone.lower[j] = -1.0;
    cone.upper[j] = 1.0;
    open(programme.lower[j], programme.upper[j], cone.lower[j], cone.upper[j]);
  }
  for (std::size_t i = 0; i < cone.rows(); ++i) {
    open(programme.row_lower[i], programme.row_upper[i], cone.row_lower[i], cone.row_upper[i]);
  }
  return find_optimum(cone, options, context);
}

// Finds out which of the two a programme is that Clp calls infeasible or unbounded; kFailed when it is neither.
LinearSolution classify(const LinearProgramme& programme, const LinearOptions& options, const Context& context) {
  const auto fail = [](const std::string& message) {
    LinearSolution solution;
    solution.message = message;
    return solution;
  };
  double magnitude = 1.0;
  const LinearSolution violation = least_violation(programme, options, context);
  if (violation.status != LinearStatus::kOptimal) return fail(violation.message);
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    double row = 1.0;
    row_activity(programme, i, violation.x, row);
    magnitude = std::max(magnitude, row);
  }
  LinearSolution solution;
  if (violation.value > 0.5 * options.tolerance * magnitude) {
    solution.status = LinearStatus::kInfeasible;
    return solution;
  }
  const LinearSolution ray = steepest_ray(programme, options, context);
  const double steepest = std::accumulate(programme.cost.begin(), programme.cost.end(), 0.0,
                                          [](double sum, double cost) { return sum + std::abs(cost); });
  if (ray.status == LinearStatus::kOptimal && ray.value < -options.tolerance * steepest) {
    solution.status = LinearStatus::kUnbounded;
    return solution;
  }
  return fail("the solver finds no optimum, although there is one");
}

bool bounds_contradict(const std::vector<double>& lower, const std::vector<double>& upper) {
  for (std::size_t j = 0; j < lower.size(); ++j) {
    if (lower[j] > upper[j] || lower[j] == kInfinity || upper[j] == -kInfinity) return true;
  }
  return false;
}

}  // namespace

std::size_t LinearProgramme::add_variable(double variable_cost, double low, double high) {
  cost.push_back(variable_cost);
  lower.push_back(low);
  upper.push_back(high);
  return cost.size() - 1;
}

void LinearProgramme::add_row(std::span<const double> dense, double low, double high) {
  std::vector<std::size_t> places(dense.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  add_row(places, dense, low, high);
}

void LinearProgramme::add_row(std::span<const std::size_t> places, std::span<const double> entries, double low,
                              double high) {
  if (places.size() != entries.size()) refuse("a row has more or fewer values than places.");
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (entries[e] == 0.0) continue;
    columns.push_back(places[e]);
    values.push_back(entries[e]);
  }
  row_start.push_back(values.size());
  row_lower.push_back(low);
  row_upper.push_back(high);
}

LinearSolution solve_linear_programme(const LinearProgramme& programme, const LinearOptions& options,
                                      const Context& context) {
  check_statement(programme);
  context.check_interrupt();
  LinearSolution solution;
  const std::vector<double> factors = row_factors(programme);
  const LinearProgramme scaled = with_rows_scaled(programme, factors);
  if (bounds_contradict(scaled.lower, scaled.upper) || bounds_contradict(scaled.row_lower, scaled.row_upper)) {
    solution.status = LinearStatus::kInfeasible;
    return solution;
  }
  for (const Attempt& attempt : attempts(scaled)) {
    solution = try_to_solve(scaled, attempt, options, context);
    if (solution.status == LinearStatus::kInfeasible || solution.status == LinearStatus::kUnbounded) {
      const int iterations = solution.iterations;
      solution = classify(scaled, options, context);
      solution.iterations = iterations;
    }
    if (solution.status != LinearStatus::kFailed) break;
  }
  for (std::size_t i = 0; i < solution.row_duals.size(); ++i) solution.row_duals[i] *= factors[i];
  return solution;
}

std::vector<std::size_t> conflicting_rows(const LinearProgramme& programme, const LinearOptions& options,
                                          const Context& context) {
  LinearProgramme remaining = programme;
  if (bounds_contradict(programme.lower, programme.upper) ||
      solve_linear_programme(remaining, options, context).status != LinearStatus::kInfeasible) {
    return {};
  }
  std::fill(remaining.cost.begin(), remaining.cost.end(), 0.0);
  std::vector<std::size_t> conflict;
  for (std::size_t i = 0; i < programme.rows(); ++i) {
    remaining.row_lower[i] = -kInfinity;
    remaining.row_upper[i] = kInfinity;
    if (solve_linear_programme(remaining, options, context).status == LinearStatus::kInfeasible) continue;
    remaining.row_lower[i] = programme.row_lower[i];
    remaining.row_upper[i] = programme.row_upper[i];
    conflict.push_back(i);
  }
  return conflict;
}

}  // namespace olem::internal
