#include "serve/decision_table.h"

#include <nlohmann/json.hpp>

namespace olem::internal {

Json decision_rows(const std::vector<Decision>& decisions, std::span<const NamedColumn> columns) {
  Json rows = Json::array();
  for (const Decision& decision : decisions) {
    const Json whole = to_json(decision, columns);
    Json row;
    for (const char* const key :
         {"context", "alterations", "success_probability", "interval", "without_action", "status"})
      row[key] = whole[key];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace olem::internal
