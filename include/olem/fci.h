#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/independence.h"
#include "olem/knowledge.h"
#include "olem/table.h"

namespace olem {

struct FciResult {
  MixedGraph graph;  // a PAG: an arrow at b of a *-> b says that b is no cause of a, a tail at a that a is a cause of b
  SeparatingSets separated;
  std::vector<TestLevel> levels;           // of the skeleton
  std::vector<TestLevel> possible_levels;  // of the sets out of Possible-D-Sep
  std::size_t untested = 0;                // edges kept because tests of theirs could not be done
  std::size_t withdrawn = 0;               // tails made circles because their edges led round in a circle
  Summary summary;
};

// FCI (Spirtes, Glymour and Scheines 2000) with the orientation rules of Zhang (2008): allows for common causes that
// are not among the columns, but not for selection, so rules R5 to R7 are left out. The skeleton is that of PC; edges
// are then tested again given sets out of Possible-D-Sep; colliders (R0) and rules R1 to R4 and R8 to R10 set marks
// until none applies. Of two variables that are known to be ordered the later one gets an arrow before the rules.
// Marks are set in rounds, arrows before tails, and of several separations the one with the greatest p-value counts:
// absent equal p-values nothing depends on the order of the columns. Exponential in the worst case; bounded by
// options.max_conditioning and the deadline of the context. Warnings: untested_edges, contradicting_directions.
FciResult learn_fci(const std::vector<std::string>& names, const IndependenceTest& test,
                    const IndependenceOptions& options, const Precedence& knowledge, const Context& context);

// With Fisher's z.
FciResult learn_fci(const Covariance& covariance, const IndependenceOptions& options, const Precedence& knowledge,
                    const Context& context);

// The same for the columns of a table; fails as covariance_of does.
FciResult learn_fci(const Table& table, const IndependenceOptions& options, const Precedence& knowledge,
                    const Context& context);

}  // namespace olem
