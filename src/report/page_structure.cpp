#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "olem/order_result.h"
#include "report/arc_diagram.h"
#include "report/layout.h"
#include "report/page_parts.h"
#include "report/svg.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostArcs = 400;         // beyond them a picture of a graph is a blot
constexpr std::size_t kNamesInMatrix = 60;     // the same for a matrix of pairs
constexpr std::size_t kMostTests = 60;         // rows of a table that somebody may read
constexpr std::size_t kMostCalibrations = 12;  // panels
constexpr double kFewestForecasts = 10.0;      // of a point in a reliability diagram
constexpr std::size_t kEdgesInAnswer = 12;
constexpr double kWhisker = 2.0;  // standard errors

// What one variable can be in a task.
enum class Stage { kContext, kMiddle, kOutcome };

struct TaskRole {
  Stage stage = Stage::kMiddle;
  bool alterable = false;
};

TaskRole role_of(const std::string& name, const Task& task) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (among(task.context)) return {Stage::kContext, false};
  if (among(task.outcome)) return {Stage::kOutcome, false};
  return {Stage::kMiddle, std::any_of(task.alterable.begin(), task.alterable.end(),
                                      [&](const LeverDomain& range) { return range.name == name; })};
}

std::string stage_name(Stage stage) {
  switch (stage) {
    case Stage::kContext: return "observed before the decision";
    case Stage::kOutcome: return "outcome";
    default: return "in between; what can be altered has a thick border";
  }
}

// With three digits; nothing for a number that does not exist.
std::string digits(double value) { return std::isnan(value) ? "" : fmt::format("{:.3g}", value); }

struct StepEntry {
  std::string sink;
  std::string runner_up;
  std::optional<double> gap;
  std::optional<double> standard_error;
  bool decided = true;
  bool forced = false;
  std::optional<DecidedBy> decided_by;  // of olem+
};

std::vector<StepEntry> read_steps(const JsonPart& result) {
  std::vector<StepEntry> steps;
  if (!result.has("steps")) return steps;
  for (const JsonPart& entry : result["steps"].entries()) {
    StepEntry step;
    step.sink = entry["sink"].text();
    if (entry.has("runner_up") && entry["runner_up"].json().is_string()) step.runner_up = entry["runner_up"].text();
    if (entry.has("gap")) step.gap = entry["gap"].optional_number();
    if (entry.has("gap_standard_error")) step.standard_error = entry["gap_standard_error"].optional_number();
    if (entry.has("decided")) step.decided = entry["decided"].flag();
    if (entry.has("forced")) step.forced = entry["forced"].flag();
    if (entry.has("decided_by")) step.decided_by = decided_by_name(entry["decided_by"].text());
    steps.push_back(std::move(step));
  }
  return steps;
}

// What is said under a name in the chain.
std::string step_text(const StepEntry& step) {
  if (step.forced) return "by knowledge";
  if (step.runner_up.empty() || !step.gap) return "";
  if (step.decided_by == DecidedBy::kScale) return fmt::format("after {} by scale only", step.runner_up);
  if (!step.decided) return fmt::format("not decided against {}", step.runner_up);
  return fmt::format("{:.3g}{} after {}{}", *step.gap,
                     step.standard_error ? fmt::format(" ± {:.2g}", *step.standard_error) : "", step.runner_up,
                     step.decided_by == DecidedBy::kShape ? ", decided by shape" : "");
}

std::string chain_entry(const std::string& name, std::size_t rank, const TaskRole& role, const StepEntry* step) {
  const bool open = step != nullptr && !step->decided && !step->forced;
  std::string classes = role.alterable ? "alterable" : "";
  if (open) classes += classes.empty() ? "open" : " open";
  const std::string words = step == nullptr ? "" : step_text(*step);
  return fmt::format("<li{}><i>{}</i><b>{}</b>{}</li>", classes.empty() ? "" : fmt::format(" class=\"{}\"", classes),
                     rank, plot::escape(name),
                     words.empty() ? "" : fmt::format("<small>{}</small>", plot::escape(words)));
}

