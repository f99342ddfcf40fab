#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "olem/json.h"

namespace olem {

// A JSON document from outside; comments (// and /* */) are allowed. A syntax error, a number that no double holds, a
// key that stands twice in one object, nesting deeper than 64 levels and more than `most_values` values are data errors
// that name `source` and, for syntax, line and column.
Json parse_json_text(std::string_view text, const std::string& source,
                     std::size_t most_values = std::numeric_limits<std::size_t>::max());

}  // namespace olem
