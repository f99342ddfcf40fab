#include "olem/found_by.h"

#include <array>
#include <cstddef>

namespace olem {

std::string_view found_by_name(FoundBy found_by) {
  constexpr std::array<std::string_view, 16> kNames = {"no action",
                                                       "fixed values",
                                                       "expected values",
                                                       "surrogate",
                                                       "direct ascent",
                                                       "border",
                                                       "cost descent",
                                                       "bayes",
                                                       "random",
                                                       "grid",
                                                       "sweep",
                                                       "plane sweep",
                                                       "coordinate sweeps",
                                                       "integer programme",
                                                       "levels",
                                                       "pattern moves"};
  return kNames[static_cast<std::size_t>(found_by)];
}

}  // namespace olem
