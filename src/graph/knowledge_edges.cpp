#include "graph/knowledge_edges.h"

namespace olem::internal {

void orient_by_knowledge(MixedGraph& graph, const Precedence& knowledge) {
  if (knowledge.empty()) return;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      if (a != b && graph.undirected(a, b) && knowledge.precedes(a, b)) graph.set_directed(a, b);
    }
  }
  close_under_meek_rules(graph);
}

std::vector<Edge> circular_edges(const MixedGraph& graph, const Precedence& knowledge) {
  const std::size_t d = graph.size();
  BitMatrix reach(d);
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) {
      if (graph.directed(a, b) || knowledge.precedes(a, b)) reach.set(a, b);
    }
  }
  for (std::size_t via = 0; via < d; ++via) {
    for (std::size_t a = 0; a < d; ++a) {
      if (a != via && reach.test(a, via)) reach.unite_row(a, reach.row(via));
    }
  }
  std::vector<Edge> circular;
  for (const Edge& edge : graph.directed_edges()) {
    if (reach.test(edge.to, edge.from)) circular.push_back(edge);
  }
  return circular;
}

}  // namespace olem::internal
