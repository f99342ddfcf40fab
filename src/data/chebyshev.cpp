#include "data/chebyshev.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/linear_programme.h"
#include "core/special.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-9;

// Rows of length 1, those of zeros left out, with the place each had before.
struct UnitRows {
  MatrixXd normals;
  VectorXd bounds;
  std::vector<std::size_t> origin;
};

[[noreturn]] void fail(const std::string& reason) {
  throw Error(ErrorCategory::kInternal,
              fmt::format("The largest ball in the desired region was not found: {}.", reason));
}

// Length without overflow or underflow on the way.
double length(std::span<const double> row) {
  return Eigen::Map<const VectorXd>(row.data(), static_cast<Index>(row.size())).stableNorm();
}

UnitRows unit_rows(const HalfSpaces& spaces) {
  UnitRows rows;
  for (std::size_t i = 0; i < spaces.bounds.size(); ++i) {
    if (length(spaces.normal(i)) > 0.0) rows.origin.push_back(i);
  }
  rows.normals.resize(static_cast<Index>(rows.origin.size()), static_cast<Index>(spaces.size));
  rows.bounds.resize(static_cast<Index>(rows.origin.size()));
  for (std::size_t k = 0; k < rows.origin.size(); ++k) {
    const auto normal = spaces.normal(rows.origin[k]);
    const double norm = length(normal);
    for (std::size_t j = 0; j < spaces.size; ++j) {
      rows.normals(static_cast<Index>(k), static_cast<Index>(j)) = normal[j] / norm;
    }
    rows.bounds(static_cast<Index>(k)) = spaces.bounds[rows.origin[k]] / norm;
  }
  return rows;
}

bool is_box(const HalfSpaces& spaces) {
  for (std::size_t i = 0; i < spaces.bounds.size(); ++i) {
    const auto normal = spaces.normal(i);
    if (std::count_if(normal.begin(), normal.end(), [](double value) { return value != 0.0; }) > 1) return false;
  }
  return true;
}

struct Side {
  double value = kInfinity;
  std::size_t row = 0;
};

LargestBall ball_in_box(const HalfSpaces& spaces) {
  std::vector<Side> low(spaces.size);   // of -y
  std::vector<Side> high(spaces.size);  // of y
  for (std::size_t i = 0; i < spaces.bounds.size(); ++i) {
    const auto normal = spaces.normal(i);
    for (std::size_t j = 0; j < spaces.size; ++j) {
      if (normal[j] == 0.0) continue;
      const double value = spaces.bounds[i] / std::abs(normal[j]);
      Side& side = normal[j] < 0.0 ? low[j] : high[j];
      if (value < side.value) side = {value, i};
    }
  }
  LargestBall ball;
  ball.radius = kInfinity;
  for (std::size_t j = 0; j < spaces.size; ++j) {
    if (high[j].value < -low[j].value) {
      ball.status = BallStatus::kEmpty;
      ball.conflict = {std::min(low[j].row, high[j].row), std::max(low[j].row, high[j].row)};
      return ball;
    }
    ball.radius = std::min(ball.radius, 0.5 * (high[j].value + low[j].value));
  }
  if (std::isinf(ball.radius)) {
    ball.status = BallStatus::kUnbounded;
    return ball;
  }
  ball.flat = ball.radius == 0.0;
  for (std::size_t j = 0; j < spaces.size; ++j) {
    const double first = -low[j].value;
    const double last = high[j].value;
    const bool two_ends = std::isfinite(first) && std::isfinite(last);
    ball.centre.push_back(two_ends ? first + 0.5 * (last - first)
                                   : std::clamp(0.0, first + ball.radius, last - ball.radius));
  }
  return ball;
}

// max r, n_i . c + r <= b_i. With r free there always is a point, and r < 0 says by how much the half-spaces miss each
// other. The multipliers, which add up to 1, are those of a vertex: where r < 0, the rows with a multiplier contradict
// each other and any fewer of them do not (Gleeson and Ryan 1990).
LinearSolution solve_for_radius(const UnitRows& rows, const Context& context) {
  LinearProgramme programme;
  for (Index j = 0; j < rows.normals.cols(); ++j) programme.add_variable(0.0, -kInfinity, kInfinity);
  programme.add_variable(-1.0, -kInfinity, kInfinity);
  std::vector<double> row(programme.size());
  for (Index i = 0; i < rows.normals.rows(); ++i) {
    for (Index j = 0; j < rows.normals.cols(); ++j) row[static_cast<std::size_t>(j)] = rows.normals(i, j);
    row.back() = 1.0;
    programme.add_row(row, -kInfinity, rows.bounds(i));
  }
  return solve_linear_programme(programme, {}, context);
}

