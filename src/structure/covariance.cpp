#include "olem/covariance.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/column_profile.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem {

using namespace internal;

namespace {

// A column with less of its variance left after regression on the columns before it counts as their combination.
constexpr double kUnexplained = 1e-12;
constexpr double kLargestCorrelation = 1.0 - 1e-15;

// The Cholesky factor of the correlations of a few columns, row by row. Kept on the stack up to a size that covers
// nearly every call.
class SmallFactor {
 public:
  SmallFactor(const Covariance& covariance, std::size_t capacity) : covariance_(covariance), stride_(capacity) {
    if (capacity <= kSmall) return;
    heap_entries_.resize(capacity * capacity);
    heap_columns_.resize(capacity);
    entries_ = heap_entries_.data();
    columns_ = heap_columns_.data();
  }
  SmallFactor(const SmallFactor&) = delete;
  SmallFactor& operator=(const SmallFactor&) = delete;

  double operator()(std::size_t i, std::size_t j) const { return entries_[i * stride_ + j]; }

  // Appends a row; returns the square of its diagonal entry, which is the share of the column's variance that the
  // columns before it leave.
  double append(std::size_t column) {
    double* const row = entries_ + size_ * stride_;
    double left = 1.0;
    for (std::size_t j = 0; j < size_; ++j) {
      const double* const other = entries_ + j * stride_;
      double value = covariance_.r(column, columns_[j]);
      for (std::size_t k = 0; k < j; ++k) value -= row[k] * other[k];
      row[j] = value / other[j];
      left -= row[j] * row[j];
    }
    left = std::max(left, std::numeric_limits<double>::epsilon());
    row[size_] = std::sqrt(left);
    columns_[size_++] = column;
    return left;
  }

 private:
  static constexpr std::size_t kSmall = 12;

  const Covariance& covariance_;
  std::size_t stride_;
  std::size_t size_ = 0;
  std::array<double, kSmall * kSmall> stack_entries_;
  std::array<std::size_t, kSmall> stack_columns_;
  std::vector<double> heap_entries_;
  std::vector<std::size_t> heap_columns_;
  double* entries_ = stack_entries_.data();
  std::size_t* columns_ = stack_columns_.data();
};

// Throws when a column is a combination of those before it, naming it and them.
void check_independent(const Covariance& covariance, const std::string& prefix) {
  const std::size_t d = covariance.size();
  SmallFactor factor(covariance, d);
  for (std::size_t j = 0; j < d; ++j) {
    if (factor.append(j) > kUnexplained) continue;
    // Back substitution gives the coefficients in units of standard deviations.
    std::vector<double> weight(j);
    for (std::size_t i = j; i-- > 0;) {
      double value = factor(j, i);
      for (std::size_t k = i + 1; k < j; ++k) value -= factor(k, i) * weight[k];
      weight[i] = value / factor(i, i);
    }
    constexpr double kNoticeable = 1e-4;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < j; ++i) {
      if (std::abs(weight[i]) > kNoticeable) others.push_back(fmt::format("'{}'", covariance.names[i]));
    }
    constexpr std::size_t kMostNames = 5;
    const std::string rest = others.size() > kMostNames ? fmt::format(" and {} more", others.size() - kMostNames) : "";
    others.resize(std::min(others.size(), kMostNames));
    throw Error(ErrorCategory::kData,
                fmt::format("{}Column '{}' is a linear combination of {}{}, so the covariance matrix has no inverse.",
                            prefix, covariance.names[j], fmt::join(others, ", "), rest),
                {{"Leave one of these columns out", "drop_columns", name_list({&covariance.names[j], 1})}});
  }
}

}  // namespace

