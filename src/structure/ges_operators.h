#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "graph/partial_edges.h"
#include "olem/context.h"
#include "olem/ges.h"
#include "olem/knowledge.h"
#include "structure/gaussian_score.h"

namespace olem::internal {

// What an operator of the greedy equivalence search must respect beside the rules of Chickering (2002).
struct GesRules {
  const Precedence& knowledge;
  std::size_t max_parents = std::numeric_limits<std::size_t>::max();
  double tolerance = 0.0;  // gains that differ by less are equal, and no gain is less
};

// The operators Insert(x, y, T) for one ordered pair that is not adjacent, in the order of T by size and then
// lexicographically: those that gain, whose NA(y, x) and T together are a clique (Chickering 2002, theorem 15), and
// that do not at once contradict what is known. They depend on the parents and neighbours of y, the edges between
// those, and which of them x is adjacent to, and on nothing else; the paths are left to paths_are_blocked.
std::vector<GesStep> insert_operators(const PartialEdges& edges, std::size_t x, std::size_t y, GaussianScore& score,
                                      const GesRules& rules, const Context& context);

// The operators Delete(x, y, H) for x - y or x -> y in the same order, under the same dependence: those that gain, for
// which NA(y, x) without H is a clique (theorem 17), and that do not at once contradict what is known.
std::vector<GesStep> delete_operators(const PartialEdges& edges, std::size_t x, std::size_t y, GaussianScore& score,
                                      const GesRules& rules, const Context& context);

// The second condition of Insert: every semi-directed path from y to x meets NA(y, x) or T.
bool paths_are_blocked(const PartialEdges& edges, const GesStep& insert);

// The class that a valid operator leads to.
MixedGraph apply_operator(const MixedGraph& graph, const GesStep& step);

}  // namespace olem::internal
