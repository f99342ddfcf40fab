#include "gam/smoothing_selection.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRhoUpper = 18.0;  // leaves a term less than 1e-7 of a degree of freedom beside its line
constexpr double kLargestStep = 5.0;
constexpr double kGradientTolerance = 1e-8;
constexpr double kRoundingGradient = 1e-5;  // below it a step that fails to descend has hit the rounding of the score
constexpr int kMostIterations = 100;
constexpr double kWorthwhile = 1e-9;  // smaller differences between two minima do not choose between them

// The blocks that still bend, packed.
struct ActiveBlocks {
  std::vector<std::size_t> blocks;
  std::vector<Index> coefficients;
  std::vector<Index> begin;  // of each active block among `coefficients`, and the end
};

ActiveBlocks active_blocks(const SmoothingProblem& problem, const VectorXd& rho) {
  ActiveBlocks active;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    if (rho[static_cast<Index>(k)] >= kRhoUpper) continue;
    active.blocks.push_back(k);
    active.begin.push_back(static_cast<Index>(active.coefficients.size()));
    for (Index i = 0; i < problem.blocks[k].size; ++i) active.coefficients.push_back(problem.blocks[k].begin + i);
  }
  active.begin.push_back(static_cast<Index>(active.coefficients.size()));
  return active;
}

// Sum of `values` over each pair of blocks.
MatrixXd block_sums(const MatrixXd& values, const ActiveBlocks& active) {
  const Index count = static_cast<Index>(active.blocks.size());
  MatrixXd sums(count, count);
  for (Index l = 0; l < count; ++l) {
    for (Index k = 0; k < count; ++k) {
      const auto first = [&](Index b) { return active.begin[static_cast<std::size_t>(b)]; };
      sums(k, l) = values.block(first(k), first(l), first(k + 1) - first(k), first(l + 1) - first(l)).sum();
    }
  }
  return sums;
}

VectorXd block_sums(const VectorXd& values, const ActiveBlocks& active) {
  const Index count = static_cast<Index>(active.blocks.size());
  VectorXd sums(count);
  for (Index k = 0; k < count; ++k) {
    const Index first = active.begin[static_cast<std::size_t>(k)];
    sums[k] = values.segment(first, active.begin[static_cast<std::size_t>(k) + 1] - first).sum();
  }
  return sums;
}

void spread(const ActiveBlocks& active, const VectorXd& gradient, const MatrixXd& hessian, SmoothingScore& score) {
  for (std::size_t a = 0; a < active.blocks.size(); ++a) {
    const Index k = static_cast<Index>(active.blocks[a]);
    score.gradient[k] = gradient[static_cast<Index>(a)];
    for (std::size_t b = 0; b < active.blocks.size(); ++b) {
      score.hessian(k, static_cast<Index>(active.blocks[b])) = hessian(static_cast<Index>(a), static_cast<Index>(b));
    }
  }
}

// N = C^-1 with C = I + D^-1/2 G D^-1/2 and D = diag(lambda_k roughness): the eigenvalues of N lie in (0, 1] whatever
// the smoothing parameters, and both criteria and their derivatives are short sums over N and t = D^1/2 b.
struct Shrinkage {
  VectorXd inverse_root;    // D^-1/2
  MatrixXd inverse_factor;  // L^-1 of C = L L^T
  double log_determinant = 0.0;
  VectorXd t;
};

bool factorize(const SmoothingProblem& problem, const ActiveBlocks& active, const VectorXd& rho, Shrinkage& result) {
  const Index m = static_cast<Index>(active.coefficients.size());
  result.inverse_root.resize(m);
  for (std::size_t k = 0; k < active.blocks.size(); ++k) {
    const double half_rho = 0.5 * rho[static_cast<Index>(active.blocks[k])];
    for (Index i = active.begin[k]; i < active.begin[k + 1]; ++i) {
      const double roughness = problem.roughness[active.coefficients[static_cast<std::size_t>(i)]];
      result.inverse_root[i] = std::exp(-half_rho) / std::sqrt(roughness);
    }
  }
  MatrixXd c = problem.gram(active.coefficients, active.coefficients);
  c = result.inverse_root.asDiagonal() * c * result.inverse_root.asDiagonal();
  c.diagonal().array() += 1.0;
  const Eigen::LLT<MatrixXd> factor(c);
  if (factor.info() != Eigen::Success) return false;
  result.inverse_factor = factor.matrixL().solve(MatrixXd::Identity(m, m));
  result.log_determinant = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  result.t = factor.solve(result.inverse_root.cwiseProduct(problem.cross(active.coefficients)));
  return true;
}

