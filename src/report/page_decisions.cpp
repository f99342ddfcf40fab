#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "decide/explain_json.h"
#include "report/explain_figure.h"
#include "report/page_parts.h"

namespace olem {

namespace {

constexpr std::size_t kMostInFull = 20;  // decisions; the others are in the table of all
constexpr std::size_t kMostPairs = 12;

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string values_text(const JsonPart& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values.members()) parts.push_back(fmt::format("{} = {:.4g}", name, value.number()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "DIC to -0.002 and TA to 0.21", or nothing.
std::string alterations_text(const JsonPart& decision) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : decision["alterations"].members()) {
    if (!value.json().is_null()) parts.push_back(fmt::format("{} to {}", name, number(value.finite())));
  }
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

void add_alterations(Page& page, const JsonPart& decision) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : decision["alterations"].members()) {
    const bool set = !value.json().is_null();
    rows.push_back({name, set ? number(value.finite()) : "leave alone",
                    number(decision["expected"][name.c_str()].number()),
                    set ? percent(decision["success_if_released"][name.c_str()].number()) : ""});
  }
  page.table({"set", "to", "otherwise about", "success if not"}, rows);
}

void add_forecasts(Page& page, const JsonPart& decision) {
  std::vector<std::vector<std::string>> rows;
  const auto cell = [](const JsonPart& forecast) {
    const std::vector<double> sides = forecast["interval"].finite_numbers();
    if (sides.size() != 2) forecast["interval"].fail("is not a range [low, high]");
    return fmt::format("{} ({} to {})", number(forecast["mean"].finite()), number(sides[0]), number(sides[1]));
  };
  for (const auto& [name, forecast] : decision["outcomes"].members())
    rows.push_back({name, cell(forecast), cell(decision["outcomes_without_action"][name.c_str()])});
  page.table({"outcome: mean, and the range of four in five cases", "with the decision", "without action"}, rows);
}

plot::Panel alterable_panel(const Explanation& explanation, const SuccessCurve& curve) {
  plot::Panel panel;
  panel.title = curve.name;
  panel.y.ticks = false;
  const std::size_t bins = curve.data_counts.size();
  plot::Histogram data{"observed in the data", {}, {curve.data_counts.begin(), curve.data_counts.end()}, 5};
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(1, bins));
    data.edges.push_back(curve.data_low + share * (curve.data_high - curve.data_low));
  }
  if (bins > 0) panel.layers.emplace_back(std::move(data));
  panel.layers.emplace_back(plot::Rule{"ends of the domain", curve.low, false, 6});
  panel.layers.emplace_back(plot::Rule{"ends of the domain", curve.high, false, 6});
  panel.layers.emplace_back(plot::Rule{"without action, on average", curve.expected, false, 1});
  for (const NamedValue& value : explanation.decision) {
    if (value.name == curve.name) panel.layers.emplace_back(plot::Rule{"recommended", value.value, false, 10});
  }
  return panel;
}

plot::Figure panels(const std::string& title, std::vector<plot::Panel> list) {
  plot::Figure figure;
  figure.title = title;
  figure.columns = 3;
  figure.panel_width = 320.0;
  figure.panel_height = 210.0;
  figure.panels = std::move(list);
  return figure;
}

void add_outcomes(Page& page, const Explanation& explanation) {
  std::vector<plot::Panel> outcomes;
  for (const OutcomeHistogram& histogram : explanation.outcomes)
    outcomes.push_back(outcome_panel(explanation, histogram));
  plot::Figure figure = panels("Where the outcome ends up", std::move(outcomes));
  if (figure.panels.size() == 1) {
    figure.panels.front().title.clear();
    figure.panel_width = 560.0;
    figure.panel_height = 260.0;
  }
  page.figure(plot::svg_element(figure),
              fmt::format("{} draws from the models{}.", explanation.draws,
                          explanation.with_decision ? ", without action and with the decision" : ""));
}

void add_curves(Page& page, const Explanation& explanation) {
  std::vector<plot::Panel> curves;
  for (const std::size_t place : explanation.alone)
    curves.push_back(curve_panel(explanation, explanation.curves[place], success_top(explanation)));
  page.figure(plot::svg_element(panels("Success over each variable", std::move(curves))),
              explanation.with_decision
                  ? "How exactly each value must be met: success while one variable moves through its domain."
                  : "Success while one variable moves through its domain.");
}

void add_details(Page& page, const Explanation& explanation) {
  add_outcomes(page, explanation);
  std::vector<plot::Panel> alterables;
  for (const SuccessCurve& curve : explanation.curves) alterables.push_back(alterable_panel(explanation, curve));
  page.figure(plot::svg_element(panels("What can be altered", std::move(alterables))),
              "Each variable with its values in the data, its domain, and what is recommended.");
  add_curves(page, explanation);
}

