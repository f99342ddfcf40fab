#include "olem/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "data/csv_words.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<std::string_view, 7> kNames = {"real",    "positive", "share",   "count",
                                                    "ordinal", "binary",   "category"};
// More distinct whole numbers than this count something.
constexpr std::size_t kMostLevels = 10;
// Beyond this the logarithm of a positive column is worth a try; a normal distribution has 0, an exponential one 2.
constexpr double kSkewed = 0.5;

// Beyond this a column is no list of levels, whatever is said.
constexpr std::size_t kMostDeclaredLevels = 1000;

// What decides about the type of a column of numbers, in one pass.
struct ValueSummary {
  double least = 0.0;
  double most = 0.0;
  bool whole = true;
  std::vector<double> distinct;  // ascending; one more than the limit when there are more
};

ValueSummary summarise_values(std::span<const double> cells, std::size_t limit) {
  ValueSummary summary{cells.front(), cells.front(), true, {}};
  std::vector<double>& distinct = summary.distinct;
  std::size_t i = 0;
  for (; i < cells.size() && (summary.whole || distinct.size() <= limit); ++i) {
    const double cell = cells[i];
    summary.whole = summary.whole && std::trunc(cell) == cell;
    summary.least = std::min(summary.least, cell);
    summary.most = std::max(summary.most, cell);
    if (distinct.size() > limit) continue;
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), cell);
    if (place == distinct.end() || *place != cell) distinct.insert(place, cell);
  }
  // Of most columns a few cells say all but the range.
  for (; i < cells.size(); ++i) {
    summary.least = std::min(summary.least, cells[i]);
    summary.most = std::max(summary.most, cells[i]);
  }
  return summary;
}

// Third central moment by the 3/2 power of the second. In one pass over numbers moved to [-1, 1], where no power
// overflows; what cancels is far below the precision that a threshold needs.
double skewness(std::span<const double> cells, double least, double most) {
  const double half = 0.5 * most - 0.5 * least;
  if (!(half > 0.0)) return 0.0;
  const double middle = 0.5 * least + 0.5 * most;
  const double scale = 1.0 / half;
  double first = 0.0;
  double second = 0.0;
  double third = 0.0;
  for (const double cell : cells) {
    const double moved = (cell - middle) * scale;
    const double square = moved * moved;
    first += moved;
    second += square;
    third += square * moved;
  }
  const auto count = static_cast<double>(cells.size());
  first /= count;
  second /= count;
  third /= count;
  const double variance = second - first * first;
  if (!(variance > 0.0)) return 0.0;
  return (third - 3.0 * first * second + 2.0 * first * first * first) / std::pow(variance, 1.5);
}

std::vector<ColumnLevel> numbered_levels(const std::vector<double>& values) {
  std::vector<ColumnLevel> levels;
  levels.reserve(values.size());
  for (const double value : values) levels.push_back({value, fmt::format("{}", value)});
  return levels;
}

}  // namespace

std::string_view column_type_name(ColumnType type) { return kNames.at(static_cast<std::size_t>(type)); }

std::optional<ColumnType> find_column_type(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ColumnType>(found - kNames.begin());
}

std::vector<std::string> column_type_names() { return {kNames.begin(), kNames.end()}; }

bool has_levels(ColumnType type) {
  return type == ColumnType::kOrdinal || type == ColumnType::kBinary || type == ColumnType::kCategory;
}

bool is_discrete(ColumnType type) { return has_levels(type) || type == ColumnType::kCount; }

Column guess_column(std::span<const double> cells) {
  if (cells.empty()) return {};
  const ValueSummary values = summarise_values(cells, kMostLevels);
  const std::size_t distinct = values.distinct.size();
  const auto found = [&](ColumnType type, std::string reason) {
    Column column;
    column.type = type;
    column.reason = std::move(reason);
    if (has_levels(type)) column.levels = numbered_levels(values.distinct);
    return column;
  };
  if (distinct == 2) return found(ColumnType::kBinary, "2 distinct values");
  if (values.whole && distinct >= 3 && distinct <= kMostLevels && 2 * distinct <= cells.size())
    return found(ColumnType::kOrdinal, fmt::format("{} distinct whole numbers", distinct));
  if (values.whole && values.least >= 0.0 && distinct > kMostLevels)
    return found(ColumnType::kCount, "whole numbers from 0 on");
  if (!values.whole && values.least >= 0.0 && values.most <= 1.0)
    return found(ColumnType::kShare, "all between 0 and 1");
  if (values.least >= 0.0 && skewness(cells, values.least, values.most) > kSkewed)
    return found(ColumnType::kPositive, values.least > 0.0 ? "positive and skewed" : "not negative and skewed");
  return found(ColumnType::kReal, "numbers");
}

Column declare_column(const std::string& name, const Column& found, std::span<const double> cells, ColumnType type) {
  const auto refuse = [&](const std::string& why) {
    throw Error::of_option("type",
                           fmt::format("Column '{}' cannot be {}: {}.", show_text(name), column_type_name(type), why));
  };
  Column column = found;
  column.type = type;
  column.reason = "declared";
  column.declared = true;
  if (cells.empty()) return column;
  const bool words = has_words(found);
  if (words && !has_levels(type)) {
    refuse(fmt::format("it holds words, such as '{}'", show_text(found.levels.front().name)));
  }
  const ValueSummary values = summarise_values(cells, kMostDeclaredLevels);
  if (has_levels(type)) {
    if (values.distinct.size() > kMostDeclaredLevels) refuse("it has more than 1000 different values");
    if (!words) column.levels = numbered_levels(values.distinct);
    if (type == ColumnType::kBinary && column.levels.size() > 2)
      refuse(fmt::format("it has {} different values", column.levels.size()));
    return column;
  }
  column.levels.clear();
  if (type == ColumnType::kPositive && values.least < 0.0) refuse(fmt::format("it holds {}", values.least));
  if (type == ColumnType::kCount && (values.least < 0.0 || !values.whole))
    refuse(values.whole ? fmt::format("it holds {}", values.least) : std::string("it holds fractions"));
  if (type == ColumnType::kShare) {
    if (values.least < 0.0 || values.most > 100.0)
      refuse(fmt::format("it holds {}", values.least < 0.0 ? values.least : values.most));
    if (values.most > 1.0) column.unit = "%";
  }
  return column;
}

bool has_words(const Column& column) {
  return std::any_of(column.levels.begin(), column.levels.end(),
                     [](const ColumnLevel& level) { return level.name != fmt::format("{}", level.value); });
}

std::optional<ColumnLevel> find_level(const Column& column, std::string_view name) {
  const std::string spelling = level_spelling(std::string(name));
  for (const ColumnLevel& level : column.levels) {
    if (level.name == name || level.name == spelling) return level;
  }
  std::optional<ColumnLevel> alike;
  for (const ColumnLevel& level : column.levels) {
    if (lower_case(level.name) != lower_case(name)) continue;
    if (alike) return std::nullopt;
    alike = level;
  }
  if (alike) return alike;
  double number = 0.0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  for (const ColumnLevel& level : column.levels) {
    if (level.value == number) return level;
  }
  return std::nullopt;
}

std::string value_name(const Column& column, double value) {
  for (const ColumnLevel& level : column.levels) {
    if (level.value == value) return level.name;
  }
  return fmt::format("{}", value);
}

}  // namespace olem
