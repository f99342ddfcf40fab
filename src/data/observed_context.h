#pragma once

#include <span>
#include <vector>

#include "olem/data_check.h"
#include "olem/task.h"

namespace olem::internal {

struct ObservedContext {
  std::vector<double> values;  // one per context variable, in the order of the task; complete without problems
  std::vector<Problem> problems;
};

// How to say what was observed, under one advice.
std::vector<Remedy> observed_remedies(const std::string& advice);

// Puts observed values into the order of the context. A variable without value, a value of something that is no context
// variable, a repeated one and one that is not finite are problems (errors with the code "observed").
ObservedContext order_observed(const Task& task, std::span<const NamedValue> observed);

}  // namespace olem::internal
