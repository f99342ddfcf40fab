#include "report/decision_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "olem/context.h"
#include "olem/found_by.h"
#include "report/column_words.h"
#include "report/layout.h"
#include "report/uncertainty_words.h"

namespace olem::internal {

namespace {

constexpr const char* kLeaveAlone = "leave alone";
constexpr const char* kLater = "later, by a rule";

using Columns = std::span<const NamedColumn>;

// A number with its unit, or the word of a level.
std::string value_words(const JsonPart& value, const Column& column) {
  return value.json().is_string() ? value.text() : with_unit(column, short_number(value.finite()));
}

bool is_constant(const JsonPart& sum) {
  const auto none = [&](const char* key) {
    if (!sum.has(key)) return true;
    const auto weights = sum[key].members();
    return std::all_of(weights.begin(), weights.end(),
                       [](const auto& weight) { return weight.second.finite() == 0.0; });
  };
  return none("slopes") && none("squares");
}

// The value of a rule that is the same whatever is seen; nothing where it depends on what is seen.
std::optional<std::string> constant_words(const JsonPart& rule, const Column& column) {
  const std::string form = rule["form"].text();
  if (form == "affine") {
    if (!is_constant(rule)) return {};
    const auto [low, high] = std::pair(rule["min"].finite(), rule["max"].finite());
    const double value = std::clamp(rule["constant"].finite(), low, std::max(low, high));
    // What rounding leaves of 0.
    return with_unit(column, short_number(std::abs(value) < 1e-9 * (high - low) ? 0.0 : value));
  }
  if (form == "table") {
    const std::vector<JsonPart> cells = rule["cells"].entries();
    const bool same = !cells.empty() && std::all_of(cells.begin(), cells.end(), [&](const JsonPart& cell) {
      return cell["value"].json() == cells.front()["value"].json();
    });
    return same ? std::optional(value_words(cells.front()["value"], column)) : std::nullopt;
  }
  const std::vector<JsonPart> scores = rule["scores"].entries();
  if (scores.empty() || !std::all_of(scores.begin(), scores.end(), is_constant)) return {};
  const auto best = std::max_element(scores.begin(), scores.end(), [](const JsonPart& a, const JsonPart& b) {
    return a["constant"].finite() < b["constant"].finite();
  });
  return value_words((*best)["value"], column);
}

std::string alterations_in_words(const JsonPart& decision, Columns columns) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : decision["alterations"].members()) {
    if (!value.json().is_null())
      parts.push_back(fmt::format("{} to {}", name, value_words(value, about_column(columns, name))));
  }
  if (parts.size() < 2) return parts.empty() ? "" : parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

// Of a decision or of a proposal.
std::string success_words(const JsonPart& decision, bool with_members) {
  const auto [low, high] = range_of(decision["interval"]);
  const double success = decision["success_probability"].finite();
  if (with_members) return rounded_success(success, low, high);
  return fmt::format("{} ({} to {})", percent_text(success), percent_text(low), percent_text(high));
}

std::string idle_words(const JsonPart& decision) {
  const double idle = decision["without_action"].finite();
  if (!decision.has("interval_without_action")) return percent_text(idle);
  const auto [low, high] = range_of(decision["interval_without_action"]);
  return rounded_success(idle, low, high);
}

SheetTable alteration_cells(const JsonPart& decision, Columns columns) {
  const std::vector<std::string> powerless = decision["no_influence"].texts();
  const auto is_later = [&](const std::string& name) {
    return decision.has("sequence") && decision["sequence"]["rules"].has(name.c_str());
  };
  const auto later_words = [&](const std::string& name) -> std::string {
    const auto constant = constant_words(decision["sequence"]["rules"][name.c_str()], about_column(columns, name));
    return constant ? fmt::format("later, {}", *constant) : kLater;
  };
  SheetTable table{{"set", "to", "otherwise about", "success without it"}, {}};
  for (const auto& [name, value] : decision["alterations"].members()) {
    const bool set = !value.json().is_null();
    const bool idle = std::find(powerless.begin(), powerless.end(), name) != powerless.end();
    const Column& column = about_column(columns, name);
    table.rows.push_back({with_label(column, name),
                          set              ? value_words(value, column)
                          : is_later(name) ? later_words(name)
                                           : kLeaveAlone,
                          value_words(decision["expected"][name.c_str()], column),
                          set || is_later(name) ? percent_text(decision["success_if_released"][name.c_str()].number())
                          : idle                ? "cannot change the outcome"
                                                : ""});
  }
  return table;
}

// "yes 92.1 %, no 7.9 %": the most probable first, at most three of them.
std::string level_words(const JsonPart& levels) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& [name, share] : levels.members()) shares.emplace_back(share.finite(), name);
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(kShown, shares.size()); ++i)
    parts.push_back(fmt::format("{} {}", shares[i].second, percent_text(shares[i].first)));
  return fmt::format("{}{}", fmt::join(parts, ", "), shares.size() > kShown ? ", ..." : "");
}

