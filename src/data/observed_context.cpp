#include "data/observed_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "core/csv_scan.h"
#include "core/text.h"
#include "data/csv_number.h"
#include "data/csv_text.h"
#include "data/reading.h"
#include "data/table_file.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

std::string context_advice(const std::string& name, std::span<const std::string> candidates) {
  const std::string near = closest_name(name, candidates);
  if (!near.empty()) return fmt::format("Did you mean '{}'?", near);
  return candidates.empty() ? std::string("The task has no context variables.")
                            : fmt::format("The context variables are {}.", fmt::join(candidates, ", "));
}

// Why a value that was given for the context variable `name` is none; "" when it is one.
std::string value_fault(const std::string& name, const std::string& word, const Column& about) {
  if (column_value(about, word)) return "";
  const std::string levels = levels_sentence(about, word);
  if (!levels.empty()) return fmt::format("'{}' is no level of '{}'. {}", show_text(word), show_text(name), levels);
  return fmt::format("'{}' is not a finite number, so that '{}' has no value.", show_text(word), show_text(name));
}

const Column& column_at(std::span<const Column> about, std::size_t place) {
  static const Column kNumber;
  return place < about.size() ? about[place] : kNumber;
}

void check_given(const Task& task, const std::vector<NamedWord>& given, std::span<const Column> about) {
  const auto reject = [](const std::string& finding, std::vector<Remedy> remedies = {}) {
    throw Error::of_option("context", finding, std::move(remedies));
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].name;
    if (!task.group.empty() && name == task.group) continue;
    const auto place = std::find(task.context.begin(), task.context.end(), name);
    if (place == task.context.end()) {
      reject(fmt::format("'{}' is no context variable of the task. {}", show_text(name),
                         context_advice(name, task.context)));
    }
    const Column& column = column_at(about, static_cast<std::size_t>(place - task.context.begin()));
    if (const std::string fault = value_fault(name, given[i].word, column); !fault.empty()) reject(fault);
    const auto earlier = given.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(given.begin(), earlier, [&](const NamedWord& other) { return other.name == name; }))
      reject(fmt::format("'{}' is given twice.", show_text(name)), {{"Give it once"}});
  }
}

std::vector<double> single_context(const Task& task, const std::vector<NamedWord>& given, std::span<const Column> about,
                                   UnknownPolicy unknown) {
  check_given(task, given, about);
  std::vector<NamedWord> observed = observed_texts(task);
  for (const NamedWord& assignment : given) {
    if (!task.group.empty() && assignment.name == task.group) continue;
    const auto place = std::find_if(observed.begin(), observed.end(),
                                    [&](const NamedWord& value) { return value.name == assignment.name; });
    if (place == observed.end()) {
      observed.push_back(assignment);
    } else {
      *place = assignment;
    }
  }
  const std::string prefix = task.source.empty() ? "" : task.source + ": ";
  if (observed.empty() && !task.context.empty() && unknown == UnknownPolicy::kError) {
    std::vector<Remedy> remedies = observed_remedies("Give its values");
    remedies.push_back({"Have them drawn", "unknown", "draw"});
    throw Error(ErrorCategory::kData,
                fmt::format("{}Nothing is known of the context ({}).", prefix, fmt::join(task.context, ", ")),
                std::move(remedies));
  }
  ObservedContext context = order_observed(task, observed, about, unknown);
  if (!context.problems.empty()) {
    const Problem& first = context.problems.front();
    throw Error(ErrorCategory::kData, prefix + first.text, first.remedies);
  }
  return context.values;
}

// The rows of CSV text with a header, of which only some columns are read.
class ContextRows {
 public:
  ContextRows(const Task& task, std::string_view text, std::string source, std::span<const Column> about,
              UnknownPolicy unknown)
      : task_(task), source_(std::move(source)), text_(text), about_(about), unknown_(unknown) {}