MatrixXd chosen_columns(const MatrixXd& matrix, const std::vector<Index>& columns) {
  MatrixXd chosen(matrix.rows(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) chosen.col(static_cast<Index>(k)) = matrix.col(columns[k]);
  return chosen;
}

// Non-negative least squares, min ||E u - f|| with u >= 0 (Lawson and Hanson 1974, chapter 23.3). Returns the places
// where u > 0.
std::vector<Index> positive_part(const MatrixXd& e, const VectorXd& f) {
  constexpr double kNoDescent = 1e-13;  // columns and f have lengths near 1
  std::vector<Index> passive;
  std::vector<Index> rejected;  // columns that only rounding makes look useful
  VectorXd u = VectorXd::Zero(e.cols());
  const Index most_steps = 100 + 10 * e.cols();
  for (Index step = 0; step < most_steps; ++step) {
    VectorXd gradient = e.transpose() * (f - e * u);
    for (const Index i : passive) gradient(i) = 0.0;
    for (const Index i : rejected) gradient(i) = 0.0;
    Index enter = 0;
    if (gradient.maxCoeff(&enter) <= kNoDescent) return passive;
    passive.push_back(enter);
    VectorXd trial = chosen_columns(e, passive).completeOrthogonalDecomposition().solve(f);
    if (trial(trial.size() - 1) <= 0.0) {
      passive.pop_back();
      rejected.push_back(enter);
      continue;
    }
    rejected.clear();
    // Towards the trial point as far as u stays non-negative; what becomes 0 on the way is left out.
    while (trial.minCoeff() <= 0.0) {
      double fraction = 1.0;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double target = trial(static_cast<Index>(k));
        const double now = u(passive[k]);
        if (target <= 0.0) fraction = std::min(fraction, now / (now - target));
      }
      std::vector<Index> kept;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double target = trial(static_cast<Index>(k));
        const double now = u(passive[k]);
        const bool blocks = target <= 0.0 && now / (now - target) <= fraction;
        u(passive[k]) = blocks ? 0.0 : now + fraction * (target - now);
        if (!blocks) kept.push_back(passive[k]);
      }
      passive = std::move(kept);
      if (passive.empty()) break;
      trial = chosen_columns(e, passive).completeOrthogonalDecomposition().solve(f);
    }
    for (std::size_t k = 0; k < passive.size(); ++k) u(passive[k]) = trial(static_cast<Index>(k));
  }
  fail("the nearest of several centres did not converge");
}

// The x of least length with G x >= h, which some x satisfies.
VectorXd least_distance(const MatrixXd& g, const VectorXd& h) {
  VectorXd x = VectorXd::Zero(g.cols());
  if (h.size() == 0 || h.maxCoeff() <= 0.0) return x;
  const double scale = h.maxCoeff();
  MatrixXd e(g.cols() + 1, g.rows());
  e.topRows(g.cols()) = g.transpose();
  e.bottomRows(1) = h.transpose() / scale;
  VectorXd f = VectorXd::Zero(g.cols() + 1);
  f(g.cols()) = 1.0;
  const std::vector<Index> active = positive_part(e, f);
  if (active.empty()) fail("no row keeps the centre from the mean");
  // x is the point of least length on the borders of the active rows; solved anew, because the quotient of residuals
  // that the method ends with loses digits when x is long.
  const MatrixXd borders = chosen_columns(g.transpose(), active).transpose();
  const VectorXd values = chosen_columns(h.transpose(), active).transpose();
  x = borders.completeOrthogonalDecomposition().solve(values);
  const VectorXd multipliers = borders.transpose().completeOrthogonalDecomposition().solve(x);
  const double slack = kTolerance * (1.0 + scale + x.norm());
  if ((h - g * x).maxCoeff() > slack || (borders.transpose() * multipliers - x).norm() > slack ||
      multipliers.minCoeff() < -slack) {
    fail("the nearest of several centres did not stand its test");
  }
  return x;
}

