#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace olem {

// To which the texts of results are wrapped.
constexpr std::size_t kLineWidth = 100;

// Words in lines of at most `width` characters, each after `indent`, with a newline; none parts a number and its unit.
std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent = "");

// Bytes at the beginning of a text that stay on one line: a word, and behind a number what it measures.
std::size_t first_piece(std::string_view text);

// Characters that a UTF-8 text shows: its code points.
std::size_t display_width(std::string_view text);

}  // namespace olem
