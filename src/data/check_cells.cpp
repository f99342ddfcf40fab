// Cells and rows that hold no observation: codes for "missing", totals, units.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "data/check_parts.h"

namespace olem::internal {

namespace {

// What people write for "unknown".
constexpr std::array<double, 26> kSentinels = {
    -1.0,        -9.0,   -99.0, -999.0, -9999.0, -99999.0, -999999.0, -77.0,        -88.0,
    -777.0,      -888.0, 99.0,  999.0,  9999.0,  99999.0,  999999.0,  9999999.0,    99999999.0,
    999999999.0, 777.0,  888.0, -99.9,  -999.9,  999.9,    -32768.0,  -2147483648.0};
// A code stands in this many rows at least. In a column of quantities that never repeat, three are no chance.
constexpr std::size_t kSentinelRows = 2;
constexpr std::size_t kSentinelRowsInside = 3;
// Apart: further from the rest than this many of its standard deviations, and than half of its width.
constexpr double kSentinelGap = 3.0;
constexpr double kSentinelWidth = 0.5;
constexpr double kNearlyAllDistinct = 0.9;
constexpr double kSurelyNoQuantity = 99.0;

struct Sentinel {
  std::size_t column = 0;
  double value = 0.0;
  std::size_t count = 0;
};

// `rest`: the sorted values without the codes.
bool is_sentinel(double code, std::size_t count, const std::vector<double>& rest) {
  if (rest.size() < 2 || count < kSentinelRows || count > rest.size()) return false;
  const double low = rest.front();
  const double high = rest.back();
  const double gap = code < low ? low - code : code > high ? code - high : 0.0;
  const auto size = static_cast<double>(rest.size());
  double mean = 0.0;
  for (const double value : rest) mean += value / size;
  double squares = 0.0;
  for (const double value : rest) squares += (value - mean) / size * (value - mean);
  if (gap > kSentinelGap * std::sqrt(squares) && gap > kSentinelWidth * (high - low)) return true;
  if (count < kSentinelRowsInside) return false;
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < rest.size(); ++i) distinct += rest[i] != rest[i - 1] ? 1 : 0;
  const bool continuous = static_cast<double>(distinct) > kNearlyAllDistinct * size;
  const bool wrong_sign = code < 0.0 && low >= 0.0;
  return continuous && (std::abs(code) >= kSurelyNoQuantity || wrong_sign);
}

// The number of digits behind the point in the shortest text of the number; at most 17.
int decimals_of(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  const auto point = std::find(text.data(), end, '.');
  return point == end ? 0 : static_cast<int>(std::min<std::ptrdiff_t>(end - point - 1, 17));
}

constexpr std::size_t kTotalRows = 5;
// The chance that a row of data agrees so well, which no table should reach by chance.
constexpr double kTotalChance = 2e-4;
// Programs sum what they know and round what they show: the sum of n cells that were rounded to d decimals is off by
// sqrt(n / 12) 10^-d (a standard deviation), and no more than this many times that.
constexpr double kRoundingDeviations = 4.0;

enum class TotalKind { kNone, kSum, kMean };

// What the last row holds of a column.
struct ColumnTotal {
  TotalKind kind = TotalKind::kNone;
  double chance = 1.0;  // that a row of data agrees so well
};

// Nothing where the column has no cells above the last row, or no finite sum.
std::optional<ColumnTotal> column_total(const CheckedTable& checked, std::size_t j) {
  const auto cells = checked.table.column(j);
  const std::size_t last = cells.size() - 1;
  double sum = 0.0;
  double size = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < last; ++i) {
    if (checked.is_missing(i, j)) continue;
    sum += cells[i];
    size += std::abs(cells[i]);
    count += 1.0;
  }
  if (count == 0.0 || !std::isfinite(size)) return std::nullopt;
  constexpr double kFloat = 1e-9;
  constexpr double kHalf = 0.505;
  const double shown = kHalf * std::pow(10.0, -decimals_of(cells[last]));
  const auto exactly = [&](double wanted, double parts) {
    return std::abs(cells[last] - wanted) <= std::max(kFloat * size / parts, shown);
  };
  const auto off_by = [&](int decimals) {
    return kRoundingDeviations * std::sqrt(count / 12.0) * std::pow(10.0, -decimals);
  };
  const auto found = [&](TotalKind kind, double wanted, double within) {
    const auto others =
        std::count_if(cells.begin(), cells.end() - 1, [&](double cell) { return std::abs(cell - wanted) <= within; });
    return ColumnTotal{kind, (1.0 + static_cast<double>(others)) / (count + 1.0)};
  };
  const double mean = sum / count;
  if (exactly(sum, 1.0)) return found(TotalKind::kSum, sum, std::max(kFloat * size, shown));
  if (exactly(mean, count)) return found(TotalKind::kMean, mean, std::max(kFloat * size / count, shown));
  // Of a column with all its digits the first cell ends this, and of one that is far from both as well.
  const double from_sum = std::abs(cells[last] - sum) - shown;
  const double from_mean = (std::abs(cells[last] - mean) - shown) * count;
  const double nearest = std::min(from_sum, from_mean);
  int decimals = 0;
  for (std::size_t i = 0; i < last && nearest <= off_by(decimals); ++i) {
    if (!checked.is_missing(i, j)) decimals = std::max(decimals, decimals_of(cells[i]));
  }
  if (from_sum <= off_by(decimals)) return found(TotalKind::kSum, sum, shown + off_by(decimals));
  if (from_mean <= off_by(decimals)) return found(TotalKind::kMean, mean, shown + off_by(decimals) / count);
  return ColumnTotal{};
}

}  // namespace