  std::vector<std::vector<double>> read(const Context& context) {
    if (trim(text_).find_first_not_of("\r\n\t ") == std::string_view::npos) refuse_no_rows();
    const std::unique_ptr<const CsvText> dialect = find_dialect(context);
    const CsvText& text = *dialect;
    decimal_ = text.decimal();
    CsvScanner scan = text.first_line();
    while (!scan.at_end() && scan.skip_blank_line()) {
    }
    read_header(scan);
    std::vector<std::vector<double>> rows;
    while (!scan.at_end()) {
      if (text.skip_left_out(scan) || scan.skip_blank_line()) continue;
      if (rows.size() % kRowsPerCheck == 0) context.check_interrupt();
      std::vector<double> row = read_row(scan);
      if (!row.empty()) rows.push_back(std::move(row));
    }
    if (rows.empty()) refuse_no_rows();
    return rows;
  }

 private:
  static constexpr std::size_t kRowsPerCheck = 1024;
  static constexpr std::size_t kOther = static_cast<std::size_t>(-1);

  [[noreturn]] void refuse_no_rows() const {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: There are no rows with contexts. Give at least one below the names.", source_));
  }

  // Options of reading belong to the data, so that no remedy names one of them.
  std::unique_ptr<const CsvText> find_dialect(const Context& context) const {
    try {
      return std::make_unique<const CsvText>(text_, source_, ReadOptions{}, context);
    } catch (const Error& error) {
      if (error.remedies().empty()) throw;
      throw Error(error.category(), error.finding(),
                  {{"Separate the cells with commas and write numbers with a decimal point"}});
    }
  }

  void read_header(CsvScanner& scan) {
    std::vector<std::string> names;
    while (true) {
      names.push_back(scan.next_cell().content());
      if (!scan.at_separator()) break;
      scan.skip_separator();
    }
    scan.skip_line_end();
    places_.assign(names.size(), kOther);
    for (std::size_t j = 0; j < task_.context.size(); ++j) {
      const std::string& wanted = task_.context[j];
      const auto first = std::find(names.begin(), names.end(), wanted);
      if (first == names.end()) {
        // The name of another context variable is no slip of the pen.
        std::vector<std::string> others;
        std::copy_if(names.begin(), names.end(), std::back_inserter(others), [&](const std::string& name) {
          return std::find(task_.context.begin(), task_.context.end(), name) == task_.context.end();
        });
        const std::string near = closest_name(wanted, others);
        if (unknown_ == UnknownPolicy::kDraw && near.empty()) continue;
        throw Error(
            ErrorCategory::kData,
            fmt::format("{}: There is no column '{}', which is a context variable of the task. {}", source_, wanted,
                        near.empty() ? "The first line must hold the names of the columns, all context "
                                       "variables among them."
                                     : fmt::format("Did you mean it by '{}'?", show_text(near))));
      }
      if (std::find(first + 1, names.end(), wanted) != names.end()) {
        throw Error(ErrorCategory::kData,
                    fmt::format("{}: Two columns are called '{}'. Rename one of them.", source_, wanted));
      }
      places_[static_cast<std::size_t>(first - names.begin())] = j;
    }
  }

  // Nothing for a row without any cell, as spreadsheets write rows that were used once; it may mean that nothing is
  // known only where that is allowed.
  std::vector<double> read_row(CsvScanner& scan) {
    const std::size_t line = scan.line();
    std::vector<CsvCell> cells;
    while (true) {
      cells.push_back(scan.next_cell());
      if (!scan.at_separator()) break;
      scan.skip_separator();
    }
    scan.skip_line_end();
    if (cells.size() != places_.size()) {
      throw Error(ErrorCategory::kData, fmt::format("{}, line {}: Expected {}, as in the first line, but found {}.",
                                                    source_, line, counted(places_.size(), "cell"), cells.size()));
    }
    const bool blank = cells.size() > 1 &&
                       std::all_of(cells.begin(), cells.end(), [](const CsvCell& cell) { return cell.text.empty(); });
    if (blank && unknown_ == UnknownPolicy::kError) return {};
    std::vector<double> values(task_.context.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (places_[j] != kOther) read_value(cells[j], places_[j], values);
    }
    return values;
  }

