#pragma once

#include "olem/column.h"

namespace olem::internal {

// The greatest value of a share: 1, or 100 where the unit is "%".
inline double greatest_share(const Column& column) { return column.unit == "%" ? 100.0 : 1.0; }

}  // namespace olem::internal
