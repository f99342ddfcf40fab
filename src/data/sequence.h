#pragma once

#include <string>
#include <utility>
#include <vector>

#include "olem/data_check.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem::internal {

// What is wrong with "sequence": errors "sequence" for names that are unknown, have another role or stand twice.
void check_sequence(const Task& task, const Table& table, std::vector<Problem>& problems);

// The note "last_observation" about observations after the last step, which no decision can use.
void check_last_step(const Task& task, std::vector<Problem>& problems);

// What "sequence" says about the order: what is observed after a step stands behind the levers of that step and of
// those before it, and before the levers of all later steps.
std::vector<std::pair<std::string, std::string>> sequence_pairs(const Task& task);

}  // namespace olem::internal