// Of all optimal centres the one nearest to the origin. Complementary slackness: a feasible c is optimal exactly when
// the rows with a multiplier are equalities. They leave the plane foot + N u, with the foot nearest to the origin, on
// which the other rows are inequalities.
VectorXd nearest_centre(const UnitRows& rows, double radius, const std::vector<bool>& tight) {
  const Index size = rows.normals.cols();
  const auto equalities = static_cast<Index>(std::count(tight.begin(), tight.end(), true));
  MatrixXd fixed(equalities, size);
  VectorXd values(equalities);
  for (Index i = 0, k = 0; i < rows.normals.rows(); ++i) {
    if (!tight[static_cast<std::size_t>(i)]) continue;
    fixed.row(k) = rows.normals.row(i);
    values(k++) = rows.bounds(i) - radius;
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> across;
  across.setThreshold(kTolerance);
  VectorXd foot = across.compute(fixed).solve(values);
  if (across.rank() == size) return foot;
  Eigen::ColPivHouseholderQR<MatrixXd> along;
  along.setThreshold(kTolerance);
  const MatrixXd q = along.compute(fixed.transpose()).householderQ();
  const MatrixXd plane = q.rightCols(size - along.rank());

  MatrixXd g(rows.normals.rows() - equalities, plane.cols());
  VectorXd h(g.rows());
  Index used = 0;
  for (Index i = 0; i < rows.normals.rows(); ++i) {
    if (tight[static_cast<std::size_t>(i)]) continue;
    const VectorXd slope = plane.transpose() * rows.normals.row(i).transpose();
    if (slope.norm() <= kTolerance) continue;  // the row does not depend on u
    g.row(used) = -slope.transpose();
    h(used) = rows.normals.row(i).dot(foot) - (rows.bounds(i) - radius);
    ++used;
  }
  return foot + plane * least_distance(g.topRows(used), h.head(used));
}

}  // namespace

LargestBall largest_ball(const HalfSpaces& spaces, const Context& context) {
  LargestBall ball;
  for (std::size_t i = 0; i < spaces.bounds.size(); ++i) {
    if (length(spaces.normal(i)) == 0.0 && spaces.bounds[i] < 0.0) {
      ball.status = BallStatus::kEmpty;
      ball.conflict = {i};
      return ball;
    }
  }
  if (is_box(spaces)) return ball_in_box(spaces);

  const UnitRows rows = unit_rows(spaces);
  const LinearSolution solution = solve_for_radius(rows, context);
  if (solution.status == LinearStatus::kUnbounded) {
    ball.status = BallStatus::kUnbounded;
    return ball;
  }
  if (solution.status != LinearStatus::kOptimal) fail(solution.message.empty() ? "no solution" : solution.message);

  std::vector<bool> tight(rows.origin.size());
  double scale = 1.0;
  double radius = 0.0;
  double multipliers = 0.0;
  for (std::size_t k = 0; k < tight.size(); ++k) {
    tight[k] = solution.row_duals[k] < -kTolerance;
    if (!tight[k]) continue;
    const double bound = rows.bounds(static_cast<Index>(k));
    scale = std::max(scale, std::abs(bound));
    radius -= solution.row_duals[k] * bound;
    multipliers -= solution.row_duals[k];
  }
  radius /= multipliers;
  if (radius < -kTolerance * scale) {
    ball.status = BallStatus::kEmpty;
    for (std::size_t k = 0; k < tight.size(); ++k) {
      if (tight[k]) ball.conflict.push_back(rows.origin[k]);
    }
    return ball;
  }
  const VectorXd centre = nearest_centre(rows, radius, tight);
  const double least_slack = (rows.bounds - rows.normals * centre).minCoeff();
  if (!(least_slack >= radius - kTolerance * (scale + centre.cwiseAbs().maxCoeff()))) {
    fail("the ball of the centre is smaller than that of the programme");
  }
  ball.flat = radius <= kTolerance * scale;
  ball.radius = ball.flat ? 0.0 : least_slack;
  ball.centre.assign(centre.data(), centre.data() + centre.size());
  return ball;
}

}  // namespace olem::internal
