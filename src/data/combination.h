#pragma once

#include <span>
#include <string>
#include <vector>

namespace olem::internal {

// "3 x + 4 y", "-y"; names with weight 0 are left out, and "0" stands for nothing. As many weights as names.
std::string combination_text(std::span<const double> weights, const std::vector<std::string>& names);

}  // namespace olem::internal
