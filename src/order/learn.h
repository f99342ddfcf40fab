#pragma once

#include <cstddef>
#include <string>

#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

// What every learner asks of its data: columns that vary (a data error names those that do not) and `least_rows` rows.
void check_learnable(const Table& table, std::size_t least_rows, const std::string& method);

// "codes": the method takes the numbers of the levels of these categories for quantities. Of two levels they are as
// good as any.
void warn_about_category_codes(const Table& table, const std::string& method, Summary& summary);

}  // namespace olem::internal
