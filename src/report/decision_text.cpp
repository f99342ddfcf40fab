#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "olem/report.h"
#include "olem/text.h"
#include "report/decision_sheet.h"
#include "report/layout.h"
#include "report/uncertainty_words.h"

namespace olem {

using namespace internal;

namespace {

// Of the probability and what stands behind it; the report has all of it.
constexpr std::size_t kAnswerLines = 8;

std::string pad_left(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

// The first column flush left, the others flush right, each at least as wide as `widths` says.
std::string text_table(const SheetTable& table, std::vector<std::size_t> widths) {
  widths.resize(table.header.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], display_width(cells[k]));
  };
  widen(table.header);
  for (const std::vector<std::string>& row : table.rows) widen(row);
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k)
      line += "  " + (k == 0 ? pad_right(cells[k], widths[k]) : pad_left(cells[k], widths[k]));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const std::vector<std::string>& row : table.rows) add(row);
  return text;
}

std::string forecast_lines(const SheetTable& forecasts) {
  std::size_t width = 8;
  for (const std::vector<std::string>& row : forecasts.rows) width = std::max(width, display_width(row[0]));
  std::string text;
  for (const std::vector<std::string>& row : forecasts.rows)
    text += fmt::format("  {}  {} instead of {}\n", pad_right(row[0], width), row[1], row[2]);
  return text;
}

std::string sheet_text(const DecisionSheet& sheet, bool weighted) {
  std::string text;
  const auto paragraph = [](const std::string& words) { return wrap_text(words, kLineWidth); };
  if (!sheet.observed.empty()) text += paragraph("Observed: " + sheet.observed) + "\n";
  const std::string unknown = sheet.unknown.empty() ? "" : "\n" + paragraph(sheet.unknown);
  const auto answer = [&](const std::string& first, const std::string& last = "") {
    const std::string lines = paragraph(first);
    const auto used = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n') +
                                               std::count(last.begin(), last.end(), '\n'));
    return lines + answer_lines(sheet.uncertainty, kAnswerLines - std::min(kAnswerLines, used)) + last;
  };
  if (!sheet.acts)
    return text +
           answer(fmt::format("{} Probability of success without action{}: {}.", sheet.message, sheet.idle_by,
                              sheet.without_action)) +
           unknown;
  if (sheet.message_first) text += paragraph(sheet.message) + "\n";
  text += text_table(sheet.alterations, {8, 12, 16, 18});
  const std::string of_steps =
      sheet.at_once.empty()
          ? ""
          : paragraph(
                fmt::format("The probability includes the later steps. Everything set at once: {}.", sheet.at_once));
  text += "\n" + answer(fmt::format("Probability of success: {}{}; without action: {}.", sheet.success,
                                    sheet.with_members ? "" : ", chance of the draws only", sheet.without_action),
                        of_steps);
  if (!of_steps.empty()) {
    for (const std::string& rule : sheet.later) text += "\n" + paragraph(rule + ".");
  }
  if (weighted || sheet.least_cost) {
    text += "\n" + paragraph(fmt::format("The decision costs {}{}.", sheet.cost,
                                         weighted ? "" : ": standard deviations from what is otherwise expected"));
  }
  if (!sheet.bound.empty()) text += paragraph(sheet.bound);
  text += unknown;
  text += "\nExpected, with the range of four in five cases:\n\n" + forecast_lines(sheet.forecasts);
  if (!sheet.proposals.rows.empty()) text += "\nDecisions to choose from:\n\n" + text_table(sheet.proposals, {});
  if (sheet.no_other) text += "\nNo other decision was found that differs from this one and is better than nothing.\n";
  if (!sheet.message.empty() && !sheet.message_first) text += "\n" + paragraph(sheet.message);
  return text;
}

}  // namespace

std::string decision_text(const RehearsalModel& model, const std::vector<Decision>& decisions) {
  std::string text = model.graph
                         ? model_heading(model)
                         : "The order of the variables, causes first:\n\n" + order_chain(model.order.order) + "\n";
  const std::string assumed = levers_sentence(model);
  if (!assumed.empty()) text += wrap_text(assumed, kLineWidth) + "\n";
  const std::string of_rows = rows_text(model);
  if (!of_rows.empty()) text += wrap_text(of_rows, kLineWidth) + "\n";
  if (model.gaps) text += gaps_text(*model.gaps, model.agreement, model.graph ? "graphs" : "orders") + "\n";
  const std::string source = "decision";
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions.size() > 1)
      text += fmt::format("{}Context {} of {}\n\n", i == 0 ? "" : "\n", i + 1, decisions.size());
    const Json json = to_json(decisions[i], model.columns);
    text +=
        sheet_text(decision_sheet(JsonPart(json, source), model.columns, model.task.group), !model.task.cost.empty());
    if (const auto near = calibration_near(model, decisions[i])) text += near_text(*near, model.task.outcome);
  }
  const std::string undecided = undecided_sentence(model);
  if (!undecided.empty()) {
    text += "\n" + wrap_text(undecided +
                                 " The opposite order may change the answer. State what you know in the task's "
                                 "\"before\".",
                             kLineWidth);
  }
  return text;
}

}  // namespace olem
