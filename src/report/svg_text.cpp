#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "olem/text.h"
#include "report/svg_parts.h"

namespace olem::internal::plot {

namespace {

constexpr double kMeanCharacter = 0.55;  // width of a character of a system font, in font sizes

// The character at `at` and how many bytes it has; 0 bytes for what is no UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text, std::size_t at) {
  const std::size_t bytes = utf8_length(text.substr(at));
  return {bytes == 0 ? U'\0' : next_code_point(text, at), bytes};
}

bool allowed_in_xml(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0x7F && !(code >= 0xD800 && code <= 0xDFFF) && code != 0xFFFE && code != 0xFFFF;
}

// Enough decimals to tell multiples of the step apart.
int decimals_of(double step) { return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9))); }

}  // namespace

std::string escape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.bytes == 0 || !allowed_in_xml(character.code)) {
      result += "\xEF\xBF\xBD";
      at += std::max<std::size_t>(1, character.bytes);
      continue;
    }
    switch (character.code) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += text.substr(at, character.bytes);
    }
    at += character.bytes;
  }
  return result;
}

std::string length(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double font_size) {
  return kMeanCharacter * font_size * static_cast<double>(display_width(text));
}

std::string shorten(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  std::string cut = text;
  while (!cut.empty() && text_width(cut) + kFontSize > width) {
    do {
      const auto last = static_cast<unsigned char>(cut.back());
      cut.pop_back();
      if ((last & 0xC0U) != 0x80U) break;
    } while (!cut.empty());
  }
  return cut + "…";
}

std::string text_at(double x, double y, const std::string& text, std::string_view anchor, std::string_view classes,
                    double width) {
  const std::string shown = shorten(text, width);
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\"{}>{}{}</text>", classes, length(x), length(y),
                     anchor == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor),
                     shown == text ? "" : fmt::format("<title>{}</title>", escape(text)), escape(shown));
}

std::vector<double> round_ticks(double low, double high, std::size_t about) {
  const double rough = (high - low) / static_cast<double>(std::max<std::size_t>(1, about));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    // The step whose number of ticks is nearest to what was asked for, on a logarithmic scale.
    if (rough <= factor * power * 1.42) step = factor * power;
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * step;
  const double first = std::ceil((low - slack) / step);
  for (double k = first; k * step <= high + slack && ticks.size() < 1000; k += 1.0) {
    ticks.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return ticks;
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks, bool percent) {
  std::vector<std::string> labels;
  const double factor = percent ? 100.0 : 1.0;
  if (ticks.size() == 1) return {fmt::format("{:.4g}{}", factor * ticks.front(), percent ? " %" : "")};
  const double step = ticks.size() > 1 ? factor * (ticks[1] - ticks[0]) : factor;
  double largest = 0.0;
  for (const double tick : ticks) largest = std::max(largest, factor * std::abs(tick));
  const bool scientific = largest >= 1e6 || step < 1e-4;
  for (const double tick : ticks) {
    const double value = factor * tick;
    std::string label;
    if (value == 0.0) {
      label = "0";
    } else if (scientific) {
      const double digits = std::floor(std::log10(std::abs(value)) + 1e-9) - std::floor(std::log10(step) + 1e-9) + 1.0;
      label = fmt::format("{:.{}e}", value, std::max(0, static_cast<int>(digits) - 1));
      // "1.5e+06" -> "1.5e6"
      const std::size_t e = label.find('e');
      const bool negative = label[e + 1] == '-';
      std::size_t digit = e + 2;
      while (digit + 1 < label.size() && label[digit] == '0') ++digit;
      label = label.substr(0, e + 1) + (negative ? "-" : "") + label.substr(digit);
    } else {
      label = fmt::format("{:.{}f}", value, decimals_of(step));
    }
    labels.push_back(label + (percent ? " %" : ""));
  }
  return labels;
}

std::string sparkline(const std::vector<double>& values, double low, double high) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      text += ' ';
      continue;
    }
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.0;
    text += kBlocks[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8.0))];
  }
  return text;
}

}  // namespace olem::internal::plot
