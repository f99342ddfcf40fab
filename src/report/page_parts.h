#pragma once

#include <string>

#include "core/json_part.h"
#include "olem/task.h"
#include "report/page.h"

namespace olem {

// Parts of the pages about results. Each takes the whole result and adds nothing where the result lacks what it shows.

std::string percent(double share);

// "NEC between 0.5 and 2", "x at least 3 and y at most 1"; the rows of a region that is no box.
std::string desired_text(const Task& task);

// Its answer in one sentence.
std::string answer_text(const JsonPart& result, const Task& task);

// The decisions of `olem decide`: what to set, forecasts, curves; one after the other, and a table where they are many.
void add_decisions(Page& page, const JsonPart& result);

// What `olem explain` found.
void add_explanations(Page& page, const JsonPart& result);

// The order as a chain with the stages of the task, where there is one, and what decided each step.
void add_order(Page& page, const JsonPart& result, const Task* task);

// How the order fared on half-samples.
void add_stability(Page& page, const JsonPart& result);

// The graph, and for a pruned one the tests of its edges.
void add_graph(Page& page, const JsonPart& result);

// How well the samplers forecast rows that they had not seen.
void add_calibration(Page& page, const JsonPart& result);

}  // namespace olem
