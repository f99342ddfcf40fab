#pragma once

#include <string>

#include "olem/rounds.h"

namespace olem {

// What to set in the present round, what to expect of all of them, and the plan, as text for a terminal.
std::string rounds_text(const RoundsProblem& problem, const RoundsDecision& decision);

}  // namespace olem
