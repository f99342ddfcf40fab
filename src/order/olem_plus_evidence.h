#pragma once

#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/order_result.h"
#include "order/olem_plus_search.h"

namespace olem::internal {

// Row by row (of PlusColumns), what the residual entropies of an order add up to, each times `factors[place]`.
std::vector<double> row_sums(const ScoredOrder& scored, std::span<const double> factors);

// Standard error of the weighted mean of the differences a - b; weights empty: all 1.
double paired_standard_error(std::span<const double> a, std::span<const double> b, std::span<const double> weights);

// The steps of a result: the pairs of neighbours from the end of the order, with what decides between them.
// `names`: by number of the column. 2 (d - 1) nodes, most of them known after a search.
std::vector<OrderStep> plus_steps(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge,
                                  const ScoredOrder& best, const std::vector<std::string>& names,
                                  const std::vector<std::size_t>& table_column, const Context& context);

}  // namespace olem::internal