plot::Figure gap_figure(const std::vector<std::string>& order, const std::map<std::string, const StepEntry*>& by_name) {
  plot::Panel panel;
  const bool by_shape = std::any_of(by_name.begin(), by_name.end(),
                                    [](const auto& entry) { return entry.second->decided_by.has_value(); });
  plot::Bars decided{by_shape ? "decided by shape" : "decided", {}, 0, false, false};
  plot::Bars open{by_shape ? "by scale only or not decided" : "not decided", {}, 1, false, false};
  std::vector<plot::Line> whiskers;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto found = by_name.find(order[i]);
    if (found == by_name.end() || !found->second->gap) continue;
    const StepEntry& step = *found->second;
    const auto place = static_cast<double>(panel.y.names.size());
    panel.y.names.push_back(order[i]);
    decided.values.push_back(step.decided ? *step.gap : std::nan(""));
    open.values.push_back(step.decided ? std::nan("") : *step.gap);
    if (!step.standard_error) continue;
    const double half = kWhisker * *step.standard_error;
    whiskers.push_back(plot::Line{
        "two standard errors", {std::max(0.0, *step.gap - half), *step.gap + half}, {place, place}, {}, {}, 10});
  }
  panel.x.label = by_shape ? "rise of the score when swapped with the one before" : "ahead of the next best";
  panel.x.low = 0.0;
  panel.layers = {decided, open};
  for (plot::Line& whisker : whiskers) panel.layers.emplace_back(std::move(whisker));
  plot::Figure figure;
  figure.title =
      by_shape ? "By how much each variable comes after the one before it" : "By how much each variable was last";
  figure.panel_width = 560.0;
  figure.panel_height = 60.0 + 24.0 * static_cast<double>(panel.y.names.size());
  figure.panels = {std::move(panel)};
  return figure;
}

plot::EdgeEnd end_of(char symbol) {
  return symbol == '>' || symbol == '<' ? plot::EdgeEnd::kArrow
         : symbol == 'o'                ? plot::EdgeEnd::kCircle
                                        : plot::EdgeEnd::kTail;
}

class ArcReader {
 public:
  explicit ArcReader(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) places_[names[i]] = i;
  }

  void read(const JsonPart& result, const char* key, plot::EdgeEnd at_from, plot::EdgeEnd at_to) {
    if (!result.has(key)) return;
    for (const JsonPart& entry : result[key].entries()) {
      const std::vector<std::string> words = entry.texts();
      const bool marked = words.size() == 3 && words[1].size() >= 2;
      if (words.size() != 2 && !marked) entry.fail("is not an edge");
      add(entry, words.front(), words.back(), marked ? end_of(words[1].front()) : at_from,
          marked ? end_of(words[1].back()) : at_to);
    }
  }

  std::vector<plot::Arc> arcs;

 private:
  void add(const JsonPart& entry, const std::string& from, const std::string& to, plot::EdgeEnd at_from,
           plot::EdgeEnd at_to) {
    const auto first = places_.find(from);
    const auto second = places_.find(to);
    if (first == places_.end() || second == places_.end()) entry.fail("names something that is no node");
    arcs.push_back({first->second, second->second, at_from, at_to});
  }

  std::map<std::string, std::size_t> places_;
};

void add_tests(Page& page, const JsonPart& result) {
  if (!result.has("candidates")) return;
  std::vector<std::pair<double, std::vector<std::string>>> tests;
  for (const JsonPart& entry : result["candidates"].entries()) {
    const double p = entry["p_value"].number();
    tests.push_back({std::isnan(p) ? 2.0 : p,
                     {entry["from"].text() + " → " + entry["to"].text(), p == 0.0 ? "below 1e-300" : digits(p),
                      digits(entry["edf"].number()), entry["kept"].flag() ? "kept" : ""}});
  }
  std::stable_sort(tests.begin(), tests.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(kMostTests, tests.size()); ++i) rows.push_back(tests[i].second);
  page.subsection("Tests of the edges, the surest first");
  page.table({"edge", "p-value", "degrees of freedom", ""}, rows);
  if (tests.size() > rows.size())
    page.paragraph(fmt::format("{} more are in the result file.", tests.size() - rows.size()));
}

// ", by CAM pruning of the order", ", as given", or nothing where it is not known.
std::string rule_text(const JsonPart& graph) {
  if (!graph.has("rule")) return "";
  const std::string rule = graph["rule"].text();
  return fmt::format(", {}{}", rule == "as given" ? "" : "by ", rule);
}

