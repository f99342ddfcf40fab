// Cells that do not fit the rest of their row, and rows that are not independent of the rows before them.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "data/check_parts.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostRegressors = 60;
constexpr std::size_t kRowsPerRegressor = 5;
// Features end here, in robust standard deviations, so that a single cell cannot turn a regression.
constexpr double kWinsorised = 5.0;
// Of a regression that explains all but this much of a column the residuals are rounding.
constexpr double kExactResidual = 1e-6;
constexpr double kRidge = 1e-6;

constexpr double kOutlierDeviations = 8.0;
constexpr double kOutlierGap = 3.0;
constexpr std::size_t kMostInATail = 3;
constexpr std::size_t kOutlierRows = 30;
constexpr std::size_t kSmallTail = 100;  // is sorted as a whole
constexpr std::size_t kOutlierDistinct = 10;
// Products of two exponentials fall like exp(-2 sqrt(x)): roots of such residuals have exponential gaps with the mean
// of the excesses of the roots over a threshold. Beyond this many means the largest gap has a chance of 3e-4.
constexpr double kOutlierExcess = 8.0;

constexpr double kTimeSeriesDeviations = 5.0;
constexpr double kTimeSeriesTogether = 5.5;
constexpr std::size_t kTimeSeriesRows = 40;

enum class CheckScale { kRaw, kLog };

// The columns of quantities and levels, each on its scale, in robust standard deviations around the median.
struct ScaledColumns {
  std::vector<std::size_t> columns;
  Eigen::MatrixXd values;      // n x columns; cells that are missing are 0
  Eigen::MatrixXd winsorised;  // the same within +-kWinsorised
};

// The column on the scale, or nothing where it has none.
std::optional<std::vector<double>> on_scale(const CheckedTable& checked, std::size_t j, CheckScale scale) {
  const auto cells = checked.table.column(j);
  std::vector<double> values(cells.begin(), cells.end());
  if (scale == CheckScale::kRaw) return values;
  std::vector<double> positive;
  bool zeros = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (checked.is_missing(i, j)) continue;
    if (cells[i] < 0.0) return std::nullopt;
    zeros = zeros || cells[i] == 0.0;
    if (cells[i] > 0.0) positive.push_back(cells[i]);
  }
  if (positive.empty()) return std::nullopt;
  std::sort(positive.begin(), positive.end());
  constexpr double kOfMedian = 0.1;
  const double start = zeros ? kOfMedian * sorted_quantile(positive, 0.5) : 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = checked.is_missing(i, j) ? 0.0 : std::log(values[i] + start);
  return values;
}

// Scales a column in place; false when most of its values are equal.
bool standardise_robustly(const CheckedTable& checked, std::size_t j, std::vector<double>& values) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!checked.is_missing(i, j)) kept.push_back(values[i]);
  }
  if (kept.size() < 2) return false;
  RobustScale scale = robust_scale(kept);
  if (!(scale.deviation > 0.0)) {
    // Two levels of which one is rare: any scale will do for a feature.
    const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
    scale.deviation = (*high - *low) / 2.0;
  }
  if (!(scale.deviation > 0.0) || !std::isfinite(scale.deviation)) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = checked.is_missing(i, j) ? 0.0 : (values[i] - scale.centre) / scale.deviation;
  return true;
}

ScaledColumns scale_columns(const CheckedTable& checked, CheckScale scale, const Context& context) {
  ScaledColumns scaled;
  std::vector<std::optional<std::vector<double>>> found(checked.table.columns());
  parallel_for(context, 0, found.size(), 1, [&](std::size_t j, std::size_t) {
    if (!checked.usable[j]) return;
    std::optional<std::vector<double>> values = on_scale(checked, j, scale);
    if (!values) values = on_scale(checked, j, CheckScale::kRaw);
    if (standardise_robustly(checked, j, *values)) found[j] = std::move(values);
  });
  std::vector<std::vector<double>> all;
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (!found[j]) continue;
    scaled.columns.push_back(j);
    all.push_back(std::move(*found[j]));
  }
  const auto rows = static_cast<Eigen::Index>(checked.table.rows());
  scaled.values.resize(rows, std::ssize(all));
  for (Eigen::Index k = 0; k < std::ssize(all); ++k)
    scaled.values.col(k) = Eigen::Map<const Eigen::VectorXd>(all[static_cast<std::size_t>(k)].data(), rows);
  scaled.winsorised = scaled.values.cwiseMax(-kWinsorised).cwiseMin(kWinsorised);
  return scaled;
}