  void read_value(const CsvCell& cell, std::size_t place, std::vector<double>& values) const {
    const std::string content = cell.content();
    const Column& about = column_at(about_, place);
    if (!about.levels.empty()) {
      if (const auto value = column_value(about, trim(content))) {
        values[place] = *value;
        return;
      }
    }
    switch (read_cell(content, values[place], decimal_)) {
      case CellKind::kNumber:
      case CellKind::kPercent:
        if (about.levels.empty()) return;
        break;
      case CellKind::kMissing:
        if (unknown_ == UnknownPolicy::kDraw) {
          values[place] = std::numeric_limits<double>::quiet_NaN();
          return;
        }
        throw Error(ErrorCategory::kData,
                    fmt::format("{}, line {}, column '{}': The value is missing or not finite. Every context needs a "
                                "value of every context variable.",
                                source_, cell.line, task_.context[place]),
                    {{"Fill in the value"}, unknown_remedy()});
      default: break;
    }
    const std::string levels = levels_sentence(about, trim(content));
    throw Error(ErrorCategory::kData,
                fmt::format("{}, line {}, column '{}': '{}' is {}.{}{}", source_, cell.line, task_.context[place],
                            show_text(content), levels.empty() ? "not a number" : "no level of the column",
                            levels.empty() ? "" : " ", levels));
  }

  const Task& task_;
  std::string source_;
  std::string_view text_;
  std::span<const Column> about_;
  UnknownPolicy unknown_;
  std::vector<std::size_t> places_;  // for each column its place in the context
  char decimal_ = '.';
};

}  // namespace

}  // namespace olem

namespace olem::internal {

std::vector<Remedy> observed_remedies(const std::string& advice) {
  return {{advice, "observed"}, {advice, "context"}, {advice, "contexts"}};
}

Remedy unknown_remedy() { return {"Have it drawn from what is known of the context", "unknown", "draw"}; }

std::vector<NamedWord> observed_texts(const Task& task) {
  std::vector<NamedWord> texts;
  for (const NamedValue& value : task.observed) texts.push_back({value.name, fmt::format("{}", value.value)});
  texts.insert(texts.end(), task.observed_words.begin(), task.observed_words.end());
  // The group is no variable: observed_group() says which one it is.
  std::erase_if(texts, [&](const NamedWord& value) { return !task.group.empty() && value.name == task.group; });
  return texts;
}

ObservedContext order_observed(const Task& task, std::span<const NamedWord> observed, std::span<const Column> about,
                               UnknownPolicy unknown) {
  ObservedContext result;
  const auto add = [&](std::string text, std::vector<Remedy> remedies, const std::string& name) {
    result.problems.push_back({Severity::kError, "observed", std::move(text), std::move(remedies), {name}});
  };
  std::vector<std::size_t> times(task.context.size(), 0);
  result.values.assign(task.context.size(), 0.0);
  for (const NamedWord& value : observed) {
    const auto place = std::find(task.context.begin(), task.context.end(), value.name);
    if (place == task.context.end()) {
      add(fmt::format("\"observed\" holds '{}', which is no context variable. {}", value.name,
                      context_advice(value.name, task.context)),
          {{"Correct the name"}, {"Leave the value out"}}, value.name);
      continue;
    }
    const auto j = static_cast<std::size_t>(place - task.context.begin());
    if (++times[j] == 2) add(fmt::format("'{}' is observed twice.", value.name), {{"Keep one value"}}, value.name);
    const Column& column = column_at(about, j);
    const std::optional<double> number = column_value(column, value.word);
    if (!number) {
      const std::string levels = levels_sentence(column, value.word);
      add(fmt::format("The observed value of '{}' is {}{}{}", value.name, show_text(value.word),
                      levels.empty() ? "." : ", which is no level of it. ", levels),
          {{levels.empty() ? "Give a finite number" : "Give one of the levels"}}, value.name);
    }
    result.values[j] = number.value_or(0.0);
  }
  for (const std::string& name : task.unknown) {
    if (std::find(task.context.begin(), task.context.end(), name) == task.context.end())
      add(fmt::format("\"observed\" holds '{}', which is no context variable. {}", name,
                      context_advice(name, task.context)),
          {{"Correct the name"}, {"Leave it out"}}, name);
  }
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (times[j] > 0) continue;
    if (unknown == UnknownPolicy::kDraw) {
      result.values[j] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    std::vector<Remedy> remedies = observed_remedies("Give one");
    remedies.push_back(unknown_remedy());
    add(fmt::format("There is no observed value of the context variable '{}'.", task.context[j]), std::move(remedies),
        task.context[j]);
  }
  return result;
}

std::string unknown_group_text(const Task& task, const std::string& name, std::span<const std::string> groups) {
  const std::string closest = closest_name(name, groups);
  return fmt::format("'{}' is none of the {} groups of '{}'.{}", name, groups.size(), task.group,
                     closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest));
}

