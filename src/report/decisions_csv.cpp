#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "olem/decision.h"
#include "olem/report.h"
#include "report/csv_cells.h"

namespace olem::internal {

std::string csv_text(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
  std::string cell = formula ? "'" + text : text;
  if (cell.find_first_of(",;\"\t\r\n ") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_value(const Column& column, double value) {
  return has_words(column) ? csv_text(value_name(column, value)) : fmt::format("{}", value);
}

}  // namespace olem::internal

namespace olem {

using namespace internal;

std::string decisions_csv(const std::vector<Decision>& decisions, std::span<const NamedColumn> columns) {
  if (decisions.empty()) return "";
  std::vector<std::string> cells;
  std::vector<std::string> context;  // known in the first decision or not
  for (const NamedValue& value : decisions.front().context) context.push_back(value.name);
  for (const UnknownContext& unknown : decisions.front().unknown) context.push_back(unknown.name);
  for (const std::string& name : context) cells.push_back(csv_text(name));
  for (const Alteration& alteration : decisions.front().alterations) cells.push_back(csv_text(alteration.name));
  for (const char* const name : {"success_probability", "low", "high", "without_action", "status"})
    cells.emplace_back(name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const Decision& decision : decisions) {
    cells.clear();
    for (const std::string& name : context) {
      const auto known = std::find_if(decision.context.begin(), decision.context.end(),
                                      [&](const NamedValue& value) { return value.name == name; });
      cells.push_back(known == decision.context.end() ? "" : csv_value(about_column(columns, name), known->value));
    }
    for (const Alteration& alteration : decision.alterations) {
      const Column& column = about_column(columns, alteration.name);
      cells.push_back(alteration.value ? csv_value(column, *alteration.value) : "");
    }
    for (const double value :
         {decision.success_probability, decision.success_low, decision.success_high, decision.without_action})
      cells.push_back(fmt::format("{}", value));
    cells.push_back(csv_text(std::string(status_name(decision.summary.status))));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace olem
