#include "order/clime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_programme.h"
#include "core/special.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "order/precision.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Beyond this many times 1 / sqrt(S_jj S_kk) entry k of the solution for column j says that S is singular: its tiny
// eigenvalues, which are rounding, let enormous solutions pass for feasible.
constexpr double kLargestEntry = 1e8;

LinearSolution solved(const LinearProgramme& programme, const Context& context) {
  LinearSolution solution = solve_linear_programme(programme, {}, context);
  if (solution.status == LinearStatus::kOptimal || solution.status == LinearStatus::kInfeasible) return solution;
  throw Error(ErrorCategory::kResource,
              fmt::format("A linear programme of CLIME was not solved: {}.", solution.message),
              {{"Bring the columns to comparable scales"}, {"Try another tolerance", "clime_lambda"}});
}

double default_lambda(const Table& table) {
  return 0.5 * std::sqrt(std::log(static_cast<double>(table.columns())) / static_cast<double>(table.rows()));
}

}  // namespace

std::optional<VectorXd> clime_column(const MatrixXd& covariance, std::size_t column, double lambda,
                                     const Context& context) {
  const Index d = covariance.rows();
  // In units in which variances are about 1, so that the solver's tolerances mean the same for every table.
  const double unit = covariance.diagonal().mean();
  LinearProgramme programme;
  for (Index j = 0; j < 2 * d; ++j) programme.add_variable(1.0, 0.0, kInfinity);
  std::vector<double> row(2 * static_cast<std::size_t>(d));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      const double entry = covariance(i, j) / unit;
      row[static_cast<std::size_t>(j)] = entry;
      row[static_cast<std::size_t>(d + j)] = -entry;
    }
    const double target = i == static_cast<Index>(column) ? 1.0 : 0.0;
    programme.add_row(row, target - lambda, target + lambda);
  }
  const LinearSolution solution = solved(programme, context);
  if (solution.status == LinearStatus::kInfeasible) return std::nullopt;
  const Eigen::Map<const VectorXd> x(solution.x.data(), 2 * d);
  const VectorXd b = (x.head(d) - x.tail(d)) / unit;
  const double variance = covariance(static_cast<Index>(column), static_cast<Index>(column));
  if ((b.array().square() * covariance.diagonal().array() * variance > kLargestEntry * kLargestEntry).any())
    return std::nullopt;
  return b;
}

double least_clime_lambda(const MatrixXd& covariance, const Context& context) {
  const std::size_t d = static_cast<std::size_t>(covariance.rows());
  const double unit = covariance.diagonal().mean();
  std::vector<double> least(d);
  const Context serial = context.serial();
  parallel_for(context, 0, d, 1, [&](std::size_t column, std::size_t) {
    // The dual of min t, |S b - e_j| <= t is max z_j, S z = 0, ||z||_1 <= 1. A little slack keeps S's rounding out of
    // it and errs on the side of a larger lambda.
    constexpr double kSlack = 1e-7;
    LinearProgramme programme;
    for (std::size_t j = 0; j < 2 * d; ++j) {
      const double sign = j < d ? -1.0 : 1.0;
      programme.add_variable(j % d == column ? sign : 0.0, 0.0, kInfinity);
    }
    std::vector<double> row(2 * d, 1.0);
    programme.add_row(row, -kInfinity, 1.0);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = covariance(static_cast<Index>(i), static_cast<Index>(j)) / unit;
        row[d + j] = -row[j];
      }
      programme.add_row(row, -kSlack, kSlack);
    }
    least[column] = -solved(programme, serial).value;
  });
  return *std::max_element(least.begin(), least.end());
}

ClimePrecision::ClimePrecision(const Table& table, double lambda, const Context& context)
    : table_(table),
      context_(context),
      lambda_(lambda > 0.0 ? lambda : default_lambda(table)),
      remaining_(table.columns()),
      covariance_(centered_columns(table, context).covariance) {
  std::iota(remaining_.begin(), remaining_.end(), std::size_t{0});
  solutions_ = MatrixXd::Zero(covariance_.rows(), covariance_.cols());
  solve(remaining_);
  symmetrise();
}

void ClimePrecision::solve(const std::vector<std::size_t>& positions) {
  const Context serial = context_.serial();
  std::vector<std::optional<VectorXd>> found(positions.size());
  parallel_for(context_, 0, positions.size(), 1, [&](std::size_t i, std::size_t) {
    found[i] = clime_column(covariance_, positions[i], lambda_, serial);
  });
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!found[i]) refuse_lambda(positions[i]);
    const Index j = static_cast<Index>(positions[i]);
    if (!((*found[i])[j] > 0.0)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}CLIME with a tolerance of {:.3g} leaves nothing of column '{}' with {} columns left.",
                              table_.prefix(), lambda_, table_.name(remaining_[positions[i]]), remaining_.size()),
                  {{"Lower the tolerance", "clime_lambda"}, {"Bring the columns to comparable scales"}});
    }
    solutions_.col(j) = *found[i];
  }
}

void ClimePrecision::refuse_lambda(std::size_t position) const {
  // Rounded up, so that the number as printed is enough.
  const double least = std::ceil(1000.0 * least_clime_lambda(covariance_, context_) + 1e-3) / 1000.0;
  throw Error(ErrorCategory::kData,
              fmt::format("{}CLIME has no solution for column '{}' with a tolerance of {:.3g}: these rows need "
                          "{:.3f} or more, and less without columns that nearly repeat others.",
                          table_.prefix(), table_.name(remaining_[position]), lambda_, least),
              {{"Raise the tolerance", "clime_lambda", fmt::format("{:.3f}", least)},
               {"Leave columns out that nearly repeat others", "drop_columns"}});
}

void ClimePrecision::symmetrise() {
  precision_ = solutions_;
  for (Index j = 0; j < precision_.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const double entry =
          std::abs(solutions_(i, j)) <= std::abs(solutions_(j, i)) ? solutions_(i, j) : solutions_(j, i);
      precision_(i, j) = entry;
      precision_(j, i) = entry;
    }
  }
}

void ClimePrecision::remove(std::size_t position) {
  const Index s = static_cast<Index>(position);
  const VectorXd row = solutions_.row(s);
  const VectorXd product =
      solutions_.transpose() * covariance_.col(s);  // (S b_j)_s; the target is 0 for j other than s
  std::vector<Index> rest;
  for (Index j = 0; j < solutions_.cols(); ++j) {
    if (j != s) rest.push_back(j);
  }
  covariance_ = MatrixXd(covariance_(rest, rest));
  solutions_ = MatrixXd(solutions_(rest, rest));
  remaining_.erase(remaining_.begin() + static_cast<std::ptrdiff_t>(position));
  std::vector<std::size_t> changed;
  for (std::size_t j = 0; j < rest.size(); ++j) {
    constexpr double kInside = 1.0 - 1e-6;
    const bool free_of_it = row[rest[j]] == 0.0 && std::abs(product[rest[j]]) < kInside * lambda_;
    if (!free_of_it) changed.push_back(j);
  }
  // Of a single column nothing is asked any more.
  if (remaining_.size() > 1) solve(changed);
  symmetrise();
}

}  // namespace olem::internal
