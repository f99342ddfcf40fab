#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/json_part.h"
#include "olem/column_types.h"

namespace olem::internal {

// "66 % (58 % to 73 %)" of a probability with its interval, in whole percents: what members tell is not known finer.
std::string rounded_success(double success, double low, double high);

// The same where there is an interval, "66.1 %" where there is none.
std::string success_text(double success, const std::optional<std::pair<double, double>>& interval);

// What other learners say of the decision, and which of them disagree; empty where none were asked.
std::string opinions_sentence(const JsonPart& decision);

// What the range behind a probability covers, with members and of a single fit.
std::string range_sentence(bool with_members);

// What the interval of a decision covers and what would change the answer, a sentence or two each, what matters most
// first. Of a decision as to_json(const Decision&) writes it; empty entries are left out.
std::vector<std::string> uncertainty_sentences(const JsonPart& decision, std::span<const NamedColumn> columns);

// As many of the sentences as fit into so many lines of the terminal, wrapped.
std::string first_lines(const std::vector<std::string>& sentences, std::size_t lines);

}  // namespace olem::internal
