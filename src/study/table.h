#pragma once

#include <map>
#include <string>
#include <vector>

#include "olem/study.h"
#include "study/kind.h"

namespace olem::internal {

// Rows and pools of `result` from the records of all cells, summed in the order of the plan. With `comparable` the
// published numbers are put beside them.
//
// The standard error of a difference is sqrt(s^2 / n + S^2 / (u - 1)): s is the standard deviation of our n cells
// (divisor n - 1), S the published one over u epochs or tasks (divisor u). A pooled difference is the mean over the
// settings. There our errors are independent; those of published numbers that share their models add up in full, which
// is the most that they can.
void fill_table(const StudyKind& kind, const StudyRequest& request, const std::vector<Batch>& batches,
                const std::map<std::string, JournalRecord>& records, bool comparable, StudyResult& result);

}  // namespace olem::internal