// How much was missing, and how far what was learned from the completed tables differs.
std::string imputed_sentence(const JsonPart& result) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  const JsonPart missing = result["missing"];
  GapSummary gaps;
  gaps.imputations = missing["imputations"].count(kMost);
  gaps.rows = missing["rows"].count(kMost);
  gaps.incomplete_rows = missing["incomplete_rows"].count(kMost);
  for (const auto& [name, count] : missing["columns"].members()) gaps.columns.push_back({name, count.count(kMost)});
  std::optional<Agreement> agreement;
  if (result.has("agreement")) {
    agreement.emplace();
    agreement->pairs = result["agreement"]["pairs"].count(kMost);
    for (const JsonPart& entry : result["agreement"]["differing"].entries())
      agreement->differing.push_back(entry.count(kMost));
  }
  return gaps_sentence(gaps, agreement, result.has("graph") ? "graphs" : "orders");
}

}  // namespace

void add_order(Page& page, const JsonPart& result, const Task* task) {
  if (!result.has("order")) return;
  const std::vector<std::string> order = result["order"].texts();
  const std::vector<StepEntry> steps = read_steps(result);
  std::map<std::string, const StepEntry*> by_name;
  for (const StepEntry& step : steps) by_name[step.sink] = &step;
  page.section("The order");
  page.paragraph(
      "A variable may depend on any of those before it and on none after it. The numbers are ranks, not a "
      "chain of causes: neighbours need not influence each other.");

  std::string html = "<div class=\"bands\">\n";
  std::optional<Stage> current;
  std::size_t rank = 0;
  for (const std::string& name : order) {
    const TaskRole role = task == nullptr ? TaskRole{} : role_of(name, *task);
    if (!current || *current != role.stage) {
      if (current) html += "</ol></div>\n";
      html += fmt::format("<div class=\"band\">{}<ol class=\"chain\">",
                          task == nullptr ? "" : fmt::format("<h3>{}</h3>", stage_name(role.stage)));
      current = role.stage;
    }
    const auto found = by_name.find(name);
    html += chain_entry(name, ++rank, role, found == by_name.end() ? nullptr : found->second);
  }
  page.markup(html + (order.empty() ? "</div>\n" : "</ol></div>\n</div>\n"));
  if (result.has("levers") && result["levers"]["first"].flag()) {
    const std::string assumed = levers_sentence(result["levers"]["following"].texts());
    if (!assumed.empty()) page.paragraph(assumed);
  }
  if (result.has("missing")) page.paragraph(imputed_sentence(result));

  const auto by_scale =
      std::count_if(steps.begin(), steps.end(), [](const StepEntry& s) { return s.decided_by == DecidedBy::kScale; });
  if (by_scale > 0) {
    page.paragraph(
        fmt::format("{} of {} steps {} decided by scale only (dashed): {} if the units of the columns are comparable.",
                    by_scale, steps.size(), by_scale == 1 ? "is" : "are", by_scale == 1 ? "it holds" : "they hold"));
  }
  const auto open = std::count_if(steps.begin(), steps.end(), [](const StepEntry& s) {
    return !s.decided && !s.forced && s.decided_by != DecidedBy::kScale;
  });
  if (open > 0) {
    page.paragraph(
        fmt::format("{} of {} steps {} not decided by the data (dashed): the two variables may stand the "
                    "other way round.",
                    open, steps.size(), open == 1 ? "is" : "are"));
  }
  if (std::any_of(steps.begin(), steps.end(), [](const StepEntry& step) { return step.gap.has_value(); })) {
    const bool neighbours =
        std::any_of(steps.begin(), steps.end(), [](const StepEntry& step) { return step.decided_by.has_value(); });
    page.figure(plot::svg_element(gap_figure(order, by_name)),
                neighbours
                    ? "Each bar says by how much the score of the order (nats per row) rises when the variable is "
                      "swapped with the one before it."
                    : "The order is found from its end. Each bar says by how much the variable was ahead of the next "
                      "best candidate for the last place among those left.");
  }
}

