#pragma once

#include <cstdint>
#include <vector>

#include "entropy/neighbours.h"

namespace olem::internal {

// The rows in an order in which neighbours in space are near each other: the sample is halved at a multiple of `tile`
// along its widest column until `tile` points are left.
std::vector<std::uint32_t> spatial_order(const ColumnSpans& columns, std::size_t tile, const Context& context);

}  // namespace olem::internal
