#include "olem/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/append_file.h"
#include "core/date.h"
#include "core/json_part.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kNamedLines = 5;  // of a warning

LoggedDecision read_logged(const JsonPart& line, const std::string& source) {
  LoggedDecision logged;
  logged.id = line["id"].text();
  logged.date = line["date"].text();
  logged.task = line["task"].text();
  logged.model = line["model"].text();
  logged.claimed = line["success_probability"].finite();
  const std::vector<double> interval = line["interval"].finite_numbers();
  if (interval.size() != 2) line["interval"].fail("does not have two numbers");
  logged.low = interval[0];
  logged.high = interval[1];
  logged.without_action = line["without_action"].finite();
  for (const double share : {logged.claimed, logged.low, logged.high, logged.without_action}) {
    if (share < 0.0 || share > 1.0) line.fail("holds a probability outside of 0 to 1");
  }
  const Json wanted = {{"outcome", line["outcome"].json()}, {"desired", line["desired"].json()}};
  logged.desired = parse_task(wanted.dump(), source).desired;
  return logged;
}

void read_log_line(std::string_view text, const std::string& source, DecisionLog& log) {
  const Json json = parse_json_text(text, source);
  const JsonPart line(json, source);
  if (line.has("outcome_of")) {
    log.outcomes.push_back({line["outcome_of"].text(), line["came_true"].flag()});
  } else {
    log.decisions.push_back(read_logged(line, source));
  }
}

Json logged_json(const std::string& id, const Task& task, const std::string& model, const Decision& decision,
                 std::span<const NamedColumn> columns) {
  const Json all = to_json(decision, columns);
  Json json = {{"id", id}, {"date", today()}, {"task", task.name}, {"model", model}, {"context", all["context"]}};
  if (all.contains("so_far")) json["so_far"] = all["so_far"];
  json["set"] = Json::object();
  for (const auto& [name, value] : all["alterations"].items()) {
    if (!value.is_null()) json["set"][name] = value;
  }
  for (const char* const key : {"success_probability", "interval", "without_action"}) json[key] = all[key];
  json["outcome"] = task.outcome;
  json["desired"] = to_json(task.desired);
  return json;
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// One above the highest number among the ids.
std::size_t next_number(const DecisionLog& log) {
  std::size_t next = 1;
  for (const LoggedDecision& decision : log.decisions) {
    const bool number = !decision.id.empty() && decision.id.size() < 16 &&
                        decision.id.find_first_not_of("0123456789") == std::string::npos;
    if (number) next = std::max<std::size_t>(next, std::stoull(decision.id) + 1);
  }
  return next;
}

// A range is of numbers; words that stand where numbers are wanted would count by the codes of their levels.
void check_outcomes(const LoggedDecision& decision, const Table& table) {
  const std::vector<OutcomeRange>& ranges = decision.desired.ranges();
  for (std::size_t k = 0; k < decision.desired.outcomes().size(); ++k) {
    const std::string& name = decision.desired.outcomes()[k];
    const bool numbers = ranges.empty() || !ranges[k].is_list();
    const std::size_t place = table.index(name);
    if (!numbers || !has_words(table.about(place))) continue;
    throw Error(ErrorCategory::kData,
                fmt::format("{}Column '{}' holds words, but decision {} wants numbers of it.", table.prefix(), name,
                            decision.id),
                {{"Correct the column; leave cells empty whose outcome is not known yet", ""}});
  }
}

bool is_wanted(const OutcomeRange& range, const Column& about, double value) {
  if (!range.is_list()) return !(range.low && value < *range.low) && !(range.high && value > *range.high);
  if (std::find(range.values.begin(), range.values.end(), value) != range.values.end()) return true;
  const std::string word = value_name(about, value);
  return std::find(range.words.begin(), range.words.end(), word) != range.words.end();
}

// By words where levels are wanted: the rows may hold other levels than the model knew.
bool comes_true(const Region& desired, const Table& table, std::span<const std::size_t> places, std::size_t row) {
  std::vector<double> y;
  for (const std::size_t place : places) y.push_back(table.at(row, place));
  if (desired.ranges().empty()) return desired.contains(y);
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (!is_wanted(desired.ranges()[k], table.about(places[k]), y[k])) return false;
  }
  return true;
}

