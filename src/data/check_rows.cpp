// Rows that are copies or near-copies of others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/check_parts.h"
#include "olem/random.h"

namespace olem::internal {

namespace {

constexpr double kTwinShare = 0.01;
constexpr double kManyTwinsShare = 0.5;
constexpr double kCoarseTies = 0.05;
constexpr double kTieFactor = 10.0;

// The chance that two different rows agree, by the column; `of_two` for two columns at once.
double tie_share(std::vector<std::pair<double, double>> cells) {
  std::sort(cells.begin(), cells.end());
  const auto rows = static_cast<double>(cells.size());
  double pairs = 0.0;
  for (std::size_t first = 0; first < cells.size();) {
    std::size_t last = first;
    while (last < cells.size() && cells[last] == cells[first]) ++last;
    const auto size = static_cast<double>(last - first);
    pairs += size * (size - 1.0);
    first = last;
  }
  return rows > 1.0 ? pairs / (rows * (rows - 1.0)) : 0.0;
}

double tie_share_of(const Table& table, std::size_t a, std::size_t b) {
  std::vector<std::pair<double, double>> cells(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) cells[i] = {table.at(i, a), table.at(i, b)};
  return tie_share(std::move(cells));
}

constexpr std::size_t kGroupColumns = 10;
constexpr double kGroupAgreement = 0.6;
constexpr double kGroupLargest = 0.2;
constexpr std::size_t kGroupDistinct = 10;

// Two columns of many values that are nearly always equal together: what a person, a machine or a place has in all of
// its rows.
std::vector<std::size_t> columns_of_groups(const CheckedTable& checked) {
  const Table& table = checked.table;
  std::vector<std::pair<double, std::size_t>> tied;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (!checked.usable[j] || checked.distinct[j] <= kGroupDistinct || 2 * checked.distinct[j] > table.rows()) continue;
    const double share = tie_share_of(table, j, j);
    if (share > 0.0 && share < kGroupLargest) tied.emplace_back(share, j);
  }
  std::sort(tied.begin(), tied.end());
  tied.resize(std::min(tied.size(), kGroupColumns));
  for (std::size_t a = 0; a < tied.size(); ++a) {
    std::vector<std::size_t> together = {tied[a].second};
    for (std::size_t b = a + 1; b < tied.size(); ++b) {
      const double both = tie_share_of(table, tied[a].second, tied[b].second);
      if (both > kGroupAgreement * tied[a].first && both > kTieFactor / 4.0 * tied[a].first * tied[b].first)
        together.push_back(tied[b].second);
    }
    if (together.size() > 1) return together;
  }
  return {};
}

constexpr std::size_t kNearQueries = 200;
constexpr std::size_t kNearRows = 20000;
constexpr std::size_t kNearNeighbour = 20;
constexpr double kNearRatio = 0.01;
constexpr double kNearShare = 0.3;

// The share of rows whose nearest row is a hundred times nearer than their twentieth.
double near_copy_share(const CheckedTable& checked, const Context& context) {
  const Table& table = checked.table;
  const std::size_t rows = std::min(table.rows(), kNearRows);
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (!checked.is_quantity(j) || 2 * checked.distinct[j] < table.rows()) continue;
    const auto cells = table.column(j);
    const RobustScale scale = robust_scale({cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(rows)});
    if (!(scale.deviation > 0.0)) continue;
    std::vector<double>& values = columns.emplace_back(rows);
    for (std::size_t i = 0; i < rows; ++i)
      values[i] = std::clamp((cells[i] - scale.centre) / scale.deviation, -10.0, 10.0);
  }
  if (columns.size() < 2 || rows < 4 * kNearNeighbour) return 0.0;
  std::size_t near = 0;
  const std::size_t queries = std::min(rows, kNearQueries);
  std::vector<double> distances(rows);
  for (std::size_t q = 0; q < queries; ++q) {
    context.check_interrupt();
    const std::size_t row = q * rows / queries;
    std::fill(distances.begin(), distances.end(), 0.0);
    for (const std::vector<double>& values : columns) {
      for (std::size_t i = 0; i < rows; ++i) distances[i] += (values[i] - values[row]) * (values[i] - values[row]);
    }
    distances[row] = std::numeric_limits<double>::infinity();
    const auto twentieth = distances.begin() + kNearNeighbour - 1;
    std::nth_element(distances.begin(), twentieth, distances.end());
    const double nearest = *std::min_element(distances.begin(), twentieth + 1);
    if (nearest < kNearRatio * kNearRatio * *twentieth) ++near;
  }
  return static_cast<double>(near) / static_cast<double>(queries);
}

}  // namespace

