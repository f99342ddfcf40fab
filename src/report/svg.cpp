#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg_parts.h"

namespace olem::internal::plot {

namespace {

constexpr double kHeadingRoom = 30.0;
constexpr double kGap = 14.0;         // between panels
constexpr double kEdge = 8.0;         // around everything
constexpr double kLegendLine = 20.0;  // height of a row
constexpr double kSwatch = 30.0;      // width of what stands before a label
constexpr double kRampWidth = 120.0;

// One entry of the legend: what is drawn before the label, from the origin to (swatch, 12).
struct Entry {
  std::string label;
  std::string markup;
  double swatch = kSwatch;
};

std::string line_sample(std::size_t style) {
  return fmt::format("<line class=\"{}\" x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\"{}/>", colour_class(style),
                     dash_attribute(style));
}

// Of all lines of a figure with one label.
Entry entry_of(const std::vector<const Line*>& lines) {
  const Line& line = *lines.front();
  const auto any = [&](const auto& is) {
    return std::any_of(lines.begin(), lines.end(), [&](const Line* one) { return is(*one); });
  };
  std::string markup;
  if (any([](const Line& one) { return !one.low.empty(); }))
    markup += fmt::format("<path class=\"band f{}\" d=\"M0 0H26V12H0Z\"/>", line.style % kColours);
  const bool joined = any([](const Line& one) { return one.joined; });
  const bool hollow = any([](const Line& one) { return !one.joined; });
  if (joined) markup += line_sample(line.style);
  if (any([&](const Line& one) { return one.style != line.style; })) {
    // Hollow marks of several styles have the colour of none.
    if (!joined) markup += "<circle class=\"hollow axis\" cx=\"13\" cy=\"6\" r=\"3.4\"/>";
  } else if (hollow || any([](const Line& one) { return one.markers; })) {
    markup += marker_at(line.style, 13.0, 6.0, hollow);
  }
  return {line.label, markup};
}

Entry entry_of(const Line& line) { return entry_of(std::vector{&line}); }

Entry entry_of(const Histogram& histogram) {
  return {histogram.label,
          fmt::format("<path class=\"area f{0}\" d=\"M2 0H24V12H2Z\"/><path class=\"c{0}\" d=\"M2 12V0H24V12\"{1}/>",
                      histogram.style % kColours, dash_attribute(histogram.style))};
}

Entry entry_of(const Shade& shade) {
  if (shade.doubtful) return {shade.label, "<rect class=\"doubt\" x=\"2\" y=\"0\" width=\"22\" height=\"12\"/>"};
  return {shade.label,
          "<rect class=\"shade\" x=\"2\" y=\"0\" width=\"22\" height=\"12\"/>"
          "<path class=\"border\" d=\"M2 0V12M24 0V12\"/>"};
}

Entry entry_of(const Rule& rule) { return {rule.label, line_sample(rule.style)}; }

Entry entry_of(const Bars& bars) {
  return {bars.label,
          fmt::format("<rect class=\"f{0} c{0}\" fill-opacity=\"{1}\" x=\"2\" y=\"1\" width=\"22\" height=\"10\"/>",
                      bars.style % kColours, bar_opacity(bars.style))};
}

Entry entry_of(const HeatMap& map) {
  const std::vector<std::string> ends = tick_labels({map.low, map.high}, map.percent);
  const double before = text_width(ends[0]) + 6.0;
  std::string markup = text_at(before - 6.0, 10.0, ends[0], "end", "muted");
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps; ++i) {
    markup +=
        fmt::format("<path class=\"cell\" style=\"fill:{}\" d=\"M{} 0h{}v12h-{}z\"/>", ramp_colour((i + 0.5) / kSteps),
                    length(before + kRampWidth * i / kSteps), length(kRampWidth / kSteps), length(kRampWidth / kSteps));
  }
  markup += text_at(before + kRampWidth + 6.0, 10.0, ends[1], "start", "muted");
  return {map.label, markup, before + kRampWidth + text_width(ends[1]) + 18.0};
}

std::vector<const Line*> lines_of(const Figure& figure, const std::string& label) {
  std::vector<const Line*> lines;
  for (const Panel& panel : figure.panels) {
    for (const Layer& layer : panel.layers) {
      const auto* line = std::get_if<Line>(&layer);
      if (line != nullptr && line->label == label) lines.push_back(line);
    }
  }
  return lines;
}

std::vector<Entry> legend_of(const Figure& figure) {
  std::vector<Entry> entries;
  for (const Panel& panel : figure.panels) {
    for (const Layer& layer : panel.layers) {
      const auto* line = std::get_if<Line>(&layer);
      Entry entry = line != nullptr ? entry_of(lines_of(figure, line->label))
                                    : std::visit([](const auto& shape) { return entry_of(shape); }, layer);
      const bool known = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
        // Scales of another range are others, whatever their label.
        return other.label == entry.label && (other.markup == entry.markup || entry.swatch == kSwatch);
      });
      if (!entry.label.empty() && !known) entries.push_back(std::move(entry));
    }
  }
  return entries;
}