void add_stability(Page& page, const JsonPart& result) {
  if (!result.has("before") || !result.has("consensus")) return;
  const std::vector<std::string> names = result["names"].texts();
  const std::vector<std::string> consensus = result["consensus"].texts();
  page.section("Stability");
  page.paragraph(fmt::format("On {} half-samples of the rows the order by mean position is {}.",
                             result["repetitions"].json().dump(), fmt::join(consensus, " > ")));
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places[names[i]] = i;
  const std::vector<JsonPart> rows = result["before"].entries();
  if (rows.size() != names.size()) result["before"].fail("does not have one row for each name");
  if (consensus.size() > kNamesInMatrix) return;
  plot::HeatMap map{"the row before the column", {}, {}, {}, 0.0, 1.0, true};
  for (std::size_t i = 0; i <= consensus.size(); ++i) {
    map.x_edges.push_back(static_cast<double>(i) - 0.5);
    map.y_edges.push_back(static_cast<double>(i) - 0.5);
  }
  for (const std::string& before : consensus) {
    const auto row = places.find(before);
    if (row == places.end()) result["consensus"].fail("has a name that is not among the names");
    const std::vector<double> shares = rows[row->second].finite_numbers();
    if (shares.size() != names.size()) rows[row->second].fail("does not have one share for each name");
    for (const std::string& after : consensus) {
      const auto column = places.find(after);
      if (column == places.end()) result["consensus"].fail("has a name that is not among the names");
      map.values.push_back(before == after ? std::nan("") : shares[column->second]);
    }
  }
  plot::Figure figure;
  figure.title = "How often each comes before each";
  figure.panel_width = 200.0 + 26.0 * static_cast<double>(consensus.size());
  figure.panel_height = 120.0 + 22.0 * static_cast<double>(consensus.size());
  plot::Panel panel;
  panel.x.names = panel.y.names = consensus;
  panel.layers = {std::move(map)};
  figure.panels = {std::move(panel)};
  page.figure(
      plot::svg_element(figure),
      "The share of half-samples in which the variable of the row came before that of the column. All light above the "
      "diagonal: the order is stable.");
}

void add_graph(Page& page, const JsonPart& result, const Task* task) {
  const bool learned = result.has("nodes");
  if (!learned && !result.has("graph")) return;
  const JsonPart graph = learned ? result : result["graph"];
  plot::ArcDiagram diagram;
  diagram.title = "The graph";
  diagram.names = result[result.has("order") ? "order" : "nodes"].texts();
  for (const std::string& name : diagram.names)
    diagram.rings.push_back(task != nullptr && role_of(name, *task).alterable);
  ArcReader reader(diagram.names);
  reader.read(graph, "edges", plot::EdgeEnd::kTail, plot::EdgeEnd::kArrow);
  reader.read(graph, "undirected", plot::EdgeEnd::kTail, plot::EdgeEnd::kTail);
  reader.read(graph, "marks", plot::EdgeEnd::kCircle, plot::EdgeEnd::kCircle);
  diagram.arcs = std::move(reader.arcs);
  page.section("The graph");
  page.paragraph(
      fmt::format("{} variables, {} edges{}.{}", diagram.names.size(), diagram.arcs.size(), rule_text(graph),
                  learned ? "" : " Each variable was modelled by those with an arrow to it, and by no others."));
  if (diagram.arcs.size() <= kMostArcs) {
    page.figure(plot::svg_element(diagram),
                learned
                    ? "An arrow points from a cause to its effect; a line without heads has no known direction, and "
                      "a small circle stands for an end that may be either."
                    : "An arrow points from a cause to its effect. What can be altered is a ring.");
  }
  add_tests(page, result);
}

std::string graph_answer(const JsonPart& result) {
  std::vector<std::string> edges;
  const auto read = [&](const char* key, const char* sign) {
    if (!result.has(key)) return;
    for (const JsonPart& entry : result[key].entries()) {
      const std::vector<std::string> words = entry.texts();
      if (words.size() < 2) entry.fail("is not an edge");
      edges.push_back(fmt::format("{} {} {}", words.front(), words.size() == 3 ? words[1] : sign, words.back()));
    }
  };
  read("edges", "→");
  read("undirected", "–");
  read("marks", "");
  if (edges.empty()) return "By these data none of them influences another.";
  if (edges.size() > kEdgesInAnswer)
    return fmt::format("{} edges were found; the picture has all of them.", edges.size());
  return fmt::format("{}.", fmt::join(edges, ", "));
}

