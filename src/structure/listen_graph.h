#pragma once

#include "olem/context.h"
#include "olem/graph_learner.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem::internal {

// The graph of an order by LISTEN, by a rule on each pair of variables in that order: the weight that the order came
// with is large enough, or the t-test of the ordinary regression of the later variable on all before it finds that
// weight not to be zero. `order` obeys what is known, so its edges do. Details: candidates[] {from, to, weight, kept}
// and, with the test, p_value.
//
// The test fails with a data error when there are not more rows than columns or a column is a linear combination of
// others. The rule kCam is no business of this function.
GraphResult listen_graph(OrderResult order, const Table& table, const GraphOptions& options,
                         const Precedence& knowledge, const Context& context);

}  // namespace olem::internal
