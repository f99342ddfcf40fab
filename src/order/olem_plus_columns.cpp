#include "order/olem_plus_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>

#include "core/lapack.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostFunctions = 8;  // of one column
constexpr double kNoFunction = 1e-8;       // mean square below which a function of a column adds nothing

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// For each row the first plus the last place of its value in the sorted column: twice the mid-rank, exactly.
std::vector<std::uint64_t> double_ranks(std::span<const double> column) {
  std::vector<std::size_t> sorted(column.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  std::vector<std::uint64_t> ranks(column.size());
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && column[sorted[end]] == column[sorted[begin]]) ++end;
    for (std::size_t place = begin; place < end; ++place) ranks[sorted[place]] = begin + end - 1;
    begin = end;
  }
  return ranks;
}

// Fills table_row and table_column. A row's key is a sum over its columns and a column's key follows the rows, so
// neither depends on the arrangement that is to be forgotten.
void arrange(const Table& table, PlusColumns& result, const Context& context) {
  const std::size_t n = table.rows();
  const std::size_t d = table.columns();
  std::vector<std::vector<std::uint64_t>> ranks(d);
  std::vector<double> centre(d);
  std::vector<double> scale(d);
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    const auto column = table.column(j);
    ranks[j] = double_ranks(column);
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    centre[j] = *low;
    scale[j] = *high - *low;
  });
  std::vector<std::uint64_t> row_key(n, 0);
  // Two rows with the ranks of each other's columns have one key: their places then follow from their values.
  std::vector<double> row_value(n, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      row_key[i] += mixed(ranks[j][i]);
      row_value[i] += (table.at(i, j) - centre[j]) / scale[j];
    }
  }
  result.table_row.resize(n);
  std::iota(result.table_row.begin(), result.table_row.end(), std::size_t{0});
  std::stable_sort(result.table_row.begin(), result.table_row.end(), [&](std::size_t a, std::size_t b) {
    return row_key[a] != row_key[b] ? row_key[a] < row_key[b] : row_value[a] < row_value[b];
  });
  std::vector<std::uint64_t> column_key(d, 0);
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    for (const std::size_t i : result.table_row) column_key[j] = mixed(column_key[j] ^ ranks[j][i]);
  });
  result.table_column.resize(d);
  std::iota(result.table_column.begin(), result.table_column.end(), std::size_t{0});
  std::stable_sort(result.table_column.begin(), result.table_column.end(),
                   [&](std::size_t a, std::size_t b) { return column_key[a] < column_key[b]; });
}

// Weighted sums over the rows; weight 1 where there are none.
class RowMeans {
 public:
  explicit RowMeans(const std::vector<double>& weights) : weights_(weights) {}

  double mean(std::span<const double> a) const {
    double sum = 0.0;
    if (weights_.empty()) {
      for (const double value : a) sum += value;
    } else {
      for (std::size_t i = 0; i < a.size(); ++i) sum += weights_[i] * a[i];
    }
    return sum / static_cast<double>(a.size());
  }

  double mean_product(std::span<const double> a, std::span<const double> b) const {
    double sum = 0.0;
    if (weights_.empty()) {
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    } else {
      for (std::size_t i = 0; i < a.size(); ++i) sum += weights_[i] * (a[i] * b[i]);
    }
    return sum / static_cast<double>(a.size());
  }

 private:
  const std::vector<double>& weights_;
};

// The functions of one column, one after the other, and what is known about it.
struct ColumnBasis {
  std::vector<double> values;
  std::size_t count = 0;
  double log_scale = 0.0;
  double rounding_step = 0.0;
};

// Makes `function` orthogonal to the constant and to the functions that are there, and adds it with mean square 1.
void add_function(std::vector<double> function, const RowMeans& means, ColumnBasis& basis) {
  const std::size_t n = function.size();
  // Twice: the first round leaves rounding errors of the size of what it takes away.
  for (int round = 0; round < 2; ++round) {
    const double centre = means.mean(function);
    for (double& value : function) value -= centre;
    for (std::size_t k = 0; k < basis.count; ++k) {
      const std::span<const double> other(basis.values.data() + k * n, n);
      const double share = means.mean_product(function, other);
      for (std::size_t i = 0; i < n; ++i) function[i] -= share * other[i];
    }
  }
  const double size = std::sqrt(means.mean_product(function, function));
  if (!(size > kNoFunction)) return;
  for (const double value : function) basis.values.push_back(value / size);
  ++basis.count;
}

