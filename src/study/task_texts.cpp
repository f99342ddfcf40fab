#include "study/task_texts.h"

#include <algorithm>
#include <cmath>

#include "olem/column_types.h"
#include "olem/impute.h"
#include "olem/table.h"
#include "olem/task_rows.h"

namespace olem::internal {

RehearsalModel fit_texts(const TaskTexts& texts, const RehearsalOptions& options, const std::optional<Order>& given,
                         const Context& context) {
  const Task task = parse_task(texts.task, "task.json");
  ReadOptions reading = reading_options(task).read;
  set_read_option(reading, "missing", texts.policy);
  const ReadResult read = read_csv_text(texts.table, "data.csv", reading, context);
  if (read.incomplete) {
    const IncompleteTable declared = read.incomplete->with_started(declare_columns(read.incomplete->started(), task));
    return fit_rehearsal(task, impute(declared, ImputeOptions(), context), options, given, context);
  }
  return fit_rehearsal(task, declare_columns(read.table, task), options, given, context);
}

Task without_rows(Task task) {
  for (const std::string& name : row_columns(task)) task.ignore.push_back(name);
  task.set_by_hand.clear();
  task.group.clear();
  return task;
}

double possible_value(const MixedLever& lever, double value) {
  if (lever.values.empty()) return std::clamp(value, lever.low, lever.high);
  return *std::min_element(lever.values.begin(), lever.values.end(),
                           [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
}

bool is_possible_forecast(const Column& column, const OutcomeForecast& forecast) {
  const bool bounded = column.type != ColumnType::kReal && column.type != ColumnType::kCategory;
  const bool share = column.type == ColumnType::kShare || column.type == ColumnType::kBinary;
  const auto possible = [&](double value) {
    return std::isfinite(value) && !(bounded && value < 0.0) && !(share && value > 1.0);
  };
  return possible(forecast.low) && possible(forecast.mean) && possible(forecast.high);
}

}  // namespace olem::internal