Remedy new_group_remedy() { return {"Leave it out to decide for a new group"}; }

}  // namespace olem::internal

namespace olem {

std::vector<NamedValue> known_context(const Task& task, std::span<const double> values) {
  std::vector<NamedValue> known;
  for (const NamedValue& value : named_values(task.context, values)) {
    if (!std::isnan(value.value)) known.push_back(value);
  }
  return known;
}

std::vector<std::vector<double>> read_contexts(const Task& task, const ContextSources& sources, const Context& context,
                                               std::span<const Column> about, UnknownPolicy unknown) {
  if (sources.file.empty()) return {single_context(task, sources.values, about, unknown)};
  if (!sources.values.empty()) {
    throw Error::of_option("contexts", "A file of contexts and single observed values exclude each other.",
                           {{"Put all values into the file"}});
  }
  if (task.context.empty()) {
    throw Error::of_option("contexts", "The task has no context variables.", {{"Leave the file out"}});
  }
  return parse_contexts(task, read_table_file(sources.file, context), table_source(sources.file), context, about,
                        unknown);
}

std::vector<std::vector<double>> parse_contexts(const Task& task, std::string_view text, const std::string& source,
                                                const Context& context, std::span<const Column> about,
                                                UnknownPolicy unknown) {
  return ContextRows(task, text, source, about, unknown).read(context);
}

std::vector<Column> context_columns(const Task& task, std::span<const NamedColumn> columns) {
  std::vector<Column> about;
  for (const std::string& name : task.context) about.push_back(about_column(columns, name));
  return about;
}

std::vector<Warning> context_warnings(const Task& task, std::span<const ColumnSummary> columns,
                                      std::span<const double> values) {
  check_same_size("columns", columns.size(), "context", task.context.size());
  check_same_size("values", values.size(), "context", task.context.size());
  std::vector<Warning> warnings;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const ColumnSummary& column = columns[j];
    if (std::isnan(values[j])) continue;  // not known
    const double beyond = std::max(column.low - values[j], values[j] - column.high);
    if (beyond <= column.range()) continue;
    warnings.push_back({"extrapolation",
                        fmt::format("The observed value of '{}', {:.6g}, lies far outside of the data, which ends at "
                                    "{:.6g}: what follows from it is guessed.",
                                    task.context[j], values[j], values[j] < column.low ? column.low : column.high),
                        task.context[j],
                        {{"Look at its units"}}});
  }
  return warnings;
}

std::string observed_group(const Task& task, std::span<const NamedWord> given) {
  if (task.group.empty()) return "";
  for (const NamedWord& value : given) {
    if (value.name == task.group) return value.word;
  }
  for (const NamedValue& value : task.observed) {
    if (value.name == task.group) return fmt::format("{}", value.value);
  }
  for (const NamedWord& value : task.observed_words) {
    if (value.name == task.group) return value.word;
  }
  return "";
}

}  // namespace olem
