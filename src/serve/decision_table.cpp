#include "serve/decision_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace olem::internal {

namespace {

std::string text_cell(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
  std::string cell = formula ? "'" + text : text;
  if (cell.find_first_of(",;\"\t\r\n ") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Json decision_rows(const std::vector<Decision>& decisions) {
  Json rows = Json::array();
  for (const Decision& decision : decisions) {
    const Json whole = to_json(decision);
    Json row;
    for (const char* const key :
         {"context", "alterations", "success_probability", "interval", "without_action", "status"})
      row[key] = whole[key];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string decision_csv(const std::vector<Decision>& decisions) {
  if (decisions.empty()) return "";
  std::vector<std::string> cells;
  for (const NamedValue& value : decisions.front().context) cells.push_back(text_cell(value.name));
  for (const Alteration& alteration : decisions.front().alterations) cells.push_back(text_cell(alteration.name));
  for (const char* const name : {"success_probability", "low", "high", "without_action", "status"})
    cells.emplace_back(name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const Decision& decision : decisions) {
    cells.clear();
    for (const NamedValue& value : decision.context) cells.push_back(fmt::format("{}", value.value));
    for (const Alteration& alteration : decision.alterations)
      cells.push_back(alteration.value ? fmt::format("{}", *alteration.value) : "");
    for (const double value :
         {decision.success_probability, decision.success_low, decision.success_high, decision.without_action})
      cells.push_back(fmt::format("{}", value));
    cells.push_back(text_cell(std::string(status_name(decision.summary.status))));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace olem::internal
