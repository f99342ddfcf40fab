#pragma once

#include <optional>
#include <string>

#include "decision_rows.h"
#include "olem/decision.h"
#include "olem/rehearsal.h"
#include "olem/table.h"
#include "olem/task.h"
#if __has_include("olem/impute.h")
#include "olem/impute.h"
#endif

namespace olem::bench {

// As a user has them: the text of a task file and of a table, whose missing cells are read by `policy`.
struct TaskTexts {
  std::string task;
  std::string table;
  std::string policy = "error";
};

inline RehearsalModel fit_texts(const TaskTexts& texts, const Variant& variant, const std::optional<Order>& given,
                                const Context& context) {
  const Task task = parse_task(texts.task, "task.json");
  ReadOptions reading = reading_options(task).read;
  set_read_option(reading, "missing", texts.policy);
  const ReadResult read = read_csv_text(texts.table, "data.csv", reading, context);
#if __has_include("olem/impute.h")
  if (read.incomplete) {
    const IncompleteTable declared = read.incomplete->with_started(declare_columns(read.incomplete->started(), task));
    return fit_rehearsal(task, impute(declared, ImputeOptions(), context), variant.rehearsal(), given, context);
  }
#endif
  return fit_rehearsal(task, declare_columns(read.table, task), variant.rehearsal(), given, context);
}

}  // namespace olem::bench
