#include "serve/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/column_words.h"
#include "report/csv_cells.h"
#include "report/explain_figure.h"
#include "report/layout.h"
#include "report/page_parts.h"
#include "report/svg.h"
#include "report/uncertainty_words.h"
#include "serve/forecast_json.h"

namespace olem::internal {

namespace {

constexpr std::size_t kStyleWithoutAction = 6;  // grey and dashed, as in the other figures
constexpr double kPageWidth = 720.0;

// Draw by draw: the draws are the same, so that what they have in common does not count.
void find_error(Comparison::Row& row, const std::vector<unsigned char>& own, const std::vector<unsigned char>& best) {
  const std::size_t count = std::min(own.size(), best.size());
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(best[i]) - static_cast<double>(own[i]);
    sum += difference;
    squares += difference * difference;
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  row.standard_error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
}

plot::Figure overlaid_figure(const Comparison& comparison, std::size_t outcome, double width) {
  const OverlaidHistogram& histogram = comparison.histograms[outcome];
  plot::Figure figure;
  figure.title = "Where " + histogram.name + " ends up";
  figure.panel_width = width;
  figure.panel_height = std::clamp(0.42 * width, 190.0, 320.0);
  plot::Panel& panel = figure.panels.emplace_back();
  panel.x.label = histogram.name;
  panel.y.ticks = false;
  const Region& desired = comparison.rows.front().request.desired;
  const std::size_t count = comparison.rows.size();
  const auto style = [](std::size_t i) { return i < kStyleWithoutAction ? i : i + 1; };
  if (!histogram.levels.empty()) {
    name_levels(panel, histogram.levels, comparison.same_desired ? histogram.wanted : std::vector<std::string>());
    figure.panel_height = level_panel_height(histogram.levels.size(), histogram.counts.size());
    for (std::size_t i = 0; i < count; ++i)
      panel.layers.emplace_back(level_bars(comparison.rows[i].name, histogram.counts[i], style(i)));
    if (histogram.counts.size() > count)
      panel.layers.emplace_back(level_bars("without action", histogram.counts[count], kStyleWithoutAction));
    return figure;
  }
  if (comparison.same_desired && outcome < desired.ranges().size() && !desired.ranges()[outcome].is_list()) {
    const OutcomeRange& range = desired.ranges()[outcome];
    if (range.low || range.high) panel.layers.emplace_back(wanted_shade(range.low, range.high, histogram.whole));
  }
  std::vector<double> middles;
  for (std::size_t i = 0; i + 1 < histogram.edges.size(); ++i)
    middles.push_back(0.5 * (histogram.edges[i] + histogram.edges[i + 1]));
  const auto add = [&](const std::string& label, std::size_t place, std::size_t own_style) {
    const std::vector<std::size_t>& counts = histogram.counts[place];
    panel.layers.push_back(plot::Line{label, middles, {counts.begin(), counts.end()}, {}, {}, own_style});
  };
  if (histogram.counts.size() > count) add("without action", count, kStyleWithoutAction);
  for (std::size_t i = 0; i < count; ++i) add(comparison.rows[i].name, i, style(i));
  return figure;
}

const NamedValue* value_of(const std::vector<NamedValue>& values, const std::string& name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const NamedValue& value) { return value.name == name; });
  return found == values.end() ? nullptr : &*found;
}

// As on the page: what members tell is not known finer than in whole percents.
struct ComparisonWords {
  bool with_members = false;

  std::string share(double value) const { return with_members ? whole_percent(value) : percent_text(value); }

  std::string success(const Comparison::Row& row) const {
    return fmt::format("{} ({} to {})", share(row.success), share(row.interval.low), share(row.interval.high));
  }

  std::string verdict(const Comparison::Row& row) const {
    if (row.best) return "best";
    const std::string distance = fmt::format("{:.{}f} points behind", 100.0 * row.behind, with_members ? 0 : 1);
    return row.as_good() ? distance + ", which may be chance" : distance;
  }

