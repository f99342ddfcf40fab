#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "olem/json_text.h"

namespace olem::internal {

// The line, from 1, of a key in a document that parse_json_text has read: keys = {"a", "b"} is the key "b" in the
// object that belongs to the key "a". Keys of objects inside lists are not found: 0. For messages.
std::size_t json_key_line(std::string_view text, std::span<const std::string> keys);

}  // namespace olem::internal
