#include "order/stein.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/blocked_cholesky.h"
#include "core/lapack.h"
#include "core/statistics.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kMedians = {
    {{"all", "of all pairs of rows, each row with itself included, as in the published code"},
     {"nonzero", "of the pairs of rows that are not at the same place"}}};

// Differences below this many standard errors are what chance makes.
constexpr double kDecisiveErrors = 2.0;

// Columns of the matrix of distances that are one piece of work.
constexpr std::size_t kStrip = 16;
// Side of the squares in which the kernel is mirrored: two of them fit into the first-level cache.
constexpr std::size_t kTile = 32;
// Rows of the products that are one piece of work.
constexpr std::size_t kPanel = 128;
// Shares of the time of an estimate, for the progress.
constexpr double kKernelShare = 0.2;
constexpr double kFactorShare = 0.7;

// Calls visit(bits, own) for the bits of every number below the diagonal of an n x n matrix, with one `own` for each
// piece of work, and merge(own) for each of those, one at a time. In which order the pieces are merged depends on the
// threads, so merging must not.
template <class Own, class Visit, class Merge>
void for_each_below_diagonal(const std::vector<double>& matrix, std::size_t n, const Own& start, const Visit& visit,
                             const Merge& merge, const Context& context) {
  std::mutex mutex;
  parallel_for(context, 0, n, 4 * kStrip, [&](std::size_t first, std::size_t last) {
    Own own = start;
    for (std::size_t b = first; b < last; ++b) {
      for (std::size_t a = b + 1; a < n; ++a) visit(std::bit_cast<std::uint64_t>(matrix[b * n + a]), own);
    }
    const std::scoped_lock lock(mutex);
    merge(own);
  });
}

// The element of the given rank (0: the smallest) among the numbers below the diagonal, none of which is negative. Such
// numbers are ordered as their bits are, so the bits are found 11 at a time by counting, until few numbers are left to
// choose from: the n^2 / 2 of them are neither copied nor sorted.
double ranked_below_diagonal(const std::vector<double>& matrix, std::size_t n, std::size_t rank,
                             const Context& context) {
  constexpr int kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::uint64_t prefix = 0;
  for (int shift = 5 * kDigitBits; shift >= 0; shift -= kDigitBits) {
    std::vector<std::size_t> counts(kDigits, 0);
    for_each_below_diagonal(
        matrix, n, std::vector<std::size_t>(kDigits, 0),
        [&](std::uint64_t bits, std::vector<std::size_t>& own) {
          const std::uint64_t digits = bits >> shift;
          if (digits >> kDigitBits == prefix) ++own[digits & (kDigits - 1)];
        },
        [&](const std::vector<std::size_t>& own) {
          for (std::size_t digit = 0; digit < kDigits; ++digit) counts[digit] += own[digit];
        },
        context);
    std::size_t digit = 0;
    while (rank >= counts[digit]) rank -= counts[digit++];
    prefix = prefix << kDigitBits | digit;
    if (counts[digit] > n) continue;
    std::vector<std::uint64_t> left;
    for_each_below_diagonal(
        matrix, n, std::vector<std::uint64_t>(),
        [&](std::uint64_t bits, std::vector<std::uint64_t>& own) {
          if (bits >> shift == prefix) own.push_back(bits);
        },
        [&](const std::vector<std::uint64_t>& own) { left.insert(left.end(), own.begin(), own.end()); }, context);
    const auto place = left.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(left.begin(), place, left.end());
    return std::bit_cast<double>(*place);
  }
  return std::bit_cast<double>(prefix);  // many equal numbers
}

std::size_t zeros_below_diagonal(const std::vector<double>& matrix, std::size_t n) {
  std::size_t zeros = 0;
  for (std::size_t b = 0; b < n; ++b) {
    const auto column = matrix.begin() + static_cast<std::ptrdiff_t>(b * n);
    zeros += static_cast<std::size_t>(
        std::count(column + static_cast<std::ptrdiff_t>(b + 1), column + static_cast<std::ptrdiff_t>(n), 0.0));
  }
  return zeros;
}

// The median of distances, each pair of rows counting twice, from the squared distances below the diagonal.
double median_distance(const std::vector<double>& squared, std::size_t n, SteinMedian median, const Context& context) {
  const auto ranked = [&](std::size_t rank) { return std::sqrt(ranked_below_diagonal(squared, n, rank, context)); };
  // The lower of the two in the middle of all n^2, past the n zeros of the diagonal.
  if (median == SteinMedian::kAll) return ranked(((n * n - 1) / 2 - n) / 2);
  const std::size_t zeros = zeros_below_diagonal(squared, n);
  const std::size_t pairs = n * (n - 1) / 2 - zeros;
  if (pairs == 0) return 0.0;
  const double low = ranked(zeros + (pairs - 1) / 2);
  return pairs % 2 == 1 ? low : 0.5 * (low + ranked(zeros + pairs / 2));
}