  std::string forecast(const OutcomeForecast& outcome, const Column& column) const {
    if (outcome.levels.empty()) {
      return fmt::format("{} ({} to {})", with_unit(column, short_number(outcome.mean)), short_number(outcome.low),
                         short_number(outcome.high));
    }
    std::vector<std::string> parts;
    for (const NamedValue& level : outcome.levels)
      parts.push_back(fmt::format("{} {}", level.name, share(level.value)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

}  // namespace

Comparison compare_rehearsals(Rehearser& rehearser, const RehearsalModel& model, const CompareRequest& request,
                              const ClaimFunction& claim, const PlanFunction& plan) {
  Comparison comparison;
  std::vector<RehearsalDraws> draws(request.scenarios.size());
  for (std::size_t i = 0; i < request.scenarios.size(); ++i) {
    const CompareRequest::Scenario& scenario = request.scenarios[i];
    Comparison::Row& row = comparison.rows.emplace_back();
    row.name = scenario.name;
    row.request = scenario.rehearsal;
    row.rehearsal = rehearser.rehearse(scenario.rehearsal, &draws[i]);
    row.success = row.rehearsal.success;
    row.interval = row.rehearsal.interval;
    row.without_action = row.rehearsal.without_action;
    if (const std::optional<SuccessClaim> said = claim(scenario.rehearsal)) {
      row.success = said->success;
      row.interval = {said->low, said->high};
      RehearseRequest idle = scenario.rehearsal;
      idle.alterations.clear();
      row.without_action = claim(idle)->success;
    }
    if (const std::optional<SuccessClaim> said = plan(scenario)) {
      row.success = said->success;
      row.interval = {said->low, said->high};
      row.in_steps = true;
    }
    const RehearseRequest& first = request.scenarios.front().rehearsal;
    // Unknown values are not equal to themselves.
    comparison.same_context = comparison.same_context &&
                              std::equal(first.context.begin(), first.context.end(), scenario.rehearsal.context.begin(),
                                         [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
    comparison.same_context = comparison.same_context && scenario.rehearsal.group == first.group;
    comparison.same_desired = comparison.same_desired && to_json(scenario.rehearsal.desired) == to_json(first.desired);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < comparison.rows.size(); ++i) {
    const Comparison::Row& own = comparison.rows[i];
    const Comparison::Row& leader = comparison.rows[best];
    const bool cheaper = own.rehearsal.cost < leader.rehearsal.cost;
    if (own.success > leader.success || (own.success == leader.success && cheaper)) best = i;
  }
  comparison.rows[best].best = true;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    comparison.rows[i].behind = comparison.rows[best].success - comparison.rows[i].success;
    find_error(comparison.rows[i], draws[i].inside, draws[best].inside);
  }
  std::vector<const OutcomeDraws*> overlaid;
  for (const RehearsalDraws& one : draws) overlaid.push_back(&one.with);
  if (comparison.same_context) overlaid.push_back(&draws.front().without);
  comparison.histograms = overlaid_histograms(overlaid, request.scenarios.front().rehearsal.desired, *model.samplers);
  return comparison;
}

Json comparison_json(const Comparison& comparison, double width) {
  Json json;
  json["rows"] = Json::array();
  for (const Comparison::Row& row : comparison.rows) {
    const Rehearsal& rehearsal = row.rehearsal;
    json["rows"].push_back({{"name", row.name},
                            {"success_probability", row.success},
                            {"interval", {row.interval.low, row.interval.high}},
                            {"without_action", row.without_action},
                            {"cost", rehearsal.cost},
                            {"outcomes", forecasts_json(rehearsal.outcomes)},
                            {"best", row.best},
                            {"as_good", row.as_good()},
                            {"behind", row.behind},
                            {"standard_error", row.standard_error},
                            {"in_steps", row.in_steps}});
  }
  json["same_context"] = comparison.same_context;
  json["same_desired"] = comparison.same_desired;
  json["svg"] = Json::object();
  for (std::size_t k = 0; k < comparison.histograms.size(); ++k)
    json["svg"][comparison.histograms[k].name] = plot::svg_element(overlaid_figure(comparison, k, width));
  return json;
}

std::string comparison_csv(const Comparison& comparison, const RehearsalModel& model) {
  const Task& task = model.task;
  std::vector<std::string> cells = {"scenario"};
  if (!model.groups.empty()) cells.push_back(csv_text(task.group));
  for (const std::string& name : task.context) cells.push_back(csv_text(name));
  for (const LeverDomain& lever : task.alterable) cells.push_back(csv_text(lever.name));
  for (const char* const name : {"success_probability", "low", "high", "without_action", "cost", "best"})
    cells.emplace_back(name);
  for (const OutcomeForecast& outcome : comparison.rows.front().rehearsal.outcomes) {
    if (outcome.levels.empty()) cells.push_back(csv_text("mean " + outcome.name));
    for (const NamedValue& level : outcome.levels)
      cells.push_back(csv_text(fmt::format("share {} = {}", outcome.name, level.name)));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const Comparison::Row& row : comparison.rows) {
    const Rehearsal& rehearsal = row.rehearsal;
    cells = {csv_text(row.name)};
    if (!model.groups.empty()) cells.push_back(csv_text(row.request.group));
    for (std::size_t j = 0; j < task.context.size(); ++j) {
      const double value = row.request.context[j];
      cells.push_back(std::isnan(value) ? "" : csv_value(about_column(model.columns, task.context[j]), value));
    }
    for (const LeverDomain& lever : task.alterable) {
      const NamedValue* const set = value_of(row.request.alterations, lever.name);
      cells.push_back(set == nullptr ? "" : csv_value(about_column(model.columns, lever.name), set->value));
    }
    for (const double value : {row.success, row.interval.low, row.interval.high, row.without_action, rehearsal.cost})
      cells.push_back(fmt::format("{}", value));
    cells.emplace_back(row.best ? "best" : "");
    for (const OutcomeForecast& outcome : rehearsal.outcomes) {
      if (outcome.levels.empty()) cells.push_back(fmt::format("{}", outcome.mean));
      for (const NamedValue& level : outcome.levels) cells.push_back(fmt::format("{}", level.value));
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string comparison_page(const Comparison& comparison, const RehearsalModel& model) {
  const Task& task = model.task;
  const auto best =
      std::find_if(comparison.rows.begin(), comparison.rows.end(), [](const Comparison::Row& row) { return row.best; });
  Task wanted = task;
  wanted.desired = best->request.desired;
  const ComparisonWords words{model.members != nullptr};
  Page page(fmt::format("Which of {} scenarios is best to have {}?", comparison.rows.size(),
                        desired_text(wanted, model.columns)),
            fmt::format("{}: probability of success {}, without action {}.", best->name, words.success(*best),
                        words.share(best->without_action)));
  if (model.data) page.paragraph(data_sentence(model.data->file, fmt::format("{}", model.data->rows)));
  page.paragraph(model.members ? "All numbers come from the same draws. The range behind a probability (95 %) covers "
                                 "the chance of the draws, "
                                 "the rows, the order and how far a decision leads from the data."
                               : "All numbers come from the same draws. The range behind a probability covers the "
                                 "chance of the draws (95 %), "
                                 "not errors of the models.");
  page.section("Side by side");
  std::vector<std::string> header = {""};
  for (const Comparison::Row& row : comparison.rows) header.push_back(row.name);
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& title, const auto& cell) {
    std::vector<std::string>& cells = rows.emplace_back(1, title);
    for (const Comparison::Row& row : comparison.rows) cells.push_back(cell(row));
  };
  add("probability of success", [&](const Comparison::Row& row) { return words.success(row); });
  add("verdict", [&](const Comparison::Row& row) { return words.verdict(row); });
  add("without action", [&](const Comparison::Row& row) { return words.share(row.without_action); });
  add("cost", [](const Comparison::Row& row) { return short_number(row.rehearsal.cost); });
  if (!task.sequence.empty())
    add("later steps",
        [](const Comparison::Row& row) { return row.in_steps ? "by the rules of the plan" : "without rules"; });
  for (const LeverDomain& lever : task.alterable) {
    const Column& column = about_column(model.columns, lever.name);
    add("set " + with_label(column, lever.name), [&](const Comparison::Row& row) -> std::string {
      const NamedValue* const set = value_of(row.request.alterations, lever.name);
      return set == nullptr ? "leave alone" : number_words(column, set->value);
    });
  }
  if (!model.groups.empty()) {
    add(task.group,
        [](const Comparison::Row& row) { return row.request.group.empty() ? "a new one" : row.request.group; });
  }
  for (std::size_t j = 0; j < task.context.size(); ++j) {
    const Column& column = about_column(model.columns, task.context[j]);
    add("observed " + with_label(column, task.context[j]), [&](const Comparison::Row& row) -> std::string {
      const double value = row.request.context[j];
      return std::isnan(value) ? "not known" : number_words(column, value);
    });
  }
  for (std::size_t k = 0; k < task.outcome.size(); ++k) {
    const Column& column = about_column(model.columns, task.outcome[k]);
    add("expected " + with_label(column, task.outcome[k]),
        [&](const Comparison::Row& row) { return words.forecast(row.rehearsal.outcomes[k], column); });
  }
  page.table(header, rows);
  Wishes wishes;
  wishes.weighted = !task.cost.empty();
  wishes.forms = !task.cost_forms.empty();
  page.paragraph(wishes.cost_words() + " Expected is the mean, with the range of four in five cases.");
  page.section("Where the outcome ends up");
  for (std::size_t k = 0; k < comparison.histograms.size(); ++k)
    page.figure(plot::svg_element(overlaid_figure(comparison, k, kPageWidth)),
                comparison.same_context ? "Draws from the models, with each scenario and without action."
                                        : "Draws from the models; the scenarios have different contexts.");
  std::vector<std::string> doubts;
  const auto add_warnings = [&](const std::vector<Warning>& warnings) {
    for (const Warning& warning : warnings) {
      const std::string text = warning_text(warning, advice_spelling());
      if (std::find(doubts.begin(), doubts.end(), text) == doubts.end()) doubts.push_back(text);
    }
  };
  add_warnings(model.summary.warnings);
  for (const Comparison::Row& row : comparison.rows) add_warnings(row.rehearsal.warnings);
  page.section("Uncertainty");
  if (doubts.empty()) {
    page.paragraph("There were no warnings.");
  } else {
    page.list(doubts);
  }
  return page.finish();
}

}  // namespace olem::internal
