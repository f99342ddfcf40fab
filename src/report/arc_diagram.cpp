#include "report/arc_diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg_parts.h"

namespace olem::internal::plot {

namespace {

constexpr double kRow = 26.0;
constexpr double kDot = 5.0;
constexpr double kBorder = 10.0;
constexpr double kMostName = 220.0;
constexpr double kWidest = 230.0;  // of an arc
constexpr double kHead = 9.0;      // length of an arrow head
constexpr double kApart = 5.0;     // edges leave a variable below its middle and arrive above it

// How far an arc over this many rows reaches to the side; the curve itself reaches three quarters of its handle.
double reach(std::size_t rows) { return std::min(kWidest, 26.0 + 16.0 * static_cast<double>(rows)); }

std::size_t rows_between(const Arc& arc) { return arc.from < arc.to ? arc.to - arc.from : arc.from - arc.to; }

std::string end_mark(EdgeEnd end, double x, double y, double side) {
  if (end == EdgeEnd::kTail) return "";
  if (end == EdgeEnd::kCircle) {
    return fmt::format("<circle class=\"hollow c6\" cx=\"{}\" cy=\"{}\" r=\"3.4\"/>", length(x + side * 3.4),
                       length(y));
  }
  return fmt::format("<path class=\"f6\" d=\"M{} {}L{} {}L{} {}Z\"/>", length(x), length(y), length(x + side * kHead),
                     length(y - 4.2), length(x + side * kHead), length(y + 4.2));
}

}  // namespace

std::string svg_element(const ArcDiagram& diagram) {
  double names = 0.0;
  for (const std::string& name : diagram.names) names = std::max(names, text_width(name));
  names = std::min(names, kMostName);
  double left = 0.0;
  double right = 0.0;
  for (const Arc& arc : diagram.arcs) {
    double& side = arc.from < arc.to ? right : left;
    side = std::max(side, 0.75 * reach(rows_between(arc)));
  }
  const double line = kBorder + names + 16.0 + left;
  const double width = line + right + kBorder + kDot;
  const double height = kRow * static_cast<double>(diagram.names.size()) + 2.0 * kBorder;
  const auto row = [](std::size_t i) { return kBorder + kRow * (static_cast<double>(i) + 0.5); };

  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"olem-plot\" role=\"img\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\"><title>{2}</title>\n",
      length(width), length(height), escape(diagram.title));
  for (const Arc& arc : diagram.arcs) {
    const double side = arc.from < arc.to ? 1.0 : -1.0;
    const double start = line + side * (kDot + 1.0);
    const double handle = line + side * reach(rows_between(arc));
    const double from = row(arc.from) + side * kApart;
    const double to = row(arc.to) - side * kApart;
    // The line ends inside of the marks, whose tips would be blunt otherwise.
    const auto shift = [&](EdgeEnd end) {
      return start + side * (end == EdgeEnd::kTail ? -2.0 : end == EdgeEnd::kArrow ? 0.7 * kHead : 3.4);
    };
    text +=
        fmt::format("<path class=\"c6\" d=\"M{} {}C{} {} {} {} {} {}\"/>{}{}\n", length(shift(arc.at_from)),
                    length(from), length(handle), length(from), length(handle), length(to), length(shift(arc.at_to)),
                    length(to), end_mark(arc.at_from, start, from, side), end_mark(arc.at_to, start, to, side));
  }
  for (std::size_t i = 0; i < diagram.names.size(); ++i) {
    const bool ring = i < diagram.rings.size() && diagram.rings[i];
    text += fmt::format("<circle class=\"{}\"{} cx=\"{}\" cy=\"{}\" r=\"{}\"/>{}\n", ring ? "hollow c0" : "f0",
                        ring ? " stroke-width=\"2.5\"" : "", length(line), length(row(i)), length(kDot),
                        text_at(kBorder + names, row(i) + 4.0, diagram.names[i], "end", "ink", kMostName));
  }
  return text + "</svg>\n";
}

}  // namespace olem::internal::plot