std::size_t rows_used(std::size_t rows, const SteinOptions& options) {
  return options.rows > 0 ? std::min(rows, static_cast<std::size_t>(options.rows)) : rows;
}

}  // namespace

OptionSet describe(SteinOptions& options) {
  OptionSet set;
  set.real("stein_eta_score", options.eta_score, 1e-12, 1e6,
           "added to the diagonal of the kernel matrix for the first derivatives");
  set.real("stein_eta_hessian", options.eta_hessian, 1e-12, 1e6,
           "added to the diagonal of the kernel matrix for the second derivatives");
  set.choice("stein_median", options.median, kMedians, "the distances whose median is the bandwidth of the kernel");
  set.integer("stein_rows", options.rows, 0, std::numeric_limits<int>::max(),
              "estimate on this many rows, drawn by the seed; 0: on all");
  return set;
}

}  // namespace olem

namespace olem::internal {

void judge_gap(OrderStep& step, std::span<const double> sink, std::span<const double> runner_up) {
  if (step.forced) return;
  std::vector<double> differences(sink.size());
  for (std::size_t i = 0; i < sink.size(); ++i) differences[i] = sink[i] - runner_up[i];
  const double mean = mean_of(differences);
  double squares = 0.0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const auto n = static_cast<double>(sink.size());
  step.gap_standard_error = std::sqrt(squares / (n - 1.0) / n);
  step.decided = *step.gap > kDecisiveErrors * *step.gap_standard_error;
}

std::size_t SteinEstimator::bytes(std::size_t rows, std::size_t columns, const SteinOptions& options) {
  const std::size_t n = rows_used(rows, options);
  // The columns, their right-hand sides and products, and the derivatives.
  return sizeof(double) * n * (n + 8 * columns);
}

SteinEstimator::SteinEstimator(const Table& table, const SteinOptions& options, const Context& context)
    : table_(table), options_(options), rows_(rows_used(table.rows(), options)) {
  describe(options_).validate();
  if (rows_ < kFewestSteinRows && rows_ < table.rows()) {
    throw Error::of_option(
        "stein_rows", fmt::format("{} rows are too few.", rows_),
        {{fmt::format("Give at least {}", kFewestSteinRows), "stein_rows", fmt::format("{}", kFewestSteinRows)},
         {"Use all rows", "stein_rows", "0"}});
  }
  if (rows_ < kFewestSteinRows) {
    throw Error(ErrorCategory::kData, fmt::format("{}The Stein estimator needs at least {} rows, but there are {}.",
                                                  table.prefix(), kFewestSteinRows, rows_));
  }
  context.require_memory(bytes(table.rows(), table.columns(), options),
                         fmt::format("{}The kernel matrix of {} rows", table.prefix(), rows_));
  matrix_.resize(rows_ * rows_);
  std::vector<std::size_t> drawn(rows_);
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  if (rows_ < table.rows()) {
    drawn = RandomStream(context.seed, "stein_rows").sample_without_replacement(table.rows(), rows_);
  }
  for (std::size_t j = 0; j < table.columns(); ++j) {
    std::vector<double> column;
    for (const std::size_t row : drawn) column.push_back(table.at(row, j));
    // Nothing depends on where the data lie, but products of large numbers would cancel.
    const double mean = mean_of(column);
    for (double& value : column) value -= mean;
    columns_.push_back(std::move(column));
  }
}

double SteinEstimator::fill_kernel(std::span<const std::size_t> columns, const Context& context) {
  const std::size_t n = rows_;
  // Added up anew at every step: taking a column off the sums of the step before would cost less, but where its values
  // are large nothing would be left of the others'.
  parallel_for(context, 0, n, kStrip, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      double* const squared = matrix_.data() + b * n;
      std::fill(squared + b, squared + n, 0.0);
      for (const std::size_t j : columns) {
        const double* const x = columns_[j].data();
        for (std::size_t a = b + 1; a < n; ++a) squared[a] += (x[a] - x[b]) * (x[a] - x[b]);
      }
    }
  });
  const double bandwidth = median_distance(matrix_, n, options_.median, context);
  if (!(bandwidth > 0.0) || !std::isfinite(bandwidth)) return bandwidth;

  const double scale = -0.5 / bandwidth / bandwidth;
  parallel_for(context, 0, (n - 1) / kTile + 1, 1, [&](std::size_t strip, std::size_t) {
    const std::size_t first = strip * kTile;
    const std::size_t last = std::min(n, first + kTile);
    for (std::size_t top = first; top < n; top += kTile) {
      for (std::size_t b = first; b < last; ++b) {
        for (std::size_t a = std::max(top, b + 1); a < std::min(n, top + kTile); ++a) {
          double& entry = matrix_[b * n + a];
          entry = std::exp(scale * entry) / bandwidth;
          matrix_[a * n + b] = entry;
        }
      }
    }
  });
  return bandwidth;
}

