#include "report/explain_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/report.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kPairsInFigure = 12;  // more would drown those that matter
constexpr std::size_t kRankedInFigure = 12;
constexpr std::size_t kFigureColumns = 3;

// Styles: what is done is blue and solid, what happens anyway orange and dashed or grey and dashed.
constexpr std::size_t kDone = 0;
constexpr std::size_t kOtherwise = 1;
constexpr std::size_t kBeside = 2;
constexpr std::size_t kBaseline = 6;
constexpr std::size_t kBest = 7;

// Cells around the points, the outer ones half as wide: the domain and no more.
std::vector<double> cell_edges(const std::vector<double>& values) {
  std::vector<double> edges = {values.front()};
  for (std::size_t i = 1; i < values.size(); ++i) edges.push_back(0.5 * (values[i - 1] + values[i]));
  edges.push_back(values.back());
  return edges;
}

std::vector<double> level_edges(std::size_t levels) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= levels; ++i) edges.push_back(static_cast<double>(i) - 0.5);
  return edges;
}

std::vector<double> heights(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

void add_doubt(plot::Panel& panel, const SuccessCurve& curve, const std::vector<double>& places) {
  const std::vector<double> edges = cell_edges(places);
  for (std::size_t i = 0; i < curve.extrapolated.size(); ++i) {
    if (curve.extrapolated[i] == 0) continue;
    std::size_t end = i;
    while (end < curve.extrapolated.size() && curve.extrapolated[end] != 0) ++end;
    panel.layers.push_back(plot::Shade{"little data", edges[i], edges[end], true});
    i = end;
  }
}

std::string given_text(const Explanation& explanation, std::span<const NamedColumn> columns) {
  std::vector<std::string> parts;
  for (const NamedValue& value : explanation.context) {
    const Json shown = value_json(about_column(columns, value.name), value.value);
    parts.push_back(fmt::format("{} = {}", value.name,
                                shown.is_string() ? shown.get<std::string>() : fmt::format("{:.3g}", value.value)));
  }
  return parts.empty() ? "" : fmt::format(", given {}", fmt::join(parts, ", "));
}

}  // namespace

}  // namespace olem

namespace olem::internal {

std::vector<double> curve_places(const SuccessCurve& curve) {
  if (curve.levels.empty()) return curve.values;
  std::vector<double> places(curve.values.size());
  std::iota(places.begin(), places.end(), 0.0);
  return places;
}

double curve_place(const SuccessCurve& curve, double value) {
  if (curve.levels.empty()) return value;
  const auto nearest = std::min_element(curve.values.begin(), curve.values.end(),
                                        [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
  return static_cast<double>(nearest - curve.values.begin());
}

double success_top(const Explanation& explanation) {
  double top = std::max(explanation.without_action, explanation.with_decision.value_or(0.0));
  for (const SuccessCurve& curve : explanation.curves) {
    for (const auto* series : {&curve.success, &curve.success_high, &curve.beside_decision}) {
      for (const double value : *series) top = std::max(top, value);
    }
  }
  for (const SuccessMap& map : explanation.maps) {
    for (const double value : map.success) top = std::max(top, value);
  }
  return std::clamp(1.08 * top, 0.05, 1.0);
}

plot::Panel curve_panel(const Explanation& explanation, const SuccessCurve& curve, double top) {
  plot::Panel panel;
  panel.title = curve.name;
  panel.x.label = curve.name;
  panel.y.low = 0.0;
  panel.y.high = top;
  panel.y.percent = true;
  panel.x.names = curve.levels;
  const std::vector<double> places = curve_places(curve);
  add_doubt(panel, curve, places);
  const bool single = curve.values.size() == 1 || curve.is_list;
  panel.layers.push_back(plot::Line{"this one set, the others left alone", places, curve.success, curve.success_low,
                                    curve.success_high, kDone, !single, single});
  if (!curve.beside_decision.empty()) {
    panel.layers.push_back(plot::Line{
        "this one set, the others as decided", places, curve.beside_decision, {}, {}, kBeside, !single, single});
  }
  panel.layers.push_back(plot::Rule{"without action", explanation.without_action, true, kBaseline});
  for (const NamedValue& value : explanation.decision) {
    if (value.name == curve.name)
      panel.layers.push_back(plot::Rule{"the decision", curve_place(curve, value.value), false, 3});
  }
  return panel;
}

plot::Shade wanted_shade(std::optional<double> low, std::optional<double> high, bool whole) {
  // The bar of a whole number reaches to the middle between it and the next.
  if (whole && low) low = std::ceil(*low) - 0.5;
  if (whole && high) high = std::floor(*high) + 0.5;
  return {"where it is wanted", low, high};
}

plot::Bars level_bars(const std::string& label, const std::vector<std::size_t>& counts, std::size_t style) {
  double all = 0.0;
  for (const std::size_t count : counts) all += static_cast<double>(count);
  plot::Bars bars{label, {}, style};
  for (const std::size_t count : counts) bars.values.push_back(all > 0.0 ? static_cast<double>(count) / all : 0.0);
  return bars;
}

void name_levels(plot::Panel& panel, const std::vector<std::string>& levels, const std::vector<std::string>& wanted) {
  for (const std::string& level : levels) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), level) != wanted.end();
    panel.y.names.push_back(is_wanted ? level + " (wanted)" : level);
  }
  panel.x.percent = true;
  panel.x.low = 0.0;
}

