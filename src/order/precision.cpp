#include "order/precision.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of its variance that a column must keep beside the columns before it; rounding alone leaves about 1e-15.
constexpr double kUnexplained = 1e-12;

// The columns among the first ones of which `column` is made, for a factor of their correlations.
std::vector<std::string> ingredients(const Table& table, const MatrixXd& factor, const VectorXd& projection) {
  constexpr double kNoticeable = 1e-4;
  const VectorXd weights = factor.triangularView<Eigen::Lower>().transpose().solve(projection);
  std::vector<std::string> names;
  for (Index j = 0; j < weights.size(); ++j) {
    if (std::abs(weights[j]) > kNoticeable)
      names.push_back(fmt::format("'{}'", table.name(static_cast<std::size_t>(j))));
  }
  return names;
}

// Throws for the first column that the columns before it explain entirely.
void refuse_dependent(const Table& table, const MatrixXd& correlation) {
  const Index d = correlation.rows();
  MatrixXd factor = MatrixXd::Zero(d, d);
  for (Index j = 0; j < d; ++j) {
    VectorXd projection = correlation.col(j).head(j);
    if (j > 0) factor.topLeftCorner(j, j).triangularView<Eigen::Lower>().solveInPlace(projection);
    const double rest = correlation(j, j) - projection.squaredNorm();
    if (!(rest > kUnexplained)) {
      const std::string& name = table.name(static_cast<std::size_t>(j));
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Column '{}' is a linear combination of {}, so the covariance matrix has no inverse.",
                              table.prefix(), name,
                              fmt::join(ingredients(table, factor.topLeftCorner(j, j), projection), ", ")),
                  {{"Leave one of these columns out", "drop_columns", name_list({&name, 1})}});
    }
    factor.row(j).head(j) = projection.transpose();
    factor(j, j) = std::sqrt(rest);
  }
}

}  // namespace

CenteredColumns centered_columns(const Table& table, const Context& context) {
  const Index n = static_cast<Index>(table.rows());
  const std::size_t d = table.columns();
  context.require_memory((table.rows() + 4 * d) * d * sizeof(double), "The covariance matrix");
  CenteredColumns result;
  result.values.resize(n, static_cast<Index>(d));
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    const Eigen::Map<const VectorXd> values(table.column(j).data(), n);
    result.values.col(static_cast<Index>(j)) = values.array() - values.mean();
  });
  result.covariance.resize(static_cast<Index>(d), static_cast<Index>(d));
  constexpr std::size_t kColumnsAtOnce = 16;
  parallel_for(context, 0, d, kColumnsAtOnce, [&](std::size_t first, std::size_t last) {
    const Index begin = static_cast<Index>(first);
    const Index width = static_cast<Index>(last - first);
    result.covariance.middleCols(begin, width).bottomRows(static_cast<Index>(d) - begin).noalias() =
        result.values.rightCols(static_cast<Index>(d) - begin).transpose() * result.values.middleCols(begin, width) /
        static_cast<double>(n);
  });
  result.covariance.triangularView<Eigen::StrictlyUpper>() = result.covariance.transpose();
  for (std::size_t j = 0; j < d; ++j) {
    const double variance = result.covariance(static_cast<Index>(j), static_cast<Index>(j));
    if (std::isfinite(variance) && variance >= std::numeric_limits<double>::min()) continue;
    throw Error(ErrorCategory::kData,
                fmt::format("{}The values of column '{}' are too large or too small to be squared. Rescale it.",
                            table.prefix(), table.name(j)));
  }
  return result;
}

PlainPrecision::PlainPrecision(const Table& table, const Context& context)
    : columns_(centered_columns(table, context)), remaining_(table.columns()) {
  std::iota(remaining_.begin(), remaining_.end(), std::size_t{0});
  deviation_ = columns_.covariance.diagonal().cwiseSqrt();
  const MatrixXd correlation =
      deviation_.cwiseInverse().asDiagonal() * columns_.covariance * deviation_.cwiseInverse().asDiagonal();
  const Eigen::LLT<MatrixXd> factor(correlation);
  if (factor.info() != Eigen::Success || factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() <= kUnexplained)
    refuse_dependent(table, correlation);
  invert();
}

void PlainPrecision::invert() {
  const Index r = static_cast<Index>(remaining_.size());
  const VectorXd scale = deviation_(remaining_).cwiseInverse();
  MatrixXd correlation = columns_.covariance(remaining_, remaining_);
  correlation = scale.asDiagonal() * correlation * scale.asDiagonal();
  const MatrixXd root = Eigen::LLT<MatrixXd>(correlation).matrixL().solve(MatrixXd::Identity(r, r));
  precision_ = MatrixXd::Zero(r, r);
  precision_.selfadjointView<Eigen::Lower>().rankUpdate(root.transpose());
  precision_.triangularView<Eigen::StrictlyUpper>() = precision_.transpose();
  precision_ = scale.asDiagonal() * precision_ * scale.asDiagonal();
  removed_since_inversion_ = 0;
}

std::vector<double> PlainPrecision::contributions(std::size_t position) const {
  VectorXd product = VectorXd::Zero(columns_.values.rows());
  for (std::size_t r = 0; r < remaining_.size(); ++r) {
    product += columns_.values.col(static_cast<Index>(remaining_[r])) *
               precision_(static_cast<Index>(r), static_cast<Index>(position));
  }
  const VectorXd squares = product.cwiseAbs2();
  return {squares.data(), squares.data() + squares.size()};
}

void PlainPrecision::remove(std::size_t position) {
  remaining_.erase(remaining_.begin() + static_cast<std::ptrdiff_t>(position));
  if (++removed_since_inversion_ >= kFreshAfter) {
    invert();
    return;
  }
  const Index s = static_cast<Index>(position);
  std::vector<Index> rest;
  for (Index j = 0; j < precision_.rows(); ++j) {
    if (j != s) rest.push_back(j);
  }
  const VectorXd edge = precision_(rest, s) / std::sqrt(precision_(s, s));
  MatrixXd reduced = precision_(rest, rest);
  reduced.noalias() -= edge * edge.transpose();
  precision_ = std::move(reduced);
}

}  // namespace olem::internal
