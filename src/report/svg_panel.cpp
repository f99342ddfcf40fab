#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/svg_parts.h"

namespace olem::internal::plot {

namespace {

constexpr double kTickRoom = 17.0;   // under the panel, for numbers
constexpr double kLabelRoom = 17.0;  // for the label of an axis
constexpr double kMostNames = 0.45;  // of the width, for names on the y axis
constexpr double kMargin = 0.04;     // of the range, around what is drawn
constexpr int kHeatLevels = 48;      // colours of a heat map, so that cells share paths
constexpr double kSlant = 35.0;      // degrees, of names on the x axis that do not fit beside each other

// What the layers have to show along one axis.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool from_zero = false;  // something is filled from 0, which then is the end of the axis
  bool full = false;       // cells fill the panel, so that there is no margin

  void take(double value, bool positive = false) {
    if (!std::isfinite(value) || (positive && value <= 0.0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void take(const std::vector<double>& values, bool positive) {
    for (const double value : values) take(value, positive);
  }
};

// Where the values of one axis are, and their way to pixels.
class Scale {
 public:
  Scale(const Axis& axis, const Range& found, double from, double to)
      : logarithmic_(axis.logarithmic), from_(from), to_(to) {
    double low = axis.low.value_or(found.low);
    double high = axis.high.value_or(found.high);
    if (!axis.names.empty()) {
      low = -0.5;
      high = static_cast<double>(axis.names.size()) - 0.5;
    } else {
      if (!std::isfinite(low) || (logarithmic_ && low <= 0.0)) low = logarithmic_ ? 0.1 : 0.0;
      if (!std::isfinite(high) || high < low) high = low;
      if (high == low) {
        const double half = low == 0.0 ? 1.0 : 0.5 * std::abs(low);
        if (!axis.low || logarithmic_) low -= half;
        high += half;
      }
      low = inner(low);
      high = inner(high);
      const double margin = found.full ? 0.0 : kMargin * (high - low);
      if (!axis.low && !(found.from_zero && found.low == 0.0)) low -= margin;
      if (!axis.high) high += margin;
    }
    low_ = low;
    high_ = high;
  }

  double operator()(double value) const { return from_ + (to_ - from_) * (inner(value) - low_) / (high_ - low_); }
  bool shows(double value) const { return std::isfinite(value) && !(logarithmic_ && value <= 0.0); }

  std::vector<double> ticks(std::size_t about) const {
    if (!logarithmic_) return round_ticks(low_, high_, about);
    std::vector<double> powers;
    const double step = std::max(1.0, std::ceil((high_ - low_) / static_cast<double>(about)));
    for (double power = std::ceil(low_ - 1e-9); power <= high_ + 1e-9; power += step)
      powers.push_back(std::pow(10.0, power));
    // A range within one or two powers of ten needs numbers between them.
    if (powers.size() < 3) {
      powers.clear();
      for (double power = std::floor(low_); power <= high_; power += 1.0) {
        for (const double factor : {1.0, 2.0, 5.0}) {
          const double place = power + std::log10(factor);
          if (place >= low_ - 1e-9 && place <= high_ + 1e-9) powers.push_back(factor * std::pow(10.0, power));
        }
      }
    }
    return powers;
  }

  std::vector<std::string> labels(const std::vector<double>& ticks, bool percent) const {
    if (!logarithmic_) return tick_labels(ticks, percent);
    std::vector<std::string> texts;
    for (const double tick : ticks) texts.push_back(tick_labels({tick, 2.0 * tick}, percent).front());
    return texts;
  }

 private:
  double inner(double value) const { return logarithmic_ ? std::log10(value) : value; }

  bool logarithmic_;
  double from_;
  double to_;
  double low_ = 0.0;
  double high_ = 1.0;
};

class PanelDrawing {
 public:
  PanelDrawing(const Panel& panel, double width, double height) : panel_(panel), width_(width), height_(height) {
    for (const Layer& layer : panel_.layers) {
      std::visit([&](const auto& shape) { extend(shape); }, layer);
    }
    lay_out();
  }

  std::string markup() {
    const double high = bottom_ - top_;
    const bool from_top = !panel_.y.names.empty();
    const Scale x(panel_.x, x_range_, 0.0, right_ - left_);
    const Scale y(panel_.y, y_range_, from_top ? 0.0 : high, from_top ? high : 0.0);
    std::string text;
    if (!panel_.title.empty()) text += text_at(left_, top_ - 8.0, panel_.title, "start", "ink strong", width_ - left_);
    text += axes(x, y, !x_range_.full);
    text += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"hidden\">", length(left_),
                        length(top_), length(right_ - left_), length(bottom_ - top_));
    for (const Layer& layer : panel_.layers) {
      text += std::visit([&](const auto& shape) { return draw(shape, x, y); }, layer);
    }
    text += "</svg>";
    // Over the edge rather than cut by it.
    if (!markers_.empty())
      text += fmt::format("<g transform=\"translate({} {})\">{}</g>", length(left_), length(top_), markers_);
    text += bar_values(x, y);
    return text;
  }

 private:
  void extend(const Line& line) {
    x_range_.take(line.x, panel_.x.logarithmic);
    for (const auto* values : {&line.y, &line.low, &line.high}) y_range_.take(*values, panel_.y.logarithmic);
  }
  void extend(const Histogram& histogram) {
    x_range_.take(histogram.edges, panel_.x.logarithmic);
    y_range_.take(histogram.heights, panel_.y.logarithmic);
    y_range_.take(0.0, panel_.y.logarithmic);
    y_range_.from_zero = true;
  }
  void extend(const Shade& shade) {
    for (const auto& side : {shade.low, shade.high}) {
      if (side) x_range_.take(*side, panel_.x.logarithmic);
    }
  }
  void extend(const Rule& rule) {
    if (rule.horizontal) {
      y_range_.take(rule.at, panel_.y.logarithmic);
    } else {
      x_range_.take(rule.at, panel_.x.logarithmic);
    }
  }
  void extend(const Bars& bars) {
    x_range_.take(bars.values, false);
    x_range_.take(0.0);
    x_range_.from_zero = true;
    bar_layers_ = bars.beside ? bar_layers_ + 1 : std::max<std::size_t>(1, bar_layers_);
  }
  void extend(const HeatMap& map) {
    x_range_.take(map.x_edges, panel_.x.logarithmic);
    y_range_.take(map.y_edges, panel_.y.logarithmic);
    x_range_.full = true;
    y_range_.full = true;
  }

  void lay_out() {
    top_ = panel_.title.empty() ? 10.0 : 28.0;
    const Axis& y = panel_.y;
    double names = 0.0;
    if (!y.names.empty()) {
      for (const std::string& name : y.names) names = std::max(names, text_width(name));
      // Letters may be wider than the mean one, and the label of the axis stands right before them.
      if (!y.label.empty()) names = 1.2 * names + 4.0;
      names = std::min(names, kMostNames * width_);
    } else if (y.ticks) {
      const Scale scale(y, y_range_, 1.0, 0.0);
      const std::vector<double> ticks = scale.ticks(5);
      for (const std::string& label : scale.labels(ticks, y.percent)) names = std::max(names, text_width(label));
    }
    left_ = names + 8.0 + (y.label.empty() ? 0.0 : kLabelRoom);
    right_ = width_ - (bar_layers_ > 0 ? 46.0 : 14.0);
    double ticks = panel_.x.ticks || !panel_.x.names.empty() ? kTickRoom : 4.0;
    if (!panel_.x.names.empty()) {
      double widest = 0.0;
      for (const std::string& name : panel_.x.names) widest = std::max(widest, text_width(name) + 6.0);
      slant_ = widest * static_cast<double>(panel_.x.names.size()) > right_ - left_;
      if (slant_) ticks = std::min(0.4 * height_, kTickRoom + widest * std::sin(kSlant * kDegree));
    }
    bottom_ = height_ - ticks - (panel_.x.label.empty() ? 4.0 : kLabelRoom + 4.0);
  }

  std::string axes(const Scale& x, const Scale& y, bool grid) const {
    std::string text;
    const auto line = [&](const char* kind, double x1, double y1, double x2, double y2) {
      text += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", kind, length(x1), length(y1),
                          length(x2), length(y2));
    };
    if (!panel_.y.names.empty()) {
      for (std::size_t i = 0; i < panel_.y.names.size(); ++i) {
        text += text_at(left_ - 6.0, top_ + y(static_cast<double>(i)) + 4.0, panel_.y.names[i], "end", "ink",
                        kMostNames * width_);
      }
    } else if (panel_.y.ticks) {
      const std::vector<double> ticks = y.ticks(5);
      const std::vector<std::string> labels = y.labels(ticks, panel_.y.percent);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double at = top_ + y(ticks[i]);
        if (grid) line("grid", left_, at, right_, at);
        text += text_at(left_ - 6.0, at + 4.0, labels[i], "end", "muted");
      }
    }
    if (!panel_.x.names.empty()) {
      text += x_names(x);
    } else if (panel_.x.ticks) {
      const std::vector<double> ticks = x_ticks(x);
      const std::vector<std::string> labels = x.labels(ticks, panel_.x.percent);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double at = left_ + x(ticks[i]);
        if (grid && !panel_.y.names.empty()) line("grid", at, top_, at, bottom_);
        line("axis", at, bottom_, at, bottom_ + 4.0);
        text += text_at(at, bottom_ + kTickRoom - 1.0, labels[i], "middle", "muted");
      }
    }
    line("axis", left_, bottom_, right_, bottom_);
    if (!panel_.x.label.empty())
      text += text_at(0.5 * (left_ + right_), height_ - 6.0, panel_.x.label, "middle", "ink", right_ - left_ + 20.0);
    if (!panel_.y.label.empty()) {
      const double middle = 0.5 * (top_ + bottom_);
      text += fmt::format("<g transform=\"translate(12 {}) rotate(-90)\">{}</g>", length(middle),
                          text_at(0.0, 0.0, panel_.y.label, "middle", "ink", bottom_ - top_ + 20.0));
    }
    return text;
  }