ColumnBasis make_basis(std::vector<double> column, const std::vector<double>& weights, std::size_t functions) {
  const std::size_t n = column.size();
  const RowMeans means(weights);
  std::vector<std::size_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  ColumnBasis basis;
  // Mid-ranks by cumulated weight, as shares of all rows.
  std::vector<double> share(n);
  double below = 0.0;
  double step = 0.0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    double here = 0.0;
    for (; end < n && column[sorted[end]] == column[sorted[begin]]; ++end) {
      here += weights.empty() ? 1.0 : weights[sorted[end]];
    }
    for (std::size_t place = begin; place < end; ++place) {
      share[sorted[place]] = (below + 0.5 * here) / static_cast<double>(n);
    }
    below += here;
    if (end < n) {
      const double distance = column[sorted[end]] - column[sorted[begin]];
      step = step == 0.0 ? distance : std::min(step, distance);
    }
    begin = end;
  }

  const double centre = means.mean(column);
  for (double& value : column) value -= centre;
  const double scale = std::sqrt(means.mean_product(column, column));
  basis.log_scale = std::log(scale);
  basis.rounding_step = step / scale;
  for (double& value : column) value /= scale;
  basis.values.reserve(functions * n);
  basis.values.insert(basis.values.end(), column.begin(), column.end());
  basis.count = 1;
  std::vector<double> wave(n);
  for (std::size_t k = 1; k < functions; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      wave[i] = std::cos(std::numbers::pi * static_cast<double>(k + 1) * share[i]);
    }
    add_function(wave, means, basis);
  }
  return basis;
}

void fill_gram(PlusColumns& result, const Context& context) {
  const auto n = static_cast<Eigen::Index>(result.rows);
  const auto size = static_cast<Eigen::Index>(result.first.back());
  result.gram.resize(size, size);
  Eigen::MatrixXd weighted;
  if (!result.weights.empty()) {
    weighted = Eigen::Map<const Eigen::VectorXd>(result.weights.data(), n).asDiagonal() * result.basis;
  }
  const Eigen::MatrixXd& left = result.weights.empty() ? result.basis : weighted;
  // A piece of columns at a time: pieces do not depend on the number of threads.
  constexpr std::size_t kPiece = 32;
  parallel_for(context, 0, static_cast<std::size_t>(size), kPiece, [&](std::size_t begin, std::size_t end) {
    const MatrixView before{left.data(), result.rows, end, 0, true};
    const MatrixView own{result.basis.data() + begin * result.rows, result.rows, end - begin};
    multiply(1.0, before, own, 0.0, result.gram.data() + begin * static_cast<std::size_t>(size),
             static_cast<std::size_t>(size));
  });
  result.gram.triangularView<Eigen::StrictlyLower>() = result.gram.transpose().eval();
}

// Fills what depends on the weights from the arranged columns.
void fill_basis(PlusColumns& result, const std::function<std::vector<double>(std::size_t column)>& values,
                const Context& context) {
  const std::size_t n = result.rows;
  const std::size_t d = result.columns;
  const std::size_t functions = std::clamp<std::size_t>(n / (4 * d), 2, kMostFunctions);
  context.require_memory((2 * n * d * functions + d * functions * d * functions) * sizeof(double),
                         "The basis of the regressions");
  std::vector<ColumnBasis> bases(d);
  parallel_for(context, 0, d, 1,
               [&](std::size_t j, std::size_t) { bases[j] = make_basis(values(j), result.weights, functions); });
  result.first.assign(1, 0);
  for (const ColumnBasis& basis : bases) {
    result.first.push_back(result.first.back() + basis.count);
    result.log_scale.push_back(basis.log_scale);
    result.rounding_step.push_back(basis.rounding_step);
  }
  result.basis.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(result.first.back()));
  for (std::size_t j = 0; j < d; ++j) {
    std::copy(bases[j].values.begin(), bases[j].values.end(), result.basis.data() + result.first[j] * n);
    bases[j].values = {};
  }
  fill_gram(result, context);
}

void set_weights(PlusColumns& result, std::span<const double> weights) {
  if (weights.empty()) return;
  for (const std::size_t row : result.table_row) result.weights.push_back(weights[row]);
}

}  // namespace

PlusColumns prepare_plus_columns(const Table& table, std::span<const double> weights, const Context& context) {
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto [low, high] = std::minmax_element(table.column(j).begin(), table.column(j).end());
    const double square = (*high - *low) * (*high - *low) * static_cast<double>(table.rows());
    if (!std::isnormal(square)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The values of column '{}' are too large or too small to be squared. Rescale it.",
                              table.prefix(), table.name(j)));
    }
  }
  PlusColumns result;
  result.rows = table.rows();
  result.columns = table.columns();
  arrange(table, result, context);
  set_weights(result, weights);
  const auto values = [&](std::size_t j) {
    const auto own = table.column(result.table_column[j]);
    std::vector<double> column(result.rows);
    for (std::size_t i = 0; i < result.rows; ++i) column[i] = own[result.table_row[i]];
    return column;
  };
  fill_basis(result, values, context);
  return result;
}

PlusColumns reweigh_plus_columns(const PlusColumns& columns, std::span<const double> weights, const Context& context) {
  PlusColumns result;
  result.rows = columns.rows;
  result.columns = columns.columns;
  result.table_row = columns.table_row;
  result.table_column = columns.table_column;
  set_weights(result, weights);
  const auto values = [&](std::size_t j) {
    return std::vector<double>(columns.standardised(j), columns.standardised(j) + columns.rows);
  };
  fill_basis(result, values, context);
  for (std::size_t j = 0; j < columns.columns; ++j) result.log_scale[j] += columns.log_scale[j];
  return result;
}

}  // namespace olem::internal