void add_decision(Page& page, const JsonPart& decision) {
  if (!decision["context"].members().empty()) page.paragraph("Observed: " + values_text(decision["context"]) + ".");
  if (decision["status"].text() != "done") page.paragraph(decision["message"].text());
  add_alterations(page, decision);
  add_forecasts(page, decision);
  if (decision.has("details")) {
    add_details(page, read_explanation(decision["details"]));
  } else {
    page.paragraph("The curves are not in this result: decide with --details to have them.");
  }
}

// One line for each of many decisions.
void add_overview(Page& page, const std::vector<JsonPart>& decisions) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::string set = alterations_text(decisions[i]);
    rows.push_back({fmt::format("{}: {}", i + 1, values_text(decisions[i]["context"])), set.empty() ? "nothing" : set,
                    percent(decisions[i]["success_probability"].finite()),
                    percent(decisions[i]["without_action"].finite())});
  }
  page.section("All contexts");
  page.table({"observed", "set", "success", "without action"}, rows, true);
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string desired_text(const Task& task) {
  std::vector<std::string> parts;
  for (const OutcomeRange& range : task.desired.ranges()) {
    if (range.low && range.high) {
      parts.push_back(fmt::format("{} between {} and {}", range.outcome, number(*range.low), number(*range.high)));
    } else if (range.low || range.high) {
      parts.push_back(fmt::format("{} {} {}", range.outcome, range.low ? "at least" : "at most",
                                  number(range.low ? *range.low : *range.high)));
    }
  }
  for (std::size_t row = 0; parts.empty() && row < task.desired.rows(); ++row)
    parts.push_back(task.desired.row_name(row));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string answer_text(const JsonPart& result, const Task& task) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  if (decisions.size() != 1)
    return fmt::format("{} contexts were decided; the table below has all of them.", decisions.size());
  const JsonPart& decision = decisions.front();
  const std::string set = alterations_text(decision);
  const std::string without = percent(decision["without_action"].finite());
  if (set.empty())
    return fmt::format("{} {} is to be expected with probability {}.", decision["message"].text(), desired_text(task),
                       without);
  const std::vector<double> interval = decision["interval"].finite_numbers();
  if (interval.size() != 2) decision["interval"].fail("is not a range [low, high]");
  return fmt::format("Set {}: then {} has probability {} ({} to {}), instead of {} without action.", set,
                     desired_text(task), percent(decision["success_probability"].finite()), percent(interval[0]),
                     percent(interval[1]), without);
}

void add_decisions(Page& page, const JsonPart& result) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  if (decisions.size() > 1) add_overview(page, decisions);
  for (std::size_t i = 0; i < std::min(kMostInFull, decisions.size()); ++i) {
    page.section(decisions.size() == 1 ? "The decision" : fmt::format("Context {}", i + 1));
    add_decision(page, decisions[i]);
  }
  if (decisions.size() > kMostInFull)
    page.paragraph(fmt::format("The page shows the first {} contexts in full.", kMostInFull));
}

void add_explanations(Page& page, const JsonPart& result) {
  const std::vector<JsonPart> entries = result["explanations"].entries();
  for (std::size_t i = 0; i < std::min(kMostInFull, entries.size()); ++i) {
    const Explanation explanation = read_explanation(entries[i]);
    page.section(entries.size() == 1 ? "What each variable can do" : fmt::format("Context {}", i + 1));
    if (!explanation.context.empty()) page.paragraph("Observed: " + values_text(entries[i]["context"]) + ".");
    page.paragraph(fmt::format("Without action success has probability {}.", percent(explanation.without_action)));
    plot::Figure ranking = panels("Success at their best", {ranking_panel(explanation)});
    ranking.panel_width = 560.0;
    ranking.panels.front().title.clear();
    page.figure(plot::svg_element(ranking), "Each variable alone, and in the best of its pairs.");
    add_outcomes(page, explanation);
    add_curves(page, explanation);
    std::vector<plot::Panel> pairs;
    for (const std::size_t place : explanation.together) {
      const SuccessMap& map = explanation.maps[place];
      if (pairs.size() == kMostPairs || map.first_values.size() < 2 || map.second_values.size() < 2) continue;
      pairs.push_back(pair_panel(explanation, map, success_top(explanation)));
    }
    if (!pairs.empty())
      page.figure(plot::svg_element(panels("Success over pairs", std::move(pairs))), "The best pairs first.");
  }
}

}  // namespace olem
