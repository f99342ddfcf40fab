#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/page_parts.h"
#include "report/svg.h"

namespace olem {

namespace {

constexpr std::size_t kSettingsInFigure = 30;

// Numbers of one method in one setting.
struct StudyCell {
  std::string setting;
  std::string method;
  std::string metric;
  double mean = 0.0;
  double deviation = 0.0;
  double published = 0.0;  // NaN where there is none
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
    cells.push_back({setting_text(row["setting"]), row["method"].text(), row["metric"].text(), row["mean"].number(),
                     row.has("deviation") ? row["deviation"].number() : std::nan(""),
                     row.has("published") ? row["published"].number() : std::nan("")});
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

std::string study_number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : ""; }

}  // namespace

void add_study(Page& page, const JsonPart& result) {
  if (!result.has("rows") || !result["rows"].json().is_array()) return;
  const std::vector<StudyCell> cells = read_cells(result["rows"]);
  const std::vector<std::string> settings = distinct_values(cells, &StudyCell::setting);
  const std::vector<std::string> methods = distinct_values(cells, &StudyCell::method);
  page.section("Results");
  if (!cells.empty() && settings.size() <= kSettingsInFigure) {
    plot::Figure figure;
    figure.title = "Methods over settings";
    figure.columns = 2;
    figure.panel_width = 470.0;
    figure.panel_height = 300.0;
    for (const std::string& metric : distinct_values(cells, &StudyCell::metric))
      figure.panels.push_back(metric_panel(cells, metric, methods, settings));
    page.figure(plot::svg_element(figure), "Means, with bands of one standard deviation.");
  }
  std::vector<std::vector<std::string>> rows;
  for (const StudyCell& cell : cells) {
    rows.push_back({cell.setting, cell.method, cell.metric, study_number(cell.mean), study_number(cell.deviation),
                    study_number(cell.published)});
  }
  page.table({"setting", "method", "metric", "mean", "standard deviation", "published"}, rows);
}

}  // namespace olem
