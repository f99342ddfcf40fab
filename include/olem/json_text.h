#pragma once

#include <string>
#include <string_view>

#include "olem/json.h"

namespace olem {

// A JSON document from outside; comments (// and /* */) are allowed. A syntax error, a number that no double holds, a
// key that stands twice in one object and nesting deeper than 64 levels are data errors that name `source` and, for
// syntax, line and column.
Json parse_json_text(std::string_view text, const std::string& source);

}  // namespace olem