struct Legend {
  std::string markup;
  double height = 0.0;
};

Legend lay_out_legend(const std::vector<Entry>& entries, double width) {
  Legend legend;
  if (entries.empty()) return legend;
  double x = 0.0;
  double y = 0.0;
  for (const Entry& entry : entries) {
    const double room = entry.swatch + text_width(entry.label) + 18.0;
    if (x > 0.0 && x + room > width) {
      x = 0.0;
      y += kLegendLine;
    }
    legend.markup +=
        fmt::format("<g transform=\"translate({} {})\">{}{}</g>", length(x), length(y), entry.markup,
                    text_at(entry.swatch, 10.0, entry.label, "start", "ink", std::max(40.0, width - entry.swatch)));
    x += room;
  }
  legend.height = y + kLegendLine + 4.0;
  return legend;
}

std::string draw(const Figure& figure, const std::string& style) {
  const std::size_t columns = std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const auto grid = [](double one, std::size_t count) {
    return count == 0 ? 0.0 : one * static_cast<double>(count) + kGap * static_cast<double>(count - 1);
  };
  const double inner = grid(figure.panel_width, columns);
  const double heading = figure.title.empty() ? 0.0 : kHeadingRoom;
  const double panels = grid(figure.panel_height, rows);
  const Legend legend = lay_out_legend(legend_of(figure), inner);
  const double width = inner + 2.0 * kEdge;
  const double height = heading + panels + (legend.height > 0.0 ? kGap + legend.height : 0.0) + 2.0 * kEdge;

  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"olem-plot\" role=\"img\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\">",
      length(width), length(height));
  text += fmt::format("<title>{}</title>", escape(figure.title.empty() ? "Figure" : figure.title));
  if (!figure.description.empty()) text += fmt::format("<desc>{}</desc>", escape(figure.description));
  if (!style.empty())
    text += fmt::format("<style>{}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>", style);
  text += "\n";
  if (!figure.title.empty())
    text += text_at(kEdge, kEdge + 15.0, figure.title, "start", "ink heading", 0.8 * inner) + "\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const double x = kEdge + static_cast<double>(i % columns) * (figure.panel_width + kGap);
    const std::size_t row = i / columns;
    const double y = kEdge + heading + static_cast<double>(row) * (figure.panel_height + kGap);
    text += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", length(x), length(y),
                        panel_markup(figure.panels[i], figure.panel_width, figure.panel_height));
  }
  if (legend.height > 0.0) {
    text += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", length(kEdge),
                        length(kEdge + heading + panels + kGap), legend.markup);
  }
  return text + "</svg>\n";
}

}  // namespace

std::string svg_document(const Figure& figure) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + draw(figure, style_sheet());
}

std::string svg_element(const Figure& figure) { return draw(figure, ""); }

}  // namespace olem::internal::plot