void check_sentinels(CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<Sentinel> found;
  std::vector<char> row_has(table.rows(), 0);
  for (std::size_t j = 0; j < table.columns(); ++j) {
    // A code may be a level that the user knows.
    if (checked.about[j].type == ColumnType::kCategory ||
        (checked.about[j].declared && has_levels(checked.about[j].type)))
      continue;
    const auto cells = table.column(j);
    std::vector<double> candidates;
    std::vector<double> rest;
    for (const double cell : cells) {
      const bool is_code = std::find(kSentinels.begin(), kSentinels.end(), cell) != kSentinels.end();
      (is_code ? candidates : rest).push_back(cell);
    }
    if (candidates.empty()) continue;
    std::sort(rest.begin(), rest.end());
    std::sort(candidates.begin(), candidates.end());
    // Those that turn out to be quantities belong to the rest for the others, which are judged from the outside.
    std::vector<std::pair<double, std::size_t>> codes;
    for (const double code : candidates) {
      if (!codes.empty() && codes.back().first == code) {
        ++codes.back().second;
      } else {
        codes.emplace_back(code, 1);
      }
    }
    std::sort(codes.begin(), codes.end(),
              [](const auto& a, const auto& b) { return std::abs(a.first) < std::abs(b.first); });
    for (const auto& [code, count] : codes) {
      if (is_sentinel(code, count, rest)) {
        found.push_back({j, code, count});
        checked.missing[j].resize(table.rows(), 0);
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (cells[i] != code) continue;
          checked.missing[j][i] = 1;
          row_has[i] = 1;
        }
      } else {
        rest.insert(std::upper_bound(rest.begin(), rest.end(), code), count, code);
      }
    }
  }
  if (found.empty()) return;
  std::vector<std::string> items;
  std::vector<std::size_t> columns;
  std::vector<std::string> codes;
  for (const Sentinel& sentinel : found) {
    std::string code = fmt::format("{}", sentinel.value);
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(std::move(code));
    items.push_back(fmt::format("{} in '{}' ({})", sentinel.value, table.name(sentinel.column),
                                in_words(sentinel.count, "row", "rows")));
    if (columns.empty() || columns.back() != sentinel.column) columns.push_back(sentinel.column);
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (row_has[i] != 0) rows.push_back(i);
  }
  Problem problem{
      Severity::kStrongWarning,
      "sentinel",
      fmt::format("A number that stands apart and repeats looks like a code for \"missing\": {}; first in {}. "
                  "As a number it decides what is learned.",
                  enumerate(items), row_names(checked, rows)),
      {{"Say that it means a missing value", "na", fmt::format("{}", fmt::join(codes, ","))},
       {"Leave these cells empty in the file"},
       leave_out(names_of(table, columns))},
      names_of(table, columns)};
  rows.resize(std::min(rows.size(), kRowsNamed));
  problem.rows = rows;
  problems.push_back(std::move(problem));
}

