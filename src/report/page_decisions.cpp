#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "decide/explain/explain_json.h"
#include "report/decision_sheet.h"
#include "report/explain_figure.h"
#include "report/layout.h"
#include "report/page_parts.h"
#include "report/uncertainty_words.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostInFull = 20;  // decisions; the others are in the table of all
constexpr std::size_t kPairsOnPage = 12;

constexpr const char* kObserved = "observed in the data";

plot::Histogram observed_values(const SuccessCurve& curve) {
  const std::size_t bins = curve.data_counts.size();
  plot::Histogram data{kObserved, {}, {curve.data_counts.begin(), curve.data_counts.end()}, 5};
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    data.edges.push_back(curve.data_low + share * (curve.data_high - curve.data_low));
  }
  return data;
}

// A bar for each level, with gaps between them.
plot::Histogram observed_levels(const SuccessCurve& curve) {
  constexpr double kHalfBar = 0.3;
  const auto bins = static_cast<double>(curve.data_counts.size());
  const double range = curve.data_high - curve.data_low;
  plot::Histogram data{kObserved, {}, {}, 5};
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const double share = range > 0.0 ? (curve.values[i] - curve.data_low) / range : 0.0;
    const bool seen = share >= 0.0 && share <= 1.0;
    const auto bin = static_cast<std::size_t>(std::min(bins - 1.0, std::floor(std::max(0.0, share) * bins)));
    if (i > 0) data.heights.push_back(0.0);
    data.heights.push_back(seen ? static_cast<double>(curve.data_counts[bin]) : 0.0);
    for (const double side : {-kHalfBar, kHalfBar}) data.edges.push_back(static_cast<double>(i) + side);
  }
  return data;
}

