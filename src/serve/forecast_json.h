#pragma once

#include <vector>

#include "olem/decision.h"
#include "olem/json.h"

namespace olem::internal {

// [{"name", "mean", "low", "high", "levels": {word: share}}]
Json forecasts_json(const std::vector<OutcomeForecast>& forecasts);

}  // namespace olem::internal
