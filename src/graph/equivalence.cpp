#include <algorithm>

#include "graph/knowledge_edges.h"
#include "graph/partial_edges.h"
#include "olem/error.h"
#include "olem/graph.h"

namespace olem {

using namespace internal;

namespace {

void require_no_circles(const MixedGraph& graph, const char* what) {
  if (graph.narrowest_kind() == GraphKind::kPag) {
    throw Error(ErrorCategory::kUsage,
                std::string(what) + " needs a graph with directed and undirected edges only, not a PAG.");
  }
}

// True when one of Meek's rules turns a - b into a -> b.
bool rule_directs(const PartialEdges& edges, std::size_t a, std::size_t b) {
  if (!is_subset(edges.parents.row(a), edges.adjacent.row(b))) return true;  // rule 1: c -> a - b
  if (intersects(edges.children.row(a), edges.parents.row(b))) return true;  // rule 2: a -> c -> b
  bool found = false;
  for_each(edges.undirected.row(a), [&](std::size_t c) {
    if (found || c == b) return;
    if (edges.parents.test(b, c)) {
      // Rule 3: a - c -> b and a - d -> b with c and d not adjacent.
      for_each(edges.undirected.row(a), [&](std::size_t d) {
        found = found || (d != c && edges.parents.test(b, d) && !edges.adjacent.test(c, d));
      });
    } else if (!edges.adjacent.test(c, b)) {
      // Rule 4: a - c -> d -> b with a and d adjacent, c and b not.
      for_each(edges.children.row(c),
               [&](std::size_t d) { found = found || (edges.parents.test(b, d) && edges.adjacent.test(a, d)); });
    }
  });
  return found;
}

}  // namespace

MixedGraph cpdag(const Dag& dag) {
  const std::vector<std::size_t> order = topological_order(dag);
  std::vector<std::size_t> position(dag.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = p;

  // Chickering labels the edges into y starting from its latest parent x, and that one step labels them all: they are
  // compelled with all of y's parents, unless y sees nothing that x does not, and then exactly where x's own are.
  BitMatrix compelled(dag.size());  // [child][parent]
  for (const std::size_t y : order) {
    const std::vector<std::size_t> parents = members(dag.parents(y));
    if (parents.empty()) continue;
    const std::size_t x = *std::max_element(parents.begin(), parents.end(),
                                            [&](std::size_t a, std::size_t b) { return position[a] < position[b]; });
    BitSet seen_by_x(dag.size());
    seen_by_x.unite(dag.parents(x));
    seen_by_x.set(x);
    const bool covered = is_subset(dag.parents(y), seen_by_x) && is_subset(compelled.row(x), dag.parents(y));
    compelled.unite_row(y, covered ? compelled.row(x) : dag.parents(y));
  }

  MixedGraph graph(dag.names().list(), GraphKind::kCpdag);
  for (const Edge& edge : dag.edges()) {
    if (compelled.test(edge.to, edge.from)) {
      graph.set_directed(edge.from, edge.to);
    } else {
      graph.set_undirected(edge.from, edge.to);
    }
  }
  return graph;
}

void close_under_meek_rules(MixedGraph& graph) {
  require_no_circles(graph, "Closing under Meek's rules");
  PartialEdges edges(graph);
  // In rounds, so that the result does not depend on the order of the nodes even when the rules contradict each other.
  while (true) {
    std::vector<Edge> directed;
    for (std::size_t a = 0; a < graph.size(); ++a) {
      for_each(edges.undirected.row(a), [&](std::size_t b) {
        if (a > b) return;
        const bool forward = rule_directs(edges, a, b);
        const bool backward = rule_directs(edges, b, a);
        if (forward != backward) directed.push_back(forward ? Edge{a, b} : Edge{b, a});
      });
    }
    if (directed.empty()) return;
    for (const Edge& edge : directed) {
      edges.direct(edge.from, edge.to);
      graph.set_directed(edge.from, edge.to);
    }
  }
}

std::optional<Dag> consistent_extension(const MixedGraph& graph) { return consistent_extension(graph, Precedence()); }

}  // namespace olem

namespace olem::internal {

std::optional<Dag> consistent_extension(const MixedGraph& graph, const Precedence& knowledge) {
  require_no_circles(graph, "A consistent extension");
  PartialEdges edges(graph);
  BitSet remaining(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) remaining.set(i);
  std::vector<Edge> result = graph.directed_edges();

  std::vector<std::size_t> candidates;
  // A sink whose undirected neighbours see all its other neighbours can take all its edges in. What is known takes away
  // none of the freedom to choose any such sink: in an order of a DAG that obeys it, this one can be moved to the end.
  const auto can_be_sink = [&](std::size_t x) {
    if (!knowledge.empty() && !knowledge.may_be_last(x, candidates)) return false;
    if (count(edges.children.row(x)) > 0) return false;
    bool fits = true;
    for_each(edges.undirected.row(x), [&](std::size_t u) {
      BitSet seen(graph.size());
      seen.unite(edges.adjacent.row(u));
      seen.set(u);
      fits = fits && is_subset(edges.adjacent.row(x), seen);
    });
    return fits;
  };
  while (true) {
    candidates = remaining.members();
    if (candidates.empty()) break;
    const auto sink = std::find_if(candidates.begin(), candidates.end(), can_be_sink);
    if (sink == candidates.end()) return std::nullopt;
    for (const std::size_t u : members(edges.undirected.row(*sink))) result.push_back({u, *sink});
    for (const std::size_t u : members(edges.adjacent.row(*sink))) {
      edges.adjacent.reset(u, *sink);
      edges.undirected.reset(u, *sink);
      edges.children.reset(u, *sink);
    }
    remaining.reset(*sink);
  }
  return Dag(graph.names().list(), result);
}

}  // namespace olem::internal

namespace olem {}  // namespace olem
