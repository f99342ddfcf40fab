#pragma once

#include <string>

#include "olem/column_types.h"

namespace olem::internal {

// The levels of a column, the first six by name: "poor < good < very good" of an ordinal one, "X, Y, Z" of others.
std::string levels_text(const Column& column);

// "3.2 mg", or the value alone.
std::string with_unit(const Column& column, const std::string& value);

// The name of a level, or the number with four digits and its unit.
std::string number_words(const Column& column, double value);

// "dose (Daily dose)", or the name alone.
std::string with_label(const Column& column, const std::string& name);

}  // namespace olem::internal
