#include "gam/additive_regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gam/mgcv_search.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Squared sine below which a straight line counts as a combination of others. Normal equations lose the square of the
// condition, so this leaves four digits to the most dependent lines that are let in.
constexpr double kDependent = 1e-11;

// Smallest relative residual worth telling from rounding.
constexpr double kSmallestResidual = 1e-30;

// Any solution of gram x = right, which always has one; short where there are many.
VectorXd least_squares_solution(const MatrixXd& gram, const VectorXd& right) {
  if (gram.rows() == 0) return right;
  const Eigen::LLT<MatrixXd> factor(gram);
  constexpr double kSingular = 1e-10;
  if (factor.info() == Eigen::Success && factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kSingular) {
    return factor.solve(right);
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(kSingular);
  decomposition.compute(gram);
  return decomposition.solve(right);
}

// Covariance and degrees of freedom of one term, whose functions `to` are the coefficients `from` of the regression
// with (X^T X + S)^-1 = `inverse` and diagonal S = `penalty`.
void add_inference(const MatrixXd& inverse, const Eigen::Ref<const VectorXd>& penalty, double sigma2,
                   const std::vector<Index>& from, const std::vector<Index>& to, AdditiveTerm& term) {
  term.covariance = MatrixXd::Zero(term.coefficients.size(), term.coefficients.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t j = 0; j < to.size(); ++j) {
      term.covariance(to[i], to[j]) = inverse(from[i], from[j]) * sigma2;
    }
    // F = I - (X^T X + S)^-1 S, so the diagonals of F and of 2F - FF are short sums.
    const Index at = from[i];
    term.edf += 1.0 - penalty[at] * inverse(at, at);
    term.reference_df += 1.0 - penalty[at] * inverse.col(at).cwiseAbs2().dot(penalty);
  }
}

// Correlation of two columns that are not constant, 1 in absolute value only for copies up to shift and scale.
double correlation(std::span<const double> a, std::span<const double> b) {
  const auto mean = [](std::span<const double> x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  };
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double aa = 0.0;
  double bb = 0.0;
  double ab = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace

int affordable_basis_size(std::size_t rows, std::size_t parents, int largest) {
  const double n = static_cast<double>(rows);
  const double p = static_cast<double>(std::max<std::size_t>(parents, 1));
  if (n / p >= 3.0 * largest) return largest;
  const int size = static_cast<int>(std::ceil(n / (3.0 * p)));
  return size < 3 ? 2 : size;
}

bool is_copy_up_to_scale(std::span<const double> a, std::span<const double> b) {
  return std::abs(correlation(a, b)) >= 1.0 - 1e-12;
}

// The coefficients of one regression, by what happens to them.
struct AdditiveDesign::Partition {
  std::vector<Index> lines;              // unpenalised, independent; indices among all functions
  std::vector<Index> bends;              // penalised
  std::vector<int> line_of;              // per parent: position in `lines`, -1 when dependent
  std::vector<int> block_of;             // per parent: penalty block, -1 for a plain straight line
  std::vector<const SmoothBasis*> bent;  // of each penalty block
  MatrixXd line_bend;                    // G_LL^-1 G_LW
  VectorXd line_cross;                   // G_LL^-1 c_L
  double log_determinant = 0.0;          // of X_0^T X_0 for the intercept and lines of root mean square 1
  SmoothingProblem smoothing;            // with the lines projected out
};

AdditiveDesign::AdditiveDesign(const Table& table, std::span<const ThinPlateSpectrum> spectra, int basis_size,
                               const Context& context) {
  const std::size_t d = table.columns();
  const Index n = static_cast<Index>(table.rows());
  context.require_memory(static_cast<std::size_t>(n) * d * static_cast<std::size_t>(basis_size) * sizeof(double),
                         "The spline basis of all columns");
  bases_.resize(d);
  centered_.resize(n, static_cast<Index>(d));
  length_.resize(static_cast<Index>(d));
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    bases_[j] = smooth_basis(spectra[j], basis_size);
    const Index column = static_cast<Index>(j);
    const Eigen::Map<const VectorXd> values(table.column(j).data(), n);
    // Divided by the largest value first: squares of what a user may have in a column need not fit into a double.
    const double scale = std::max(values.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
    centered_.col(column) = values / scale;
    centered_.col(column).array() -= centered_.col(column).mean();
    const double length = centered_.col(column).norm();
    if (length > 0.0) centered_.col(column) /= length;
    length_[column] = length * scale;
  });
  Index total = 0;
  for (const SmoothBasis& basis : bases_) {
    offset_.push_back(total);
    total += basis.functions.cols();
  }
  gram_.resize(total, total);
  cross_.resize(total, static_cast<Index>(d));
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    const MatrixXd transposed = bases_[j].functions.transpose();
    cross_.middleRows(offset_[j], transposed.rows()).noalias() = transposed * centered_;
    for (std::size_t k = 0; k <= j; ++k) {
      gram_.block(offset_[j], offset_[k], transposed.rows(), bases_[k].functions.cols()).noalias() =
          transposed * bases_[k].functions;
    }
  });
  gram_.triangularView<Eigen::StrictlyUpper>() = gram_.transpose();
}

