#pragma once

#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/stein_options.h"
#include "olem/table.h"

namespace olem {

struct CapsOptions {
  // Put the parent scores among the matrices of the result. They cost as much again as the order; learning a graph
  // computes them anyway.
  bool parent_scores = false;
};

// Key of the parent scores among the matrices of the result.
inline constexpr const char* kCapsParentScores = "parent_scores";

OptionSet describe(CapsOptions& options);

// CaPS (Xu et al. 2024): the mean second derivative of the log-density by a variable without effects is -1 / (noise
// variance), and every effect makes it more negative. The variable with the greatest mean is put last; repeated without
// it. Candidates are restricted to what `knowledge` allows. Cost and memory as learn_order_score.
//
// The steps' values are the means; their fact is the bandwidth of the kernel, in the units of the data. Errors as
// learn_order_score.
OrderResult learn_order_caps(const Table& table, const SteinOptions& stein, const CapsOptions& options,
                             const Precedence& knowledge, const Context& context);

// [i][j]: by how much the mean second derivative by column i moves when column j is left out; large when i is a parent
// of j, 0 for i = j. `order` is what learn_order_caps found on the same table with the same estimator: its first two
// steps hold the means of all columns and of those without its last one. Cost of d - 1 further estimates, as many at
// once as there are threads and as fit into the memory limit (8 n^2 bytes each).
std::vector<std::vector<double>> caps_parent_scores(const Table& table, const OrderResult& order,
                                                    const SteinOptions& stein, const Context& context);

// How a graph comes from an order of CaPS (Xu et al. 2024). The defaults are the paper's.
struct CapsGraphOptions {
  // Before CAM pruning, a candidate parent is dropped when its parent score is below the greatest of the child's
  // candidates and non-candidates divided by this; 0: none is dropped.
  double prune_ratio = 50.0;
  // After CAM pruning, an edge is added when its parent score is at least this times the mean over all pairs of the
  // scores of the edges found (a pair without an edge counting 0); 0: none is added.
  double supplement_ratio = 50.0;
};

OptionSet describe(CapsGraphOptions& options);

}  // namespace olem
