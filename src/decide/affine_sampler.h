#pragma once

#include <memory>
#include <vector>

#include "olem/sampler.h"

namespace olem::internal {

// constant + sum of slopes x conditions, without noise, in standardised units. Not kept in files.
std::shared_ptr<const ConditionalSampler> make_affine_sampler(double constant, std::vector<double> slopes);

// What facts() calls it.
inline constexpr const char* kAffineForm = "sum";

}  // namespace olem::internal
