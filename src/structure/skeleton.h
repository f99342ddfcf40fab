#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "olem/bit_set.h"
#include "olem/context.h"
#include "olem/graph.h"
#include "olem/independence.h"
#include "olem/knowledge.h"

namespace olem::internal {

// One edge and the variables that its conditioning sets are drawn from.
struct EdgeSearch {
  std::size_t a = 0;  // a < b
  std::size_t b = 0;
  std::vector<std::size_t> from_a;  // ascending, without a and b
  std::vector<std::size_t> from_b;
  // Sets, other than the empty one, within either of these were tested before and are left out.
  std::vector<std::size_t> seen_a;
  std::vector<std::size_t> seen_b;
};

struct EdgeOutcome {
  std::size_t tests = 0;
  std::optional<SeparatingSet> found;  // the one with the greatest p-value above alpha
};

// Tests each of `edges` given all sets of `conditioning` variables out of from_a, then out of from_b, which
// candidates(a, b) finds when the edge has its turn: kept for all edges they would need d^3 numbers. Of several sets
// that separate, the one with the greatest p-value is found, so that it does not depend on the order of the columns; of
// equal ones the first. Edges are spread over threads with the same result for any number of them.
std::vector<EdgeOutcome> search_separating_sets(
    const std::vector<Edge>& edges, std::size_t conditioning,
    const std::function<EdgeSearch(std::size_t a, std::size_t b)>& candidates, const IndependenceTest& test,
    double alpha, const Context& context, std::string_view phase);

// Which variables are adjacent, and what separates the others.
struct Skeleton {
  BitMatrix adjacent;
  SeparatingSets separated;
  std::vector<TestLevel> levels;
  std::size_t untested = 0;  // edges that were kept because tests of theirs could not be done

  // Takes the edges out that were separated.
  void separate(const std::vector<EdgeOutcome>& outcomes, std::size_t conditioning);
};

// What a may be separated from b with: the variables adjacent to a, but b and those that are known to come after a,
// which are no causes of it. Ascending.
std::vector<std::size_t> possible_causes(const BitMatrix& adjacent, std::size_t a, std::size_t b,
                                         const Precedence& knowledge);

// The skeleton of PC in the stable form (Colombo and Maathuis 2014): from the complete graph, for sets of size 0, 1,
// ..., an edge a - b goes when a and b are independent given some set of that size out of the possible causes of a, or
// of b, at the start of the size. Exponential in the number of neighbours unless options.max_conditioning bounds it.
Skeleton learn_skeleton(std::size_t size, const IndependenceTest& test, const IndependenceOptions& options,
                        const Precedence& knowledge, const Context& context);

}  // namespace olem::internal
