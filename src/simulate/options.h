#pragma once

#include <array>

#include "olem/options.h"

namespace olem::internal {

// In the order of the first enumerators of NoiseKind.
inline constexpr std::array<Choice, 3> kNoises = {{
    {"beta", "Beta(a, b), a and b uniform on [0.75, 1.25]"},
    {"exponential", "exponential with scale a, uniform on [0.75, 1.25]"},
    {"gaussian", "Gaussian with standard deviation a, uniform on [0.75, 1.25]"},
}};

// Throws a usage error unless every option keeps its rule.
template <class Options>
void check_options(Options options) {
  describe(options).validate();
}

}  // namespace olem::internal