  // As many ticks as have room for their labels.
  std::vector<double> x_ticks(const Scale& x) const {
    for (std::size_t about = 7; about > 1; --about) {
      std::vector<double> ticks = x.ticks(about);
      double room = 0.0;
      for (const std::string& label : x.labels(ticks, panel_.x.percent)) room += text_width(label) + 10.0;
      if (room <= right_ - left_) return ticks;
    }
    return x.ticks(1);
  }

  std::string x_names(const Scale& x) const {
    std::string text;
    for (std::size_t i = 0; i < panel_.x.names.size(); ++i) {
      const double at = left_ + x(static_cast<double>(i));
      if (slant_) {
        text +=
            fmt::format("<g transform=\"translate({} {}) rotate({})\">{}</g>", length(at + 4.0), length(bottom_ + 12.0),
                        length(-kSlant), text_at(0.0, 0.0, panel_.x.names[i], "end", "ink", 0.6 * height_));
      } else {
        text += text_at(at, bottom_ + kTickRoom - 1.0, panel_.x.names[i], "middle", "ink");
      }
    }
    return text;
  }

  std::string draw(const Shade& shade, const Scale& x, const Scale&) const {
    const double from = shade.low ? x(*shade.low) : 0.0;
    const double to = shade.high ? x(*shade.high) : right_ - left_;
    const double high = bottom_ - top_;
    std::string text =
        fmt::format("<rect class=\"{}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"{}\"/>",
                    shade.doubtful ? "doubt" : "shade", length(from), length(std::max(0.0, to - from)), length(high));
    if (shade.doubtful) return text;
    for (const auto& side : {shade.low, shade.high}) {
      if (!side) continue;
      text += fmt::format("<line class=\"border\" x1=\"{0}\" y1=\"0\" x2=\"{0}\" y2=\"{1}\"/>", length(x(*side)),
                          length(high));
    }
    return text;
  }

