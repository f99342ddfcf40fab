#pragma once

#include <span>
#include <vector>

#include "olem/decision.h"
#include "olem/json.h"

namespace olem::internal {

// Decisions for several contexts, one entry each: {"context", "alterations", "success_probability", "interval",
// "without_action", "status"}. Levels are words.
Json decision_rows(const std::vector<Decision>& decisions, std::span<const NamedColumn> columns);

}  // namespace olem::internal
