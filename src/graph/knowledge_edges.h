#pragma once

#include <optional>
#include <vector>

#include "olem/graph.h"
#include "olem/knowledge.h"

namespace olem::internal {

// Directs every undirected edge whose ends are ordered by what is known, then closes under Meek's rules. Nothing
// happens when nothing is known.
void orient_by_knowledge(MixedGraph& graph, const Precedence& knowledge);

// As consistent_extension in olem/graph.h, but a DAG which has an order that obeys what is known. Nothing when there is
// none.
std::optional<Dag> consistent_extension(const MixedGraph& graph, const Precedence& knowledge);

// The directed edges that lie on a circle of directed edges and known precedences: they contradict each other or what
// is known. Sorted. O(d^3 / 64).
std::vector<Edge> circular_edges(const MixedGraph& graph, const Precedence& knowledge);

}  // namespace olem::internal