// The sums over b of K_ab times -(x_a - x_b) / s^2 and (x_a - x_b)^2 / s^4 - 1 / s^2, for all columns: products of K
// with x, x^2 and 1. A row's own term is zero in the differences, and leaving it out of K keeps it from cancelling
// where a row lies far from all others.
std::vector<double> SteinEstimator::right_sides(std::span<const std::size_t> columns, double bandwidth,
                                                const Context& context) const {
  const std::size_t n = rows_;
  const std::size_t m = columns.size();
  const std::size_t width = 2 * m + 1;
  std::vector<double> powers(n * width, 1.0);
  for (std::size_t v = 0; v < m; ++v) {
    const std::vector<double>& x = columns_[columns[v]];
    for (std::size_t a = 0; a < n; ++a) {
      powers[v * n + a] = x[a];
      powers[(m + v) * n + a] = x[a] * x[a];
    }
  }
  std::vector<double> products(n * width);
  parallel_for(context, 0, n, kPanel, [&](std::size_t first, std::size_t last) {
    // Rows of K as its columns, which lie together.
    multiply(1.0, {matrix_.data() + first * n, n, last - first, n, true}, {powers.data(), n, width}, 0.0,
             products.data() + first, n);
  });
  const double inverse = 1.0 / bandwidth / bandwidth;
  const double* const total = products.data() + 2 * m * n;
  for (std::size_t v = 0; v < m; ++v) {
    const double* const x = powers.data() + v * n;
    double* const first = products.data() + v * n;
    double* const second = products.data() + (m + v) * n;
    for (std::size_t a = 0; a < n; ++a) {
      const double squares = x[a] * x[a] * total[a] - 2.0 * x[a] * first[a] + second[a];
      first[a] = -inverse * (x[a] * total[a] - first[a]);
      second[a] = inverse * (inverse * squares - (total[a] + 1.0 / bandwidth));
    }
  }
  products.resize(n * 2 * m);
  return products;
}

void SteinEstimator::factor(double diagonal, std::size_t columns, const Context& context,
                            const std::function<void(double)>& progress) {
  for (std::size_t a = 0; a < rows_; ++a) matrix_[a * rows_ + a] = diagonal;
  if (cholesky_lower(matrix_.data(), rows_, context, progress)) return;
  throw Error(ErrorCategory::kData,
              fmt::format("{}The kernel matrix of the Stein estimator is not positive definite with {} columns left: "
                          "rows repeat, or lie too near to each other.",
                          table_.prefix(), columns),
              {{"Regularise more", "stein_eta_score"}, {"Regularise more", "stein_eta_hessian"}});
}

SteinEstimate SteinEstimator::estimate(std::span<const std::size_t> columns, const Context& context,
                                       const std::function<void(double)>& progress) {
  const std::size_t n = rows_;
  const std::size_t m = columns.size();
  const auto report = [&](double share) {
    if (progress) progress(share);
  };
  SteinEstimate result;
  result.bandwidth = fill_kernel(columns, context);
  if (!(result.bandwidth > 0.0)) {
    std::vector<Remedy> remedies = {{"Leave discrete columns out", "drop_columns"}};
    if (options_.median == SteinMedian::kAll)
      remedies.push_back({"Take the median of the other distances", "stein_median", "nonzero"});
    throw Error(ErrorCategory::kData,
                fmt::format("{}Half of the distances between rows are zero with {} column{} left: they repeat a few "
                            "values, and a density is not defined for them.",
                            table_.prefix(), m, m == 1 ? "" : "s"),
                std::move(remedies));
  }
  if (!std::isfinite(result.bandwidth)) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}The distances between rows are too large to be squared. Rescale the data.", table_.prefix()));
  }
  report(kKernelShare / 2.0);
  std::vector<double> sides = right_sides(columns, result.bandwidth, context);
  report(kKernelShare);

  const auto factor_progress = [&](double share) { report(kKernelShare + kFactorShare * share); };
  const double own = 1.0 / result.bandwidth;
  factor(own + options_.eta_score, m, context, factor_progress);
  if (options_.eta_hessian == options_.eta_score) {
    solve_cholesky(matrix_.data(), n, sides.data(), 2 * m, context);
  } else {
    solve_cholesky(matrix_.data(), n, sides.data(), m, context);
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t a = b + 1; a < n; ++a) matrix_[b * n + a] = matrix_[a * n + b];
    }
    factor(own + options_.eta_hessian, m, context, {});
    solve_cholesky(matrix_.data(), n, sides.data() + m * n, m, context);
  }
  for (std::size_t v = 0; v < m; ++v) {
    const auto score = sides.begin() + static_cast<std::ptrdiff_t>(v * n);
    const auto second = sides.begin() + static_cast<std::ptrdiff_t>((m + v) * n);
    result.score.emplace_back(score, score + static_cast<std::ptrdiff_t>(n));
    result.hessian.emplace_back(second, second + static_cast<std::ptrdiff_t>(n));
    for (std::size_t a = 0; a < n; ++a) result.hessian[v][a] -= result.score[v][a] * result.score[v][a];
  }
  report(1.0);
  return result;
}

}  // namespace olem::internal
