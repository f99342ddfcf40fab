#include "graph/knowledge_edges.h"

namespace olem {

void orient_by_knowledge(MixedGraph& graph, const Precedence& knowledge) {
  if (knowledge.empty()) return;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      if (a != b && graph.undirected(a, b) && knowledge.precedes(a, b)) graph.set_directed(a, b);
    }
  }
  close_under_meek_rules(graph);
}

}  // namespace olem
