#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "olem/report_update.h"
#include "olem/text.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

std::string update_text(const ModelUpdate& update) {
  std::string text = fmt::format("{} new rows behind {} old ones.\n", update.new_rows, update.old_rows);
  std::size_t width = 8;
  std::vector<std::string> changed;
  for (const VariableUpdate& variable : update.variables) {
    width = std::max(width, display_width(variable.name));
    if (variable.changed) changed.push_back(variable.name);
  }
  text += changed.empty()
              ? "Nothing has changed: all rows count alike.\n"
              : wrap_text(fmt::format("What these depend on has changed: {}.", fmt::join(changed, ", ")), kLineWidth);
  text += fmt::format("\n  {}   {:>13}   {}\n", pad_right("variable", width), "rows remembered", "changed");
  for (const VariableUpdate& variable : update.variables) {
    text += fmt::format("  {}   {:>15.0f}   {}\n", pad_right(variable.name, width), variable.memory,
                        variable.changed ? (variable.replayed ? "yes" : "yes, not replayed") : "no");
  }
  return text;
}

std::string drift_text(const DriftCheck& check) {
  if (check.variables.empty())
    return fmt::format("{}: too few to test for drift. Give all rows that came since, in time order.\n",
                       counted(check.rows, "row"));
  std::size_t width = 8;
  std::size_t drifted = 0;
  for (const VariableDrift& variable : check.variables) {
    width = std::max(width, display_width(variable.name));
    drifted += variable.drifted ? 1 : 0;
  }
  std::string text =
      drifted == 0 ? fmt::format("{} rows: no drift was found.\n", check.rows)
                   : fmt::format("{} rows: {} of {} variables drifted.\n", check.rows, drifted, check.variables.size());
  text += fmt::format("\n  {}   {:>5}   {:>9}   {:>8}   {:>9}   {}\n", pad_right("variable", width), "rows",
                      "statistic", "p", "since row", "what");
  for (const VariableDrift& variable : check.variables) {
    const DriftFinding& finding = variable.strongest;
    text +=
        fmt::format("  {}   {:>5}   {:>9.2f}   {:>8.2g}   {:>9}   {}\n", pad_right(variable.name, width), variable.rows,
                    finding.statistic, finding.p_value, variable.drifted ? std::to_string(finding.since) : "",
                    !variable.drifted                                     ? ""
                    : finding.what == "level" || finding.what == "spread" ? finding.what
                                                                          : "effect of " + finding.what);
  }
  if (!check.left_out.empty())
    text += "\n" +
            wrap_text(fmt::format("Not tested, as levers or without whole rows: {}.", fmt::join(check.left_out, ", ")),
                      kLineWidth);
  if (!check.no_column.empty())
    text +=
        "\n" + wrap_text(fmt::format("Not tested, since their column or that of a condition is not in these rows: {}.",
                                     fmt::join(check.no_column, ", ")),
                         kLineWidth);
  return text;
}

}  // namespace olem
