#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace olem {

// To which the texts of results are wrapped.
constexpr std::size_t kLineWidth = 100;

// Words broken into lines of at most `width` characters, each after `indent`; ends with a newline.
std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent = "");

// Characters that a UTF-8 text shows: its code points.
std::size_t display_width(std::string_view text);

}  // namespace olem
