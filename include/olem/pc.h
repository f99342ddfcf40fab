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

struct PcResult {
  MixedGraph graph;  // directed and undirected edges: a CPDAG when the tests do not contradict each other
  SeparatingSets separated;
  std::vector<TestLevel> levels;
  std::size_t untested = 0;   // edges kept because tests of theirs could not be done
  std::size_t conflicts = 0;  // colliders left out because an earlier one or knowledge directs an edge of theirs
  std::size_t withdrawn = 0;  // directed edges made undirected because they led round in a circle
  Summary summary;
};

// PC (Spirtes, Glymour and Scheines 2000) in its stable form. The skeleton comes from tests of independence; of the
// sets of one size that separate a pair the one with the greatest p-value is kept. Edges are directed, in this order,
//   by what is known;
//   as colliders i -> k <- j, i and j not adjacent and k outside their separating set: by decreasing p-value of the
//   pair, without turning round what is directed already ("priority");
//   by the rules of Meek (1995).
// Directions that form a circle, alone or with what is known, are taken back. Absent equal p-values nothing depends on
// the order of the columns. Warnings: untested_edges, collider_conflicts, contradicting_directions.
PcResult learn_pc(const std::vector<std::string>& names, const IndependenceTest& test,
                  const IndependenceOptions& options, const Precedence& knowledge, const Context& context);

// With Fisher's z.
PcResult learn_pc(const Covariance& covariance, const IndependenceOptions& options, const Precedence& knowledge,
                  const Context& context);

// The same for the columns of a table; fails as covariance_of does.
PcResult learn_pc(const Table& table, const IndependenceOptions& options, const Precedence& knowledge,
                  const Context& context);

}  // namespace olem
