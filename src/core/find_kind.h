#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "olem/error.h"
#include "olem/options.h"

namespace olem::internal {

// The entry of a registry with this name. `what` is what the entries are, with its article: "an order learner". Throws
// a usage error that suggests the closest name when there is none such.
template <class Kind>
const Kind& find_kind(const std::vector<Kind>& kinds, const std::string& name, std::string_view what) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  const std::string closest = closest_name(name, names);
  throw Error(ErrorCategory::kUsage, fmt::format("'{}' is not {}{} There are: {}.", name, what,
                                                 closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                                                 fmt::join(names, ", ")));
}

}  // namespace olem::internal
