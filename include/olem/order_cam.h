#pragma once

#include <cstddef>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem {

struct CamOptions {
  // 0: one parent for every 20 rows, and all of them when there are rows enough: the search then ends with a complete
  // order. A lower number is faster, and leaves the order of variables without a path between them to their columns.
  int max_parents = 0;
  // 0: every other variable may become a parent. A number keeps the best ones by the gain of each alone, which makes
  // tables with more than about 20 columns affordable; true parents may be lost that show only beside others.
  int neighbours = 0;
};

OptionSet describe(CamOptions& options);

// The parents that each variable may have in a table of this size.
std::size_t cam_parent_limit(std::size_t rows, std::size_t columns, const CamOptions& options);

// CAM's search (Buehlmann, Peters and Ernest 2014, IncEdge) for additive models x_j = sum_k f_jk(x_k) + Gaussian noise:
// starts without edges and always adds the edge that raises the log-likelihood most among those that close no cycle.
// The score of a variable is -ln of the variance (divisor n - 1) of the residuals of its additive regression on its
// parents, by the splines and the smoothing of CAM pruning.
//
// Fills inclusions, one per edge in the order of the search; there are no steps. Straight lines gain equally in both
// directions: such ties go to the first child in column order, then to its first parent, and are warned of. Edges
// against `knowledge` are never candidates, and what is known counts as a path. O(d^2) regressions for the start and at
// most d more for every edge added, spread over the context's threads.
//
// Fails with a data error when two columns are copies of each other, up to shift and scale.
OrderResult learn_order_cam(const Table& table, const CamOptions& options, const Precedence& knowledge,
                            const Context& context);

}  // namespace olem
