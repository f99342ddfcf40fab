#pragma once

#include <span>
#include <vector>

#include "olem/data_check.h"
#include "olem/task.h"

namespace olem::internal {

struct ObservedContext {
  std::vector<double> values;  // one per context variable, in the order of the task; NaN: not known, and may be
  std::vector<Problem> problems;
};

// How to say what was observed, under one advice.
std::vector<Remedy> observed_remedies(const std::string& advice);

// What a task says was observed, each value as it would be typed.
std::vector<NamedWord> observed_texts(const Task& task);

// Puts observed values into the order of the context. A variable without value, a value of something that is no context
// variable, a repeated one and one that is no finite number or level of its column are problems (errors with the code
// "observed"). `about` has an entry for each context variable, or none: all are numbers then. With
// UnknownPolicy::kDraw variables may lack a value: NaN.
ObservedContext order_observed(const Task& task, std::span<const NamedWord> observed, std::span<const Column> about,
                               UnknownPolicy unknown = UnknownPolicy::kError);

// That a group is not known; `groups` are the names of those that are.
std::string unknown_group_text(const Task& task, const std::string& name, std::span<const std::string> groups);
Remedy new_group_remedy();

// That a value may be drawn.
Remedy unknown_remedy();

}  // namespace olem::internal
