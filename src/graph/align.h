#pragma once

#include "olem/graph.h"

namespace olem::internal {

// The graph with its nodes in the order of `names`. Throws a data error that names a node which only one of the two
// has.
Dag align_nodes(const Dag& graph, const NodeNames& names);
MixedGraph align_nodes(const MixedGraph& graph, const NodeNames& names);

}  // namespace olem::internal
