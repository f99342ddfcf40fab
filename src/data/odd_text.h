#pragma once

#include <string>
#include <string_view>

namespace olem::internal {

// What cells that are no numbers look like to a person. Each is O(length).

// A day, a month of a year, a time of day, or a day with a time: 2023-01-31, 31.1.2023, 1/31/23, 31-Jan-2023, 2023-01,
// 14:30, 2023-01-31T14:30:00Z.
bool looks_like_date(std::string_view text);

// A number with something around it that is no part of a number: $1,234.50, 12.50 EUR, 25.6 kg, (1.18), '8.2', or with
// a typographic minus. Names with a number in them, such as A12, are none.
bool looks_like_dressed_number(std::string_view text, char decimal);

// What stands in front of a row of totals: Total, Grand total, Sum:, Mean, Average, Summe, ... in any case.
bool looks_like_total(std::string_view label);

// What levels are compared by to find those that a person takes for one: without differences of case, and with one
// blank for any blanks, hyphens and underscores between words.
std::string level_key(std::string_view level);

}  // namespace olem::internal
