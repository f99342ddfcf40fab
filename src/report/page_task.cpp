#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/combination.h"
#include "report/column_words.h"
#include "report/layout.h"
#include "report/page_parts.h"

namespace olem::internal {

namespace {

std::string constraint_text(const AlterationConstraint& constraint) {
  std::vector<double> weights;
  std::vector<std::string> names;
  for (const NamedValue& term : constraint.weights) {
    weights.push_back(term.value);
    names.push_back(term.name);
  }
  return fmt::format("{} must be at most {}", combination_text(weights, names), short_number(constraint.max));
}

std::string domains_text(const Task& task) {
  std::vector<std::string> parts;
  for (const LeverDomain& range : task.alterable) {
    std::vector<std::string> values;
    for (const double value : range.values) values.push_back(short_number(value));
    values.insert(values.end(), range.words.begin(), range.words.end());
    if (!values.empty()) {
      parts.push_back(fmt::format("{} ({})", range.name, fmt::join(values, ", ")));
    } else if (std::isinf(range.low) || std::isinf(range.high)) {
      parts.push_back(fmt::format("{} (all levels)", range.name));
    } else {
      parts.push_back(fmt::format("{} ({} to {}{})", range.name, short_number(range.low), short_number(range.high),
                                  range.step > 0.0 ? " in steps of " + short_number(range.step) : ""));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string weights_text(const Task& task, std::span<const NamedColumn> columns) {
  std::vector<std::string> parts;
  for (const NamedValue& weight : task.cost) {
    const auto form = std::find_if(task.cost_forms.begin(), task.cost_forms.end(),
                                   [&](const CostForm& own) { return own.name == weight.name; });
    const std::string size = short_number(weight.value);
    const ColumnType type = about_column(columns, weight.name).type;
    if (type == ColumnType::kBinary || type == ColumnType::kCategory) {
      parts.push_back(fmt::format("{} for another level of {}", size, weight.name));
      continue;
    }
    const char* const unit = type == ColumnType::kOrdinal ? "level" : "unit";
    if (form == task.cost_forms.end()) {
      parts.push_back(fmt::format("{} per {} of {}", size, unit, weight.name));
      continue;
    }
    const std::string from = form->datum ? " from " + short_number(*form->datum) : "";
    parts.push_back(form->power == 2 ? fmt::format("{} times the squared distance of {}{}", size, weight.name,
                                                   from.empty() ? " from its expected value" : from)
                                     : fmt::format("{} per {} of {}{}", size, unit, weight.name, from));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     task.cost.size() < task.alterable.size() ? "; the others cost nothing" : "");
}

std::string knowledge_text(const Task& task) {
  std::vector<std::string> parts;
  for (const auto& [first, second] : task.before) parts.push_back(fmt::format("{} before {}", first, second));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string desired_text(const Task& task, std::span<const NamedColumn> columns) {
  std::vector<std::string> parts;
  for (const OutcomeRange& range : task.desired.ranges()) {
    const Column& column = about_column(columns, range.outcome);
    std::vector<std::string> values;
    for (const double value : range.values) values.push_back(short_number(value));
    values.insert(values.end(), range.words.begin(), range.words.end());
    if (!values.empty()) {
      parts.push_back(fmt::format("{} = {}", range.outcome, fmt::join(values, " or ")));
      continue;
    }
    if (range.low && range.high) {
      parts.push_back(fmt::format("{} between {} and {}", range.outcome, short_number(*range.low),
                                  with_unit(column, short_number(*range.high))));
    } else if (range.low || range.high) {
      parts.push_back(fmt::format("{} {} {}", range.outcome, range.low ? "at least" : "at most",
                                  with_unit(column, short_number(range.low ? *range.low : *range.high))));
    }
  }
  if (task.desired.ranges().empty()) {
    for (std::size_t i = 0; i < task.desired.rows(); ++i) {
      parts.push_back(fmt::format("{} at most {}", combination_text(task.desired.weights(i), task.desired.outcomes()),
                                  short_number(task.desired.bound(i))));
    }
  }
  if (const auto& ellipse = task.desired.ellipse()) {
    for (std::size_t j = 0; j < ellipse->centre.size(); ++j) {
      const std::string& name = task.desired.outcomes()[j];
      parts.push_back(fmt::format("{} within {} of {}", name, short_number(ellipse->radii[j]),
                                  with_unit(about_column(columns, name), short_number(ellipse->centre[j]))));
    }
    return fmt::format("{}{}", fmt::join(parts, " and "), parts.size() > 1 ? ", together in the ellipse" : "");
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string Wishes::cost_words() const {
  if (forms) return "The cost is the sum over the variables that are set, each as the task says.";
  return fmt::format(
      "The cost is the distance of each variable that is set from its expected value without action, {}.",
      weighted ? "times its weight" : "in standard deviations");
}

Wishes wishes_of(const JsonPart& result, const Task& task) {
  Wishes wishes;
  wishes.weighted = !task.cost.empty();
  wishes.forms = !task.cost_forms.empty();
  if (result.has("options") && result["options"].has("target")) wishes.target = result["options"]["target"].finite();
  return wishes;
}

void add_task(Page& page, const JsonPart& result, const Task& task) {
  const Wishes wishes = wishes_of(result, task);
  std::vector<std::string> sentences;
  if (!task.context.empty())
    sentences.push_back(fmt::format("Observed before the decision: {}.", fmt::join(task.context, ", ")));
  sentences.push_back(fmt::format("What may be altered, and within which limits: {}.", domains_text(task)));
  if (task.max_alterations)
    sentences.push_back(fmt::format("No more than {} of them may be altered at once.", *task.max_alterations));
  for (const AlterationConstraint& constraint : task.constraints)
    sentences.push_back(constraint_text(constraint) +
                        ". A variable that is left alone counts with the value that is expected of it.");
  if (wishes.weighted)
    sentences.push_back(fmt::format("What a change costs: {}.", weights_text(task, columns_of(result))));
  if (wishes.target > 0.0)
    sentences.push_back(fmt::format("A success of {} is enough: the cheapest decision that reaches it is wanted.",
                                    percent_text(wishes.target)));
  for (const SetByHand& entry : task.set_by_hand) {
    sentences.push_back(entry.column.empty()
                            ? fmt::format("{} was set from outside in every row.", entry.name)
                            : fmt::format("{} was set from outside in rows that {} marks.", entry.name, entry.column));
  }
  if (!task.group.empty())
    sentences.push_back(fmt::format("The rows belong to groups: {}. Every group has levels of its own.", task.group));
  if (!task.weight.empty()) sentences.push_back(fmt::format("Rows count by their weight: {}.", task.weight));
  if (!task.time.empty()) sentences.push_back(fmt::format("The rows are in time order: {}.", task.time));
  if (!task.before.empty()) sentences.push_back(fmt::format("Known of the order: {}.", knowledge_text(task)));
  page.section("What was asked for");
  page.list(sentences);
}

}  // namespace olem::internal
