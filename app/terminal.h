#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace olem::app {

// Whether what is written to a descriptor may have colours: it is a terminal that knows them, and NO_COLOR is not set.
bool has_colours(int descriptor);

// Columns of the terminal behind a descriptor; 0 where there is none.
std::size_t terminal_width(int descriptor);

enum class Style { kError, kWarning, kStrong };

// The text between the escape sequences of a style.
std::string styled(std::string_view text, Style style);

// A result, whose paragraphs are wrapped to `written` columns, with those that are wider than `width` wrapped to that.
// So are chains of an order; tables keep their lines.
std::string fitted_to(std::string_view text, std::size_t written, std::size_t width);

// A result with what a reader must not overlook in colour: the probability of success, steps that the data did not
// decide, the severity of findings.
std::string highlighted(std::string_view text);

}  // namespace olem::app