SheetTable forecast_cells(const JsonPart& decision, Columns columns) {
  const auto cell = [](const JsonPart& forecast, const Column& column) {
    if (forecast.has("levels")) return level_words(forecast["levels"]);
    const auto [low, high] = range_of(forecast["interval"]);
    return fmt::format("{} ({} to {})", with_unit(column, short_number(forecast["mean"].finite())), short_number(low),
                       short_number(high));
  };
  SheetTable table{{"outcome", "with the decision", "without action"}, {}};
  for (const auto& [name, forecast] : decision["outcomes"].members()) {
    const Column& column = about_column(columns, name);
    table.rows.push_back({with_label(column, name), cell(forecast, column),
                          cell(decision["outcomes_without_action"][name.c_str()], column)});
  }
  return table;
}

std::string unknown_words(const JsonPart& decision) {
  if (!decision.has("unknown")) return "";
  std::vector<std::string> names;
  std::string worth;
  for (const JsonPart& entry : decision["unknown"].entries()) {
    names.push_back(entry["name"].text());
    if (entry["worth"].json().is_null()) continue;
    const double gain = entry["worth"].finite();
    const double error = entry["standard_error"].json().is_null() ? 0.0 : entry["standard_error"].finite();
    worth += gain > 2.0 * error
                 ? fmt::format(
                       " To know {} would raise the probability of success by {:.1f} points on average (standard "
                       "error {:.1f}).",
                       names.back(), 100.0 * gain, 100.0 * error)
                 : fmt::format(" To know {} would hardly help: by {:.1f} points (standard error {:.1f}).", names.back(),
                               100.0 * gain, 100.0 * error);
  }
  return fmt::format("Not known: {}, drawn from what is known of the context.{}", fmt::join(names, ", "), worth);
}

// "0.03 - 0.9 x CO2 + 0.2 x CO2^2"
std::string sum_words(const JsonPart& sum) {
  std::string text = short_number(sum["constant"].finite());
  const auto add = [&](double weight, const std::string& name) {
    if (weight != 0.0)
      text += fmt::format(" {} {} x {}", weight < 0.0 ? "-" : "+", short_number(std::abs(weight)), name);
  };
  for (const auto& [name, slope] : sum["slopes"].members()) add(slope.finite(), name);
  if (sum.has("squares")) {
    for (const auto& [name, square] : sum["squares"].members()) add(square.finite(), name + "^2");
  }
  return text;
}

// ", as far as Omega + 2 x DIC stays at most 0.2" of the constraints that cut a rule.
std::string limit_words(const JsonPart& rule) {
  if (!rule.has("limits")) return "";
  std::vector<std::string> limits;
  for (const JsonPart& limit : rule["limits"].entries()) {
    std::string sum;
    for (const auto& [name, part] : limit["weights"].members()) {
      const double weight = part.finite();
      const std::string sign = sum.empty() ? (weight < 0.0 ? "-" : "") : (weight < 0.0 ? " - " : " + ");
      const std::string size = short_number(std::abs(weight));
      sum += size == "1" ? fmt::format("{}{}", sign, name) : fmt::format("{}{} x {}", sign, size, name);
    }
    limits.push_back(fmt::format("{} stays at most {}", sum, short_number(limit["max"].finite())));
  }
  return fmt::format(", as far as {}", fmt::join(limits, " and "));
}

// How one lever of a later step will be set, in a sentence without its end.
std::string rule_words(const std::string& name, const JsonPart& rule, Columns columns) {
  const Column& column = about_column(columns, name);
  const std::string step = fmt::format("Step {:.0f}: ", rule["step"].finite());
  if (const auto constant = constant_words(rule, column)) {
    const std::string limits = limit_words(rule);
    return fmt::format("{}{} = {}{}", step, name, *constant, limits.empty() ? ", whatever is seen" : limits);
  }
  const std::string form = rule["form"].text();
  if (form == "affine") {
    return fmt::format("{}{} = {}, within {} to {}{}", step, name, sum_words(rule), short_number(rule["min"].finite()),
                       with_unit(column, short_number(rule["max"].finite())), limit_words(rule));
  }
  std::vector<std::string> parts;
  if (form == "table") {
    for (const JsonPart& cell : rule["cells"].entries()) {
      std::vector<std::string> when;
      for (const auto& [input, value] : cell["seen"].members())
        when.push_back(fmt::format("{} is {}", input, value_words(value, about_column(columns, input))));
      parts.push_back(fmt::format("{} if {}", value_words(cell["value"], column), fmt::join(when, " and ")));
    }
    return fmt::format("{}{} = {}{}", step, name, fmt::join(parts, "; "), limit_words(rule));
  }
  for (const JsonPart& score : rule["scores"].entries())
    parts.push_back(fmt::format("{}: {}", value_words(score["value"], column), sum_words(score)));
  return fmt::format("{}{} = the value with the highest score; scores: {}{}", step, name, fmt::join(parts, "; "),
                     limit_words(rule));
}

