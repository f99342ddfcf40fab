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
  std::vector<std::vector<std::string>> rows;
  for (const NamedColumn& column : columns) {
    const Column& about = column.about;
    rows.push_back({with_label(about, column.name), std::string(column_type_name(about.type)), levels_text(about),
                    about.unit, about.reason});
  }
  page.section("What the columns were taken for");
  page.table({"column", "type", "levels", "unit", "why"}, rows, true);
}

}  // namespace olem::internal
