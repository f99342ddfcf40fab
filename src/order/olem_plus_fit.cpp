#include "order/olem_plus_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/lapack.h"
#include "olem/parallel.h"
#include "order/olem_plus_entropy.h"
#include "order/olem_plus_kernel.h"
#include "order/olem_plus_levels.h"
#include "order/olem_plus_objective.h"

namespace olem::internal {

AdditiveFunctions additive_functions(const PlusColumns& columns, std::span<const std::size_t> active) {
  AdditiveFunctions functions;
  std::vector<double> roughness;
  std::vector<double> least;
  for (const std::size_t j : active) {
    const bool indicators = columns.is_indicated(j);
    for (std::size_t k = 0; k < columns.functions(j); ++k) {
      functions.chosen.push_back(static_cast<Eigen::Index>(columns.first[j] + k));
      roughness.push_back(k == 0 || indicators ? kLeastPenalty : std::pow(static_cast<double>(k + 1), 4) / 16.0);
      least.push_back(std::max(kLeastPenalty, columns.least_penalty[columns.first[j] + k]));
    }
  }
  const auto size = static_cast<Eigen::Index>(roughness.size());
  functions.roughness = Eigen::Map<const Eigen::VectorXd>(roughness.data(), size);
  functions.least = Eigen::Map<const Eigen::VectorXd>(least.data(), size);
  return functions;
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array kProcessRidges = {0.2, 1.0, 5.0};
constexpr double kLineRidge = 1e-3;       // of lines and constant beside a Gaussian process
constexpr double kMustGain = 1.0 - 1e-4;  // factor of the GCV of a later candidate
constexpr double kMostLeverage = 0.9;     // a row that determines its own fit says nothing
constexpr double kLeastResidual = 0.01;   // of the size of all, where the logarithms of residuals are compared
constexpr double kWide = 1.6;             // length scales, in standard deviations
constexpr double kNarrow = 0.8;

// A ridge regression that was solved.
struct Ridge {
  double gcv = std::numeric_limits<double>::infinity();
  double smoothing = 0.0;  // that its penalties were made with
  VectorXd coefficients;
  MatrixXd factor;  // lower triangle: L with L L' = G + P

  // L^-T, so that the leverage of a row x is |x' L^-T|^2.
  MatrixXd root() const {
    MatrixXd inverse = MatrixXd::Identity(factor.rows(), factor.cols());
    solve_lower(factor.data(), static_cast<std::size_t>(factor.rows()), true, inverse.data(),
                static_cast<std::size_t>(factor.cols()));
    return inverse;
  }
};

// `gram` (lower triangle), `right` = X'y and `squares` = y'y of n rows. `mean_parameters`: 1 when the constant is not
// among the functions.
Ridge solve_ridge(const MatrixXd& gram, const VectorXd& right, double squares, const VectorXd& penalty, double n,
                  double mean_parameters) {
  Ridge ridge;
  const auto size = static_cast<std::size_t>(gram.rows());
  ridge.factor = gram;
  ridge.factor.diagonal() += penalty;
  if (!cholesky_lower(ridge.factor.data(), size)) return ridge;
  ridge.coefficients = right;
  solve_lower(ridge.factor.data(), size, false, ridge.coefficients.data(), 1);
  solve_lower(ridge.factor.data(), size, true, ridge.coefficients.data(), 1);
  MatrixXd inverse = ridge.factor;
  invert_from_cholesky(inverse.data(), size);
  // trace of G (G + P)^-1 = size - trace of P (G + P)^-1
  const double freedom = static_cast<double>(size) - penalty.dot(inverse.diagonal()) + mean_parameters;
  const double residual = squares - ridge.coefficients.dot(right) - ridge.coefficients.cwiseAbs2().dot(penalty);
  const double left = n - freedom;
  if (left <= 0.0) return ridge;
  ridge.gcv = n * std::max(residual, 1e-14 * squares) / (left * left);
  return ridge;
}

// Writes rows first to first + block.rows() - 1 of the functions of a regression.
using RowFunctions = std::function<void(std::size_t first, Eigen::Ref<MatrixXd> block)>;

// A piece of rows whose functions stay in the cache.
constexpr std::size_t kRowPiece = 256;

void for_row_pieces(std::size_t begin, std::size_t end,
                    const std::function<void(std::size_t first, std::size_t count)>& body) {
  for (std::size_t first = begin; first < end; first += kRowPiece) body(first, std::min(kRowPiece, end - first));
}

// y - X b divided by 1 - leverage.
std::vector<double> left_out_residuals(const PlusColumns& columns, Index response, const RowFunctions& functions,
                                       const VectorXd& coefficients, const MatrixXd& root, double mean_leverage,
                                       const Context& context) {
  const double* const values = columns.function(static_cast<std::size_t>(response));
  std::vector<double> residuals(values, values + columns.rows);
  const Index size = coefficients.size();
  const auto width = static_cast<std::size_t>(size);
  // A leverage needs few digits: single precision takes half the time.
  const Eigen::MatrixXf narrow_root = root.cast<float>();
  const auto most = static_cast<Index>(std::min(kRowPiece, columns.rows));
  parallel_for(context, 0, columns.rows, kRowsOfTask, [&](std::size_t begin, std::size_t end) {
    MatrixXd block(most, size);
    Eigen::MatrixXf narrow(most, size);
    Eigen::MatrixXf rotated(most, size);
    for_row_pieces(begin, end, [&](std::size_t first, std::size_t count) {
      const auto rows = static_cast<Index>(count);
      const auto stride = static_cast<std::size_t>(most);
      functions(first, block.topRows(rows));
      multiply(-1.0, {block.data(), count, width, stride}, {coefficients.data(), width, 1}, 1.0,
               residuals.data() + first);
      narrow.topRows(rows) = block.topRows(rows).cast<float>();
      multiply(1.0F, {narrow.data(), count, width, stride}, {narrow_root.data(), width, width}, 0.0F, rotated.data(),
               stride);
      Eigen::VectorXf leverage = Eigen::VectorXf::Constant(rows, static_cast<float>(mean_leverage));
      for (Index k = 0; k < size; ++k) leverage += rotated.col(k).head(rows).cwiseAbs2();
      for (std::size_t i = 0; i < count; ++i) {
        const double weight = columns.weights.empty() ? 1.0 : columns.weights[first + i];
        residuals[first + i] /=
            1.0 - std::min(kMostLeverage, weight * static_cast<double>(leverage[static_cast<Index>(i)]));
      }
    });
  });
  return residuals;
}

struct AdditiveProblem {
  AdditiveFunctions functions;
  MatrixXd gram;
  VectorXd right;
};

AdditiveProblem additive_problem(const PlusColumns& columns, Index response, std::span<const std::size_t> active) {
  AdditiveProblem problem;
  problem.functions = additive_functions(columns, active);
  problem.gram = columns.gram(problem.functions.chosen, problem.functions.chosen);
  problem.right = columns.gram.col(response)(problem.functions.chosen);
  return problem;
}

Ridge best_additive(const AdditiveProblem& problem, std::span<const double> smoothings, double n) {
  Ridge best;
  for (const double smoothing : smoothings) {
    const VectorXd penalty = problem.functions.penalty(smoothing);
    Ridge ridge = solve_ridge(problem.gram, problem.right, n, penalty, n, 1.0);
    ridge.smoothing = smoothing;
    if (ridge.gcv < best.gcv) best = std::move(ridge);
  }
  return best;
}

// The best ridge of a Gaussian process of one length scale.
struct ProcessFit {
  std::optional<ProcessFunctions> functions;
  double length = 0.0;
  Ridge ridge;
};

// Sums over a task's rows: of products of the functions, and of them with the response.
struct ProcessSums {
  MatrixXd gram;  // lower triangle
  VectorXd right;
};

ProcessFit best_process(const PlusColumns& columns, Index response, std::span<const std::size_t> active, double length,
                        std::span<const double> ridges, const Context& context) {
  ProcessFit fit;
  fit.length = length;
  const ProcessFunctions& functions = fit.functions.emplace(columns, active, length);
  const std::size_t width = functions.size();
  const auto size = static_cast<Index>(width);
  const auto most = static_cast<Index>(std::min(kRowPiece, columns.rows));
  const double* const target = columns.function(static_cast<std::size_t>(response));
  std::vector<ProcessSums> sums((columns.rows + kRowsOfTask - 1) / kRowsOfTask);
  parallel_for(context, 0, columns.rows, kRowsOfTask, [&](std::size_t begin, std::size_t end) {
    ProcessSums& own_sums = sums[begin / kRowsOfTask];
    own_sums.gram = MatrixXd::Zero(size, size);
    own_sums.right = VectorXd::Zero(size);
    MatrixXd block(most, size);
    VectorXd values(most);
    for_row_pieces(begin, end, [&](std::size_t first, std::size_t count) {
      const auto rows = static_cast<Index>(count);
      functions.fill(first, block.topRows(rows));
      values.head(rows) = Eigen::Map<const VectorXd>(target + first, rows);
      if (!columns.weights.empty()) {
        const VectorXd root = Eigen::Map<const VectorXd>(columns.weights.data() + first, rows).cwiseSqrt();
        block.topRows(rows).array().colwise() *= root.array();
        values.head(rows).array() *= root.array();
      }
      const MatrixView own{block.data(), count, width, static_cast<std::size_t>(most), true};
      multiply_by_own_transpose(1.0, own, 1.0, own_sums.gram.data());
      multiply(1.0, own, {values.data(), count, 1}, 1.0, own_sums.right.data());
    });
  });
  auto& [gram, right] = sums.front();
  for (std::size_t task = 1; task < sums.size(); ++task) {
    gram += sums[task].gram;
    right += sums[task].right;
  }
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose().eval();
  functions.whiten(gram, right);
  for (const double ridge_value : ridges) {
    VectorXd penalty = VectorXd::Constant(size, ridge_value);
    penalty.tail(static_cast<Index>(functions.lines())).setConstant(kLineRidge);
    Ridge ridge =
        solve_ridge(gram, right, static_cast<double>(columns.rows), penalty, static_cast<double>(columns.rows), 0.0);
    ridge.smoothing = ridge_value;
    if (ridge.gcv < fit.ridge.gcv) fit.ridge = std::move(ridge);
  }
  return fit;
}

}  // namespace

PlusResiduals regression_residuals(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                                   const Context& context, const PlusChoice* known, bool transformed) {
  PlusResiduals result;
  const std::size_t function = transformed ? columns.transforms[target]->function : columns.first[target];
  const auto response = static_cast<Index>(function);
  const std::size_t rows = columns.rows;
  const auto n = static_cast<double>(rows);
  if (active.empty()) {
    result.values.assign(columns.function(function), columns.function(function) + rows);
    for (double& value : result.values) value *= n / (n - 1.0);
    return result;
  }
  AdditiveProblem problem;
  Ridge additive;
  ProcessFit process;
  if (known == nullptr || known->model == PlusModel::kAdditive) {
    problem = additive_problem(columns, response, active);
    additive = best_additive(
        problem, known == nullptr ? std::span<const double>(kSmoothings) : std::span(&known->smoothing, 1), n);
  }
  if (known != nullptr && known->model == PlusModel::kProcess) {
    process = best_process(columns, response, active, known->length, std::span(&known->smoothing, 1), context);
  } else if (known == nullptr && active.size() >= 2) {
    double best = additive.gcv;
    for (const double length : {kWide, kNarrow}) {
      ProcessFit candidate = best_process(columns, response, active, length, kProcessRidges, context);
      if (!(candidate.ridge.gcv < best * kMustGain)) break;
      best = candidate.ridge.gcv;
      process = std::move(candidate);
    }
  }
  if (process.functions) {
    const ProcessFunctions& functions = *process.functions;
    result.choice = {PlusModel::kProcess, process.ridge.smoothing, process.length, transformed, false, {}};
    MatrixXd root = process.ridge.root();
    functions.unwhiten(process.ridge.coefficients);
    functions.unwhiten(root);
    result.values = left_out_residuals(
        columns, response, [&](std::size_t first, const Eigen::Ref<MatrixXd>& block) { functions.fill(first, block); },
        process.ridge.coefficients, root, 0.0, context);
  } else {
    result.choice = {PlusModel::kAdditive, additive.smoothing, 0.0, transformed, false, {}};
    const auto gather = [&](std::size_t first, Eigen::Ref<MatrixXd> block) {
      for (Index k = 0; k < block.cols(); ++k) {
        block.col(k) = columns.basis.col(problem.functions.chosen[static_cast<std::size_t>(k)])
                           .segment(static_cast<Index>(first), block.rows());
      }
    };
    result.values =
        left_out_residuals(columns, response, gather, additive.coefficients, additive.root(), 1.0 / n, context);
  }
  return result;
}

namespace {

// ln s(x) of every row, for residuals of the size s(x): the regression of ln |r| on straight lines and indicators of
// the predecessors, less its mean.
VectorXd log_noise_scale(const PlusColumns& columns, std::span<const std::size_t> active,
                         const std::vector<double>& residuals) {
  std::vector<Index> chosen;
  std::vector<double> penalty;
  for (const std::size_t j : active) {
    const std::size_t lines = columns.is_indicated(j) ? columns.functions(j) : 1;
    for (std::size_t k = columns.first[j]; k < columns.first[j] + lines; ++k) {
      chosen.push_back(static_cast<Index>(k));
      penalty.push_back(std::max(kLineRidge, columns.least_penalty[k]));
    }
  }
  const auto n = static_cast<Index>(columns.rows);
  double squares = 0.0;
  for (const double r : residuals) squares += r * r;
  const double least = kLeastResidual * std::sqrt(squares / static_cast<double>(n));
  VectorXd logs(n);
  for (Index i = 0; i < n; ++i) logs[i] = std::log(std::max(std::abs(residuals[static_cast<std::size_t>(i)]), least));
  logs.array() -= logs.mean();
  if (!columns.weights.empty()) logs.array() *= Eigen::Map<const VectorXd>(columns.weights.data(), n).array();
  VectorXd right(static_cast<Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) right[static_cast<Index>(k)] = columns.basis.col(chosen[k]).dot(logs);
  MatrixXd factor = columns.gram(chosen, chosen);
  factor.diagonal() += Eigen::Map<const VectorXd>(penalty.data(), static_cast<Index>(penalty.size()));
  VectorXd scale = VectorXd::Zero(n);
  if (!cholesky_lower(factor.data(), chosen.size())) return scale;
  solve_lower(factor.data(), chosen.size(), false, right.data(), 1);
  solve_lower(factor.data(), chosen.size(), true, right.data(), 1);
  for (std::size_t k = 0; k < chosen.size(); ++k) scale += right[static_cast<Index>(k)] * columns.basis.col(chosen[k]);
  return scale;
}

PlusFit fit_continuous(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                       const Context& context, const PlusChoice* known, bool transformed) {
  const PlusResiduals residuals = regression_residuals(columns, target, active, context, known, transformed);
  const PlusTransform* const transform = transformed ? &*columns.transforms[target] : nullptr;
  const double step = transform == nullptr ? columns.rounding_step[target] : transform->rounding_step;
  ResidualEntropy entropy = residual_entropy(residuals.values, columns.weights, step);
  const double log_scale = transform == nullptr ? columns.log_scale[target] : transform->log_scale;
  PlusFit fit;
  fit.choice = residuals.choice;
  fit.choice.transformed = transformed;
  if (columns.mixed && !active.empty() && (known == nullptr || known->scaled)) {
    const VectorXd scale = log_noise_scale(columns, active, residuals.values);
    std::vector<double> divided = residuals.values;
    for (std::size_t i = 0; i < divided.size(); ++i) divided[i] *= std::exp(-scale[static_cast<Index>(i)]);
    ResidualEntropy other = residual_entropy(divided, columns.weights, step);
    double sum = 0.0;
    for (std::size_t i = 0; i < divided.size(); ++i) {
      const double own = scale[static_cast<Index>(i)];
      sum += (columns.weights.empty() ? 1.0 : columns.weights[i]) * own;
      other.contributions[i] += static_cast<float>(own);
    }
    other.value += sum / static_cast<double>(columns.rows);
    const double price = edge_price(columns.rows) * static_cast<double>(active.size());
    if (known != nullptr || other.value + price < entropy.value) {
      entropy = std::move(other);
      fit.choice.scaled = true;
    }
  }
  fit.entropy = entropy.value + log_scale;
  fit.contributions = std::move(entropy.contributions);
  const auto shift = static_cast<float>(log_scale);
  for (float& own : fit.contributions) own += shift;
  if (transform != nullptr) {
    double sum = 0.0;
    for (std::size_t i = 0; i < columns.rows; ++i) {
      const float own = transform->log_derivatives[i];
      sum += (columns.weights.empty() ? 1.0 : columns.weights[i]) * static_cast<double>(own);
      fit.contributions[i] += own;
    }
    fit.entropy += sum / static_cast<double>(columns.rows);
  }
  return fit;
}

}  // namespace

PlusFit fit_column(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const Context& context, const PlusChoice* known) {
  if (!columns.own_rows.empty() && columns.own_rows[target] != nullptr) {
    const PlusColumns& own = *columns.own_rows[target];
    PlusFit fit = fit_column(own, target, active, context, known);
    double weight = 0.0;
    std::vector<float> contributions(columns.rows, 0.0F);
    for (std::size_t i = 0, next = 0; i < columns.rows; ++i) {
      if (columns.was_set[target][i] != 0) continue;
      weight += columns.weights.empty() ? 1.0 : columns.weights[i];
      contributions[i] = fit.contributions[next++];
    }
    fit.entropy *= weight / static_cast<double>(columns.rows);
    fit.contributions = std::move(contributions);
    return fit;
  }
  const auto fit_plain = [&](bool transformed) {
    return columns.is_discrete(target) ? fit_levels(columns, target, active, known)
                                       : fit_continuous(columns, target, active, context, known, transformed);
  };
  if (known != nullptr && known->model == PlusModel::kCounts) return fit_counts(columns, target, active, known);
  if (known != nullptr) return fit_plain(known->transformed);
  PlusFit best = fit_plain(false);
  const auto keep_better = [&](PlusFit other) {
    if (other.entropy < best.entropy) best = std::move(other);
  };
  if (columns.transforms[target]) keep_better(fit_plain(true));
  if (!columns.counts[target].empty() && !active.empty()) keep_better(fit_counts(columns, target, active));
  return best;
}

}  // namespace olem::internal