double level_panel_height(std::size_t levels, std::size_t sets) {
  return 70.0 + static_cast<double>(levels) * (16.0 * static_cast<double>(sets) + 10.0);
}

plot::Panel outcome_panel(const Explanation& explanation, const OutcomeHistogram& histogram) {
  plot::Panel panel;
  panel.title = "Where " + histogram.name + " ends up";
  panel.x.label = histogram.name;
  if (!histogram.levels.empty()) {
    name_levels(panel, histogram.levels, histogram.wanted);
    if (explanation.with_decision)
      panel.layers.emplace_back(level_bars("outcome with the decision", histogram.with_decision, kDone));
    panel.layers.emplace_back(level_bars("outcome without action", histogram.without_action, kOtherwise));
    return panel;
  }
  panel.y.ticks = false;
  if (histogram.desired_low || histogram.desired_high)
    panel.layers.emplace_back(wanted_shade(histogram.desired_low, histogram.desired_high, histogram.whole));
  panel.layers.push_back(
      plot::Histogram{"outcome without action", histogram.edges, heights(histogram.without_action), kOtherwise});
  if (explanation.with_decision) {
    panel.layers.push_back(
        plot::Histogram{"outcome with the decision", histogram.edges, heights(histogram.with_decision), kDone});
  }
  return panel;
}

plot::Figure outcome_figure(const Explanation& explanation, const OutcomeHistogram& histogram,
                            const OutcomeForecast& without_action, double width) {
  plot::Figure figure;
  figure.panels.push_back(outcome_panel(explanation, histogram));
  plot::Panel& panel = figure.panels.front();
  figure.title = panel.title;
  panel.title.clear();
  figure.panel_width = width;
  figure.panel_height = std::clamp(0.46 * width, 190.0, 280.0);
  if (!histogram.levels.empty()) {
    figure.panel_height = level_panel_height(histogram.levels.size(), explanation.with_decision ? 2 : 1);
    return figure;
  }
  const double low = std::min(histogram.edges.front(), histogram.desired_low.value_or(histogram.edges.front()));
  const double high = std::max(histogram.edges.back(), histogram.desired_high.value_or(histogram.edges.back()));
  const double step = 0.5 * (without_action.high - without_action.low);
  // An outcome that hardly varies, or lies far from what is wanted, would have steps too fine to be steps.
  if (step > 0.02 * (high - low)) {
    panel.x.low = without_action.low + step * std::floor((low - without_action.low) / step);
    panel.x.high = without_action.low + step * std::ceil((high - without_action.low) / step);
  }
  return figure;
}

