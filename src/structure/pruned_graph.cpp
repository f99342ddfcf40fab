#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/prune.h"

namespace olem {

Dag pruned_graph(const PruneResult& result) {
  std::vector<Edge> edges;
  for (const auto& [from, to] : result.edges()) edges.push_back({from, to});
  return Dag(result.names, edges);
}

Json to_json(const PruneResult& result) {
  Json json;
  json["candidates"] = Json::array();
  for (const EdgeCandidate& candidate : result.candidates) {
    Json entry;
    entry["from"] = result.names[candidate.from];
    entry["to"] = result.names[candidate.to];
    entry["p_value"] = std::isnan(candidate.p_value) ? Json() : Json(candidate.p_value);
    entry["edf"] = candidate.edf;
    entry["reference_df"] = candidate.reference_df;
    entry["statistic"] = candidate.statistic;
    entry["kept"] = candidate.kept;
    if (!candidate.note.empty()) entry["note"] = candidate.note;
    json["candidates"].push_back(std::move(entry));
  }
  json["regressions"] = Json::array();
  for (std::size_t j = 0; j < result.nodes.size(); ++j) {
    const PrunedNode& node = result.nodes[j];
    Json entry;
    entry["node"] = result.names[j];
    entry["converged"] = node.converged;
    entry["iterations"] = node.iterations;
    entry["basis_size"] = node.basis_size;
    entry["sigma2"] = node.sigma2;
    entry["edf"] = node.edf;
    entry["score"] = node.score;
    if (!node.note.empty()) entry["note"] = node.note;
    json["regressions"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace olem