plot::Panel alterable_panel(const Explanation& explanation, const SuccessCurve& curve) {
  plot::Panel panel;
  panel.title = curve.name;
  panel.y.ticks = false;
  panel.x.names = curve.levels;
  if (!curve.data_counts.empty())
    panel.layers.emplace_back(curve.levels.empty() ? observed_values(curve) : observed_levels(curve));
  if (curve.levels.empty()) {
    panel.layers.emplace_back(plot::Rule{"ends of the domain", curve.low, false, 6});
    panel.layers.emplace_back(plot::Rule{"ends of the domain", curve.high, false, 6});
  }
  panel.layers.emplace_back(plot::Rule{"without action, expected", curve_place(curve, curve.expected), false, 1});
  for (const NamedValue& value : explanation.decision) {
    if (value.name == curve.name)
      panel.layers.emplace_back(plot::Rule{"recommended", curve_place(curve, value.value), false, 10});
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
  for (const OutcomeHistogram& histogram : explanation.outcomes) {
    const std::size_t sets = explanation.with_decision ? 2 : 1;
    figure.panel_height = std::max(figure.panel_height, level_panel_height(histogram.levels.size(), sets));
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

// What costs mean, once for all decisions.
void add_cost_words(Page& page, const Wishes& wishes) {
  if (wishes.cost_matters()) page.paragraph(wishes.cost_words());
}

// What the interval is made of, in shares of its variance.
void add_sources(Page& page, const JsonPart& decision) {
  if (!decision.has("uncertainty")) return;
  const JsonPart sources = decision["uncertainty"];
  constexpr std::pair<const char*, const char*> kSources[] = {
      {"draws", "chance of the draws"}, {"rows", "the rows"}, {"order", "the order"}, {"extrapolation", "little data"}};
  double all = 0.0;
  for (const auto& [key, words] : kSources) all += sources[key].finite();
  if (!(all > 0.0)) return;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, words] : kSources) rows.push_back({words, whole_percent(sources[key].finite() / all)});
  page.table({"what the interval is made of", "share of its variance"}, rows);
}

// Success against the strength of something unobserved.
void add_hidden_cause(Page& page, const JsonPart& decision) {
  if (!decision.has("hidden_cause")) return;
  plot::Line success;
  success.label = "with the decision";
  for (const JsonPart& entry : decision["hidden_cause"]["curve"].entries()) {
    const std::vector<double> point = entry.finite_numbers();
    if (point.size() != 2) entry.fail("is not a point");
    success.x.push_back(point[0] * point[0]);
    success.y.push_back(point[1]);
  }
  if (success.x.size() < 2) return;
  plot::Panel panel;
  panel.x.label = "share of the noise of lever and outcome that it explains";
  panel.x.percent = true;
  panel.y.label = "success";
  panel.y.percent = true;
  panel.layers.emplace_back(plot::Rule{"without action", decision["without_action"].finite(), true, 1});
  panel.layers.emplace_back(std::move(success));
  plot::Figure figure = panel_figure("What an unobserved cause would do", {std::move(panel)});
  figure.panel_width = 560.0;
  figure.panel_height = 260.0;
  page.figure(plot::svg_element(figure), "The least success over levers, outcomes and signs.");
}

// Success by the order or graph of every learner that was asked, beside what is claimed.
void add_opinions(Page& page, const JsonPart& decision) {
  if (!decision.has("opinions")) return;
  plot::Panel panel;
  panel.x.percent = true;
  panel.x.low = 0.0;
  plot::Bars acting{"with the decision", {}, 0};
  plot::Bars idle{"without action", {}, 1};
  const auto add = [&](const std::string& name, double success, double without_action) {
    panel.y.names.push_back(name);
    acting.values.push_back(success);
    idle.values.push_back(without_action);
  };
  add("claimed", decision["success_probability"].finite(), decision["without_action"].finite());
  for (const JsonPart& opinion : decision["opinions"].entries())
    add(opinion["learner"].text(), opinion["success"].finite(), opinion["without_action"].finite());
  panel.layers = {std::move(acting), std::move(idle)};
  plot::Figure figure = panel_figure("Other learners", {std::move(panel)});
  figure.panel_width = 560.0;
  page.figure(plot::svg_element(figure),
              "The same decision along the order or graph of other learners, which took no part in choosing it.");
}

// What seeing a variable before later levers are set is worth, and whether to change a lever or to watch it.
void add_looking(Page& page, const JsonPart& looking) {
  plot::Panel worth;
  worth.x.percent = true;
  worth.x.low = 0.0;
  plot::Bars seen{"it is seen", {}, 0};
  plot::Bars unseen{"it is not", {}, 1};
  std::vector<std::string> gains;
  for (const JsonPart& variable : looking["variables"].entries()) {
    worth.y.names.push_back(variable["name"].text());
    seen.values.push_back(variable["seen"].finite());
    unseen.values.push_back(variable["unseen"].finite());
    gains.push_back(fmt::format("{} {:+.3f}", worth.y.names.back(), variable["gain"].finite()));
  }
  plot::Panel choice;
  choice.x.percent = true;
  choice.x.low = 0.0;
  plot::Bars changed{"it is changed", {}, 0};
  plot::Bars watched{"it is left alone and seen", {}, 1};
  for (const JsonPart& lever : looking["levers"].entries()) {
    choice.y.names.push_back(lever["name"].text());
    changed.values.push_back(lever["changed"].finite());
    watched.values.push_back(lever["watched"].finite());
  }
  const auto add = [&page](const char* title, plot::Panel panel, const std::string& caption) {
    plot::Figure figure = panel_figure(title, {std::move(panel)});
    figure.panel_width = 560.0;
    figure.panel_height = std::max(210.0, 60.0 + 34.0 * static_cast<double>(figure.panels.front().y.names.size()));
    page.figure(plot::svg_element(figure), caption);
  };
  if (!gains.empty()) {
    worth.layers = {std::move(seen), std::move(unseen)};
    add("What looking is worth", std::move(worth),
        fmt::format("Success when a variable is seen before later levers are set, and when it is not: {}.",
                    fmt::join(gains, ", ")));
  }
  if (!choice.y.names.empty()) {
    choice.layers = {std::move(changed), std::move(watched)};
    add("Change it or watch it", std::move(choice),
        "The best success when a lever is altered, and when it is left alone and seen before the later levers are "
        "set.");
  }
}

// What there is to say beside the numbers. On a page with one decision the answer has said some of it.
void add_remarks(Page& page, const DecisionSheet& sheet, const Wishes& wishes, bool only_one) {
  const bool answered = only_one && (!sheet.acts || sheet.message_first);
  if (!answered && !sheet.message.empty()) page.paragraph(sheet.message);
  if (sheet.acts && !only_one)
    page.paragraph(fmt::format("Probability of success: {}; without action: {}.", sheet.success, sheet.without_action));
  if (sheet.acts && wishes.cost_matters()) page.paragraph(fmt::format("The decision costs {}.", sheet.cost));
  if (sheet.acts && only_one) add_cost_words(page, wishes);
  // Of a single decision it stands beside the answer.
  if (!only_one) {
    for (const AnswerSentence& sentence : sheet.uncertainty) page.paragraph(sentence.text);
  }
  if (!sheet.bound.empty()) page.paragraph(sheet.bound);
  if (!sheet.unknown.empty()) page.paragraph(sheet.unknown);
}

void add_proposals(Page& page, const DecisionSheet& sheet, const Wishes& wishes) {
  if (sheet.no_other)
    page.paragraph("No other decision was found that differs from this one and is better than nothing.");
  if (sheet.proposals.rows.empty()) return;
  page.subsection("Decisions to choose from");
  page.paragraph("Each differs visibly from the others." + (wishes.cost_matters() ? "" : " " + wishes.cost_words()));
  page.table(sheet.proposals.header, sheet.proposals.rows);
}

void add_decision(Page& page, const JsonPart& decision, const DecisionSheet& sheet, const Wishes& wishes,
                  bool only_one) {
  if (!sheet.observed.empty()) page.paragraph("Observed: " + sheet.observed + ".");
  add_remarks(page, sheet, wishes, only_one);
  page.table(sheet.alterations.header, sheet.alterations.rows);
  if (!sheet.later.empty()) {
    page.subsection("Later steps");
    page.list(sheet.later);
    page.paragraph(
        fmt::format("The probability includes these steps. With everything set at once it is {}.", sheet.at_once));
  }
  page.paragraph("Expected on average, with the range of four in five cases:");
  page.table(sheet.forecasts.header, sheet.forecasts.rows);
  add_proposals(page, sheet, wishes);
  add_sources(page, decision);
  add_hidden_cause(page, decision);
  add_opinions(page, decision);
  if (decision.has("details")) {
    add_details(page, read_explanation(decision["details"]));
  } else {
    page.paragraph("The curves are not in this result: it was made without details.");
  }
}

// One line for each of many decisions.
void add_overview(Page& page, const std::vector<JsonPart>& decisions, const std::vector<DecisionSheet>& sheets,
                  const Wishes& wishes) {
  std::vector<std::string> header = {"observed", "set", "success", "without action"};
  if (wishes.cost_matters()) header.emplace_back("cost");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const DecisionSheet& sheet = sheets[i];
    rows.push_back({fmt::format("{}: {}", i + 1, sheet.observed), sheet.acts ? sheet.set : "nothing", sheet.success,
                    sheet.without_action, sheet.cost});
  }
  page.section("All contexts");
  page.table(header, rows, true);
  add_cost_words(page, wishes);
}

}  // namespace

