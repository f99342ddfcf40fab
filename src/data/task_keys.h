#pragma once

#include <string_view>

namespace olem::internal {

// The one key of "reading" in a task that may have several values.
inline constexpr std::string_view kRepeatedReadingKey = "type";

}  // namespace olem::internal
