#pragma once

#include <string>

namespace olem::internal {

// "60 % to 70 %", "below 50 %"
std::string band_name(double from, double to);

// Whether claims and what came out agree, in one sentence.
std::string realised_verdict(double claimed, double share, double p_value, bool fits);

}  // namespace olem::internal
