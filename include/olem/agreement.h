#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/graph.h"
#include "olem/json.h"

namespace olem {

// Which of several answers about the same columns agrees best with the others.
struct Agreement {
  std::size_t chosen = 0;              // its place: the least sum of `differing`, the first of equals
  std::vector<std::size_t> differing;  // for each answer, pairs of columns in which it differs from the chosen one
  std::size_t pairs = 0;               // of columns
  double mean_differing() const;       // over the others; 0 when there are none
};

// {"tables", "chosen", "differing", "pairs", "mean_differing"}
Json to_json(const Agreement& agreement);

// Of orders of the same names: a pair differs when it stands the other way round. O(orders^2 columns^2).
Agreement most_agreeing(std::span<const Order> orders);
// Of graphs with the same nodes: a pair differs when its edges are not the same.
Agreement most_agreeing(std::span<const MixedGraph> graphs);

}  // namespace olem
