#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/layout.h"
#include "report/page_parts.h"

namespace olem::internal {

namespace {

std::string effect_cell(const JsonPart& effect, const JsonPart& rows) {
  return fmt::format("{} ± {} ({} rows)", short_number(effect["effect"].finite()),
                     short_number(effect["standard_error"].finite()), json_cell(rows.json()));
}

}  // namespace

void add_rows(Page& page, const JsonPart& result) {
  const bool is_set = result.has("set_by_hand") && !result["set_by_hand"].entries().empty();
  const bool has_groups = result.has("groups") && !result["groups"].entries().empty();
  if (!is_set && !has_groups && !result.has("effective_rows")) return;
  page.section("What is known of the rows");
  if (has_groups)
    page.paragraph(fmt::format("They belong to {} groups of {}.", result["groups"].entries().size(),
                               result["task"]["group"].text()));
  if (result.has("effective_rows"))
    page.paragraph(fmt::format("They say as much about the outcomes as {:.0f} independent ones of equal weight.",
                               result["effective_rows"].finite()));
  if (!is_set) return;
  std::vector<std::vector<std::string>> rows;
  for (const JsonPart& entry : result["set_by_hand"].entries()) {
    rows.push_back({fmt::format("{} on {}", entry["lever"].text(), entry["outcome"].text()),
                    effect_cell(entry["set"], entry["set_rows"]), effect_cell(entry["other"], entry["other_rows"]),
                    entry["contradict"].flag() ? "contradict each other" : "agree"});
  }
  page.paragraph(
      "One unit more of a lever changes an outcome by this much (± one standard error), given what comes before the "
      "lever. Where the two kinds of rows contradict each other, something hidden moves both where the lever is left "
      "alone, and the rows that were set count.");
  page.table({"effect", "in rows that were set", "in the others", ""}, rows);
}

}  // namespace olem::internal
