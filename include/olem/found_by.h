#pragma once

#include <string_view>

namespace olem {

// What found a decision, for those who compare searches.
enum class FoundBy {
  kNoAction,     // nothing better was found than to alter nothing
  kFixedValues,  // nothing better was found than the fixed values alone
  kExpectedValues,
  kSurrogate,     // the paper's search
  kDirectAscent,  // of the smoothed probability, from the best starts
  kBorder,
  kCostDescent,
  kBayes,  // the optimisers without gradient
  kRandom,
  kGrid,
  kSweep,  // the searches of QWZ23
  kPlaneSweep,
  kCoordinateSweeps,
  kIntegerProgramme,
  kLevels,        // the best combination of levels
  kPatternMoves,  // steps along single variables on exact draws
};

// "no action", "direct ascent", ...: as in the JSON result, under "found_by".
std::string_view found_by_name(FoundBy found_by);

}  // namespace olem