std::string answer_text(const JsonPart& result, const Task& task) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  if (decisions.size() != 1)
    return fmt::format("{} contexts were decided; the table below has all of them.", decisions.size());
  const std::vector<NamedColumn> columns = columns_of(result);
  const DecisionSheet sheet = decision_sheet(decisions.front(), columns, task.group);
  const std::string desired = desired_text(task, columns);
  if (!sheet.acts)
    return fmt::format("{} Without action {} has probability {}{}.", sheet.message, desired, sheet.without_action,
                       sheet.idle_by);
  const std::string now = sheet.set.empty() ? "Set nothing now" : "Set " + sheet.set;
  return fmt::format("{}{}{}: then {} has probability {}, instead of {} without action.",
                     sheet.message_first ? sheet.message + " " : "", now,
                     sheet.later.empty() ? "" : ", and follow the rules of the later steps", desired, sheet.success,
                     sheet.without_action);
}

std::string explanation_answer(const JsonPart& result) {
  const std::vector<JsonPart> entries = result["explanations"].entries();
  if (entries.size() != 1) return fmt::format("{} contexts are explained, one after the other.", entries.size());
  const Explanation explanation = read_explanation(entries.front());
  std::string idle = fmt::format("Without action success has probability {}.",
                                 success_text(explanation.without_action, explanation.without_action_interval));
  if (explanation.alone.empty()) return idle;
  const SuccessCurve& best = explanation.curves[explanation.alone.front()];
  if (best.best_success <= explanation.without_action) return idle + " No variable alone makes it more.";
  std::string value = short_number(best.best_value);
  for (std::size_t i = 0; i < best.levels.size(); ++i) {
    if (best.values[i] == best.best_value) value = best.levels[i];
  }
  return fmt::format("{} Setting {} alone to {} makes it {}, more than any other variable by itself.", idle, best.name,
                     value, success_text(best.best_success, best.best_interval));
}

void add_decisions(Page& page, const JsonPart& result, const Task& task) {
  const std::vector<JsonPart> decisions = result["decisions"].entries();
  const Wishes wishes = wishes_of(result, task);
  const std::vector<NamedColumn> columns = columns_of(result);
  std::vector<DecisionSheet> sheets;
  sheets.reserve(decisions.size());
  for (const JsonPart& decision : decisions) sheets.push_back(decision_sheet(decision, columns, task.group));
  if (decisions.size() > 1) add_overview(page, decisions, sheets, wishes);
  for (std::size_t i = 0; i < std::min(kMostInFull, decisions.size()); ++i) {
    page.section(decisions.size() == 1 ? "The decision" : fmt::format("Context {}", i + 1));
    add_decision(page, decisions[i], sheets[i], wishes, decisions.size() == 1);
  }
  if (decisions.size() > kMostInFull)
    page.paragraph(fmt::format("The page shows the first {} contexts in full.", kMostInFull));
}

void add_explanations(Page& page, const JsonPart& result) {
  const std::vector<NamedColumn> columns = columns_of(result);
  const std::vector<JsonPart> entries = result["explanations"].entries();
  for (std::size_t i = 0; i < std::min(kMostInFull, entries.size()); ++i) {
    const Explanation explanation = read_explanation(entries[i]);
    page.section(entries.size() == 1 ? "What each variable can do" : fmt::format("Context {}", i + 1));
    if (!explanation.context.empty())
      page.paragraph("Observed: " + observed_values(entries[i]["context"], columns) + ".");
    if (entries.size() > 1)
      page.paragraph(fmt::format("Without action success has probability {}.",
                                 success_text(explanation.without_action, explanation.without_action_interval)));
    plot::Figure ranking = panel_figure("Success at their best", {ranking_panel(explanation)});
    ranking.panel_width = 560.0;
    ranking.panels.front().title.clear();
    page.figure(plot::svg_element(ranking), "Each variable alone, and in the best of its pairs.");
    if (entries[i].has("looking")) add_looking(page, entries[i]["looking"]);
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

}  // namespace olem::internal