// The decision of each row; nothing where it carries no id.
std::vector<std::optional<std::size_t>> decisions_of_rows(const DecisionLog& log, const IncompleteTable& rows,
                                                          const std::string& column, MatchedOutcomes& matched) {
  const Table& table = rows.started();
  std::vector<std::optional<std::size_t>> found(table.rows());
  const std::optional<std::size_t> ids = table.find(column);
  if (!ids && column != kDecisionIdColumn) {
    const std::string near = closest_name(column, table.names());
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}There is no column '{}' with the ids of the decisions.", table.prefix(), column),
        {{near.empty() ? "Correct the name; upper and lower case matter" : fmt::format("Did you mean '{}'?", near)}});
  }
  if (!ids) {
    matched.by_order = true;
    if (table.rows() > log.decisions.size()) {
      throw Error(
          ErrorCategory::kData,
          fmt::format("{}There is no column '{}' with the ids of the decisions, and there are {} rows for the {} "
                      "decisions in {}, so that the order cannot say which is which.",
                      table.prefix(), column, table.rows(), log.decisions.size(), log.source),
          {{"Add a column with the id of the decision behind each row", "decision_id"}});
    }
    for (std::size_t i = 0; i < table.rows(); ++i) found[i] = i;
    return found;
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < log.decisions.size(); ++i) places[log.decisions[i].id] = i;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (rows.is_missing(i, *ids)) {
      ++matched.without_decision;
      continue;
    }
    const std::string id = value_name(table.about(*ids), table.at(i, *ids));
    const auto place = places.find(id);
    if (place == places.end()) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Row {} belongs to decision '{}', which {} does not have.", table.prefix(), i + 1, id,
                              log.source),
                  {{"Leave the cell empty where no decision stands behind a row", ""}});
    }
    found[i] = place->second;
  }
  return found;
}

// Those that the log does not hold yet; returns how many. `by_order`: none of them may contradict what it holds.
std::size_t add_outcomes(const std::string& path, std::span<const DecisionOutcome> outcomes, bool by_order,
                         const Context& context) {
  std::size_t added = 0;
  append_lines(
      path,
      [&](std::string_view content) {
        std::map<std::string, bool> known;
        for (const DecisionOutcome& outcome : parse_decision_log(content, path).outcomes)
          known[outcome.id] = outcome.came_true;
        std::string lines;
        for (const DecisionOutcome& outcome : outcomes) {
          const auto found = known.find(outcome.id);
          if (found != known.end() && found->second == outcome.came_true) continue;
          if (by_order && found != known.end()) {
            throw Error(ErrorCategory::kData,
                        fmt::format("{} holds another outcome of decision '{}' than the row that would be matched to "
                                    "it by its order. Nothing was recorded.",
                                    path, outcome.id),
                        {{"Add a column with the id of the decision behind each row", "decision_id"}});
          }
          ++added;
          lines += line_of({{"outcome_of", outcome.id}, {"date", today()}, {"came_true", outcome.came_true}});
        }
        return lines;
      },
      context);
  return added;
}

}  // namespace

