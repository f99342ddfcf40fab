#pragma once

#include "olem/graph.h"
#include "olem/knowledge.h"

namespace olem {

// Directs every undirected edge whose ends are ordered by what is known, then closes under Meek's rules. Nothing
// happens when nothing is known.
void orient_by_knowledge(MixedGraph& graph, const Precedence& knowledge);

}  // namespace olem
