#pragma once

#include "olem/bit_set.h"
#include "olem/graph.h"

namespace olem::internal {

// The edges of a graph with directed and undirected edges as bits, for rules that look at whole neighbourhoods.
struct PartialEdges {
  BitMatrix children;  // [a][b]: a -> b
  BitMatrix parents;   // [b][a]: a -> b
  BitMatrix undirected;
  BitMatrix adjacent;

  explicit PartialEdges(const MixedGraph& graph)
      : children(graph.size()), parents(graph.size()), undirected(graph.size()), adjacent(graph.size()) {
    for (std::size_t a = 0; a < graph.size(); ++a) {
      for (std::size_t b = 0; b < graph.size(); ++b) {
        if (!graph.adjacent(a, b)) continue;
        adjacent.set(a, b);
        if (graph.undirected(a, b)) undirected.set(a, b);
        if (!graph.directed(a, b)) continue;
        children.set(a, b);
        parents.set(b, a);
      }
    }
  }

  // Turns a - b into a -> b.
  void direct(std::size_t a, std::size_t b) {
    undirected.reset(a, b);
    undirected.reset(b, a);
    children.set(a, b);
    parents.set(b, a);
  }
};

}  // namespace olem::internal
