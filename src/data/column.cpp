#include "olem/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace olem {

namespace {

constexpr std::array<std::string_view, 7> kNames = {"real",    "positive", "share",   "count",
                                                    "ordinal", "binary",   "category"};
// More distinct whole numbers than this count something.
constexpr std::size_t kMostLevels = 10;
// Beyond this the logarithm of a positive column is worth a try; a normal distribution has 0, an exponential one 2.
constexpr double kSkewed = 0.5;

std::vector<double> distinct_values(std::span<const double> cells) {
  std::vector<double> values(cells.begin(), cells.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Third central moment by the 3/2 power of the second. Of numbers scaled to at most 1, so that no power overflows.
double skewness(std::span<const double> cells) {
  double largest = 0.0;
  for (const double cell : cells) largest = std::max(largest, std::abs(cell));
  if (largest == 0.0) return 0.0;
  const auto count = static_cast<double>(cells.size());
  double mean = 0.0;
  for (const double cell : cells) mean += cell / largest;
  mean /= count;
  double second = 0.0;
  double third = 0.0;
  for (const double cell : cells) {
    const double centred = cell / largest - mean;
    second += centred * centred;
    third += centred * centred * centred;
  }
  second /= count;
  return second > 0.0 ? third / count / std::pow(second, 1.5) : 0.0;
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
  const std::vector<double> values = distinct_values(cells);
  const auto found = [&](ColumnType type, std::string reason) {
    Column column;
    column.type = type;
    column.reason = std::move(reason);
    if (has_levels(type)) column.levels = numbered_levels(values);
    return column;
  };
  if (values.size() == 2) return found(ColumnType::kBinary, "2 distinct values");
  const bool whole = std::all_of(values.begin(), values.end(), [](double value) { return std::trunc(value) == value; });
  const double least = values.front();
  if (whole && values.size() >= 3 && values.size() <= kMostLevels && 2 * values.size() <= cells.size())
    return found(ColumnType::kOrdinal, fmt::format("{} distinct whole numbers", values.size()));
  if (whole && least >= 0.0 && values.size() > kMostLevels) return found(ColumnType::kCount, "whole numbers from 0 on");
  if (!whole && least >= 0.0 && values.back() <= 1.0) return found(ColumnType::kShare, "all between 0 and 1");
  if (least >= 0.0 && skewness(cells) > kSkewed)
    return found(ColumnType::kPositive, least > 0.0 ? "positive and skewed" : "not negative and skewed");
  return found(ColumnType::kReal, "numbers");
}

std::optional<ColumnLevel> find_level(const Column& column, std::string_view name) {
  for (const ColumnLevel& level : column.levels) {
    if (level.name == name) return level;
  }
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