AdditiveDesign::Partition AdditiveDesign::partition(std::size_t child, std::span<const std::size_t> parents) const {
  Partition result;
  SmoothingProblem& smoothing = result.smoothing;
  // Lines enter one after the other (Cholesky by rows), so that the first of dependent ones stays.
  MatrixXd triangle(static_cast<Index>(parents.size()), static_cast<Index>(parents.size()));
  std::vector<double> roughness;
  for (const std::size_t parent : parents) {
    const Index line = offset_[parent];
    const Index count = static_cast<Index>(result.lines.size());
    VectorXd projection = gram_(result.lines, line);
    if (count > 0) triangle.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(projection);
    const double rest = gram_(line, line) - projection.squaredNorm();
    if (rest > kDependent) {
      triangle.row(count).head(count) = projection.transpose();
      triangle(count, count) = std::sqrt(rest);
      result.line_of.push_back(static_cast<int>(count));
      result.lines.push_back(line);
    } else {
      result.line_of.push_back(-1);
    }
    const Index bends = bases_[parent].functions.cols() - 1;
    result.block_of.push_back(bends > 0 ? static_cast<int>(smoothing.blocks.size()) : -1);
    if (bends > 0) {
      smoothing.blocks.push_back({static_cast<Index>(result.bends.size()), bends});
      result.bent.push_back(&bases_[parent]);
    }
    for (Index i = 1; i <= bends; ++i) {
      result.bends.push_back(line + i);
      roughness.push_back(bases_[parent].roughness[i]);
    }
  }
  const Index lines = static_cast<Index>(result.lines.size());
  const auto lower = triangle.topLeftCorner(lines, lines).triangularView<Eigen::Lower>();
  const Index y = static_cast<Index>(child);
  // One right-hand side for the bends and the child together: there may be no bends, and then Eigen has nothing to
  // solve.
  const Index bends = static_cast<Index>(result.bends.size());
  MatrixXd projected(lines, bends + 1);
  projected.leftCols(bends) = gram_(result.lines, result.bends);
  projected.col(bends) = cross_(result.lines, y);
  smoothing.gram = gram_(result.bends, result.bends);
  smoothing.cross = cross_(result.bends, y);
  if (lines > 0) {
    lower.solveInPlace(projected);
    smoothing.gram -= projected.leftCols(bends).transpose() * projected.leftCols(bends);
    smoothing.cross -= projected.leftCols(bends).transpose() * projected.col(bends);
    lower.transpose().solveInPlace(projected);
  }
  result.line_bend = projected.leftCols(bends);
  result.line_cross = projected.col(bends);
  smoothing.roughness = Eigen::Map<const VectorXd>(roughness.data(), static_cast<Index>(roughness.size()));
  smoothing.observations = static_cast<double>(centered_.rows());
  smoothing.unpenalized_parameters = 1.0 + static_cast<double>(lines);
  result.log_determinant = smoothing.unpenalized_parameters * std::log(smoothing.observations) +
                           2.0 * triangle.diagonal().head(lines).array().log().sum();
  smoothing.unpenalized = least_squares_solution(smoothing.gram, smoothing.cross);

  const VectorXd line_coefficients = result.line_cross - result.line_bend * smoothing.unpenalized;
  VectorXd residual = centered_.col(y);
  for (std::size_t t = 0; t < parents.size(); ++t) {
    const MatrixXd& functions = bases_[parents[t]].functions;
    if (result.line_of[t] >= 0) residual.noalias() -= functions.col(0) * line_coefficients[result.line_of[t]];
    if (result.block_of[t] < 0) continue;
    const PenaltyBlock& block = smoothing.blocks[static_cast<std::size_t>(result.block_of[t])];
    residual.noalias() -= functions.rightCols(block.size) * smoothing.unpenalized.segment(block.begin, block.size);
  }
  smoothing.unpenalized_residual = std::max(residual.squaredNorm(), kSmallestResidual);
  return result;
}