namespace {

// Of discrete variables: how often the levels came that were forecast with a probability.
void add_reliability(Page& page, const JsonPart& calibration) {
  plot::Figure figure;
  figure.title = "Forecast probabilities of levels, and how often the levels came";
  figure.columns = 4;
  figure.panel_width = 230.0;
  figure.panel_height = 200.0;
  for (const auto& [name, entry] : calibration["variables"].members()) {
    if (!entry.has("reliability") || figure.panels.size() == kMostCalibrations) continue;
    plot::Line line;
    line.label = "held-out rows";
    line.markers = true;
    for (const JsonPart& bin : entry["reliability"].entries()) {
      if (bin["forecasts"].number() < kFewestForecasts) continue;
      line.x.push_back(bin["probability"].number());
      line.y.push_back(bin["share"].number());
    }
    if (line.x.empty()) continue;
    plot::Panel panel;
    panel.title = name;
    for (plot::Axis* const axis : {&panel.x, &panel.y}) {
      axis->low = 0.0;
      axis->high = 1.0;
      axis->percent = true;
    }
    plot::Line right;
    right.label = "as it should be";
    right.x = {0.0, 1.0};
    right.y = {0.0, 1.0};
    right.style = 6;
    panel.layers = {std::move(right), std::move(line)};
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return;
  page.figure(plot::svg_element(figure),
              "Below the diagonal levels came less often than forecast, above it more often. Tenths with fewer than 10 "
              "forecasts are left out.");
}

// Of the rows nearest to each decision.
void add_near_calibration(Page& page, const JsonPart& result) {
  if (!result.has("decisions")) return;
  const auto decisions = result["decisions"].entries();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < decisions.size() && i < kMostCalibrations; ++i) {
    if (!decisions[i].has("calibration_near")) continue;
    const JsonPart near = decisions[i]["calibration_near"];
    for (const auto& [name, entry] : near["variables"].members()) {
      std::vector<std::string> row = {decisions.size() == 1 ? name : fmt::format("{}, context {}", name, i + 1),
                                      fmt::format("{}", near["rows"].number())};
      for (const char* const level : {"50", "80", "90"}) row.push_back(percent_text(entry["coverage"][level].number()));
      rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) return;
  page.paragraph("The same for the fifth of the held-out rows that are nearest to what is observed and recommended:");
  page.table({"variable", "rows", "in the 50 % interval", "in the 80 % interval", "in the 90 % interval"}, rows);
}

}  // namespace

void add_calibration(Page& page, const JsonPart& result) {
  if (!result.has("calibration")) return;
  const JsonPart calibration = result["calibration"];
  page.section("How well the models forecast");
  page.paragraph(calibration["message"].text());
  const auto variables = calibration["variables"].members();
  if (variables.empty()) return;
  std::vector<std::vector<std::string>> rows;
  plot::Figure figure;
  figure.title = "Where held-out values fell in their forecasts";
  figure.columns = 4;
  figure.panel_width = 230.0;
  figure.panel_height = 150.0;
  for (const auto& [name, entry] : variables) {
    std::vector<std::string> row = {name, digits(entry["crps"].number()), digits(entry["linear_crps"].number())};
    for (const char* const level : {"50", "80", "90"}) row.push_back(percent_text(entry["coverage"][level].number()));
    rows.push_back(std::move(row));
    const std::vector<double> pit = entry["pit"].finite_numbers();
    if (figure.panels.size() == kMostCalibrations || pit.empty()) continue;
    plot::Panel panel;
    panel.title = name;
    panel.y.ticks = false;
    panel.x.percent = true;
    plot::Histogram histogram{"held-out rows", {}, pit, 0};
    double sum = 0.0;
    for (const double count : pit) sum += count;
    for (std::size_t i = 0; i <= pit.size(); ++i)
      histogram.edges.push_back(static_cast<double>(i) / static_cast<double>(pit.size()));
    panel.layers = {std::move(histogram),
                    plot::Rule{"as it should be", sum / static_cast<double>(pit.size()), true, 6}};
    figure.panels.push_back(std::move(panel));
  }
  page.table({"variable", "error (CRPS)", "of a linear model", "in the 50 % interval", "in the 80 % interval",
              "in the 90 % interval"},
             rows);
  page.figure(
      plot::svg_element(figure),
      "Level: the forecasts are calibrated. High at both ends: they are too narrow. High in the middle: they are "
      "too wide. High on one side: they are biased.");
  add_reliability(page, calibration);
  add_near_calibration(page, result);
}

}  // namespace olem::internal
