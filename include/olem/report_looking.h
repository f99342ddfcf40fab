#pragma once

#include <span>
#include <string>

#include "olem/column_types.h"
#include "olem/looking.h"

namespace olem {

// A line with a bar for each variable that could be seen and for each lever.
std::string looking_text(const Looking& looking, std::span<const NamedColumn> columns = {});

}  // namespace olem