SmoothingProblem AdditiveDesign::problem(std::size_t child, std::span<const std::size_t> parents) const {
  return partition(child, parents).smoothing;
}

AdditiveFit AdditiveDesign::fit(std::size_t child, std::span<const std::size_t> parents, SmoothingRule rule,
                                Inference inference, const Context& context) const {
  const Index y = static_cast<Index>(child);
  const double unit = length_[y] * length_[y];  // inner products are of columns of unit length; results are not
  const double n = static_cast<double>(centered_.rows());
  AdditiveFit fit;
  if (parents.empty()) {
    fit.residual = unit;
    fit.sigma2 = unit / (n - 1.0);
    fit.score = rule.criterion == SmoothingCriterion::kGcv
                    ? n * unit / ((n - 1.0) * (n - 1.0))
                    : 0.5 * ((n - 1.0) * (std::log(2.0 * std::numbers::pi * fit.sigma2) + 1.0) + std::log(n));
    return fit;
  }
  const Partition part = partition(child, parents);
  const SmoothingProblem& smoothing = part.smoothing;
  const SmoothingSelection selection = rule.search == SmoothingSearch::kMgcv
                                           ? select_smoothing_like_mgcv(smoothing, mgcv_start(part.bent), unit, context)
                                           : select_smoothing(smoothing, rule.criterion, context);

  // The coefficients that are left: all lines, and the bends of the terms that are not straight.
  std::vector<Index> index = part.lines;
  std::vector<Index> bend_position(smoothing.blocks.size(), -1);  // of each block among `index`
  std::vector<double> penalties(part.lines.size(), 0.0);
  for (std::size_t k = 0; k < smoothing.blocks.size(); ++k) {
    const double rho = selection.rho[static_cast<Index>(k)];
    if (rho >= rho_upper()) continue;
    bend_position[k] = static_cast<Index>(index.size());
    for (Index i = 0; i < smoothing.blocks[k].size; ++i) {
      const Index bend = smoothing.blocks[k].begin + i;
      index.push_back(part.bends[static_cast<std::size_t>(bend)]);
      penalties.push_back(std::exp(rho) * smoothing.roughness[bend]);
    }
  }
  const Index m = static_cast<Index>(index.size());
  const Eigen::Map<const VectorXd> penalty(penalties.data(), m);
  MatrixXd system = gram_(index, index);
  system.diagonal() += penalty;
  const Eigen::LLT<MatrixXd> factor(system);
  const VectorXd coefficients = factor.solve(VectorXd(cross_(index, y)));
  const MatrixXd inverse =
      inference == Inference::kCovariance ? MatrixXd(factor.solve(MatrixXd::Identity(m, m))) : MatrixXd();

  fit.iterations = selection.iterations;
  fit.converged = selection.converged;
  fit.edf = selection.score.edf;
  fit.residual = selection.score.residual * unit;
  fit.sigma2 = fit.residual / (n - fit.edf);
  if (rule.criterion == SmoothingCriterion::kGcv) {
    fit.score = n * fit.residual / ((n - fit.edf) * (n - fit.edf));
  } else {
    const double free = n - smoothing.unpenalized_parameters;
    const double log_variance = selection.score.value + std::log(unit / free) + std::log(2.0 * std::numbers::pi);
    fit.score = 0.5 * (free * (log_variance + 1.0) + part.log_determinant);
  }

  for (std::size_t t = 0; t < parents.size(); ++t) {
    AdditiveTerm term;
    term.column = parents[t];
    term.line_dependent = part.line_of[t] < 0;
    term.rho = rho_upper();
    std::vector<Index> from;  // positions among `index`
    std::vector<Index> to;    // positions in the term's basis
    if (!term.line_dependent) {
      from.push_back(part.line_of[t]);
      to.push_back(0);
    }
    const Index functions = bases_[parents[t]].functions.cols();
    if (part.block_of[t] >= 0) {
      const std::size_t block = static_cast<std::size_t>(part.block_of[t]);
      term.rho = selection.rho[static_cast<Index>(block)];
      for (Index i = 1; i < functions && bend_position[block] >= 0; ++i) {
        from.push_back(bend_position[block] + i - 1);
        to.push_back(i);
      }
    }
    term.coefficients = VectorXd::Zero(functions);
    for (std::size_t i = 0; i < to.size(); ++i) term.coefficients[to[i]] = coefficients[from[i]] * length_[y];
    if (inference == Inference::kCovariance) add_inference(inverse, penalty, fit.sigma2, from, to, term);
    fit.terms.push_back(std::move(term));
  }
  return fit;
}

}  // namespace olem::internal
