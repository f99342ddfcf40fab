#include "structure/caps_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace olem {

using namespace internal;

namespace {

// Every edge with its parent score, the greatest first.
std::string edge_table(const GraphResult& result, const std::vector<Edge>& added,
                       const std::vector<std::vector<double>>& scores) {
  std::vector<Edge> edges = result.graph.directed_edges();
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const Edge& a, const Edge& b) { return scores[a.from][a.to] > scores[b.from][b.to]; });
  std::string text = "Parent scores of the edges:\n\n";
  for (const Edge& edge : edges) {
    text += fmt::format("  {:>10.4g}  {} -> {}{}\n", scores[edge.from][edge.to], result.graph.name(edge.from),
                        result.graph.name(edge.to),
                        std::find(added.begin(), added.end(), edge) != added.end() ? "  (added by its score)" : "");
  }
  return edges.empty() ? "" : text;
}

}  // namespace

OptionSet describe(CapsGraphOptions& options) {
  OptionSet set;
  set.real("caps_prune_ratio", options.prune_ratio, 0.0, 1e300,
           "drop a candidate whose parent score is below the child's greatest divided by this; 0: none");
  set.real("caps_supplement_ratio", options.supplement_ratio, 0.0, 1e300,
           "add an edge whose parent score is this many times the mean over all pairs; 0: none");
  return set;
}

}  // namespace olem

namespace olem::internal {

std::vector<std::vector<std::size_t>> caps_candidates(const std::vector<std::size_t>& order,
                                                      const std::vector<std::vector<double>>& scores, double ratio) {
  std::vector<std::vector<std::size_t>> candidates(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t child = order[place];
    double greatest = 0.0;
    for (const auto& row : scores) greatest = std::max(greatest, row[child]);
    const double least = ratio > 0.0 ? greatest / ratio : 0.0;
    for (std::size_t before = 0; before < place; ++before) {
      if (scores[order[before]][child] >= least) candidates[child].push_back(order[before]);
    }
  }
  return candidates;
}

std::vector<Edge> caps_supplement(const std::vector<Edge>& edges, const std::vector<std::vector<double>>& scores,
                                  double ratio, const Precedence& knowledge) {
  const std::size_t d = scores.size();
  double sum = 0.0;
  for (const Edge& edge : edges) sum += scores[edge.from][edge.to];
  if (ratio == 0.0 || sum == 0.0) return {};
  const double least = ratio * sum / static_cast<double>(d * d);
  std::vector<Edge> missing;
  // What is known counts as edges, so that no path contradicts it.
  std::vector<Edge> all = edges;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (knowledge.precedes(i, j)) all.push_back({i, j});
      if (i != j && scores[i][j] >= least && std::find(edges.begin(), edges.end(), Edge{i, j}) == edges.end())
        missing.push_back({i, j});
    }
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [&](const Edge& a, const Edge& b) { return scores[a.from][a.to] > scores[b.from][b.to]; });
  std::vector<Edge> added;
  for (const Edge& edge : missing) {
    all.push_back(edge);
    if (find_cycle(d, all)) {
      all.pop_back();
    } else {
      added.push_back(edge);
    }
  }
  return added;
}

GraphResult caps_graph(OrderResult order, const Table& table, const GraphOptions& options, const Precedence& knowledge,
                       const Context& context) {
  if (order.matrix(kCapsParentScores) == nullptr) {
    order.matrices.push_back({kCapsParentScores, caps_parent_scores(table, order, options.order.stein, context)});
  }
  const std::vector<std::vector<double>>& scores = *order.matrix(kCapsParentScores);
  const std::size_t d = table.columns();
  const auto candidates =
      caps_candidates(order_indices(order.order, NodeNames(table.names())), scores, options.caps.prune_ratio);

  GraphResult result;
  result.pruning = prune(table, candidates, options.prune, context);
  result.summary = result.pruning->summary;
  result.summary.warnings.insert(result.summary.warnings.begin(), order.summary.warnings.begin(),
                                 order.summary.warnings.end());
  std::vector<Edge> edges;
  for (const auto& [from, to] : result.pruning->edges()) edges.push_back({from, to});
  const std::vector<Edge> added = caps_supplement(edges, scores, options.caps.supplement_ratio, knowledge);
  edges.insert(edges.end(), added.begin(), added.end());
  result.graph = Dag(table.names(), edges);
  result.rule = fmt::format("parent scores and CAM pruning of the order, cutoff {:g}", options.prune.cutoff);

  const std::size_t dropped = d * (d - 1) / 2 - result.pruning->candidates.size();
  const std::string before =
      fmt::format("{} of {} candidate edges were dropped by their parent scores.", dropped, d * (d - 1) / 2);
  const std::string after =
      fmt::format("{} edge{} added by {} parent score{}.", added.size(), added.size() == 1 ? " was" : "s were",
                  added.size() == 1 ? "its" : "their", added.size() == 1 ? "" : "s");
  result.summary.message = fmt::format("{} {} {}", before, result.summary.message, after);
  result.details["parent_scores"] = scores;
  result.details["dropped_candidates"] = dropped;
  result.details["added_edges"] = Json::array();
  for (const Edge& edge : added) {
    result.details["added_edges"].push_back(
        {{"from", table.name(edge.from)}, {"to", table.name(edge.to)}, {"parent_score", scores[edge.from][edge.to]}});
  }
  result.text = fmt::format("{} {}\n\n{}", before, after, edge_table(result, added, scores));
  result.order = std::move(order);
  return result;
}

}  // namespace olem::internal
