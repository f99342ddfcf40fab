#pragma once

#include <string>

#include "olem/column.h"

namespace olem::internal {

// Text for a cell of a CSV file. What a spreadsheet would take for a formula, because it begins with = + - @ or a
// control character, has an apostrophe before it.
std::string csv_text(const std::string& text);

// The word of a level is text, a number is none and reads back to the same bits.
std::string csv_value(const Column& column, double value);

}  // namespace olem::internal
