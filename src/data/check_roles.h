#pragma once

#include <vector>

#include "olem/data_check.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem::internal {

// The note "after_outcome" about columns without role that explain more than four fifths of what context and levers
// leave of an outcome, linearly: effects of the outcome do so, and setting a lever would seem to act through them. The
// names of the task must be columns. O(n k^2) for k columns with a role.
void check_intermediates(const Task& task, const Table& table, std::vector<Problem>& problems);

// The note "ordered_codes" about levers of whole numbers with few values, which may be codes (vendor 1 to 4) and are
// taken as ordered unless the user says otherwise.
void check_ordered_codes(const Task& task, const Table& table, std::vector<Problem>& problems);

}  // namespace olem::internal
