#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "olem/agreement.h"
#include "olem/graph.h"
#include "olem/impute.h"
#include "olem/rehearsal.h"
#include "olem/text.h"

namespace olem::internal {

// Blanks added up to `width` characters as shown.
std::string pad_right(const std::string& text, std::size_t width);

// Four digits.
std::string short_number(double value);

// "67.6 %"
std::string percent_text(double share);

// "  a > b > c", broken between names.
std::string order_chain(const Order& order);

// Which columns are taken to follow the levers, and what to do about it; empty when there are none. The second form is
// of a model in which the levers stand first, and empty for any other.
std::string levers_sentence(const std::vector<std::string>& following);
std::string levers_sentence(const RehearsalModel& model);

// What rows in which a lever was set say about it and what the others say, groups and rows in time; empty: nothing is
// known of the rows.
std::string set_sentence(const SetEffect& effect);
std::string rows_text(const RehearsalModel& model);

// Which neighbours the data left open, those with a lever or an outcome first and at most six of them; "" when there
// are none.
std::string undecided_sentence(const RehearsalModel& model);

// gaps_text without line ends.
std::string gaps_sentence(const GapSummary& gaps, const std::optional<Agreement>& agreement, std::string_view learned);

// The order of a model's variables, or with a graph the parents of each, with a sentence before it.
std::string model_heading(const RehearsalModel& model);

}  // namespace olem::internal