void check_totals(CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  const std::size_t rows = table.rows();
  if (rows < kTotalRows) return;
  const std::size_t last = rows - 1;
  double chance = 1.0;
  std::size_t looked = 0;
  std::size_t sums = 0;
  std::size_t means = 0;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (checked.about[j].type == ColumnType::kCategory || has_words(checked.about[j]) || checked.distinct[j] < 2)
      continue;
    const std::optional<ColumnTotal> total = column_total(checked, j);
    if (!total) continue;
    ++looked;
    chance *= total->chance;
    sums += total->kind == TotalKind::kSum ? 1 : 0;
    means += total->kind == TotalKind::kMean ? 1 : 0;
  }
  const bool by_numbers = sums + means > 0 && 2 * (sums + means) >= looked && chance <= kTotalChance;
  const std::string label = checked.facts == nullptr ? "" : checked.facts->total_label;
  if (!by_numbers && label.empty()) return;
  checked.left_out.assign(rows, 0);
  checked.left_out[last] = 1;
  std::string finding = by_numbers ? fmt::format("holds the {} of the rows above it in {} of {} columns",
                                                 means == 0  ? "sum"
                                                 : sums == 0 ? "mean"
                                                             : "sum or mean",
                                                 sums + means, looked)
                                   : "";
  if (!label.empty()) finding += fmt::format("{}is labelled '{}'", finding.empty() ? "" : " and ", label);
  Problem problem{Severity::kStrongWarning,
                  "totals",
                  fmt::format("The last row ({}) {}. It is no observation, and it pulls every estimate.",
                              row_name(checked, last), finding),
                  {remove_row(checked, last, "Remove the last line of the file")},
                  {}};
  problem.rows = {last};
  problems.push_back(std::move(problem));
}

void check_units_row(CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<std::string> items;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const std::vector<ColumnLevel>& levels = checked.about[j].levels;
    if (checked.about[j].type != ColumnType::kCategory || levels.size() < 3 || table.rows() < 3) continue;
    const auto is_number = [](const ColumnLevel& level) {
      double number = 0.0;
      const char* const end = level.name.data() + level.name.size();
      const auto [stop, error] = std::from_chars(level.name.data(), end, number);
      return error == std::errc{} && stop == end;
    };
    const auto text = std::find_if_not(levels.begin(), levels.end(), is_number);
    if (text == levels.end() || text->value != table.at(0, j) ||
        std::count_if(levels.begin(), levels.end(), is_number) + 1 != std::ssize(levels))
      continue;
    const auto cells = table.column(j);
    if (std::count(cells.begin(), cells.end(), text->value) != 1) continue;
    items.push_back(fmt::format("'{}' in '{}'", text->name, table.name(j)));
    columns.push_back(j);
  }
  if (items.empty()) return;
  Problem problem{Severity::kStrongWarning,
                  "units_row",
                  fmt::format("The first row ({}) holds words above numbers: {}. It looks like a line of units.",
                              row_name(checked, 0), enumerate(items)),
                  {remove_row(checked, 0, "Remove this line of the file")},
                  names_of(table, columns)};
  problem.rows = {0};
  problems.push_back(std::move(problem));
}

}  // namespace olem::internal
