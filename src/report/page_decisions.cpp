#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "decide/explain/explain_json.h"
#include "report/explain_figure.h"
#include "report/layout.h"
#include "report/page_parts.h"

namespace olem {

namespace {

constexpr std::size_t kMostInFull = 20;  // decisions; the others are in the table of all
constexpr std::size_t kPairsOnPage = 12;

std::string json_values_text(const JsonPart& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values.members()) parts.push_back(fmt::format("{} = {:.4g}", name, value.number()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "DIC to -0.002 and TA to 0.21", or nothing.
std::string alterations_text(const JsonPart& decision) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : decision["alterations"].members()) {
    if (!value.json().is_null()) parts.push_back(fmt::format("{} to {}", name, short_number(value.finite())));
  }
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

void add_alterations(Page& page, const JsonPart& decision) {
  const std::vector<std::string> powerless = decision["no_influence"].texts();
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : decision["alterations"].members()) {
    const bool set = !value.json().is_null();
    const bool idle = std::find(powerless.begin(), powerless.end(), name) != powerless.end();
    rows.push_back({name, set ? short_number(value.finite()) : "leave alone",
                    short_number(decision["expected"][name.c_str()].number()),
                    set    ? percent_text(decision["success_if_released"][name.c_str()].number())
                    : idle ? "cannot change the outcome"
                           : ""});
  }
  page.table({"set", "to", "otherwise about", "success if not"}, rows);
}

// [low, high]
std::pair<double, double> range_of(const JsonPart& part) {
  const std::vector<double> sides = part.finite_numbers();
  if (sides.size() != 2) part.fail("is not a range [low, high]");
  return {sides[0], sides[1]};
}

// "67.6 % (66.1 % to 69 %)", of a decision or of a proposal.
std::string success_text(const JsonPart& decision) {
  const auto [low, high] = range_of(decision["interval"]);
  return fmt::format("{} ({} to {})", percent_text(decision["success_probability"].finite()), percent_text(low),
                     percent_text(high));
}

void add_forecasts(Page& page, const JsonPart& decision) {
  std::vector<std::vector<std::string>> rows;
  const auto cell = [](const JsonPart& forecast) {
    const auto [low, high] = range_of(forecast["interval"]);
    return fmt::format("{} ({} to {})", short_number(forecast["mean"].finite()), short_number(low), short_number(high));
  };
  for (const auto& [name, forecast] : decision["outcomes"].members())
    rows.push_back({name, cell(forecast), cell(decision["outcomes_without_action"][name.c_str()])});
  page.paragraph("To be expected on average, with the range of four in five cases:");
  page.table({"outcome", "with the decision", "without action"}, rows);
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

plot::Figure panel_figure(const std::string& title, std::vector<plot::Panel> list) {
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
  plot::Figure figure = panel_figure("Where the outcome ends up", std::move(outcomes));
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
  page.figure(plot::svg_element(panel_figure("Success over each variable", std::move(curves))),
              explanation.with_decision
                  ? "How exactly each value must be met: success while one variable moves through its domain."
                  : "Success while one variable moves through its domain.");
}

void add_details(Page& page, const Explanation& explanation) {
  add_outcomes(page, explanation);
  std::vector<plot::Panel> alterables;
  for (const SuccessCurve& curve : explanation.curves) alterables.push_back(alterable_panel(explanation, curve));
  page.figure(plot::svg_element(panel_figure("What can be altered", std::move(alterables))),
              "Each variable with its values in the data, its domain, and what is recommended.");
  add_curves(page, explanation);
}

// That a target is out of reach, or needs nothing to be done, comes before what could be done.
bool said_first(const JsonPart& decision) {
  const std::string status = decision["status"].text();
  return status == "target_not_reached" || status == "already_likely";
}

// What probabilities and costs mean, once for all decisions.
void add_words(Page& page, const Wishes& wishes) {
  page.paragraph("The range behind a probability covers the chance of the draws (95 %), not errors of the models." +
                 (wishes.cost_matters() ? " " + wishes.cost_words() : ""));
}

// What there is to say beside the numbers. On a page with one decision the answer has said some of it.
void add_remarks(Page& page, const JsonPart& decision, const Wishes& wishes, bool only_one) {
  const bool acts = !alterations_text(decision).empty();
  // Which search found it is for those who compare searches, and in the result.
  std::string message = decision["message"].text();
  const std::string finder = fmt::format("Found by {}.", decision["found_by"].text());
  if (message.starts_with(finder)) message.erase(0, std::min(finder.size() + 1, message.size()));
  const bool answered = only_one && (!acts || said_first(decision));
  if (!answered && !message.empty()) page.paragraph(message);
  if (acts && !only_one)
    page.paragraph(fmt::format("Success has probability {}, instead of {} without action.", success_text(decision),
                               percent_text(decision["without_action"].finite())));
  if (acts && wishes.cost_matters())
    page.paragraph(fmt::format("The decision costs {}.", short_number(decision["cost"].finite())));
  if (acts && only_one) add_words(page, wishes);
  if (decision.has("qwz23_interval")) {
    const auto [low, high] = range_of(decision["qwz23_interval"]);
    page.paragraph(fmt::format("By the bound of Qin, Wang and Zhou (2023) its success lies between {} and {}.",
                               percent_text(low), percent_text(high)));
  }
}

void add_proposals(Page& page, const JsonPart& decision, const Wishes& wishes) {
  if (!decision.has("proposals")) return;
  const std::vector<JsonPart> proposals = decision["proposals"].entries();
  if (proposals.size() < 2) {
    page.paragraph("No other decision was found that differs visibly from this one and is better than nothing.");
    return;
  }
  std::vector<std::string> header = {"decision"};
  for (const auto& [name, value] : decision["alterations"].members()) header.push_back(name);
  header.insert(header.end(), {"success", "cost"});
  std::vector<std::vector<std::string>> rows;
  for (const JsonPart& proposal : proposals) {
    std::vector<std::string>& row =
        rows.emplace_back(1, rows.empty() ? "recommended" : fmt::format("alternative {}", rows.size()));
    for (const auto& [name, value] : proposal["alterations"].members())
      row.push_back(value.json().is_null() ? "leave alone" : short_number(value.finite()));
    row.push_back(success_text(proposal));
    row.push_back(short_number(proposal["cost"].finite()));
  }
  page.subsection("Decisions to choose from");
  page.paragraph("Each differs visibly from the others." + (wishes.cost_matters() ? "" : " " + wishes.cost_words()));
  page.table(header, rows);
}

void add_decision(Page& page, const JsonPart& decision, const Wishes& wishes, bool only_one) {
  if (!decision["context"].members().empty())
    page.paragraph("Observed: " + json_values_text(decision["context"]) + ".");
  add_remarks(page, decision, wishes, only_one);
  add_alterations(page, decision);
  add_forecasts(page, decision);
  add_proposals(page, decision, wishes);
  if (decision.has("details")) {
    add_details(page, read_explanation(decision["details"]));
  } else {
    page.paragraph("The curves are not in this result: decide with --details to have them.");
  }
}

// One line for each of many decisions.
void add_overview(Page& page, const std::vector<JsonPart>& decisions, const Wishes& wishes) {
  std::vector<std::string> header = {"observed", "set", "success", "without action"};
  if (wishes.cost_matters()) header.emplace_back("cost");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::string set = alterations_text(decisions[i]);
    rows.push_back({fmt::format("{}: {}", i + 1, json_values_text(decisions[i]["context"])),
                    set.empty() ? "nothing" : set, percent_text(decisions[i]["success_probability"].finite()),
                    percent_text(decisions[i]["without_action"].finite()),
                    short_number(decisions[i]["cost"].finite())});
  }
  page.section("All contexts");
  page.table(header, rows, true);
  add_words(page, wishes);
}

}  // namespace

std::string answer_text(const JsonPart& result, const Task& task) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  if (decisions.size() != 1)
    return fmt::format("{} contexts were decided; the table below has all of them.", decisions.size());
  const JsonPart& decision = decisions.front();
  const std::string set = alterations_text(decision);
  const std::string without = percent_text(decision["without_action"].finite());
  if (set.empty())
    return fmt::format("{} {} is to be expected with probability {}.", decision["message"].text(), desired_text(task),
                       without);
  const std::string target = said_first(decision) ? decision["message"].text() + " " : "";
  return fmt::format("{}Set {}: then {} has probability {}, instead of {} without action.", target, set,
                     desired_text(task), success_text(decision), without);
}

