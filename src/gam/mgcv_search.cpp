#include "gam/mgcv_search.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-7;
constexpr double kLongestNewtonStep = 5.0;
constexpr int kNewtonTries = 3;  // before steepest descent
constexpr int kTries = 14;       // both together
constexpr int kFewestSteps = 3;  // before the first test of convergence
constexpr int kMostSteps = 400;
constexpr double kStartFreedom = 0.4;

// mgcv follows a term on its way to a straight line beyond rho_upper(), and the curvature left there can still decide
// between Newton and steepest descent.
constexpr double kBeyond = 12.0;

class Descent {
 public:
  Descent(const SmoothingProblem& problem, double unit, const Context& context)
      : problem_(problem), unit_(unit), context_(context) {
    problem_.roughness *= std::exp(kBeyond);
  }

  SmoothingSelection minimize(const VectorXd& start) const {
    SmoothingSelection at;
    move_to(start, at);
    while (at.iterations < kMostSteps) {
      const double slope = at.score.gradient.norm();
      const double before = at.score.value;
      const VectorXd rho = slope > 0.0 ? next(at) : VectorXd();
      if (rho.size() > 0) {
        move_to(rho, at);
        ++at.iterations;
      }
      // On the scale of GCV itself: a slope of at most tolerance^(1/3) (1 + GCV), a decrease of tolerance (1 + GCV).
      const double leeway = 1.0 + std::exp(-at.score.value) / unit_;
      const bool flat = slope <= std::cbrt(kTolerance) * leeway;
      const bool settled = std::expm1(before - at.score.value) <= kTolerance * leeway;
      at.converged = flat && settled;
      if (rho.size() == 0 || (at.converged && at.iterations >= kFewestSteps)) break;
    }
    extend(at);
    return at;
  }

 private:
  SmoothingScore evaluate(const VectorXd& rho, Derivatives derivatives) const {
    context_.check_interrupt();
    return smoothing_score(problem_, SmoothingCriterion::kGcv, (rho.array() - kBeyond).matrix(), derivatives);
  }

  void move_to(const VectorXd& rho, SmoothingSelection& at) const {
    at.rho = rho;
    at.score = evaluate(rho, Derivatives::kGradientAndHessian);
  }

  // Where the next step leads; empty when none descends.
  VectorXd next(const SmoothingSelection& at) const {
    int tries = 0;
    const auto shortened = [&](VectorXd step, int most) -> VectorXd {
      for (; tries < most; ++tries, step *= 0.5) {
        VectorXd trial = at.rho + step;
        if (evaluate(trial, Derivatives::kNone).value < at.score.value) return trial;
      }
      return {};
    };
    const VectorXd newton = newton_step(at.score);
    if (newton.size() > 0) {
      VectorXd trial = shortened(newton, kNewtonTries);
      if (trial.size() > 0) return trial;
    }
    return shortened(-at.score.gradient / at.score.gradient.cwiseAbs().maxCoeff(), kTries);
  }

  // Of GCV, where the score is its logarithm; empty where GCV is not convex.
  static VectorXd newton_step(const SmoothingScore& score) {
    std::vector<Index> sloping;  // not the straight terms
    for (Index k = 0; k < score.gradient.size(); ++k) {
      if (score.gradient[k] != 0.0) sloping.push_back(k);
    }
    const VectorXd gradient = score.gradient(sloping);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> hessian(
        MatrixXd(score.hessian(sloping, sloping) + gradient * gradient.transpose()));
    if (!(hessian.eigenvalues()[0] > 0.0)) return {};
    VectorXd step = VectorXd::Zero(score.gradient.size());
    step(sloping) =
        -hessian.eigenvectors() * (hessian.eigenvectors().transpose() * gradient).cwiseQuotient(hessian.eigenvalues());
    return step * std::min(1.0, kLongestNewtonStep / step.cwiseAbs().maxCoeff());
  }

  // A few long steps of each term alone, the way it was going: its minimum may be at infinity.
  void extend(SmoothingSelection& at) const {
    constexpr double kLongStep = 2.0;
    constexpr int kMostLongSteps = 5;
    double lowest = at.score.value;
    for (Index k = 0; k < at.rho.size(); ++k) {
      for (int i = 0; i < kMostLongSteps; ++i) {
        VectorXd trial = at.rho;
        trial[k] += at.score.gradient[k] < 0.0 ? kLongStep : -kLongStep;
        const double value = evaluate(trial, Derivatives::kNone).value;
        if (!(value < lowest)) break;
        lowest = value;
        at.rho = trial;
      }
    }
  }

  SmoothingProblem problem_;
  double unit_;
  const Context& context_;
};

}  // namespace

VectorXd mgcv_start(const std::vector<const SmoothBasis*>& terms) {
  VectorXd rho(static_cast<Index>(terms.size()));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    rho[static_cast<Index>(k)] = std::log(terms[k]->mgcv_squares.mean() / terms[k]->mgcv_penalty.mean());
  }
  const auto mean_freedom = [&] {
    double sum = 0.0;
    Index count = 0;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const auto squares = terms[k]->mgcv_squares.array();
      sum += (squares / (squares + std::exp(rho[static_cast<Index>(k)]) * terms[k]->mgcv_penalty.array())).sum();
      count += squares.size();
    }
    return sum / static_cast<double>(count);
  };
  const double ten = std::log(10.0);
  while (mean_freedom() > kStartFreedom) rho.array() += ten;
  while (mean_freedom() < kStartFreedom) rho.array() -= ten;
  return rho;
}

SmoothingSelection select_smoothing_like_mgcv(const SmoothingProblem& problem, const VectorXd& start, double unit,
                                              const Context& context) {
  SmoothingSelection selection = Descent(problem, unit, context).minimize(start);
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    double& rho = selection.rho[static_cast<Index>(k)];
    rho = std::clamp(rho, rho_lower(problem, k), rho_upper());
  }
  selection.score = smoothing_score(problem, SmoothingCriterion::kGcv, selection.rho, Derivatives::kGradientAndHessian);
  return selection;
}

}  // namespace olem::internal
