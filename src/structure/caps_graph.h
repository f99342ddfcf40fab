#pragma once

#include "olem/context.h"
#include "olem/graph_learner.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem::internal {

// The graph of an order that CaPS learned: candidate parents by the order and the parent scores, CAM pruning of them,
// then edges whose parent score stands out are added where no cycle arises, with what is known about the order counted
// in. An added edge may go against the order, but never against knowledge. An empty graph stays empty: the scale that
// an added edge is measured by is then zero, and every pair would qualify.
//
// Adds the parent scores to the matrices of the order when they are missing.
GraphResult caps_graph(OrderResult order, const Table& table, const GraphOptions& options, const Precedence& knowledge,
                       const Context& context);

// The candidate parents of every column: those before it in the order whose score is at least 1 / ratio of the
// greatest of any column; with ratio 0 all before it. scores[i][j]: how much i looks like a parent of j.
std::vector<std::vector<std::size_t>> caps_candidates(const std::vector<std::size_t>& order,
                                                      const std::vector<std::vector<double>>& scores, double ratio);

// The edges to add to `edges`, the greatest score first; equal scores in the order of (from, to).
std::vector<Edge> caps_supplement(const std::vector<Edge>& edges, const std::vector<std::vector<double>>& scores,
                                  double ratio, const Precedence& knowledge);

}  // namespace olem::internal