// What the other columns do not explain of each column, in robust standard deviations of the residuals; for each cell
// the smaller one of the residuals with and without winsorised features, so that neither a wrong cell elsewhere in the
// row nor a large value that its row explains counts against it.
Eigen::MatrixXd conditional_residuals(const CheckedTable& checked, const ScaledColumns& scaled,
                                      const Context& context) {
  const Eigen::Index columns = scaled.values.cols();
  Eigen::MatrixXd residuals = scaled.values;
  const auto usable = static_cast<std::size_t>(columns);
  Eigen::MatrixXd precision;
  const bool regress = usable >= 2 && usable <= kMostRegressors && checked.table.rows() >= kRowsPerRegressor * usable;
  const auto rows = static_cast<double>(checked.table.rows());
  const Eigen::RowVectorXd means = scaled.winsorised.colwise().sum() / rows;
  if (regress) {
    const Eigen::MatrixXd centred = scaled.winsorised.rowwise() - means;
    Eigen::MatrixXd gram = centred.transpose() * centred / rows;
    gram.diagonal().array() += kRidge;
    precision = gram.ldlt().solve(Eigen::MatrixXd::Identity(columns, columns));
  }
  parallel_for(context, 0, usable, 1, [&](std::size_t piece, std::size_t) {
    const auto k = static_cast<Eigen::Index>(piece);
    Eigen::VectorXd near = scaled.values.col(k);
    Eigen::VectorXd far = near;
    if (regress) {
      Eigen::VectorXd weights = -precision.col(k) / precision(k, k);
      weights(k) = 0.0;
      const double offset = means(k) - means.dot(weights);
      near -= (scaled.winsorised * weights).array().matrix() + Eigen::VectorXd::Constant(near.size(), offset);
      far -= (scaled.values * weights).array().matrix() + Eigen::VectorXd::Constant(near.size(), offset);
    }
    const std::size_t j = scaled.columns[static_cast<std::size_t>(k)];
    std::vector<double> kept;
    for (Eigen::Index i = 0; i < near.size(); ++i) {
      if (!checked.is_missing(static_cast<std::size_t>(i), j)) kept.push_back(near(i));
    }
    const RobustScale scale = robust_scale(kept);
    if (!(scale.deviation > kExactResidual)) return;  // the column itself, as it is
    for (Eigen::Index i = 0; i < near.size(); ++i) {
      const double plain = (near(i) - scale.centre) / scale.deviation;
      const double other = (far(i) - scale.centre) / scale.deviation;
      residuals(i, k) = std::abs(other) < std::abs(plain) ? other : plain;
    }
  });
  return residuals;
}

