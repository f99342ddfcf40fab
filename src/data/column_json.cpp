#include "data/column_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace olem::internal {

namespace {

Column read_column_part(const JsonPart& part) {
  Column column;
  const auto type = find_column_type(part["type"].text());
  if (!type) part["type"].fail("is no type of a column that this olem knows");
  column.type = *type;
  if (part.has("levels")) {
    for (const auto& [name, value] : part["levels"].members()) column.levels.push_back({value.finite(), name});
    const bool ascending = std::is_sorted(column.levels.begin(), column.levels.end(),
                                          [](const auto& a, const auto& b) { return a.value < b.value; });
    if (!ascending) part["levels"].fail("does not ascend");
    if (!has_levels(column.type)) part["levels"].fail("belongs to a column that cannot have levels");
  }
  if (part.has("unit")) column.unit = part["unit"].text();
  if (part.has("label")) column.label = part["label"].text();
  column.reason = part["reason"].text();
  column.declared = part["declared"].flag();
  return column;
}

}  // namespace

std::vector<NamedColumn> read_column_types(const JsonPart& part) {
  std::vector<NamedColumn> columns;
  for (const auto& [name, entry] : part.members()) columns.push_back({name, read_column_part(entry)});
  return columns;
}

void name_levels(Json& values, std::span<const NamedColumn> columns) {
  for (auto& [name, value] : values.items()) {
    if (value.is_number()) value = value_json(about_column(columns, name), value.get<double>());
  }
}

}  // namespace olem::internal

namespace olem {

Column column_from_json(const Json& json) {
  const std::string source = "column_types";
  return internal::read_column_part(internal::JsonPart(json, source));
}

}  // namespace olem
