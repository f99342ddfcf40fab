#include "study/published.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "olem/error.h"

namespace olem::internal {

namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    cells.emplace_back(line.substr(at, comma == std::string_view::npos ? comma : comma - at));
    if (comma == std::string_view::npos) return cells;
    at = comma + 1;
  }
}

}  // namespace

std::vector<std::map<std::string, std::string>> embedded_rows(std::string_view csv) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  while (!csv.empty()) {
    const std::size_t end = csv.find('\n');
    const std::vector<std::string> cells = cells_of(csv.substr(0, end));
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (names.empty()) {
      names = cells;
      continue;
    }
    if (cells.size() != names.size()) {
      throw Error(ErrorCategory::kInternal,
                  fmt::format("A published table has {} cells in a row of {} columns.", cells.size(), names.size()));
    }
    auto& row = rows.emplace_back();
    for (std::size_t j = 0; j < names.size(); ++j) row[names[j]] = cells[j];
  }
  return rows;
}

double embedded_number(const std::string& cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0.0;
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || stop != cell.data() + cell.size()) {
    throw Error(ErrorCategory::kInternal, fmt::format("'{}' in a published table is no number.", cell));
  }
  return value;
}

}  // namespace olem::internal
