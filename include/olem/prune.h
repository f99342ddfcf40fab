#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/json.h"
#include "olem/options.h"
#include "olem/smoothing.h"
#include "olem/table.h"

namespace olem {

// CAM pruning (Buehlmann, Peters and Ernest 2014, section 2.5): which of its candidate parents does a variable need in
// an additive regression on smooth functions of all of them?
struct PruneOptions {
  // A candidate is kept when its p-value is strictly below. 0.001 is the value of the CAM paper: with d (d - 1) / 2
  // tests in one table, 0.05 would keep one irrelevant edge in twenty.
  double cutoff = 0.001;
  // How smooth each function is. GCV is what the published method uses; REML undersmooths less often.
  SmoothingCriterion criterion = SmoothingCriterion::kGcv;
  // GCV has many local minima. kGlobal looks for the lowest; kMgcv goes the way of R's mgcv with its defaults, which
  // may end in a worse one, to compare with results made in R. Only with kGcv, mgcv's default: a usage error otherwise.
  SmoothingSearch smoothing_search = SmoothingSearch::kGlobal;
  // Basis functions of one smooth term, the constant included. Lowered to ceil(n / 3p) for a variable with p candidates
  // when n < 3 p basis_size.
  int basis_size = 10;
};

OptionSet describe(PruneOptions& options);

// One candidate edge from -> to, by column index.
struct EdgeCandidate {
  std::size_t from = 0;
  std::size_t to = 0;
  double p_value = 1.0;  // of "the function is zero" (Wood 2013); NaN when it could not be tested
  double edf = 0.0;      // effective degrees of freedom of the function; 1: a straight line, 0: not in the regression
  double reference_df = 0.0;  // of the test
  double statistic = 0.0;     // F: the test statistic divided by reference_df
  bool kept = false;
  std::string note;  // why the candidate was not tested in the ordinary way; usually empty
};

// The regression of one variable on its candidates.
struct PrunedNode {
  std::vector<std::size_t> parents;  // kept, in the order of the candidates
  int basis_size = 0;                // per term; 2: straight lines, 0: no regression
  double sigma2 = 0.0;               // residual variance, in the squared units of the column
  double edf = 0.0;                  // total, with the intercept
  double score = 0.0;                // GCV in the squared units of the column, or the REML criterion (-ln likelihood)
  int iterations = 0;
  bool converged = true;  // of the choice of the smoothing parameters
  std::string note;       // what was not ordinary about this variable; usually empty
};

struct PruneResult {
  std::vector<std::string> names;         // of the columns
  std::vector<EdgeCandidate> candidates;  // by child in column order, then in the order given
  std::vector<PrunedNode> nodes;          // one per column
  Summary summary;                        // not_converged when some node did not

  std::vector<std::pair<std::size_t, std::size_t>> edges() const;  // kept, (from, to)
};

// Every variable's candidates are all variables before it in `order`, which must name every column once (data error
// otherwise). Cost: O(n d^2 K^2) for the cross products, then O((pK)^3) per Newton step and variable; spread over the
// context's threads, with the same result for any number of them. A p-value does not change when a column is shifted or
// rescaled, unless kMgcv asks for the tolerances of mgcv, which depend on the units of the child.
//
// What cannot be tested is said, not thrown: a constant variable has no parents; a constant candidate, or a copy of an
// earlier one, has p-value 1; with K below 3 terms are straight lines with t-tests; with n <= p + 2 all candidates are
// kept untested.
PruneResult prune(const Table& table, const std::vector<std::string>& order, const PruneOptions& options,
                  const Context& context);

// The same for given candidates: candidates[j] lists the columns to test as parents of column j. Throws a usage error
// for a list that is not of the table's width, an index out of range or repeated, or a column that is its own
// candidate.
PruneResult prune(const Table& table, const std::vector<std::vector<std::size_t>>& candidates,
                  const PruneOptions& options, const Context& context);

// The graph of the kept edges; its nodes are the columns.
Dag pruned_graph(const PruneResult& result);

// {"candidates": [{"from", "to", "p_value", "edf", "kept", ...}], "regressions": [{"node", "converged", ...}]} by name;
// a p-value that could not be found is null.
Json to_json(const PruneResult& result);

}  // namespace olem
