#pragma once

#include "core/json_part.h"
#include "olem/explain.h"

namespace olem::internal {

// The inverse of to_json(Explanation), warnings apart. A data error that names the part for one that is missing or does
// not fit the others.
Explanation read_explanation(const JsonPart& part);

// Fills `alone` and `together` from the curves and maps.
void rank_by_success(Explanation& explanation);

}  // namespace olem::internal
