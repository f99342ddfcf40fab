#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/named_value.h"
#include "olem/random.h"
#include "olem/simulate_named.h"

namespace olem::internal {

// What a lever may be set to: an interval, or 0 and 1.
struct SearchLever {
  std::string name;
  double low = 0.0;
  double high = 1.0;
  bool binary = false;
};

// True success of alterations by that many trials. Calls with the same `draw` share their noise.
using TrueSuccess =
    std::function<double(std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw)>;

// Random search over the levers, each of which may be left alone: points of the domains, then steps around the best
// ones, all on common draws; the success that comes back is that on others. About 200 000 trials. A pure function of
// its arguments.
NamedDecision search_decision(const std::vector<SearchLever>& levers, const TrueSuccess& success, RandomStream random,
                              const Context& context);

}  // namespace olem::internal