plot::Panel ranking_panel(const Explanation& explanation) {
  plot::Panel panel;
  panel.title = "Success at their best";
  panel.x.percent = true;
  panel.x.low = 0.0;
  plot::Bars alone{"alone", {}, kDone};
  plot::Bars pair{"in the best pair", {}, kOtherwise};
  for (std::size_t i = 0; i < std::min(kRankedInFigure, explanation.alone.size()); ++i) {
    const std::size_t place = explanation.alone[i];
    panel.y.names.push_back(explanation.curves[place].name);
    alone.values.push_back(explanation.curves[place].best_success);
    double best = std::numeric_limits<double>::quiet_NaN();
    for (const SuccessMap& map : explanation.maps) {
      if (map.first == place || map.second == place) best = std::max(std::isnan(best) ? 0.0 : best, map.best_success);
    }
    pair.values.push_back(best);
  }
  panel.layers = {alone};
  if (!explanation.maps.empty()) panel.layers.emplace_back(pair);
  panel.layers.emplace_back(plot::Rule{"without action", explanation.without_action, false, kBaseline});
  return panel;
}

plot::Panel pair_panel(const Explanation& explanation, const SuccessMap& map, double top) {
  const SuccessCurve& first = explanation.curves[map.first];
  const SuccessCurve& second = explanation.curves[map.second];
  plot::Panel panel;
  panel.title = fmt::format("{} and {}: {}", first.name, second.name, percent_text(map.best_success));
  panel.x.label = first.name;
  panel.y.label = second.name;
  // Levels in the map are those of the curve, each with a whole cell.
  const bool x_levels = first.levels.size() == map.first_values.size();
  const bool y_levels = second.levels.size() == map.second_values.size();
  if (x_levels) panel.x.names = first.levels;
  if (y_levels) panel.y.names = second.levels;
  panel.layers.push_back(plot::HeatMap{
      "success of pairs", x_levels ? level_edges(first.levels.size()) : cell_edges(map.first_values),
      y_levels ? level_edges(second.levels.size()) : cell_edges(map.second_values), map.success, 0.0, top, true});
  panel.layers.push_back(plot::Line{"best",
                                    {x_levels ? curve_place(first, map.best_first) : map.best_first},
                                    {y_levels ? curve_place(second, map.best_second) : map.best_second},
                                    {},
                                    {},
                                    kBest,
                                    false,
                                    true});
  return panel;
}

}  // namespace olem::internal

namespace olem {

std::string explanation_svg(const Explanation& explanation, std::span<const NamedColumn> columns) {
  plot::Figure figure;
  std::vector<std::string> outcomes;
  for (const OutcomeHistogram& histogram : explanation.outcomes) outcomes.push_back(histogram.name);
  figure.title =
      fmt::format("What can be done about {}{}", fmt::join(outcomes, ", "), given_text(explanation, columns));
  figure.description =
      fmt::format("Success probability over each alterable variable and over pairs; without action {}.",
                  percent_text(explanation.without_action));
  figure.columns = kFigureColumns;
  figure.panel_width = 320.0;
  const double top = success_top(explanation);
  if (!explanation.curves.empty()) figure.panels.push_back(ranking_panel(explanation));
  for (const OutcomeHistogram& histogram : explanation.outcomes)
    figure.panels.push_back(outcome_panel(explanation, histogram));
  for (const std::size_t place : explanation.alone)
    figure.panels.push_back(curve_panel(explanation, explanation.curves[place], top));
  std::size_t shown = 0;
  for (const std::size_t place : explanation.together) {
    const SuccessMap& map = explanation.maps[place];
    // A variable that can take one value only leaves nothing to colour.
    if (shown == kPairsInFigure || map.first_values.size() < 2 || map.second_values.size() < 2) continue;
    figure.panels.push_back(pair_panel(explanation, map, top));
    ++shown;
  }
  return plot::svg_document(figure);
}

}  // namespace olem
