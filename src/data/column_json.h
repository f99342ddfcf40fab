#pragma once

#include <vector>

#include "core/json_part.h"
#include "olem/column_types.h"

namespace olem::internal {

// The inverse of column_types_json.
std::vector<NamedColumn> read_column_types(const JsonPart& part);

// Replaces the numbers of an object {name: number} by the words of their levels where they have one. What is no number,
// and numbers that are no level, stay.
void name_levels(Json& values, std::span<const NamedColumn> columns);

}  // namespace olem::internal