SheetTable proposal_cells(const JsonPart& decision, Columns columns) {
  SheetTable table{{"decision", "success", "cost"}, {}};
  for (const auto& [name, value] : decision["alterations"].members()) table.header.push_back(name);
  for (const JsonPart& proposal : decision["proposals"].entries()) {
    std::vector<std::string>& row = table.rows.emplace_back(
        1, table.rows.empty() ? "recommended" : fmt::format("alternative {}", table.rows.size()));
    row.push_back(success_words(proposal, decision.has("members")));
    row.push_back(short_number(proposal["cost"].finite()));
    for (const auto& [name, value] : proposal["alterations"].members())
      row.push_back(value.json().is_null() ? kLeaveAlone : value_words(value, about_column(columns, name)));
  }
  return table;
}

}  // namespace

std::string observed_values(const JsonPart& values, std::span<const NamedColumn> columns) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values.members()) {
    if (value.json().is_null()) {
      parts.push_back(name + " unknown");
      continue;
    }
    parts.push_back(fmt::format("{} = {}", name,
                                value.json().is_string()
                                    ? value.text()
                                    : with_unit(about_column(columns, name), fmt::format("{:g}", value.number()))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::pair<double, double> range_of(const JsonPart& part) {
  const std::vector<double> sides = part.finite_numbers();
  if (sides.size() != 2) part.fail("is not a range [low, high]");
  return {sides[0], sides[1]};
}

DecisionSheet decision_sheet(const JsonPart& decision, std::span<const NamedColumn> columns, const std::string& group) {
  DecisionSheet sheet;
  sheet.observed = observed_values(decision["context"], columns);
  if (decision.has("group"))
    sheet.observed =
        fmt::format("{} = {}{}{}", group, decision["group"].text(), sheet.observed.empty() ? "" : ", ", sheet.observed);
  if (decision.has("so_far")) {
    const std::string since = observed_values(decision["so_far"], columns);
    sheet.observed += (sheet.observed.empty() ? "" : "; since then: ") + since;
  }
  if (decision.has("sequence")) {
    const double at_once = decision["sequence"]["at_once"].finite();
    sheet.at_once = decision.has("members") ? whole_percent(at_once) : percent_text(at_once);
    for (const auto& [name, rule] : decision["sequence"]["rules"].members())
      sheet.later.push_back(rule_words(name, rule, columns));
  }
  sheet.set = alterations_in_words(decision, columns);
  sheet.acts = !sheet.set.empty() || !sheet.later.empty();
  sheet.success = success_words(decision, decision.has("members"));
  sheet.without_action = idle_words(decision);
  if (decision.has("influence_step")) sheet.idle_by = ", by the orders used";
  sheet.with_members = decision.has("members");
  sheet.uncertainty = uncertainty_sentences(decision, columns);
  sheet.message = decision["message"].text();
  // Which search found it is for those who compare searches, and in the result.
  const std::string finder = fmt::format("Found by {}.", decision["found_by"].text());
  if (sheet.message.starts_with(finder)) sheet.message.erase(0, std::min(finder.size() + 1, sheet.message.size()));
  const std::string status = decision["status"].text();
  sheet.message_first =
      status == status_name(Status::kTargetNotReached) || status == status_name(Status::kAlreadyLikely);
  sheet.cost = short_number(decision["cost"].finite());
  sheet.least_cost = decision["found_by"].text() == found_by_name(FoundBy::kCostDescent);
  if (decision.has("qwz23_interval")) {
    const auto [low, high] = range_of(decision["qwz23_interval"]);
    sheet.bound = fmt::format("By the bound of Qin, Wang and Zhou (2023) its success lies between {} and {}.",
                              percent_text(low), percent_text(high));
  }
  sheet.unknown = unknown_words(decision);
  sheet.alterations = alteration_cells(decision, columns);
  sheet.forecasts = forecast_cells(decision, columns);
  if (decision.has("proposals")) {
    sheet.proposals = proposal_cells(decision, columns);
    sheet.no_other = sheet.proposals.rows.size() == 1;
    if (sheet.no_other) sheet.proposals.rows.clear();
  }
  return sheet;
}

}  // namespace olem::internal