// a a^T, all of it, for half the work.
MatrixXd outer_square(const MatrixXd& a) {
  MatrixXd square = MatrixXd::Zero(a.rows(), a.rows());
  square.selfadjointView<Eigen::Lower>().rankUpdate(a);
  square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
  return square;
}

// The columns N I_k t, where I_k keeps block k and sets the rest to zero.
MatrixXd shrunk_blocks(const MatrixXd& shrink, const VectorXd& t, const ActiveBlocks& active) {
  MatrixXd columns(t.size(), static_cast<Index>(active.blocks.size()));
  for (std::size_t k = 0; k < active.blocks.size(); ++k) {
    const Index size = active.begin[k + 1] - active.begin[k];
    columns.col(static_cast<Index>(k)).noalias() =
        shrink.middleCols(active.begin[k], size) * t.segment(active.begin[k], size);
  }
  return columns;
}

// weights_k^T columns_l for every block k and column l.
MatrixXd weighted_block_sums(const VectorXd& weights, const MatrixXd& columns, const ActiveBlocks& active) {
  MatrixXd sums(static_cast<Index>(active.blocks.size()), columns.cols());
  for (Index l = 0; l < columns.cols(); ++l) {
    sums.col(l) = block_sums(VectorXd(weights.cwiseProduct(columns.col(l))), active);
  }
  return sums;
}

void differentiate_reml(double free, const ActiveBlocks& active, const Shrinkage& shrinkage, SmoothingScore& score) {
  const VectorXd& t = shrinkage.t;
  const double penalized = score.residual + t.squaredNorm();
  const MatrixXd shrink = outer_square(shrinkage.inverse_factor.transpose());  // N
  const VectorXd penalty = block_sums(VectorXd(t.cwiseAbs2()), active);
  const VectorXd trace = block_sums(VectorXd(shrink.diagonal()), active);
  const VectorXd ranks = block_sums(VectorXd(VectorXd::Ones(t.size())), active);
  const VectorXd gradient = penalty / penalized + (trace - ranks) / free;
  MatrixXd hessian = -2.0 * weighted_block_sums(t, shrunk_blocks(shrink, t, active), active) / penalized -
                     penalty * penalty.transpose() / (penalized * penalized) -
                     block_sums(MatrixXd(shrink.cwiseAbs2()), active) / free;
  hessian.diagonal() += penalty / penalized + trace / free;
  spread(active, gradient, hessian, score);
}

void differentiate_gcv(double n, const ActiveBlocks& active, const Shrinkage& shrinkage, SmoothingScore& score) {
  const VectorXd& t = shrinkage.t;
  const MatrixXd shrink = outer_square(shrinkage.inverse_factor.transpose());  // N
  const MatrixXd square = outer_square(shrink);                                // N^2
  const VectorXd edf_gradient = -block_sums(VectorXd(shrink.diagonal() - square.diagonal()), active);
  MatrixXd edf_hessian = 2.0 * block_sums(MatrixXd(shrink.cwiseProduct(shrink - square)), active);
  edf_hessian.diagonal() += edf_gradient;

  const MatrixXd shrunk = shrunk_blocks(shrink, t, active);
  const VectorXd v = shrunk.rowwise().sum();  // N t
  const VectorXd residual_gradient = 2.0 * block_sums(VectorXd(t.cwiseProduct(v)), active);
  const MatrixXd v_n_t = weighted_block_sums(v, shrunk, active);
  MatrixXd residual_hessian =
      2.0 * (weighted_block_sums(t, shrunk, active) - shrunk.transpose() * shrunk - v_n_t - v_n_t.transpose());
  residual_hessian.diagonal() += residual_gradient;

  const double free = n - score.edf;
  const VectorXd log_residual = residual_gradient / score.residual;
  const VectorXd log_free = edf_gradient / free;
  const MatrixXd hessian = residual_hessian / score.residual - log_residual * log_residual.transpose() +
                           2.0 * (edf_hessian / free + log_free * log_free.transpose());
  spread(active, log_residual + 2.0 * log_free, hessian, score);
}

}  // namespace

double rho_upper() { return kRhoUpper; }

double rho_lower(const SmoothingProblem& problem, std::size_t block) {
  const PenaltyBlock& range = problem.blocks[block];
  return -std::log(problem.roughness.segment(range.begin, range.size).maxCoeff()) - 10.0;
}

