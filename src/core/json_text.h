#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "olem/json.h"

namespace olem {

// A JSON document that a person wrote: comments (// and /* */) are allowed. A syntax error, a key that stands twice in
// one object and nesting deeper than 64 levels are data errors that name `source` and, for syntax, line and column.
Json parse_json_text(std::string_view text, const std::string& source);

// The line, from 1, of a key in such a document: keys = {"a", "b"} is the key "b" in the object that belongs to the key
// "a". Keys of objects inside lists are not found: 0. For messages about what has been parsed already.
std::size_t json_key_line(std::string_view text, std::span<const std::string> keys);

}  // namespace olem
