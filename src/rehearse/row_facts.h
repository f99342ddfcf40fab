#pragma once

#include <span>
#include <vector>

#include "olem/rehearsal.h"

namespace olem::internal {

// The tables with every real column whose mean differs between the groups beyond chance less the mean of its group:
// what is left inside of groups is what orders are learned from. The tables themselves where there are no groups.
std::vector<Table> inside_groups(const std::vector<Table>& tables, const TaskRows& rows);

// The tables without the rows in which anything was set; all rows where fewer than half of them would be left.
std::vector<Table> rows_left_alone(const std::vector<Table>& tables, const TaskRows& rows);

// Fills what the model says about set rows and rows in time, with the warnings "hidden_cause_found",
// "lever_follows_trend", "trend" and "weights_resampled".
void describe_rows(RehearsalModel& model, const Table& table, const TaskRows& rows);

}  // namespace olem::internal
