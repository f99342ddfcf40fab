#pragma once

#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/json.h"

namespace olem::internal {

// Decisions for several contexts, one entry each: {"context", "alterations", "success_probability", "interval",
// "without_action", "status"}.
Json decision_rows(const std::vector<Decision>& decisions);

// The same as a CSV table: context, alterable variables (an empty cell leaves it alone), success with its interval,
// without action, status. Numbers read back to the same bits. Text that a spreadsheet would take for a formula, because
// it begins with = + - @ or a control character, has an apostrophe before it.
std::string decision_csv(const std::vector<Decision>& decisions);

}  // namespace olem::internal