Covariance covariance_of(const Table& table, const Context& context) {
  const std::size_t n = table.rows();
  const std::size_t d = table.columns();
  if (n < d + 1) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}A covariance matrix of {} columns needs at least {} rows to have an inverse, but there "
                            "are {}.",
                            table.prefix(), d, d + 1, n),
                {{"Use more rows"}, {"Use fewer columns", "columns"}});
  }
  context.require_memory((n * d + 2 * d * d) * sizeof(double), "The covariance matrix");
  const std::vector<ColumnProfile> profiles = profile_columns(table, context);
  Covariance covariance;
  covariance.names = table.names();
  covariance.rows = static_cast<double>(n);
  for (std::size_t j = 0; j < d; ++j) {
    const ColumnProfile& profile = profiles[j];
    if (profile.norm == 0.0) {
      const Remedy by_name = leave_out({&table.name(j), 1});
      throw Error(ErrorCategory::kData, fmt::format("{}Column '{}' never changes.", table.prefix(), table.name(j)),
                  {by_name, {by_name.advice, "constant", "drop"}});
    }
    covariance.log_variance.push_back(2.0 * (std::log(profile.norm) - profile.shift * std::numbers::ln2) -
                                      std::log(covariance.rows));
  }

  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd standardised(rows, static_cast<Eigen::Index>(d));
  parallel_for(context, 0, d, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const auto column = table.column(j);
      for (std::size_t i = 0; i < n; ++i) {
        standardised(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = profiles[j].standardise(column[i]);
      }
    }
  });
  covariance.correlation.resize(d * d);
  constexpr std::size_t kColumnsAtOnce = 32;
  parallel_for(context, 0, d, kColumnsAtOnce, [&](std::size_t first, std::size_t last) {
    const auto width = static_cast<Eigen::Index>(last - first);
    const Eigen::MatrixXd block = standardised.leftCols(static_cast<Eigen::Index>(last)).transpose() *
                                  standardised.middleCols(static_cast<Eigen::Index>(first), width);
    for (std::size_t j = first; j < last; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double r = block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j - first));
        covariance.correlation[i * d + j] = r;
        covariance.correlation[j * d + i] = r;
      }
      covariance.correlation[j * d + j] = 1.0;
    }
  });
  check_independent(covariance, table.prefix());
  return covariance;
}

Covariance make_covariance(std::vector<std::string> names, std::span<const double> matrix, double rows) {
  const std::size_t d = names.size();
  check_same_size("the covariance matrix", matrix.size(), "the square of the number of names", d * d);
  check_finite("rows", rows);
  if (rows < 1.0) throw Error(ErrorCategory::kUsage, fmt::format("rows: {} is not a number of at least 1.", rows));
  Covariance covariance;
  covariance.names = std::move(names);
  covariance.rows = rows;
  covariance.correlation.resize(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) check_finite("an entry of the covariance matrix", matrix[i * d + j]);
    if (matrix[i * d + i] <= 0.0) {
      throw Error(ErrorCategory::kData, fmt::format("The variance of '{}' is {}, but must be above 0.",
                                                    covariance.names[i], matrix[i * d + i]));
    }
    covariance.log_variance.push_back(std::log(matrix[i * d + i]));
  }
  constexpr double kAsymmetry = 1e-9;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = std::sqrt(matrix[i * d + i]) * std::sqrt(matrix[j * d + j]);
      if (std::abs(matrix[i * d + j] - matrix[j * d + i]) > kAsymmetry * scale) {
        throw Error(ErrorCategory::kUsage, fmt::format("The covariance matrix is not symmetric at '{}' and '{}'.",
                                                       covariance.names[j], covariance.names[i]));
      }
      const double r = matrix[j * d + i] / scale;
      covariance.correlation[i * d + j] = r;
      covariance.correlation[j * d + i] = r;
    }
    covariance.correlation[i * d + i] = 1.0;
  }
  check_independent(covariance, "");
  return covariance;
}

double residual_share(const Covariance& covariance, std::size_t y, std::span<const std::size_t> given) {
  SmallFactor factor(covariance, given.size() + 1);
  for (const std::size_t column : given) factor.append(column);
  return factor.append(y);
}

double partial_correlation(const Covariance& covariance, std::size_t i, std::size_t j,
                           std::span<const std::size_t> given) {
  if (j < i) std::swap(i, j);
  // r(ab | c) from the correlations of the three.
  const auto given_one = [](double ab, double ac, double bc) {
    return (ab - ac * bc) / std::sqrt((1.0 - ac * ac) * (1.0 - bc * bc));
  };
  double r = covariance.r(i, j);
  if (given.size() == 1) {
    r = given_one(r, covariance.r(i, given[0]), covariance.r(j, given[0]));
  } else if (given.size() == 2) {
    const auto [k, l] = std::pair(given[0], given[1]);
    const double ik = covariance.r(i, k);
    const double jk = covariance.r(j, k);
    const double kl = covariance.r(k, l);
    r = given_one(given_one(r, ik, jk), given_one(covariance.r(i, l), ik, kl), given_one(covariance.r(j, l), jk, kl));
  } else if (given.size() > 2) {
    const std::size_t m = given.size();
    SmallFactor factor(covariance, m + 2);
    for (const std::size_t column : given) factor.append(column);
    factor.append(i);
    const double left = factor.append(j);
    const double common = factor(m + 1, m);
    r = common / std::sqrt(common * common + left);
  }
  return std::clamp(r, -kLargestCorrelation, kLargestCorrelation);
}

}  // namespace olem
