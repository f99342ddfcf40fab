#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Plots as SVG text. Equal figures give equal bytes, whatever the locale; nothing in them refers to an address, a font
// file or a script. Colours are told apart by people who see few of them (Okabe and Ito 2008), lines by dashes and
// markers as well, so that a print in black and white is legible. In a browser that prefers dark pages the figure is
// dark; on paper and in programs that do not know of themes it is light.
namespace olem::internal::plot {

struct Axis {
  std::string label;
  std::optional<double> low;  // a side that is not given is found from the layers
  std::optional<double> high;
  std::vector<std::string> names;  // places 0, 1, ... instead of numbers; on the y axis the first is on top
  bool percent = false;            // 0.25 is written "25 %"
  bool logarithmic = false;        // for values above 0; others are not drawn
  bool ticks = true;               // a density needs no numbers
};

// Points, joined in their order, or hollow marks. Where y or x is not finite the line is interrupted.
struct Line {
  std::string label;  // in the legend; layers with the same label share an entry, one without has none
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;  // of a band around the line, such as one standard deviation below; or empty
  std::vector<double> high;
  std::size_t style = 0;  // colour, dash and marker; 40 can be told apart, 7 of them by colour alone
  bool joined = true;
  bool markers = false;
};

// Heights over intervals of x, filled from 0.
struct Histogram {
  std::string label;
  std::vector<double> edges;  // ascending, one more than heights
  std::vector<double> heights;
  std::size_t style = 0;
};

// An interval of x; a side that is not given reaches to the end of the panel.
struct Shade {
  std::string label;
  std::optional<double> low;
  std::optional<double> high;
  bool doubtful = false;  // grey, as a warning; otherwise green, as a wish
};

// A straight line through the whole panel.
struct Rule {
  std::string label;
  double at = 0.0;  // of x, or of y when horizontal
  bool horizontal = false;
  std::size_t style = 0;
};

// A horizontal bar from 0 for each name of the y axis. Several layers stand side by side, or over each other.
struct Bars {
  std::string label;
  std::vector<double> values;  // not finite: no bar
  std::size_t style = 0;
  bool beside = true;    // other layers of bars
  bool numbered = true;  // the value stands behind the bar
};

// A colour for each cell. All maps of a figure with the same label and range share one scale in the legend.
struct HeatMap {
  std::string label;
  std::vector<double> x_edges;  // ascending, one more than columns
  std::vector<double> y_edges;  // ascending, one more than rows
  std::vector<double> values;   // row by row from the lowest y; not finite: left empty
  double low = 0.0;             // of the scale; values beyond it have the colour of its end
  double high = 1.0;
  bool percent = false;
};

using Layer = std::variant<Shade, HeatMap, Histogram, Bars, Line, Rule>;

struct Panel {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Layer> layers;  // later ones lie over earlier ones
};

// Panels row by row, under them one legend for all.
struct Figure {
  std::string title;        // above the panels; may be empty
  std::string description;  // for those who cannot see it
  std::vector<Panel> panels;
  std::size_t columns = 1;
  double panel_width = 340.0;  // pixels at normal size; the figure shrinks with the page
  double panel_height = 240.0;
};

// A file of its own, with its style in it.
std::string svg_document(const Figure& figure);

// The <svg> element for a page that has style_sheet() in it, once for all figures.
std::string svg_element(const Figure& figure);
std::string style_sheet();
// The same for a page with a switch: data-theme="light" or "dark" on its root element overrules what the browser
// prefers.
std::string switchable_style_sheet();

// Text for the inside of an element or of a quoted attribute: markup escaped, bytes that are no UTF-8 and characters
// that XML does not allow shown as U+FFFD.
std::string escape(std::string_view text);

// Round numbers (1, 2 or 5 times a power of ten) in [low, high], about as many as asked for; low < high, finite.
std::vector<double> round_ticks(double low, double high, std::size_t about);

// Ticks of one axis as text, with just the digits that tell them apart.
std::vector<std::string> tick_labels(const std::vector<double>& ticks, bool percent = false);

// A row of block characters, one for each value, from low to high: for a terminal. Not finite: a blank.
std::string sparkline(const std::vector<double>& values, double low, double high);

}  // namespace olem::internal::plot