// The rows of the largest residuals that stand apart from the rest. Residuals on the scale of logarithms have no heavy
// tails to speak of.
std::vector<std::size_t> apart_in_tail(std::vector<std::pair<double, std::size_t>> tail, bool heavy_tails) {
  // Nothing below the largest tenth is looked at.
  const std::size_t sorted = std::min(tail.size(), std::max(kSmallTail, tail.size() / 10 + 1));
  const auto greater = [](const auto& a, const auto& b) { return a.first > b.first; };
  const auto end_of_sorted = tail.begin() + static_cast<std::ptrdiff_t>(sorted);
  std::nth_element(tail.begin(), end_of_sorted, tail.end(), greater);
  std::sort(tail.begin(), end_of_sorted, greater);
  // The deviation of this side alone: logarithms of exponentials reach far down and not far up.
  constexpr double kTenth = 10.0;
  constexpr double kNormalTenth = 1.2815515655446004;
  constexpr double kLeast = 0.3;
  const double side =
      std::max(kLeast, tail[static_cast<std::size_t>(static_cast<double>(tail.size()) / kTenth)].first / kNormalTenth);
  for (auto& [value, row] : tail) value /= side;
  std::vector<std::size_t> apart;
  for (std::size_t m = std::min(kMostInATail, tail.size() - 1); m >= 1; --m) {
    const double least = tail[m - 1].first;
    const double next = tail[m].first;
    if (!(least > kOutlierDeviations) || !(least - next > kOutlierGap)) continue;
    constexpr std::size_t kFewest = 10;
    constexpr std::size_t kShare = 20;
    const std::size_t end = m + std::max(kFewest, tail.size() / kShare);
    if (end >= tail.size()) continue;
    const auto root = [&](std::size_t i) { return std::sqrt(std::max(tail[i].first, 0.0)); };
    double excess = 0.0;
    for (std::size_t i = m; i < end; ++i) excess += root(i) - root(end);
    excess /= static_cast<double>(end - m);
    if (heavy_tails && !(root(m - 1) - root(m) > kOutlierExcess * excess)) continue;
    for (std::size_t i = 0; i < m; ++i) apart.push_back(tail[i].second);
    break;
  }
  return apart;
}

std::set<std::size_t> apart_rows(const CheckedTable& checked, std::size_t j, const Eigen::VectorXd& residuals,
                                 CheckScale scale) {
  std::vector<std::pair<double, std::size_t>> upper;
  for (std::size_t i = 0; i < checked.table.rows(); ++i) {
    if (!checked.is_missing(i, j)) upper.emplace_back(residuals(static_cast<Eigen::Index>(i)), i);
  }
  std::vector<std::pair<double, std::size_t>> lower = upper;
  for (auto& [value, row] : lower) value = -value;
  std::set<std::size_t> rows;
  for (auto* tail : {&upper, &lower}) {
    for (const std::size_t row : apart_in_tail(std::move(*tail), scale == CheckScale::kRaw)) rows.insert(row);
  }
  return rows;
}

// Whether another cell of the row is about as unusual and belongs to a column that this one depends on in some way: a
// regression that follows a curve only in the middle of the data does not make an outlier.
bool explained_by_row(const ScaledColumns& scaled, Eigen::Index row, Eigen::Index column, double deviations) {
  constexpr double kUnusual = 4.0;
  constexpr double kAlike = 4.0;
  constexpr double kDependent = 4.0;
  const double rows = static_cast<double>(scaled.values.rows());
  const auto correlation = [&](const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
    const Eigen::ArrayXd x = a - a.mean();
    const Eigen::ArrayXd y = b - b.mean();
    const double norms = std::sqrt((x * x).sum() * (y * y).sum());
    return norms > 0.0 ? std::abs((x * y).sum()) / norms : 0.0;
  };
  const Eigen::ArrayXd own = scaled.winsorised.col(column).array();
  for (Eigen::Index k = 0; k < scaled.values.cols(); ++k) {
    const double unusual = std::abs(scaled.values(row, k));
    if (k == column || unusual < kUnusual || deviations > kAlike * unusual) continue;
    const Eigen::ArrayXd other = scaled.winsorised.col(k).array();
    const double strongest = std::max({correlation(own, other), correlation(own, other.abs()),
                                       correlation(own.abs(), other), correlation(own.abs(), other.abs())});
    if (strongest * std::sqrt(rows) > kDependent) return true;
  }
  return false;
}

// Rows that lie apart in at least half of the columns of quantities, whatever their cells say of each other: a line of
// totals or of another unit fits itself. On the scale of logarithms too, where a column has one.
struct RowApart {
  std::size_t row = 0;
  std::vector<std::size_t> columns;
};

