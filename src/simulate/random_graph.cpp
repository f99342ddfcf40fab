#include "simulate/random_graph.h"

#include <algorithm>
#include <numeric>

namespace olem::internal {

RandomGraph random_graph(std::size_t nodes, double density, RandomStream& random) {
  RandomGraph graph;
  graph.order.resize(nodes);
  graph.parents.resize(nodes);
  std::iota(graph.order.begin(), graph.order.end(), std::size_t{0});
  for (std::size_t i = nodes; i > 1; --i) std::swap(graph.order[i - 1], graph.order[random.below(i)]);
  for (std::size_t later = 1; later < nodes; ++later) {
    auto& parents = graph.parents[graph.order[later]];
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (random.uniform() < density) parents.push_back(graph.order[earlier]);
    }
    std::sort(parents.begin(), parents.end());
  }
  return graph;
}

std::vector<bool> ancestors(const RandomGraph& graph, std::size_t node) {
  std::vector<bool> found(graph.parents.size(), false);
  std::vector<std::size_t> open = graph.parents[node];
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (found[next]) continue;
    found[next] = true;
    open.insert(open.end(), graph.parents[next].begin(), graph.parents[next].end());
  }
  return found;
}

double random_weight(double low, double high, RandomStream& random) {
  const double size = random.uniform(low, high);
  return random.uniform() < 0.5 ? -size : size;
}

Noise random_noise(NoiseKind kind, RandomStream& random) {
  const double a = random.uniform(0.75, 1.25);
  const double b = random.uniform(0.75, 1.25);
  return {kind, a, kind == NoiseKind::kBeta ? b : 0.0};
}

}  // namespace olem::internal