std::string explanation_answer(const JsonPart& result) {
  const std::vector<JsonPart> entries = result["explanations"].entries();
  if (entries.size() != 1) return fmt::format("{} contexts are explained, one after the other.", entries.size());
  const Explanation explanation = read_explanation(entries.front());
  std::string idle =
      fmt::format("Without action success has probability {}.", percent_text(explanation.without_action));
  if (explanation.alone.empty()) return idle;
  const SuccessCurve& best = explanation.curves[explanation.alone.front()];
  if (best.best_success <= explanation.without_action) return idle + " No variable alone makes it more.";
  return fmt::format("{} Setting {} alone to {} makes it {}, more than any other variable by itself.", idle, best.name,
                     short_number(best.best_value), percent_text(best.best_success));
}

void add_decisions(Page& page, const JsonPart& result, const Task& task) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  const Wishes wishes = wishes_of(result, task);
  if (decisions.size() > 1) add_overview(page, decisions, wishes);
  for (std::size_t i = 0; i < std::min(kMostInFull, decisions.size()); ++i) {
    page.section(decisions.size() == 1 ? "The decision" : fmt::format("Context {}", i + 1));
    add_decision(page, decisions[i], wishes, decisions.size() == 1);
  }
  if (decisions.size() > kMostInFull)
    page.paragraph(fmt::format("The page shows the first {} contexts in full.", kMostInFull));
}

void add_explanations(Page& page, const JsonPart& result) {
  const std::vector<JsonPart> entries = result["explanations"].entries();
  for (std::size_t i = 0; i < std::min(kMostInFull, entries.size()); ++i) {
    const Explanation explanation = read_explanation(entries[i]);
    page.section(entries.size() == 1 ? "What each variable can do" : fmt::format("Context {}", i + 1));
    if (!explanation.context.empty()) page.paragraph("Observed: " + json_values_text(entries[i]["context"]) + ".");
    if (entries.size() > 1)
      page.paragraph(
          fmt::format("Without action success has probability {}.", percent_text(explanation.without_action)));
    plot::Figure ranking = panel_figure("Success at their best", {ranking_panel(explanation)});
    ranking.panel_width = 560.0;
    ranking.panels.front().title.clear();
    page.figure(plot::svg_element(ranking), "Each variable alone, and in the best of its pairs.");
    add_outcomes(page, explanation);
    add_curves(page, explanation);
    std::vector<plot::Panel> pairs;
    for (const std::size_t place : explanation.together) {
      const SuccessMap& map = explanation.maps[place];
      if (pairs.size() == kPairsOnPage || map.first_values.size() < 2 || map.second_values.size() < 2) continue;
      pairs.push_back(pair_panel(explanation, map, success_top(explanation)));
    }
    if (!pairs.empty())
      page.figure(plot::svg_element(panel_figure("Success over pairs", std::move(pairs))), "The best pairs first.");
  }
}

}  // namespace olem
