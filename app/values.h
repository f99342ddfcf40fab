#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/column_types.h"
#include "olem/named_value.h"
#include "olem/task.h"

namespace olem::app {

// The names in "a, b c, \"d, e\"": separated by commas, spaces around them do not count, double quotes as in a CSV file
// around a name that holds a comma. A usage error about the option with the key `option` for an empty name.
std::vector<std::string> split_names(std::string_view text, const std::string& option);

// The same of a flag that need not be given.
std::vector<std::string> names_in(const std::string& text, const std::string& option);

// Each text is NAME=VALUE. The last = separates: a name may hold one, a number cannot. A usage error about the option
// for anything else.
std::vector<NamedWord> parse_texts(const std::vector<std::string>& texts, const std::string& option);

// The same where each value is a finite number, or the word of a level of its column.
std::vector<NamedValue> parse_assignments(const std::vector<std::string>& texts, const std::string& option,
                                          std::span<const NamedColumn> columns);

}  // namespace olem::app
