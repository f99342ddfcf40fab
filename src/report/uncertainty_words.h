#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/json_part.h"
#include "olem/column_types.h"

namespace olem::internal {

// "66 %": what members tell is not known finer.
std::string whole_percent(double share);

// "66 % (58 % to 73 %)" of a probability with its interval, in whole percents.
std::string rounded_success(double success, double low, double high);

// The same where there is an interval, "66.1 %" where there is none.
std::string success_text(double success, const std::optional<std::pair<double, double>>& interval);

// What the range behind a probability covers, with members and of a single fit.
std::string range_sentence(bool with_members);

// A sentence or two about a decision, and which come first where there is little room.
struct AnswerSentence {
  std::string text;
  std::string brief;     // what of it is said in any case; may be empty
  std::size_t rank = 0;  // the lowest first
};

// What other learners say, what the interval of a decision covers and what would change the answer, in the order in
// which people read them. Of a decision as to_json(const Decision&) writes it.
std::vector<AnswerSentence> uncertainty_sentences(const JsonPart& decision, std::span<const NamedColumn> columns);

// What of the sentences fits into so many lines of the terminal, wrapped: first all that is brief, then by rank. Where
// something is left out and a line is free it says where to find it.
std::string answer_lines(const std::vector<AnswerSentence>& sentences, std::size_t lines);

}  // namespace olem::internal