  std::string draw(const Rule& rule, const Scale& x, const Scale& y) const {
    const bool flat = rule.horizontal;
    const double at = flat ? y(rule.at) : x(rule.at);
    return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>", colour_class(rule.style),
                       length(flat ? 0.0 : at), length(flat ? at : 0.0), length(flat ? right_ - left_ : at),
                       length(flat ? at : bottom_ - top_), dash_attribute(rule.style));
  }

  std::string draw(const Histogram& histogram, const Scale& x, const Scale& y) const {
    const std::size_t bins = std::min(histogram.heights.size(), std::max<std::size_t>(1, histogram.edges.size()) - 1);
    if (bins == 0) return "";
    const double base = bottom_ - top_;
    std::string path = fmt::format("M{} {}", length(x(histogram.edges.front())), length(base));
    for (std::size_t i = 0; i < bins; ++i) {
      path += fmt::format("V{}H{}", length(std::min(base, y(histogram.heights[i]))), length(x(histogram.edges[i + 1])));
    }
    path += fmt::format("V{}", length(base));
    const std::size_t colour = histogram.style % kColours;
    return fmt::format("<path class=\"area f{0}\" d=\"{1}Z\"/><path class=\"c{0}\" d=\"{1}\"{2}/>", colour, path,
                       dash_attribute(histogram.style));
  }

  std::string draw(const Line& line, const Scale& x, const Scale& y) {
    const std::size_t size = std::min(line.x.size(), line.y.size());
    const auto shown = [&](std::size_t i, const std::vector<double>& values) {
      return i < values.size() && x.shows(line.x[i]) && y.shows(values[i]);
    };
    const auto point = [&](std::size_t i, const std::vector<double>& values) {
      return length(x(line.x[i])) + " " + length(y(values[i]));
    };
    std::string band;
    for (std::size_t i = 0; i < size; ++i) {
      const auto banded = [&](std::size_t k) { return shown(k, line.low) && shown(k, line.high); };
      if (!banded(i)) continue;
      std::size_t end = i;
      while (end < size && banded(end)) ++end;
      for (std::size_t k = i; k < end; ++k) band += (k == i ? "M" : "L") + point(k, line.high);
      for (std::size_t k = end; k > i; --k) band += "L" + point(k - 1, line.low);
      band += "Z";
      i = end;
    }
    std::string text;
    if (!band.empty()) text += fmt::format("<path class=\"band f{}\" d=\"{}\"/>", line.style % kColours, band);
    std::string path;
    bool pen_down = false;
    for (std::size_t i = 0; i < size; ++i) {
      if (!shown(i, line.y)) {
        pen_down = false;
        continue;
      }
      path += (pen_down ? "L" : "M") + point(i, line.y);
      pen_down = true;
      if (line.markers || !line.joined) add_marker(line, x(line.x[i]), y(line.y[i]));
    }
    if (line.joined && !path.empty()) {
      text +=
          fmt::format("<path class=\"{}\" d=\"{}\"{}/>", colour_class(line.style), path, dash_attribute(line.style));
    }
    return text;
  }

  void add_marker(const Line& line, double x, double y) {
    const double slack = 0.01;
    if (x < -slack || x > right_ - left_ + slack || y < -slack || y > bottom_ - top_ + slack) return;
    markers_ += marker_at(line.style, x, y, !line.joined);
  }

  // Where the bar of a layer lies around the place of its name.
  std::pair<double, double> bar_place(const Scale& y, std::size_t name, std::size_t layer) const {
    const double step = y(1.0) - y(0.0);
    const double height = std::min(0.72 * step, 16.0 * static_cast<double>(bar_layers_));
    const double each = height / static_cast<double>(bar_layers_);
    return {y(static_cast<double>(name)) - 0.5 * height + static_cast<double>(layer) * each, each};
  }

  std::string draw(const Bars& bars, const Scale& x, const Scale& y) {
    std::string text;
    for (std::size_t i = 0; i < bars.values.size(); ++i) {
      if (!std::isfinite(bars.values[i])) continue;
      const auto [at, high] = bar_place(y, i, bars_drawn_);
      const double from = std::min(x(0.0), x(bars.values[i]));
      const double wide = std::abs(x(bars.values[i]) - x(0.0));
      text += fmt::format(
          "<rect class=\"f{0} c{0}\" fill-opacity=\"{5}\" x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>",
          bars.style % kColours, length(from), length(at + 0.5), length(wide), length(std::max(1.0, high - 1.0)),
          bar_opacity(bars.style));
    }
    if (bars.beside) ++bars_drawn_;
    return text;
  }

  std::string bar_values(const Scale& x, const Scale& y) const {
    std::string text;
    std::size_t layer = 0;
    for (const Layer& shape : panel_.layers) {
      const auto* const bars = std::get_if<Bars>(&shape);
      if (bars == nullptr) continue;
      for (std::size_t i = 0; i < bars->values.size(); ++i) {
        if (!std::isfinite(bars->values[i])) continue;
        const auto [at, high] = bar_place(y, i, layer);
        if (high < 9.0 || !bars->numbered) continue;
        const std::string value = panel_.x.percent ? fmt::format("{:.1f} %", 100.0 * bars->values[i])
                                                   : fmt::format("{:.3g}", bars->values[i]);
        text += text_at(left_ + std::max(x(0.0), x(bars->values[i])) + 4.0, top_ + at + 0.5 * high + 4.0, value,
                        "start", "muted");
      }
      if (bars->beside) ++layer;
    }
    return text;
  }

  std::string draw(const HeatMap& map, const Scale& x, const Scale& y) const {
    const std::size_t columns = std::max<std::size_t>(1, map.x_edges.size()) - 1;
    const std::size_t rows = std::max<std::size_t>(1, map.y_edges.size()) - 1;
    std::map<int, std::string> paths;
    const auto level = [&](std::size_t row, std::size_t column) {
      const double value = map.values[row * columns + column];
      if (!std::isfinite(value)) return -1;
      const double share = map.high > map.low ? (value - map.low) / (map.high - map.low) : 0.0;
      return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (kHeatLevels - 1)));
    };
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns;) {
        const int colour = level(row, column);
        std::size_t end = column + 1;
        while (end < columns && level(row, end) == colour) ++end;
        if (colour >= 0) {
          paths[colour] +=
              fmt::format("M{} {}H{}V{}H{}Z", length(x(map.x_edges[column])), length(y(map.y_edges[row])),
                          length(x(map.x_edges[end])), length(y(map.y_edges[row + 1])), length(x(map.x_edges[column])));
        }
        column = end;
      }
    }
    std::string text;
    for (const auto& [colour, path] : paths) {
      text += fmt::format("<path class=\"cell\" style=\"fill:{}\" d=\"{}\"/>",
                          ramp_colour(static_cast<double>(colour) / (kHeatLevels - 1)), path);
    }
    return text;
  }

  static constexpr double kDegree = 3.14159265358979323846 / 180.0;

  const Panel& panel_;
  double width_;
  double height_;
  Range x_range_;
  Range y_range_;
  std::size_t bar_layers_ = 0;
  std::size_t bars_drawn_ = 0;
  std::string markers_;
  double left_ = 0.0;
  double right_ = 0.0;
  double top_ = 0.0;
  double bottom_ = 0.0;
  bool slant_ = false;
};

}  // namespace

std::string panel_markup(const Panel& panel, double width, double height) {
  return PanelDrawing(panel, width, height).markup();
}

}  // namespace olem::internal::plot
