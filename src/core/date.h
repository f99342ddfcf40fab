#pragma once

#include <string>

namespace olem::internal {

// The day of now in UTC, "2026-01-31"; that of SOURCE_DATE_EPOCH where it is set.
std::string today();

}  // namespace olem::internal