void check_repeats(const CheckedTable& checked, const Context& context, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  const RepeatedRows found = count_repeated_rows(table, context);
  if (found.repeats == 0) return;
  // Rows of a few discrete columns repeat by nature: how often they would if the columns did not depend on each other.
  double chance = 1.0;
  double finest = 1.0;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const double share = tie_share_of(table, j, j);
    chance *= share;
    finest = std::min(finest, share);
  }
  const auto rows = static_cast<double>(table.rows());
  const std::size_t different = table.rows() - found.repeats;
  // A column with many values, nearly one for each different row, is fine however often one row is repeated.
  constexpr std::size_t kFineValues = 50;
  const bool fine = std::any_of(checked.distinct.begin(), checked.distinct.end(), [&](std::size_t distinct) {
    return distinct >= kFineValues && 2 * distinct > different;
  });
  const bool by_nature = !fine && (finest > kCoarseTies || found.pairs <= kTieFactor * chance * rows * rows / 2.0);
  const double share = static_cast<double>(found.with_twin) / rows;
  // That every row of discrete columns stands there an even number of times is no chance either.
  const bool every = found.least_copies > 1 && different > kGroupDistinct && (!by_nature || found.all_even);
  Severity severity = Severity::kNote;
  if (every || (!by_nature && share > kManyTwinsShare)) {
    severity = Severity::kStrongWarning;
  } else if (!by_nature && share > kTwinShare) {
    severity = Severity::kWarning;
  }
  std::vector<Remedy> remedies = {{"Remove rows that were recorded twice"}};
  problems.push_back(
      {severity,
       "repeated_rows",
       every ? fmt::format("Every row stands in the table at least {} times. Copies make {} rows look like {}.",
                           found.least_copies, different, table.rows())
             : fmt::format("{} an earlier row. {:.3g} % of the rows ({} of {}) have an identical twin{}.",
                           in_words(found.repeats, "row repeats", "rows repeat"), 100.0 * share, found.with_twin,
                           table.rows(),
                           by_nature ? ", as rows of a few discrete or rounded columns do"
                                     : ", so that their nearest neighbour is at distance 0"),
       std::move(remedies),
       {}});
}

void check_groups(const CheckedTable& checked, bool thorough, const Context& context, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  const bool copies = std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.code == "repeated_rows" && problem.severity > Severity::kNote;
  });
  if (copies || table.rows() < 4 * kNearNeighbour) return;
  const std::vector<Remedy> remedies = {{"Name the column of the groups in the task, as \"group\""},
                                        {"Use one row of each group, or its means"},
                                        {"Take intervals for too narrow: they count every row as independent"}};
  const std::vector<std::size_t> columns = columns_of_groups(checked);
  if (!columns.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : names_of(table, columns)) names.push_back(fmt::format("'{}'", name));
    std::size_t groups = table.rows();
    for (const std::size_t j : columns) groups = std::min(groups, checked.distinct[j]);
    problems.push_back({Severity::kWarning, "groups",
                        fmt::format("The rows come in groups: {} repeat together, with about {} different values in {} "
                                    "rows. Rows of one group are not independent.",
                                    enumerate(names), groups, table.rows()),
                        remedies, names_of(table, columns)});
    return;
  }
  if (!thorough) return;
  const double share = near_copy_share(checked, context);
  if (share < kNearShare) return;
  problems.push_back({Severity::kWarning,
                      "groups",
                      fmt::format("About {:.0f} % of the rows have a near-copy: another row that is a hundred times "
                                  "nearer than the twentieth. The rows come in groups and are not independent.",
                                  100.0 * share),
                      remedies,
                      {}});
}

}  // namespace olem::internal