SmoothingScore smoothing_score(const SmoothingProblem& problem, SmoothingCriterion criterion, const VectorXd& rho,
                               Derivatives derivatives) {
  SmoothingScore score;
  score.gradient = VectorXd::Zero(rho.size());
  score.hessian = MatrixXd::Zero(rho.size(), rho.size());
  const ActiveBlocks active = active_blocks(problem, rho);
  const Index m = static_cast<Index>(active.coefficients.size());
  Shrinkage shrinkage;
  if (m > 0 && !factorize(problem, active, rho, shrinkage)) {
    score.value = std::numeric_limits<double>::infinity();
    return score;
  }

  // RSS = ||y - X b0||^2 + (b - b0)^T G (b - b0) about a least squares solution b0: no difference of large numbers.
  VectorXd distance = problem.unpenalized;
  for (Index i = 0; i < m; ++i) {
    distance[active.coefficients[static_cast<std::size_t>(i)]] -= shrinkage.inverse_root[i] * shrinkage.t[i];
  }
  score.residual = problem.unpenalized_residual + std::max(0.0, distance.dot(problem.gram * distance));
  score.edf = problem.unpenalized_parameters + static_cast<double>(m) - shrinkage.inverse_factor.squaredNorm();
  const double n = problem.observations;
  if (criterion == SmoothingCriterion::kGcv) {
    score.value = std::log(n) + std::log(score.residual) - 2.0 * std::log(n - score.edf);
    if (derivatives == Derivatives::kGradientAndHessian && m > 0) differentiate_gcv(n, active, shrinkage, score);
  } else {
    const double free = n - problem.unpenalized_parameters;
    score.value = std::log(score.residual + shrinkage.t.squaredNorm()) + shrinkage.log_determinant / free;
    if (derivatives == Derivatives::kGradientAndHessian && m > 0) differentiate_reml(free, active, shrinkage, score);
  }
  return score;
}

