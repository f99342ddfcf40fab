#pragma once

#include <span>
#include <string>
#include <vector>

#include "olem/json.h"
#include "olem/rehearsal.h"

namespace olem::internal {

// Everything of a model but the arrays of its samplers, which are appended to `numbers` one after the other; the header
// says how long each is.
Json model_header(const RehearsalModel& model, std::vector<double>& numbers);

// The inverse. Throws a data error that starts with `source` and names the part that is missing, of the wrong kind or
// size, not finite, or at odds with another.
RehearsalModel read_model_header(const Json& header, std::span<const double> numbers, const std::string& source);

}  // namespace olem::internal
