#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/layout.h"
#include "report/page_parts.h"
#include "report/svg.h"

namespace olem::internal {

namespace {

constexpr std::size_t kSettingsInFigure = 30;

// Numbers of one method in one setting.
struct StudyCell {
  std::string setting;
  std::string method;
  std::string metric;
  double mean = 0.0;
  double deviation = 0.0;
  double published = 0.0;       // NaN where there is none
  double difference = 0.0;      // ours less the published one, or NaN
  double standard_error = 0.0;  // of the difference, or NaN
  bool marked = false;          // it is more than three standard errors
};

std::string setting_text(const JsonPart& setting) {
  if (!setting.json().is_object()) return json_cell(setting.json());
  std::vector<std::string> parts;
  for (const auto& [key, value] : setting.members())
    parts.push_back(fmt::format("{}={}", key, json_cell(value.json())));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<StudyCell> read_cells(const JsonPart& rows) {
  std::vector<StudyCell> cells;
  for (const JsonPart& row : rows.entries()) {
    const auto number = [&](const char* key) { return row.has(key) ? row[key].number() : std::nan(""); };
    cells.push_back({setting_text(row["setting"]), row["method"].text(), row["metric"].text(), row["mean"].number(),
                     number("deviation"), number("published"), number("difference"), number("standard_error"),
                     row.has("marked") && row["marked"].flag()});
  }
  return cells;
}

// The values that a member has, each once, in their order.
std::vector<std::string> distinct_values(const std::vector<StudyCell>& cells, std::string StudyCell::*member) {
  std::vector<std::string> values;
  for (const StudyCell& cell : cells) {
    if (std::find(values.begin(), values.end(), cell.*member) == values.end()) values.push_back(cell.*member);
  }
  return values;
}

// A line per method over the settings, with a band of one standard deviation, and the published numbers beside it.
plot::Panel metric_panel(const std::vector<StudyCell>& cells, const std::string& metric,
                         const std::vector<std::string>& methods, const std::vector<std::string>& settings) {
  plot::Panel panel;
  panel.title = metric;
  panel.x.names = settings;
  std::vector<plot::Layer> published;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    plot::Line ours{methods[m], {}, {}, {}, {}, m, settings.size() > 1, true};
    plot::Line theirs{"published", {}, {}, {}, {}, 7, false, true};
    for (const StudyCell& cell : cells) {
      if (cell.metric != metric || cell.method != methods[m]) continue;
      const auto x = static_cast<double>(std::find(settings.begin(), settings.end(), cell.setting) - settings.begin());
      ours.x.push_back(x);
      ours.y.push_back(cell.mean);
      ours.low.push_back(cell.mean - cell.deviation);
      ours.high.push_back(cell.mean + cell.deviation);
      theirs.x.push_back(x);
      theirs.y.push_back(cell.published);
    }
    const bool printed = std::any_of(theirs.y.begin(), theirs.y.end(), [](double y) { return std::isfinite(y); });
    if (!ours.x.empty()) panel.layers.emplace_back(std::move(ours));
    if (printed) published.emplace_back(std::move(theirs));
  }
  panel.layers.insert(panel.layers.end(), published.begin(), published.end());
  return panel;
}

// The only setting: a bar per method, and the published number beside it.
plot::Panel single_panel(const std::vector<StudyCell>& cells, const std::string& metric) {
  plot::Panel panel;
  panel.title = metric;
  panel.x.low = 0.0;
  plot::Bars ours{"mean", {}, 0};
  plot::Bars theirs{"published", {}, 1};
  for (const StudyCell& cell : cells) {
    if (cell.metric != metric) continue;
    panel.y.names.push_back(cell.method);
    ours.values.push_back(cell.mean);
    theirs.values.push_back(cell.published);
  }
  panel.layers = {std::move(ours), std::move(theirs)};
  return panel;
}

std::string study_number(double value) { return std::isfinite(value) ? short_number(value) : ""; }

// "0.3 ± 0.2", with a star where that is more than three standard errors.
std::string difference_text(double difference, double standard_error, bool marked) {
  if (!std::isfinite(difference)) return "";
  const std::string error = std::isfinite(standard_error) ? fmt::format(" ± {:.2g}", standard_error) : "";
  return fmt::format("{:.3g}{}{}", difference, error, marked ? " *" : "");
}

constexpr std::string_view kStar =
    "Differences are ours less the paper's, with their standard error; a star stands where they are more than three.";

// A method's differences from the paper, all settings together.
void add_pools(Page& page, const JsonPart& result) {
  if (!result.has("pooled") || result["pooled"].entries().empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const JsonPart& pool : result["pooled"].entries()) {
    rows.push_back(
        {fmt::format("{}, {}", pool["method"].text(), pool["metric"].text()), study_number(pool["mean"].number()),
         study_number(pool["published"].number()),
         difference_text(pool["difference"].number(), pool["standard_error"].number(), pool["marked"].flag())});
  }
  page.subsection("Beside the paper, all settings together");
  page.table({"method, metric", "mean", "published", "difference"}, rows);
  page.paragraph(kStar);
}

}  // namespace

std::string study_answer(const JsonPart& result) {
  if (!result.has("rows")) return "";
  std::size_t compared = 0;
  std::size_t marked = 0;
  for (const StudyCell& cell : read_cells(result["rows"])) {
    compared += std::isfinite(cell.standard_error) ? 1U : 0U;
    marked += cell.marked ? 1U : 0U;
  }
  if (compared == 0) return "There are no published numbers that these could be compared with.";
  return fmt::format(
      "{} of {} published numbers come out again: they differ from ours by no more than three standard "
      "errors.",
      compared - marked, compared);
}

void add_study(Page& page, const JsonPart& result) {
  if (!result.has("rows") || !result["rows"].json().is_array()) return;
  const std::vector<StudyCell> cells = read_cells(result["rows"]);
  const std::vector<std::string> settings = distinct_values(cells, &StudyCell::setting);
  const std::vector<std::string> methods = distinct_values(cells, &StudyCell::method);
  page.section("Results");
  if (!cells.empty() && settings.size() <= kSettingsInFigure) {
    plot::Figure figure;
    figure.title = settings.size() == 1 ? "Methods on " + settings.front() : "Methods over settings";
    figure.columns = 2;
    figure.panel_width = 470.0;
    figure.panel_height = settings.size() == 1 ? 70.0 + 34.0 * static_cast<double>(methods.size()) : 300.0;
    for (const std::string& metric : distinct_values(cells, &StudyCell::metric)) {
      figure.panels.push_back(settings.size() == 1 ? single_panel(cells, metric)
                                                   : metric_panel(cells, metric, methods, settings));
    }
    page.figure(plot::svg_element(figure), settings.size() == 1
                                               ? "Means over the data sets, beside the published numbers."
                                               : "Means, with bands of one standard deviation.");
  }
  std::vector<std::vector<std::string>> rows;
  for (const StudyCell& cell : cells) {
    rows.push_back({cell.setting, cell.method, cell.metric, study_number(cell.mean), study_number(cell.deviation),
                    study_number(cell.published), difference_text(cell.difference, cell.standard_error, cell.marked)});
  }
  add_pools(page, result);
  page.subsection("All numbers");
  page.table({"setting", "method", "metric", "mean", "standard deviation", "published", "difference"}, rows);
}

}  // namespace olem::internal
