#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "olem/json.h"

namespace olem {

// A JSON document that a person wrote: comments (// and /* */) are allowed. A syntax error, a key that stands twice in
// one object, nesting deeper than 64 levels and more than `most_values` values are data errors that name `source` and,
// for syntax, line and column.
Json parse_json_text(std::string_view text, const std::string& source,
                     std::size_t most_values = std::numeric_limits<std::size_t>::max());

// The line, from 1, of a key in such a document: keys = {"a", "b"} is the key "b" in the object that belongs to the key
// "a". Keys of objects inside lists are not found: 0. For messages about what has been parsed already.
std::size_t json_key_line(std::string_view text, std::span<const std::string> keys);

}  // namespace olem