std::vector<RowApart> rows_apart(const CheckedTable& checked, const ScaledColumns& raw,
                                 const std::vector<std::size_t>& quantities, const Context& context) {
  constexpr std::size_t kFewestColumns = 2;
  std::vector<std::set<std::size_t>> apart(quantities.size());
  parallel_for(context, 0, apart.size(), 1, [&](std::size_t piece, std::size_t) {
    const std::size_t j = quantities[piece];
    const auto place = std::find(raw.columns.begin(), raw.columns.end(), j);
    if (place == raw.columns.end()) return;
    apart[piece] = apart_rows(checked, j, raw.values.col(place - raw.columns.begin()), CheckScale::kRaw);
    if (apart[piece].empty()) return;
    std::optional<std::vector<double>> logs = on_scale(checked, j, CheckScale::kLog);
    if (!logs || !standardise_robustly(checked, j, *logs)) return;
    const auto on_logs =
        apart_rows(checked, j, Eigen::Map<const Eigen::VectorXd>(logs->data(), std::ssize(*logs)), CheckScale::kLog);
    std::erase_if(apart[piece], [&](std::size_t row) { return !on_logs.contains(row); });
  });
  std::map<std::size_t, std::vector<std::size_t>> columns_of;
  for (std::size_t k = 0; k < apart.size(); ++k) {
    for (const std::size_t row : apart[k]) columns_of[row].push_back(quantities[k]);
  }
  std::vector<RowApart> found;
  for (auto& [row, columns] : columns_of) {
    if (columns.size() >= kFewestColumns && 2 * columns.size() >= quantities.size())
      found.push_back({row, std::move(columns)});
  }
  return found;
}

void report_rows_apart(const CheckedTable& checked, const std::vector<RowApart>& found, std::size_t quantities,
                       std::vector<Problem>& problems) {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::size_t fewest = quantities;
  for (const RowApart& apart : found) {
    rows.push_back(apart.row);
    columns.insert(columns.end(), apart.columns.begin(), apart.columns.end());
    fewest = std::min(fewest, apart.columns.size());
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const bool one = rows.size() == 1;
  Problem problem{Severity::kWarning,
                  "outlier",
                  fmt::format("{} far from all others in {}{} of {} columns of quantities: {}. {} can decide what is "
                              "learned.",
                              one ? "1 row lies" : fmt::format("{} rows lie", rows.size()), one ? "" : "at least ",
                              fewest, quantities, row_names(checked, rows), one ? "It" : "They"),
                  {one ? remove_row(checked, rows.front(), "Remove this row, if it is a total or a mistake")
                       : Remedy{"Remove these rows, if they are totals or mistakes"}},
                  names_of(checked.table, columns)};
  rows.resize(std::min(rows.size(), kRowsNamed));
  problem.rows = rows;
  problems.push_back(std::move(problem));
}

struct Outlier {
  std::size_t row = 0;
  std::size_t column = 0;
  double deviations = 0.0;
};

// Average ranks around 0.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  // Values beside their places: looking them up while sorting would miss the caches of long columns.
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) order.emplace_back(values[i], i);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && order[last].first == order[first].first) ++last;
    const double rank = 0.5 * static_cast<double>(first + last - 1) - 0.5 * static_cast<double>(values.size() - 1);
    for (; first < last; ++first) ranks[order[first].second] = rank;
  }
  return ranks;
}

double lag_correlation(const std::vector<double>& values) {
  const std::vector<double> ranks = centred_ranks(values);
  double products = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    squares += ranks[i] * ranks[i];
    if (i > 0) products += ranks[i] * ranks[i - 1];
  }
  return squares > 0.0 ? products / squares : 0.0;
}

bool is_sorted_column(const CheckedTable& checked, std::size_t j) {
  const auto cells = checked.table.column(j);
  return 2 * checked.distinct[j] > checked.table.rows() &&
         (std::is_sorted(cells.begin(), cells.end()) || std::is_sorted(cells.rbegin(), cells.rend()));
}

// Blocks of equal levels one below the other, as after sorting by a group.
bool stands_in_blocks(const CheckedTable& checked, std::size_t j) {
  if (!has_levels(checked.about[j].type)) return false;
  const auto cells = checked.table.column(j);
  std::size_t runs = 1;
  for (std::size_t i = 1; i < cells.size(); ++i) runs += cells[i] != cells[i - 1] ? 1 : 0;
  constexpr std::size_t kRowsPerRun = 5;
  return runs * kRowsPerRun < cells.size();
}

