#include "olem/task_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "olem/error.h"
#include "olem/options.h"
#include "olem/random.h"
#include "olem/task.h"

namespace olem {

namespace {

constexpr std::size_t kLeastBlocks = 8;  // in time: fewer leave nothing to draw half of
constexpr std::size_t kMostBlocks = 40;

[[noreturn]] void refuse_rows(const Task& task, const std::string& text, const std::string& advice) {
  throw Error(ErrorCategory::kData, (task.source.empty() ? "" : task.source + ": ") + text, {{advice}});
}

std::size_t row_column(const Task& task, const Table& table, const std::string& name, std::string_view key) {
  if (const auto found = table.find(name)) return *found;
  const std::string near = closest_name(name, table.names());
  refuse_rows(task,
              fmt::format("There is no column '{}', which \"{}\" names{}.", name, key,
                          table.source().empty() ? "" : ", in " + table.source()),
              near.empty() ? "Correct the name; upper and lower case matter" : fmt::format("Did you mean '{}'?", near));
}

// 0 for no, 1 for yes; -1 for what is neither.
int meaning(const Column& about, double value) {
  std::string word = value_name(about, value);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* const yes : {"1", "yes", "true", "on", "y"}) {
    if (word == yes) return 1;
  }
  for (const char* const no : {"0", "no", "false", "off", "n"}) {
    if (word == no) return 0;
  }
  return -1;
}

std::vector<unsigned char> read_indicator(const Task& task, const Table& table, const SetByHand& entry) {
  if (entry.column.empty()) return std::vector<unsigned char>(table.rows(), 1);
  const std::size_t column = row_column(task, table, entry.column, "set_by_hand");
  std::vector<unsigned char> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const int own = meaning(table.about(column), table.at(i, column));
    if (own < 0) {
      refuse_rows(task,
                  fmt::format("'{}' says in which rows '{}' was set, but holds '{}' in row {}.", entry.column,
                              entry.name, value_name(table.about(column), table.at(i, column)), i + 1),
                  "Give 0 and 1, or no and yes");
    }
    rows.push_back(static_cast<unsigned char>(own));
  }
  return rows;
}

void read_groups(const Task& task, const Table& table, TaskRows& result) {
  const std::size_t column = row_column(task, table, task.group, "group");
  const auto cells = table.column(column);
  std::map<double, std::size_t> numbers;
  for (const double value : cells) numbers.emplace(value, 0);
  for (auto& [value, number] : numbers) {
    number = result.group_names.size();
    result.group_names.push_back(value_name(table.about(column), value));
  }
  if (numbers.size() == 1) {
    refuse_rows(task, fmt::format("All rows belong to one group, {} in '{}'.", result.group_names.front(), task.group),
                "Leave \"group\" out");
  }
  if (numbers.size() == table.rows()) {
    refuse_rows(task, fmt::format("Every row has a group of its own in '{}'.", task.group),
                "Name a column whose groups have several rows each");
  }
  for (const double value : cells) result.groups.push_back(numbers.at(value));
  result.group = task.group;
}

void read_weights(const Task& task, const Table& table, TaskRows& result) {
  const std::size_t column = row_column(task, table, task.weight, "weight");
  if (has_words(table.about(column))) {
    refuse_rows(task, fmt::format("'{}' holds words, which are no weights.", task.weight),
                "Give positive numbers: how often each row counts");
  }
  const auto cells = table.column(column);
  const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!(cells[i] > 0.0)) {
      refuse_rows(task, fmt::format("The weight of row {} is {} in '{}'.", i + 1, cells[i], task.weight),
                  "Give positive weights; leave rows out that do not count");
    }
    result.weights.push_back(cells[i] / mean);
  }
}

}  // namespace

const TaskRows::Set* TaskRows::find(std::string_view variable) const {
  const auto found = std::find_if(set.begin(), set.end(), [&](const Set& own) { return own.variable == variable; });
  return found == set.end() ? nullptr : &*found;
}

TaskRows TaskRows::with_rows(std::span<const std::size_t> rows) const {
  const auto pick = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> chosen;
    if (all.empty()) return chosen;
    for (const std::size_t row : rows) chosen.push_back(all[row]);
    return chosen;
  };
  TaskRows result;
  for (const Set& own : set) result.set.push_back({own.variable, pick(own.rows)});
  result.group = group;
  result.groups = pick(groups);
  result.group_names = group_names;
  result.weights = pick(weights);
  result.times = pick(times);
  return result;
}

std::vector<std::string> row_columns(const Task& task) {
  std::vector<std::string> names;
  for (const SetByHand& entry : task.set_by_hand) {
    if (!entry.column.empty()) names.push_back(entry.column);
  }
  if (!task.group.empty()) names.push_back(task.group);
  if (!task.weight.empty()) names.push_back(task.weight);
  const bool is_context = std::find(task.context.begin(), task.context.end(), task.time) != task.context.end();
  if (!task.time.empty() && !is_context) names.push_back(task.time);
  return names;
}

TaskRows task_rows(const Task& task, const Table& table) {
  TaskRows result;
  const std::vector<std::string> no_variables = row_columns(task);
  for (const SetByHand& entry : task.set_by_hand) {
    row_column(task, table, entry.name, "set_by_hand");
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), entry.name) != names.end();
    };
    if (is_in(task.context) || is_in(no_variables)) {
      refuse_rows(task,
                  fmt::format("\"set_by_hand\" names '{}', which is {}.", entry.name,
                              is_in(task.context) ? "observed and never set" : "no variable of the model"),
                  "Name a lever, or another variable that was set from outside");
    }
    if (result.find(entry.name) != nullptr)
      refuse_rows(task, fmt::format("\"set_by_hand\" names '{}' twice.", entry.name), "Name it once");
    result.set.push_back({entry.name, read_indicator(task, table, entry)});
  }
  if (!task.group.empty()) read_groups(task, table, result);
  if (!task.weight.empty()) read_weights(task, table, result);
  if (!task.time.empty()) {
    const std::size_t column = row_column(task, table, task.time, "time");
    if (table.about(column).type == ColumnType::kCategory) {
      refuse_rows(task, fmt::format("'{}' holds words, which say nothing of the order of rows in time.", task.time),
                  "Give numbers, such as days since the first row");
    }
    const auto cells = table.column(column);
    result.times.assign(cells.begin(), cells.end());
  }
  return result;
}

std::vector<std::size_t> half_rows(const TaskRows& rows, std::size_t count, std::uint64_t seed, std::uint64_t half) {
  RandomStream random(seed, "members.half", half / 2);
  const bool other = half % 2 == 1;
  // Of what is drawn as a whole: a row, a group, a block in time.
  std::vector<std::size_t> unit(count);
  std::size_t units = count;
  if (!rows.groups.empty()) {
    unit = rows.groups;
    units = rows.group_names.size();
  } else if (!rows.times.empty()) {
    std::vector<std::size_t> sorted(count);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::size_t a, std::size_t b) { return rows.times[a] < rows.times[b]; });
    const auto wanted = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
    units = std::min(count, std::clamp(wanted, kLeastBlocks, kMostBlocks));
    for (std::size_t place = 0; place < count; ++place) unit[sorted[place]] = place * units / count;
  } else {
    std::iota(unit.begin(), unit.end(), 0);
  }
  const std::vector<std::size_t> drawn = random.sample_without_replacement(units, units / 2);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::binary_search(drawn.begin(), drawn.end(), unit[i]) != other) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace olem
