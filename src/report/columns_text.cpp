#include <fmt/format.h>

#include <algorithm>

#include "olem/report.h"
#include "report/column_words.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kMostLevelsNamed = 6;
constexpr std::size_t kMostColumnLines = 40;

}  // namespace

}  // namespace olem

namespace olem::internal {

std::string levels_text(const Column& column) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostLevelsNamed, column.levels.size()); ++i)
    names.push_back(column.levels[i].name);
  if (column.levels.size() > kMostLevelsNamed)
    names.push_back(fmt::format("{} more", column.levels.size() - kMostLevelsNamed));
  return fmt::format("{}", fmt::join(names, column.type == ColumnType::kOrdinal ? " < " : ", "));
}

std::string with_unit(const Column& column, const std::string& value) {
  return column.unit.empty() ? value : fmt::format("{} {}", value, column.unit);
}

std::string number_words(const Column& column, double value) {
  return has_words(column) ? value_name(column, value) : with_unit(column, short_number(value));
}

std::string with_label(const Column& column, const std::string& name) {
  return column.label.empty() || column.label == name ? name : fmt::format("{} ({})", name, column.label);
}

}  // namespace olem::internal

namespace olem {

std::string columns_text(const std::vector<NamedColumn>& columns) {
  const bool known = std::any_of(columns.begin(), columns.end(),
                                 [](const NamedColumn& column) { return !(column.about == Column()); });
  if (!known) return "";
  std::size_t width = 6;
  for (const NamedColumn& column : columns)
    width = std::max(width, display_width(with_label(column.about, column.name)));
  std::string text = "\nWhat the columns are taken for:\n\n";
  for (std::size_t j = 0; j < std::min(kMostColumnLines, columns.size()); ++j) {
    const Column& about = columns[j].about;
    std::string what = about.reason;
    if (!about.levels.empty()) what += (what.empty() ? "" : ": ") + levels_text(about);
    if (!about.unit.empty()) what += fmt::format("{}in {}", what.empty() ? "" : ", ", about.unit);
    std::string line = fmt::format("  {}  {:<8}  {}", pad_right(with_label(about, columns[j].name), width),
                                   column_type_name(about.type), what);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (columns.size() > kMostColumnLines)
    text += fmt::format("  and {} more in the JSON result\n", columns.size() - kMostColumnLines);
  return text;
}

}  // namespace olem