DecisionLog parse_decision_log(std::string_view text, const std::string& source) {
  DecisionLog log;
  log.source = source;
  std::vector<std::size_t> broken;
  std::size_t number = 0;
  std::set<std::string> ids;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      read_log_line(line, fmt::format("{}, line {}", source, number), log);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;
      broken.push_back(number);
    }
  }
  for (const LoggedDecision& decision : log.decisions) {
    if (!ids.insert(decision.id).second)
      throw Error(ErrorCategory::kData, fmt::format("{}: Two decisions have the id '{}'.", source, decision.id));
  }
  if (broken.empty()) return log;
  if (log.decisions.empty() && log.outcomes.empty())
    throw Error(ErrorCategory::kData, fmt::format("{}: This is no log of decisions.", source));
  const std::size_t shown = std::min(broken.size(), kNamedLines);
  log.warnings.push_back(
      {"broken_log_line",
       fmt::format("{} of {} cannot be read and {} left out: {}{}. A crash while a decision was logged leaves such a "
                   "line behind.",
                   broken.size() == 1 ? "A line" : fmt::format("{} lines", broken.size()), source,
                   broken.size() == 1 ? "was" : "were",
                   fmt::join(broken.begin(), broken.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                   shown < broken.size() ? ", ..." : ""),
       source,
       {}});
  return log;
}

DecisionLog read_decision_log(const std::string& path, const Context& context) {
  return parse_decision_log(read_file(path, context), path == "-" ? "standard input" : path);
}

std::vector<std::string> log_decisions(const std::string& path, const Task& task, const std::string& model,
                                       const std::vector<Decision>& decisions, std::span<const NamedColumn> columns,
                                       const Context& context) {
  std::vector<std::string> ids;
  const std::string file = std::filesystem::path(model).filename().string();
  append_lines(
      path,
      [&](std::string_view content) {
        std::size_t next = next_number(parse_decision_log(content, path));
        std::string lines;
        for (const Decision& decision : decisions) {
          ids.push_back(std::to_string(next++));
          lines += line_of(logged_json(ids.back(), task, file, decision, columns));
        }
        return lines;
      },
      context);
  return ids;
}

std::size_t log_outcomes(const std::string& path, std::span<const DecisionOutcome> outcomes, const Context& context) {
  return add_outcomes(path, outcomes, false, context);
}

std::size_t log_outcomes(const std::string& path, const MatchedOutcomes& matched, const Context& context) {
  return add_outcomes(path, matched.outcomes, matched.by_order, context);
}

MatchedOutcomes match_outcomes(const DecisionLog& log, const IncompleteTable& rows, const std::string& column) {
  MatchedOutcomes matched;
  const Table& table = rows.started();
  matched.rows = table.rows();
  const std::vector<std::optional<std::size_t>> decisions = decisions_of_rows(log, rows, column, matched);
  std::vector<std::optional<bool>> came(log.decisions.size());
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!decisions[i]) continue;
    check_outcomes(log.decisions[*decisions[i]], table);
    const Region& desired = log.decisions[*decisions[i]].desired;
    std::vector<std::size_t> places;
    bool known = true;
    for (const std::string& name : desired.outcomes()) {
      places.push_back(table.index(name));
      known = known && !rows.is_missing(i, places.back());
    }
    if (!known) {
      ++matched.unfinished;
      continue;
    }
    std::optional<bool>& place = came[*decisions[i]];
    if (place) ++repeated;
    place = comes_true(desired, table, places, i);
  }
  for (std::size_t i = 0; i < came.size(); ++i) {
    if (came[i]) matched.outcomes.push_back({log.decisions[i].id, *came[i]});
  }
  if (matched.by_order) {
    matched.warnings.push_back(
        {"matched_by_order",
         fmt::format("{}There is no column '{}', so that the first row is taken for the outcome of the first decision "
                     "in {}, and so on.",
                     table.prefix(), column, log.source),
         column,
         {{"Add a column with the id of the decision behind each row", "decision_id"}}});
  }
  if (repeated > 0) {
    matched.warnings.push_back({"repeated_decision",
                                fmt::format("{}{} rows are further rows of a decision that has one already. The last "
                                            "row of each decision counts.",
                                            table.prefix(), repeated),
                                column,
                                {}});
  }
  return matched;
}

}  // namespace olem
