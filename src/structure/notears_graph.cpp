#include "structure/notears_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace olem::internal {

GraphResult notears_graph(NotearsResult found, const NotearsOptions& options) {
  GraphResult result;
  result.graph = found.graph;
  result.rule =
      fmt::format("NOTEARS with lambda {:g}, absolute weight at least {:.4g}", options.lambda, found.threshold);
  result.details["weights"] = found.weights;
  result.details["threshold"] = found.threshold;
  result.details["h"] = found.h;
  result.details["converged"] = found.converged;
  result.details["iterations"] = Json::array();
  for (const NotearsIteration& iteration : found.iterations) {
    result.details["iterations"].push_back({{"rho", iteration.rho},
                                            {"alpha", iteration.alpha},
                                            {"h", iteration.h},
                                            {"loss", iteration.loss},
                                            {"minimisations", iteration.minimisations},
                                            {"inner_iterations", iteration.inner_iterations},
                                            {"evaluations", iteration.evaluations}});
  }

  std::vector<Edge> edges = found.graph.edges();
  const auto size = [&](const Edge& edge) { return std::abs(found.weights[edge.from][edge.to]); };
  std::stable_sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return size(a) > size(b); });
  if (!edges.empty()) result.text = "Weights of the edges:\n\n";
  for (const Edge& edge : edges) {
    result.text += fmt::format("  {:>10.4g}  {} -> {}\n", found.weights[edge.from][edge.to],
                               found.graph.name(edge.from), found.graph.name(edge.to));
  }
  result.text += fmt::format("{}{}\n", edges.empty() ? "" : "\n", found.summary.message);
  result.summary = std::move(found.summary);
  return result;
}

}  // namespace olem::internal
