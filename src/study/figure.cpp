#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "olem/study.h"
#include "report/svg.h"
#include "study/setting.h"

namespace olem {

using namespace internal;

namespace {

double axis_value(const StudyRow& row, const std::string& axis) { return StudySetting(row.setting).number(axis); }

// The values that `of` has in the rows, each once, in their order.
template <class Of>
std::vector<std::string> distinct(const std::vector<const StudyRow*>& rows, Of of) {
  std::vector<std::string> values;
  for (const StudyRow* row : rows) {
    if (std::find(values.begin(), values.end(), of(*row)) == values.end()) values.push_back(of(*row));
  }
  return values;
}

plot::Panel panel_of(const std::vector<const StudyRow*>& rows, const std::vector<std::string>& methods,
                     const std::string& metric, const std::string& axis) {
  plot::Panel panel;
  panel.title = metric;
  panel.x.label = axis;
  const bool spreads = metric == "seconds" || metric == "MB";
  panel.y.logarithmic = spreads;
  if (!spreads) panel.y.low = 0.0;
  std::vector<plot::Layer> published;  // behind our own in the legend
  for (std::size_t m = 0; m < methods.size(); ++m) {
    plot::Line ours;
    ours.label = methods[m];
    ours.style = m;
    ours.markers = true;
    plot::Line printed;
    printed.label = "published";
    printed.style = m;
    printed.joined = false;
    for (const StudyRow* row : rows) {
      if (row->method_label != methods[m] || row->metric_label != metric) continue;
      const double x = axis_value(*row, axis);
      ours.x.push_back(x);
      ours.y.push_back(row->mean);
      ours.low.push_back(row->mean - row->deviation);
      ours.high.push_back(row->mean + row->deviation);
      if (!row->published) continue;
      printed.x.push_back(x);
      printed.y.push_back(*row->published);
    }
    if (!ours.x.empty()) panel.layers.emplace_back(std::move(ours));
    if (!printed.x.empty()) published.emplace_back(std::move(printed));
  }
  panel.layers.insert(panel.layers.end(), published.begin(), published.end());
  return panel;
}

std::string file_name(const std::string& study, const std::string& setting) {
  std::string name = setting.empty() ? study : study + "-" + setting;
  for (char& c : name) {
    if (c == ' ' || c == '=') c = '-';
  }
  return name;
}

}  // namespace

std::vector<StudyFigure> study_figures(const StudyResult& result) {
  std::vector<StudyFigure> figures;
  if (result.axis.empty()) return figures;
  std::vector<const StudyRow*> all;
  for (const StudyRow& row : result.rows) all.push_back(&row);
  const auto place = [&](const StudyRow& row) { return StudySetting(row.setting).without(result.axis).short_text(); };
  for (const std::string& setting : distinct(all, place)) {
    std::vector<const StudyRow*> rows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
                 [&](const StudyRow* row) { return place(*row) == setting; });
    const auto methods = distinct(rows, [](const StudyRow& row) { return row.method_label; });
    plot::Figure figure;
    figure.title = setting.empty() ? fmt::format("Study {}", result.study) : setting;
    figure.description = fmt::format("Means against {} for {}, with bands of one standard deviation.", result.axis,
                                     fmt::join(methods, ", "));
    for (const std::string& metric : distinct(rows, [](const StudyRow& row) { return row.metric_label; })) {
      figure.panels.push_back(panel_of(rows, methods, metric, result.axis));
    }
    figure.columns = figure.panels.size();
    figures.push_back({file_name(result.study, setting), plot::svg_document(figure)});
  }
  return figures;
}

}  // namespace olem
