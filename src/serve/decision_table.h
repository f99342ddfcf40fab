#pragma once

#include <vector>

#include "olem/decision.h"
#include "olem/json.h"

namespace olem::internal {

// Decisions for several contexts, one entry each: {"context", "alterations", "success_probability", "interval",
// "without_action", "status"}. Levels are numbers: the page sets its levers to them.
Json decision_rows(const std::vector<Decision>& decisions);

}  // namespace olem::internal
