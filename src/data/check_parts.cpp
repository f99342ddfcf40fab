#include "data/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

constexpr std::size_t kNamesInText = 10;

}  // namespace

bool CheckedTable::is_quantity(std::size_t column) const {
  return usable[column] && !has_levels(about[column].type) && distinct[column] > 2;
}

Column known_column(const Table& table, std::size_t column) {
  const Column& about = table.about(column);
  if (about.declared || !about.reason.empty()) return about;
  Column guessed = guess_column(table.column(column));
  guessed.unit = about.unit;
  guessed.label = about.label;
  return guessed;
}

std::string row_name(const CheckedTable& checked, std::size_t row) {
  if (checked.facts != nullptr && checked.facts->first_line > 0)
    return fmt::format("line {}", checked.facts->first_line + row);
  return fmt::format("row {}", row + 1);
}

Remedy remove_row(const CheckedTable& checked, std::size_t row, const std::string& advice) {
  if (checked.facts == nullptr || checked.facts->first_line == 0) return {advice};
  return {advice, "skip_lines", std::to_string(checked.facts->first_line + row)};
}

std::string row_names(const CheckedTable& checked, std::span<const std::size_t> rows) {
  if (rows.size() == 1) return row_name(checked, rows[0]);
  const bool lines = checked.facts != nullptr && checked.facts->first_line > 0;
  const std::size_t first = lines ? checked.facts->first_line : 1;
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsNamed); ++i)
    numbers.push_back(fmt::format("{}", rows[i] + first));
  const std::string_view word = lines ? "lines" : "rows";
  if (rows.size() > kRowsNamed)
    return fmt::format("{} {} and {} more", word, fmt::join(numbers, ", "), rows.size() - kRowsNamed);
  return fmt::format("{} {} and {}", word, fmt::join(numbers.begin(), numbers.end() - 1, ", "), numbers.back());
}

std::string enumerate(const std::vector<std::string>& items) {
  if (items.size() <= kNamesInText) return fmt::format("{}", fmt::join(items, ", "));
  return fmt::format("{} and {} more", fmt::join(items.begin(), items.begin() + kNamesInText, ", "),
                     items.size() - kNamesInText);
}

std::vector<std::string> names_of(const Table& table, std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  for (const std::size_t j : columns) names.push_back(table.name(j));
  return names;
}

std::string in_words(std::size_t count, std::string_view singular, std::string_view plural) {
  return count == 1 ? fmt::format("1 {}", singular) : fmt::format("{} {}", count, plural);
}

double sorted_quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1.0 - part) + sorted[above] * part;
}

namespace {

// sorted_quantile() of numbers in any order, without sorting all of them: O(n). Numbers before `from` must not be
// greater than those after it; moves on what it selects.
double selected_quantile(std::vector<double>& values, std::size_t from, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(from), at(below), values.end());
  const double part = place - static_cast<double>(below);
  const double above = below + 1 < values.size() ? *std::min_element(at(below + 1), values.end()) : values[below];
  return values[below] * (1.0 - part) + above * part;
}

}  // namespace

RobustScale robust_scale(std::vector<double> values) {
  RobustScale scale;
  if (values.empty()) return scale;
  constexpr double kTenth = 0.1;
  constexpr double kNormalMiddle = 2.563103131089201;  // between the tenth and the ninetieth percentile
  // From low to high, each among those that the one before left on its right.
  const auto place = [&](double share) {
    return static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  };
  const double low = selected_quantile(values, 0, kTenth);
  scale.centre = selected_quantile(values, place(kTenth), 0.5);
  const double high = selected_quantile(values, place(0.5), 1.0 - kTenth);
  const double middle = high / kNormalMiddle - low / kNormalMiddle;
  for (double& value : values) value = std::abs(value - scale.centre);
  constexpr double kNormalMad = 1.4826022185056018;
  scale.deviation = std::max(kNormalMad * selected_quantile(values, 0, 0.5), middle);
  return scale;
}

}  // namespace olem::internal