void subtract_level_means(std::span<const double> levels, std::vector<double>& values) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return levels[a] < levels[b]; });
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](std::size_t i) { return levels[i] != levels[*first]; });
    double mean = 0.0;
    for (auto i = first; i != last; ++i) mean += values[*i] / static_cast<double>(last - first);
    for (; first != last; ++first) values[*first] -= mean;
  }
}

}  // namespace

void check_outliers(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  if (table.rows() < kOutlierRows) return;
  context.check_interrupt();
  const auto looked_at = [&](std::size_t j) {
    return checked.is_quantity(j) && checked.distinct[j] > kOutlierDistinct;
  };
  const ScaledColumns raw = scale_columns(checked, CheckScale::kRaw, context);
  std::vector<std::size_t> quantities;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (looked_at(j)) quantities.push_back(j);
  }
  const std::vector<RowApart> whole_rows = rows_apart(checked, raw, quantities, context);
  if (!whole_rows.empty()) report_rows_apart(checked, whole_rows, quantities.size(), problems);
  const Eigen::MatrixXd residuals = conditional_residuals(checked, raw, context);
  std::vector<std::pair<Eigen::Index, std::set<std::size_t>>> suspects;
  std::vector<std::set<std::size_t>> apart(raw.columns.size());
  parallel_for(context, 0, apart.size(), 1, [&](std::size_t k, std::size_t) {
    if (!looked_at(raw.columns[k])) return;
    apart[k] = apart_rows(checked, raw.columns[k], residuals.col(static_cast<Eigen::Index>(k)), CheckScale::kRaw);
  });
  for (std::size_t k = 0; k < apart.size(); ++k) {
    if (!apart[k].empty()) suspects.emplace_back(static_cast<Eigen::Index>(k), std::move(apart[k]));
  }
  if (suspects.empty()) return;
  context.check_interrupt();
  // A suspect must stand apart on the scale of logarithms too, where its column has one.
  const ScaledColumns logs = scale_columns(checked, CheckScale::kLog, context);
  const Eigen::MatrixXd log_residuals = conditional_residuals(checked, logs, context);
  std::vector<Outlier> found;
  for (const auto& [column, rows] : suspects) {
    const std::size_t j = raw.columns[static_cast<std::size_t>(column)];
    const auto place = std::find(logs.columns.begin(), logs.columns.end(), j);
    const bool has_log = on_scale(checked, j, CheckScale::kLog).has_value() && place != logs.columns.end();
    std::set<std::size_t> log_rows;
    if (has_log) log_rows = apart_rows(checked, j, log_residuals.col(place - logs.columns.begin()), CheckScale::kLog);
    for (const std::size_t row : rows) {
      if (has_log && !log_rows.contains(row)) continue;
      if (std::any_of(whole_rows.begin(), whole_rows.end(), [&](const RowApart& whole) { return whole.row == row; }))
        continue;
      double deviations = std::abs(residuals(static_cast<Eigen::Index>(row), column));
      if (explained_by_row(raw, static_cast<Eigen::Index>(row), column, deviations)) continue;
      if (has_log)
        deviations =
            std::min(deviations, std::abs(log_residuals(static_cast<Eigen::Index>(row), place - logs.columns.begin())));
      found.push_back({row, j, deviations});
    }
  }
  if (found.empty()) return;
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.deviations > b.deviations; });
  Problem problem{Severity::kWarning, "outlier", "", {}, {}};
  std::vector<std::string> items;
  for (const Outlier& outlier : found) {
    if (std::find(problem.columns.begin(), problem.columns.end(), table.name(outlier.column)) == problem.columns.end())
      problem.columns.push_back(table.name(outlier.column));
    if (items.size() == kRowsNamed) continue;
    items.push_back(fmt::format("{} of '{}' in {} ({:.3g})", table.at(outlier.row, outlier.column),
                                table.name(outlier.column), row_name(checked, outlier.row), outlier.deviations));
    problem.rows.push_back(outlier.row);
  }
  const bool one = found.size() == 1;
  problem.text = fmt::format(
      "{} far from what the rest of {} and the other rows lead to expect: {}{}. In brackets: robust standard "
      "deviations. A "
      "single such cell can decide what is learned.",
      one ? "1 cell lies" : fmt::format("{} cells lie", found.size()), one ? "its row" : "their rows",
      fmt::join(items, ", "),
      found.size() > items.size() ? fmt::format(" and {} more", found.size() - items.size()) : "");
  problem.remedies = {{"Correct the cells, or remove their rows, if they are mistakes"}};
  problems.push_back(std::move(problem));
}

