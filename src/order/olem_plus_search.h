#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "order/olem_plus_nodes.h"
#include "order/olem_plus_objective.h"

namespace olem::internal {

// An order of the columns with its nodes and its J.
struct ScoredOrder {
  std::vector<std::size_t> order;
  std::vector<PlusNode> nodes;  // by place
  double shape = 0.0;
  double scale = 0.0;

  double total() const { return shape + scale; }
  // Of the columns whose scales are compared, in the order.
  std::vector<double> entropies(const PlusColumns& columns) const;
};

ScoredOrder score_plus_order(PlusNodes& nodes, const ScaleTerms& terms, std::span<const std::size_t> order,
                             const Context& context);

// The same with the columns of places `place` and `place` + 1 swapped: two nodes change. `screen`: of the order of
// `from`.
ScoredOrder swap_neighbours(PlusNodes& nodes, const ScaleTerms& terms, const ScoredOrder& from, PrefixScreen& screen,
                            std::size_t place, const Context& context);

// Lowers J from `start` on, within what is known: the best swap of neighbours until none gains; then every column walks
// along the order, as long as J is at most .02 above the least so far, and stays at the best place on its way; then the
// same with .2, unless `far` is false; then tucks: a column moves with its ancestors before one of its active
// predecessors (Lam, Andrews and Ramsey 2022). `progress` is called with numbers from 0 to 1.
ScoredOrder search_plus_order(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge,
                              std::span<const std::size_t> start, bool far, const Context& context,
                              const std::function<void(double)>& progress);

}  // namespace olem::internal
