#pragma once

#include <span>
#include <string_view>

namespace olem {

// What a code of a Warning or a Problem means, for every place where it is given.
struct WarningCode {
  std::string_view code;
  bool could_change_decision = false;  // worth knowing before the answer is read
  std::string_view meaning;            // what was found, and why it matters
  std::string_view what_to_do;         // advice that names no option; may be empty
};

// Every code that the library and the command line can give, in alphabetical order.
std::span<const WarningCode> warning_codes();

// Null for a code that is not known.
const WarningCode* find_warning_code(std::string_view code);

}  // namespace olem