namespace {

// rho at which a block by itself, with an orthonormal design, has the given share of its coefficients' freedom.
double rho_of_share(const SmoothingProblem& problem, std::size_t block, double share) {
  const PenaltyBlock& range = problem.blocks[block];
  const auto roughness = problem.roughness.segment(range.begin, range.size).array();
  double low = rho_lower(problem, block);
  double high = kRhoUpper;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const double freedom = (1.0 / (1.0 + std::exp(middle) * roughness)).sum();
    (freedom > share * static_cast<double>(range.size) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

class Newton {
 public:
  Newton(const SmoothingProblem& problem, SmoothingCriterion criterion, const Context& context)
      : problem_(problem), criterion_(criterion), context_(context) {}

  SmoothingSelection minimize(VectorXd start) const {
    SmoothingSelection at;
    at.rho = std::move(start);
    for (Index k = 0; k < at.rho.size(); ++k) at.rho[k] = std::clamp(at.rho[k], lower(k), kRhoUpper);
    at.score = evaluate(at.rho, Derivatives::kGradientAndHessian);
    while (at.iterations < kMostIterations) {
      const std::vector<Index> free = free_blocks(at);
      const double slope = free.empty() ? 0.0 : at.score.gradient(free).cwiseAbs().maxCoeff();
      if (slope <= kGradientTolerance || !advance(at, free)) {
        at.converged = slope <= kRoundingGradient;
        return at;
      }
      ++at.iterations;
    }
    return at;
  }

  // The best point that differs from `at` in one term alone, made straight or given some other share of its freedom, if
  // it is better than `at`; empty if there is none.
  VectorXd better_neighbour(const SmoothingSelection& at) const {
    constexpr double kSkipDistance = 1.0;
    VectorXd best;
    double best_value = at.score.value - kWorthwhile;
    for (Index k = 0; k < at.rho.size(); ++k) {
      for (const double share : {0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9}) {
        VectorXd trial = at.rho;
        trial[k] = share > 0.0 ? rho_of_share(problem_, static_cast<std::size_t>(k), share) : kRhoUpper;
        if (std::abs(trial[k] - at.rho[k]) < kSkipDistance) continue;
        const double value = evaluate(trial, Derivatives::kNone).value;
        if (value >= best_value) continue;
        best_value = value;
        best = std::move(trial);
      }
    }
    return best;
  }

 private:
  double lower(Index k) const { return rho_lower(problem_, static_cast<std::size_t>(k)); }

  SmoothingScore evaluate(const VectorXd& rho, Derivatives derivatives) const {
    context_.check_interrupt();
    return smoothing_score(problem_, criterion_, rho, derivatives);
  }

  std::vector<Index> free_blocks(const SmoothingSelection& at) const {
    std::vector<Index> free;
    for (Index k = 0; k < at.rho.size(); ++k) {
      const bool linear = at.rho[k] >= kRhoUpper;
      const bool held = at.rho[k] <= lower(k) && at.score.gradient[k] >= 0.0;
      if (!linear && !held) free.push_back(k);
    }
    return free;
  }

  bool move_to(const VectorXd& rho, double below, SmoothingSelection& at) const {
    if (!(evaluate(rho, Derivatives::kNone).value < below)) return false;
    at.rho = rho;
    at.score = evaluate(rho, Derivatives::kGradientAndHessian);
    return true;
  }

  // One accepted step, or false when nothing descends.
  bool advance(SmoothingSelection& at, const std::vector<Index>& free) const {
    const VectorXd gradient = at.score.gradient(free);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> hessian(MatrixXd(at.score.hessian(free, free)));
    VectorXd curvature = hessian.eigenvalues().cwiseAbs();
    curvature = curvature.cwiseMax(std::max(1e-7 * curvature.maxCoeff(), std::numeric_limits<double>::min()));
    VectorXd step = -hessian.eigenvectors() * (hessian.eigenvectors().transpose() * gradient).cwiseQuotient(curvature);
    const double longest = step.cwiseAbs().maxCoeff();
    if (longest > kLargestStep) step *= kLargestStep / longest;

    // A term that is nearly linear and still smoothing creeps towards infinity by about one unit a step.
    constexpr double kNearlyLinear = 3.0;
    VectorXd jump = at.rho;
    bool jumps = false;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const Index k = free[i];
      const double moved = at.rho[k] + step[static_cast<Index>(i)];
      const bool far = moved > kNearlyLinear && gradient[static_cast<Index>(i)] < 0.0;
      jumps = jumps || far;
      jump[k] = far ? kRhoUpper : std::max(moved, lower(k));
    }
    if (jumps && move_to(jump, at.score.value, at)) return true;

    const double descent = gradient.dot(step);
    for (double length = 1.0; length > 1e-6; length *= 0.5) {
      VectorXd trial = at.rho;
      for (std::size_t i = 0; i < free.size(); ++i) {
        const Index k = free[i];
        trial[k] = std::clamp(at.rho[k] + length * step[static_cast<Index>(i)], lower(k), kRhoUpper);
      }
      if (move_to(trial, at.score.value + 1e-4 * length * descent, at)) return true;
    }
    return false;
  }

  const SmoothingProblem& problem_;
  SmoothingCriterion criterion_;
  const Context& context_;
};

}  // namespace

SmoothingSelection select_smoothing(const SmoothingProblem& problem, SmoothingCriterion criterion,
                                    const Context& context) {
  const Index count = static_cast<Index>(problem.blocks.size());
  VectorXd start(count);
  for (Index k = 0; k < count; ++k) start[k] = rho_of_share(problem, static_cast<std::size_t>(k), 0.4);
  const Newton newton(problem, criterion, context);
  SmoothingSelection best = newton.minimize(start);
  const auto try_start = [&](VectorXd rho) {
    SmoothingSelection other = newton.minimize(std::move(rho));
    const int iterations = best.iterations + other.iterations;
    const bool better = other.score.value < best.score.value - kWorthwhile;
    if (better) best = std::move(other);
    best.iterations = iterations;
    return better;
  };
  bool at_bound = !best.converged;
  for (Index k = 0; k < count; ++k) {
    at_bound = at_bound || best.rho[k] >= kRhoUpper || best.rho[k] <= rho_lower(problem, static_cast<std::size_t>(k));
  }
  if (at_bound) {
    for (const double shift : {-4.0, 4.0}) try_start((start.array() + shift).matrix());
  }
  for (bool moved = true; moved;) {
    moved = false;
    VectorXd neighbour = newton.better_neighbour(best);
    if (neighbour.size() > 0) moved = try_start(std::move(neighbour));
    // A needless bend in one term can hold the others in place: let them settle without it.
    for (Index k = 0; k < count && !moved; ++k) {
      if (best.rho[k] >= kRhoUpper) continue;
      VectorXd without = best.rho;
      without[k] = kRhoUpper;
      moved = try_start(std::move(without));
    }
  }
  return best;
}

}  // namespace olem::internal
