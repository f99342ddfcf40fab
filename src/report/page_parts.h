#pragma once

#include <span>
#include <string>

#include "core/json_part.h"
#include "olem/task.h"
#include "report/page.h"

namespace olem::internal {

// Parts of the pages about results. Each takes the whole result and adds nothing where the result lacks what it shows.

// Any value of an option or of a table, in a few characters; nothing for null.
std::string json_cell(const Json& value);

// "Data: reef.csv, 300 rows."; nothing when neither is known.
std::string data_sentence(const std::string& source, const std::string& rows);

// "NEC between 0.5 and 2", "room at least 20 °C and y at most 1", "x + 2 y at most 4" for a region that is no box;
// units are those of `columns`.
std::string desired_text(const Task& task, std::span<const NamedColumn> columns);

// What is known of the columns; nothing for results of older versions.
std::vector<NamedColumn> columns_of(const JsonPart& result);

// What the columns were taken for, and why: a table. Nothing where nobody looked.
void add_columns(Page& page, const JsonPart& result);

// What to do, and what one variable alone can do, in one sentence.
std::string answer_text(const JsonPart& result, const Task& task);
std::string explanation_answer(const JsonPart& result);

// What a decision is to heed beside the desired region.
struct Wishes {
  bool weighted = false;  // the task says what alterations cost
  bool forms = false;     // and counts some from another point, or squared
  double target = 0.0;    // success that is enough; 0: as much as can be had

  bool cost_matters() const { return weighted || target > 0.0; }
  std::string cost_words() const;  // a sentence: how costs are counted
};

Wishes wishes_of(const JsonPart& result, const Task& task);

// Roles, domains and wishes of the task in sentences.
void add_task(Page& page, const JsonPart& result, const Task& task);

// The decisions of `olem decide`: what to set, forecasts, alternatives, curves; one after the other, and a table where
// they are many.
void add_decisions(Page& page, const JsonPart& result, const Task& task);

// What `olem explain` found.
void add_explanations(Page& page, const JsonPart& result);

// The order as a chain with the stages of the task, where there is one, and what decided each step.
void add_order(Page& page, const JsonPart& result, const Task* task);

// What came of what the task says about the rows: groups, effective rows, and what rows in which a lever was set say
// beside the others.
void add_rows(Page& page, const JsonPart& result);

// How the order fared on half-samples.
void add_stability(Page& page, const JsonPart& result);

// How many published numbers came out again, in one sentence.
std::string study_answer(const JsonPart& result);

// The rows of a study: a panel per metric, what becomes of the published numbers, and all rows as a table.
void add_study(Page& page, const JsonPart& result);

// The graph that `olem graph` found, with the tests of its edges where it was pruned; or the one that a model was
// learned along. What the task, where there is one, permits to alter is marked.
void add_graph(Page& page, const JsonPart& result, const Task* task);

// The graph of `olem graph` in one sentence.
std::string graph_answer(const JsonPart& result);

// How well the samplers forecast rows that they had not seen.
void add_calibration(Page& page, const JsonPart& result);

// How the claims of earlier decisions compare with what came out (`olem check --log`), and the same in a sentence.
void add_realised(Page& page, const JsonPart& result);
std::string realised_answer(const JsonPart& result);

// "Log: decisions.jsonl, 60 decisions. Outcomes: rows.csv, 60 rows."
std::string log_sentence(const JsonPart& result);

}  // namespace olem::internal
