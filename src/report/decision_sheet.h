#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/json_part.h"
#include "olem/column_types.h"
#include "report/uncertainty_words.h"

namespace olem::internal {

struct SheetTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// What there is to say about one decision, in words and cells that do not depend on where they are shown. The terminal
// and the page lay it out, and neither writes a sentence or a number of its own.
struct DecisionSheet {
  std::string observed;  // "Light = 1.3, Temp = 0.41"; empty without context
  bool acts = false;     // at least one variable is altered
  std::string set;       // "DIC to -0.002 and TA to 0.21"; empty when nothing is
  std::string success;   // "67.6 % (66.1 % to 69 %)"
  std::string without_action;
  std::string idle_by;        // ", by the orders used" where `message` names the number of another order; else empty
  bool with_members = false;  // the interval covers more than the draws
  std::vector<AnswerSentence> uncertainty;  // what other learners say, what the interval covers, what would change it
  // The status in a sentence, without the name of the search that found the decision; may be empty.
  std::string message;
  bool message_first = false;  // a target is out of reach, or needs nothing to be done: comes before what could be done
  std::string cost;            // four digits
  bool least_cost = false;     // the decision is the cheapest that reaches a target
  std::string bound;           // of QWZ23, in a sentence; empty for other methods
  std::string unknown;         // what of the context was not known and what knowing it is worth; may be empty
  std::string at_once;         // of a decision with later steps: success when everything is set now; may be empty
  std::vector<std::string> later;  // how later steps will be decided, a sentence for each lever
  SheetTable alterations;          // set, to, otherwise about, success without it
  SheetTable forecasts;            // outcome, with the decision, without action
  SheetTable proposals;            // the decisions to choose from; no rows when one was asked for
  bool no_other = false;           // several were asked for, and one was found
};

// Of a decision as to_json(const Decision&) writes it; units and labels are those of `columns`, `group` is the column
// of the groups where there are some. A data error that names the place for what is missing or of the wrong kind.
DecisionSheet decision_sheet(const JsonPart& decision, std::span<const NamedColumn> columns = {},
                             const std::string& group = "group");

// "Light = 1.3 lux, Season = winter, Temp unknown" of an object of numbers and words of levels.
std::string observed_values(const JsonPart& values, std::span<const NamedColumn> columns = {});

// [low, high]
std::pair<double, double> range_of(const JsonPart& part);

}  // namespace olem::internal
