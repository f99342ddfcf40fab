#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/svg_parts.h"

namespace olem::internal::plot {

namespace {

// Okabe and Ito 2008 without their yellow, which white paper swallows, and with grey for their black, which is the ink.
constexpr std::array<const char*, kColours> kLight = {"#0072b2", "#d55e00", "#009e73", "#b0558f",
                                                      "#c98500", "#3a9bd9", "#666666"};
// The same hues, lighter: each has a contrast of at least 5 to the dark paper.
constexpr std::array<const char*, kColours> kDark = {"#4aa8e0", "#ff8a4c", "#2fc79b", "#e29bc4",
                                                     "#f2b632", "#9ad4f5", "#b5b5b5"};
constexpr std::array<const char*, 5> kDashes = {"", "6 3", "2 2.5", "9 3 2 3", "4 2 1 2 1 2"};
constexpr std::size_t kMarkers = 8;

struct Colour {
  double red;
  double green;
  double blue;
};

// From dark blue over green to light yellow: lightness rises all the way, which every eye and a grey print can see.
constexpr std::array<Colour, 5> kRamp = {
    Colour{18, 37, 77}, {43, 92, 138}, {72, 150, 145}, {160, 195, 110}, {251, 232, 110}};

std::string theme(std::string_view root, const std::array<const char*, kColours>& colours, const char* ink,
                  const char* muted, const char* grid, const char* paper, const char* shade) {
  std::string css = fmt::format(
      "{0} .ink{{fill:{1}}}{0} .muted{{fill:{2}}}{0} .axis{{stroke:{2}}}{0} .grid{{stroke:{3}}}{0} .paper{{fill:{4}}}"
      "{0} .doubt{{fill:{2};fill-opacity:.16}}{0} .shade{{fill:{5};fill-opacity:.16}}{0} .border{{stroke:{5}}}{0} "
      ".hollow{{fill:{4};stroke-width:1.6}}",
      root, ink, muted, grid, paper, shade);
  for (std::size_t i = 0; i < kColours; ++i) {
    css += fmt::format("{0} .c{1}{{stroke:{2}}}{0} .f{1}{{fill:{2}}}", root, i, colours[i]);
  }
  return css;
}

std::string light_theme(std::string_view root) {
  return theme(root, kLight, "#1c1e21", "#5b6068", "#e3e5e8", "#ffffff", "#00795a");
}

std::string dark_theme(std::string_view root) {
  return theme(root, kDark, "#e8e9eb", "#a3a8b0", "#34383f", "#17191d", "#43d6a8");
}

std::string common_style() {
  return fmt::format(
      "svg.olem-plot{{font:{}px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;max-width:100%;"
      "height:auto}}"
      "svg.olem-plot path,svg.olem-plot line{{fill:none;stroke-width:1.6;stroke-linejoin:round}}"
      "svg.olem-plot line.grid,svg.olem-plot line.axis{{stroke-width:1}}"
      "svg.olem-plot path.band{{stroke:none;fill-opacity:.18}}svg.olem-plot path.area{{stroke:none;fill-opacity:.3}}"
      "svg.olem-plot path.cell{{shape-rendering:crispEdges}}svg.olem-plot .strong{{font-weight:600}}"
      "svg.olem-plot .heading{{font-weight:600;font-size:15px}}",
      length(kFontSize));
}

}  // namespace

std::string style_sheet() {
  return fmt::format("{}{}@media screen and (prefers-color-scheme:dark){{{}}}", common_style(),
                     light_theme("svg.olem-plot"), dark_theme("svg.olem-plot"));
}

std::string switchable_style_sheet() {
  return fmt::format("{}{}@media screen and (prefers-color-scheme:dark){{{}}}@media screen{{{}}}", common_style(),
                     light_theme("svg.olem-plot"), dark_theme(":root:not([data-theme=\"light\"]) svg.olem-plot"),
                     dark_theme(":root[data-theme=\"dark\"] svg.olem-plot"));
}

std::string colour_class(std::size_t style) { return fmt::format("c{}", style % kColours); }

std::string dash_attribute(std::size_t style) {
  const char* const dash = kDashes[style % kDashes.size()];
  return dash[0] == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string marker_at(std::size_t style, double x, double y, bool hollow) {
  const double r = 3.4;
  const auto at = [&](double dx, double dy) { return length(x + r * dx) + " " + length(y + r * dy); };
  const auto path = [&](const char* kind, const std::string& form) {
    return fmt::format("<path class=\"{}{}\" d=\"{}\"/>", kind, style % kColours, form);
  };
  const char* const solid = hollow ? "hollow c" : "f";
  const std::string square = fmt::format("M{}L{}L{}L{}Z", at(-0.9, -0.9), at(0.9, -0.9), at(0.9, 0.9), at(-0.9, 0.9));
  switch (style % kMarkers) {
    case 0:
      return fmt::format("<circle class=\"{}{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", solid, style % kColours, length(x),
                         length(y), length(r));
    case 1: return path(solid, square);
    case 2: return path(solid, fmt::format("M{}L{}L{}Z", at(0, -1.2), at(1.1, 0.8), at(-1.1, 0.8)));
    case 3: return path(solid, fmt::format("M{}L{}L{}L{}Z", at(0, -1.3), at(1.3, 0), at(0, 1.3), at(-1.3, 0)));
    case 4: return path("c", fmt::format("M{}L{}M{}L{}", at(-1, -1), at(1, 1), at(-1, 1), at(1, -1)));
    case 5: return path("c", fmt::format("M{}L{}M{}L{}", at(-1.2, 0), at(1.2, 0), at(0, -1.2), at(0, 1.2)));
    case 6: return path(solid, fmt::format("M{}L{}L{}Z", at(0, 1.2), at(1.1, -0.8), at(-1.1, -0.8)));
    default: return path("hollow c", square);
  }
}

std::string_view bar_opacity(std::size_t style) { return style % 2 == 0 ? "0.85" : "0.35"; }

std::string ramp_colour(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(kRamp.size() - 1);
  const std::size_t left = std::min(kRamp.size() - 2, static_cast<std::size_t>(place));
  const double part = place - static_cast<double>(left);
  const auto mix = [&](double a, double b) { return static_cast<int>(std::lround(a + part * (b - a))); };
  const Colour& a = kRamp[left];
  const Colour& b = kRamp[left + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

}  // namespace olem::internal::plot
