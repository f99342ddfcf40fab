#pragma once

#include <optional>
#include <string>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/graph.h"
#include "olem/rehearsal.h"
#include "olem/simulate_mixed.h"
#include "olem/task.h"

// What studies and benchmarks of decisions on simulated tables share.
namespace olem::internal {

// As a user has them: the text of a task file and of a table, whose missing cells are read by `policy`.
struct TaskTexts {
  std::string task;
  std::string table;
  std::string policy = "error";
};

RehearsalModel fit_texts(const TaskTexts& texts, const RehearsalOptions& options, const std::optional<Order>& given,
                         const Context& context);

// The same task without what it says about the rows: neither which were set by hand nor their groups.
Task without_rows(Task task);

// The nearest value that the lever can have.
double possible_value(const MixedLever& lever, double value);

// Whether mean and interval of the forecast are values that the column can have, or between two of them.
bool is_possible_forecast(const Column& column, const OutcomeForecast& forecast);

}  // namespace olem::internal
