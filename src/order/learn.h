#pragma once

#include <cstddef>
#include <string>

#include "olem/table.h"

namespace olem::internal {

// What every learner asks of its data: columns that vary (a data error names those that do not) and `least_rows` rows.
void check_learnable(const Table& table, std::size_t least_rows, const std::string& method);

}  // namespace olem::internal
