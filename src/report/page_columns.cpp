#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/column_json.h"
#include "report/column_words.h"
#include "report/page_parts.h"

namespace olem::internal {

std::vector<NamedColumn> columns_of(const JsonPart& result) {
  return result.has("column_types") ? read_column_types(result["column_types"]) : std::vector<NamedColumn>();
}

void add_columns(Page& page, const JsonPart& result) {
  const std::vector<NamedColumn> columns = columns_of(result);
  if (std::all_of(columns.begin(), columns.end(), [](const NamedColumn& column) { return column.about == Column(); }))
    return;
  // Without columns in which every cell is empty.
  const auto any = [&](auto text) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const NamedColumn& column) { return !text(column.about).empty(); });
  };
  const bool has_levels = any([](const Column& about) { return levels_text(about); });
  const bool has_units = any([](const Column& about) { return about.unit; });
  std::vector<std::vector<std::string>> rows;
  for (const NamedColumn& column : columns) {
    const Column& about = column.about;
    std::vector<std::string>& cells = rows.emplace_back(1, with_label(about, column.name));
    cells.emplace_back(column_type_name(about.type));
    if (has_levels) cells.push_back(levels_text(about));
    if (has_units) cells.push_back(about.unit);
    cells.push_back(about.reason);
  }
  page.section("What the columns were taken for");
  std::vector<std::string> header = {"column", "type"};
  if (has_levels) header.emplace_back("levels");
  if (has_units) header.emplace_back("unit");
  header.emplace_back("why");
  page.table(header, rows, true);
}

}  // namespace olem::internal
