#include "olem/pc.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "graph/knowledge_edges.h"
#include "structure/skeleton.h"
#include "structure/test_warnings.h"

namespace olem {

using namespace internal;

namespace {

// Directs the colliders, the surest separation first; returns how many were left out.
std::size_t direct_colliders(MixedGraph& graph, const SeparatingSets& separated) {
  std::vector<const SeparatingSet*> pairs;
  for (const SeparatingSet& set : separated.list) pairs.push_back(&set);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const SeparatingSet* a, const SeparatingSet* b) { return a->p_value > b->p_value; });
  std::size_t conflicts = 0;
  for (const SeparatingSet* pair : pairs) {
    for (std::size_t k = 0; k < graph.size(); ++k) {
      if (!graph.adjacent(pair->a, k) || !graph.adjacent(pair->b, k)) continue;
      if (std::binary_search(pair->given.begin(), pair->given.end(), k)) continue;
      if (graph.directed(k, pair->a) || graph.directed(k, pair->b)) {
        ++conflicts;
        continue;
      }
      graph.set_directed(pair->a, k);
      graph.set_directed(pair->b, k);
    }
  }
  return conflicts;
}

// Makes directed edges undirected that lead round in a circle, but for those that are known; returns how many.
std::size_t withdraw_circular_edges(MixedGraph& graph, const Precedence& knowledge) {
  std::size_t withdrawn = 0;
  for (const Edge& edge : circular_edges(graph, knowledge)) {
    if (knowledge.precedes(edge.from, edge.to)) continue;
    graph.set_undirected(edge.from, edge.to);
    ++withdrawn;
  }
  return withdrawn;
}

}  // namespace

PcResult learn_pc(const std::vector<std::string>& names, const IndependenceTest& test,
                  const IndependenceOptions& options, const Precedence& knowledge, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  IndependenceOptions checked = options;
  describe(checked).validate();
  Skeleton skeleton = learn_skeleton(names.size(), test, checked, knowledge, context);

  PcResult result;
  result.graph = MixedGraph(names, GraphKind::kCpdag);
  for (std::size_t a = 0; a < names.size(); ++a) {
    for_each(skeleton.adjacent.row(a), [&](std::size_t b) {
      if (knowledge.precedes(a, b)) {
        result.graph.set_directed(a, b);
      } else if (a < b && !knowledge.precedes(b, a)) {
        result.graph.set_undirected(a, b);
      }
    });
  }
  result.conflicts = direct_colliders(result.graph, skeleton.separated);
  close_under_meek_rules(result.graph);
  result.withdrawn = withdraw_circular_edges(result.graph, knowledge);
  result.separated = std::move(skeleton.separated);
  result.levels = std::move(skeleton.levels);
  result.untested = skeleton.untested;

  warn_of_untested(result.untested, result.summary);
  warn_of_conflicts(result.conflicts, result.summary);
  warn_of_circles(result.withdrawn, "made undirected", result.summary);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

PcResult learn_pc(const Covariance& covariance, const IndependenceOptions& options, const Precedence& knowledge,
                  const Context& context) {
  return learn_pc(covariance.names, fisher_z_test(covariance), options, knowledge, context);
}

PcResult learn_pc(const Table& table, const IndependenceOptions& options, const Precedence& knowledge,
                  const Context& context) {
  return learn_pc(covariance_of(table, context), options, knowledge, context);
}

}  // namespace olem
