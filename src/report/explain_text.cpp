#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "olem/report.h"
#include "report/column_words.h"
#include "report/layout.h"
#include "report/svg.h"
#include "report/uncertainty_words.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kMostBlocks = 41;  // of a curve
constexpr std::size_t kPairsInText = 10;

// In percentage points; never "-0.0".
std::string gain_text(double difference) {
  const std::string text = fmt::format("{:+.1f}", 100.0 * difference);
  return text == "-0.0" ? "+0.0" : text;
}

std::string named_values_text(const std::vector<NamedValue>& values, std::span<const NamedColumn> columns) {
  std::vector<std::string> parts;
  for (const NamedValue& value : values) {
    const Column& column = about_column(columns, value.name);
    const Json shown = value_json(column, value.value);
    parts.push_back(fmt::format(
        "{} = {}", value.name,
        shown.is_string() ? shown.get<std::string>() : with_unit(column, fmt::format("{:g}", value.value))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string flush_right(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ') + text;
}

// A value of a curve: its word, cut where it is longer than `most` (0: never), or the number.
std::string point_text(const SuccessCurve& curve, double value, std::size_t most) {
  for (std::size_t i = 0; i < curve.levels.size(); ++i) {
    if (curve.values[i] == value) return most == 0 ? curve.levels[i] : show_text(curve.levels[i], most);
  }
  return fmt::format("{:.3g}", value);
}

// What the blocks of all curves stand for.
struct BlockRange {
  double low = 1.0;
  double high = 0.0;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

BlockRange block_range(const Explanation& explanation) {
  BlockRange range;
  range.take(explanation.without_action);
  for (const SuccessCurve& curve : explanation.curves) {
    for (const auto* series : {&curve.success, &curve.beside_decision}) {
      for (const double value : *series) range.take(value);
    }
  }
  return range;
}

std::string blocks(const std::vector<double>& success, const BlockRange& range) {
  std::vector<double> shown;
  const std::size_t count = std::min(kMostBlocks, success.size());
  for (std::size_t i = 0; i < count; ++i)
    shown.push_back(success[count == 1 ? 0 : i * (success.size() - 1) / (count - 1)]);
  return plot::sparkline(shown, range.low, range.high);
}

std::size_t curve_name_width(const Explanation& explanation) {
  std::size_t width = 8;
  for (const SuccessCurve& curve : explanation.curves) width = std::max(width, display_width(curve.name));
  return width;
}

std::size_t block_width(const Explanation& explanation) {
  std::size_t width = 10;
  for (const SuccessCurve& curve : explanation.curves)
    width = std::max(width, std::min(kMostBlocks, curve.values.size()));
  return width;
}

std::string curve_table(const Explanation& explanation, const BlockRange& range) {
  const std::size_t names = curve_name_width(explanation);
  const std::size_t width = block_width(explanation);
  std::size_t success = 7;  // width
  for (const SuccessCurve& curve : explanation.curves)
    success = std::max(success, display_width(success_text(curve.best_success, curve.best_interval)));
  std::string text = fmt::format("  {}  {:>7} {} {:<7}  {:>8}  {}  {:>6}\n", pad_right("set", names), "from",
                                 pad_right("success", width), "to", "best at", flush_right("success", success), "gain");
  for (const std::size_t place : explanation.alone) {
    const SuccessCurve& curve = explanation.curves[place];
    text += fmt::format("  {}  {} {} {}", pad_right(curve.name, names), flush_right(point_text(curve, curve.low, 7), 7),
                        pad_right(blocks(curve.success, range), width), pad_right(point_text(curve, curve.high, 7), 7));
    if (curve.influences) {
      text += fmt::format("  {}  {}  {:>6}\n", flush_right(point_text(curve, curve.best_value, 0), 8),
                          flush_right(success_text(curve.best_success, curve.best_interval), success),
                          gain_text(curve.best_success - explanation.without_action));
    } else {
      text += "  cannot change it\n";
    }
  }
  return text;
}

std::string decision_table(const Explanation& explanation, const BlockRange& range) {
  const std::size_t names = curve_name_width(explanation);
  const std::size_t width = block_width(explanation);
  std::string text;
  for (const SuccessCurve& curve : explanation.curves) {
    const auto found = std::find_if(explanation.decision.begin(), explanation.decision.end(),
                                    [&](const NamedValue& value) { return value.name == curve.name; });
    text += fmt::format(
        "  {}  {} {} {}  {}\n", pad_right(curve.name, names), flush_right(point_text(curve, curve.low, 7), 7),
        pad_right(blocks(curve.beside_decision, range), width), pad_right(point_text(curve, curve.high, 7), 7),
        found == explanation.decision.end() ? "left alone"
        : curve.levels.empty()              ? fmt::format("set to {:.4g}", found->value)
                                            : "set to " + point_text(curve, found->value, 0));
  }
  return text;
}

std::string pair_table(const Explanation& explanation) {
  std::size_t width = 4;
  std::vector<std::string> names;
  for (const SuccessMap& map : explanation.maps) {
    names.push_back(explanation.curves[map.first].name + ", " + explanation.curves[map.second].name);
    width = std::max(width, display_width(names.back()));
  }
  std::string text = fmt::format("  {}  {:>18}  {:>7}  {:>6}  {}\n", pad_right("set both", width), "best at", "success",
                                 "gain", "over the better one alone");
  for (std::size_t i = 0; i < std::min(kPairsInText, explanation.together.size()); ++i) {
    const std::size_t place = explanation.together[i];
    const SuccessMap& map = explanation.maps[place];
    text += fmt::format("  {}  {:>18}  {:>7}  {:>6}  {:>6}\n", pad_right(names[place], width),
                        point_text(explanation.curves[map.first], map.best_first, 0) + ", " +
                            point_text(explanation.curves[map.second], map.best_second, 0),
                        percent_text(map.best_success), gain_text(map.best_success - explanation.without_action),
                        gain_text(map.gain_over_single));
  }
  if (explanation.together.size() > kPairsInText)
    text += fmt::format("  and {} more in the JSON result\n", explanation.together.size() - kPairsInText);
  return text;
}

std::string one_explanation(const Explanation& explanation, std::span<const NamedColumn> columns) {
  std::string text;
  if (!explanation.context.empty())
    text += wrap_text("Observed: " + named_values_text(explanation.context, columns), kLineWidth) + "\n";
  text += wrap_text(fmt::format("Without action the outcome ends up where it is wanted with probability {}.",
                                success_text(explanation.without_action, explanation.without_action_interval)),
                    kLineWidth);
  if (std::none_of(explanation.curves.begin(), explanation.curves.end(),
                   [](const SuccessCurve& curve) { return curve.influences; })) {
    return text + "\nNo alterable variable can change an outcome in this order.\n";
  }
  const BlockRange range = block_range(explanation);
  text +=
      "\n" + wrap_text(fmt::format("One variable set and the others left alone, over its domain, from ▁ {} to █ {}; "
                                   "gains in percentage points:",
                                   percent_text(range.low), percent_text(range.high)),
                       kLineWidth);
  text += "\n" + curve_table(explanation, range);
  if (explanation.with_decision) {
    text += "\n" + wrap_text(fmt::format("With {}: {}. One variable moved from there, the others as in this decision:",
                                         named_values_text(explanation.decision, columns),
                                         success_text(*explanation.with_decision, explanation.with_decision_interval)),
                             kLineWidth);
    text += "\n" + decision_table(explanation, range);
  }
  if (explanation.without_action_interval) text += "\n" + wrap_text(range_sentence(true), kLineWidth);
  if (!explanation.together.empty())
    text += "\nTwo variables set, the others left alone:\n\n" + pair_table(explanation);
  return text;
}

}  // namespace

std::string explanation_text(const std::vector<Explanation>& explanations, std::span<const NamedColumn> columns) {
  std::string text;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    if (explanations.size() > 1)
      text += fmt::format("{}Context {} of {}\n\n", i == 0 ? "" : "\n", i + 1, explanations.size());
    text += one_explanation(explanations[i], columns);
  }
  return text;
}

}  // namespace olem