void check_time_series(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  // Copies of rows resemble each other anyway.
  const bool copies = std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.code == "repeated_rows" && problem.severity > Severity::kNote;
  });
  if (table.rows() < kTimeSeriesRows || copies) return;
  context.check_interrupt();
  const ScaledColumns scaled = scale_columns(checked, CheckScale::kRaw, context);
  const Eigen::MatrixXd residuals = conditional_residuals(checked, scaled, context);
  std::vector<std::size_t> blocks;
  bool sorted_by_quantity = false;
  bool sorted_by_time = false;
  std::string key;
  std::vector<Problem> of_columns;
  check_identifiers(checked, of_columns);
  check_dates(checked, of_columns);
  const auto counts_rows = [&](std::size_t j) {
    return std::any_of(of_columns.begin(), of_columns.end(), [&](const Problem& problem) {
      return std::find(problem.columns.begin(), problem.columns.end(), table.name(j)) != problem.columns.end();
    });
  };
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (stands_in_blocks(checked, j)) blocks.push_back(j);
    if (!is_sorted_column(checked, j)) continue;
    (counts_rows(j) ? sorted_by_time : sorted_by_quantity) = true;
    key = table.name(j);
  }
  const double rows = static_cast<double>(table.rows());
  double largest = 0.0;
  double sum = 0.0;
  double tested = 0.0;
  std::size_t worst = 0;
  std::vector<std::optional<double>> correlations(scaled.columns.size());
  parallel_for(context, 0, correlations.size(), 1, [&](std::size_t k, std::size_t) {
    const std::size_t j = scaled.columns[k];
    if (is_sorted_column(checked, j) || counts_rows(j) || std::find(blocks.begin(), blocks.end(), j) != blocks.end())
      return;
    const auto column = residuals.col(static_cast<Eigen::Index>(k));
    std::vector<double> values(column.begin(), column.end());
    for (const std::size_t block : blocks) subtract_level_means(table.column(block), values);
    correlations[k] = lag_correlation(values);
  });
  for (std::size_t k = 0; k < correlations.size(); ++k) {
    if (!correlations[k]) continue;
    sum += *correlations[k] * std::sqrt(rows);
    tested += 1.0;
    if (*correlations[k] <= largest) continue;
    largest = *correlations[k];
    worst = scaled.columns[k];
  }
  if (tested == 0.0) return;
  if (largest * std::sqrt(rows) < kTimeSeriesDeviations && sum / std::sqrt(tested) < kTimeSeriesTogether) return;
  const double effective = rows * (1.0 - largest) / (1.0 + largest);
  const bool by_quantity = sorted_by_quantity && !sorted_by_time;
  problems.push_back(
      {by_quantity ? Severity::kNote : Severity::kWarning,
       "time_series",
       fmt::format("Neighbouring rows resemble each other: what the other columns do not explain of '{}' has a "
                   "correlation of {:.2f} with the row before. {} The {} rows are worth about {:.0f} independent ones, "
                   "and intervals are too narrow.",
                   table.name(worst), largest,
                   by_quantity ? fmt::format("The rows are sorted by '{}', which may be the reason.", key)
                               : "This looks like a time series.",
                   table.rows(), std::max(effective, 2.0)),
       {{"Name the column of the time in the task, as \"time\""},
        {"Use rows that are further apart"},
        {"Give the values of the time before as columns of their own"}},
       {table.name(worst)}});
}

}  // namespace olem::internal
