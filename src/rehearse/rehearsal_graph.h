#pragma once

#include <optional>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "olem/knowledge.h"
#include "olem/table.h"

namespace olem::internal {

// The graph of a file as a DAG over the columns of the table that agrees with what is known; a CPDAG is
// extended to a member of its class that does (Dor and Tarsi 1992, with sinks that may be last by what is known). A
// data error that begins with the file and names the edges when there is no such DAG.
Dag given_dag(const GraphFile& given, const Table& table, const Precedence& known);

// The same for a graph that was learned with this knowledge. A task error when there is no such DAG.
Dag learned_dag(const GraphResult& learned, const Precedence& known);

// "graph_contradicts_stages" with the edges that do; nothing when none does.
std::optional<Warning> graph_contradiction(const Dag& dag, const Precedence& stages);

// An order of the graph that agrees with what is known, as far as the graph does: among the nodes that could come next,
// the one with the lowest index. O(d^2).
Order order_along(const Dag& dag, const Precedence& known);

}  // namespace olem::internal
