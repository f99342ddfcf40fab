#include <nlohmann/json.hpp>

#include "graph/align.h"
#include "olem/metrics.h"

namespace olem {

using namespace internal;

namespace {

// What the graph can be used as: a class whose edges are all directed is a DAG.
GraphKind effective_kind(const MixedGraph& graph) {
  return graph.kind() == GraphKind::kPag ? GraphKind::kPag : graph.narrowest_kind();
}

void add_order_divergence(Comparison& comparison, const MixedGraph& truth, const Order& order) {
  switch (effective_kind(truth)) {
    case GraphKind::kDag: comparison.div = order_divergence(to_dag(truth), order); return;
    case GraphKind::kCpdag:
      comparison.div = order_divergence(Dag(truth.names().list(), truth.directed_edges()), order);
      comparison.notes.emplace_back("DIV counts only the directed edges of the true graph, which is a CPDAG.");
      return;
    case GraphKind::kPag:
      check_order(order, truth.names().list());
      comparison.notes.emplace_back("DIV is not defined because the true graph is a PAG.");
      return;
  }
}

void add_counts(Comparison& comparison, const EdgeCounts& counts) {
  comparison.counts = counts;
  comparison.shd = counts.shd();
  comparison.precision = counts.precision();
  comparison.recall = counts.recall();
  comparison.f1 = counts.f1();
}

void add_sid(Comparison& comparison, const MixedGraph& truth, const MixedGraph& learned) {
  if (effective_kind(truth) != GraphKind::kDag) {
    comparison.notes.emplace_back("SID was not computed because the true graph is a CPDAG; it needs a true DAG.");
    return;
  }
  const Dag true_dag = to_dag(truth);
  if (effective_kind(learned) == GraphKind::kDag) {
    comparison.sid = sid(true_dag, to_dag(learned));
    return;
  }
  std::string reason;
  comparison.sid_bounds = sid_bounds(true_dag, learned, &reason);
  if (!comparison.sid_bounds) {
    comparison.notes.push_back(reason);
  } else if (comparison.sid_bounds->lower == comparison.sid_bounds->upper) {
    comparison.sid = comparison.sid_bounds->lower;
  } else {
    comparison.notes.emplace_back("SID is given as its range over the members of the learned equivalence class.");
  }
}

const char* basis_name(ComparisonBasis basis) {
  switch (basis) {
    case ComparisonBasis::kDirected: return "directed";
    case ComparisonBasis::kSkeleton: return "skeleton";
    case ComparisonBasis::kOrder: return "order";
  }
  return "directed";
}

}  // namespace

Comparison compare_graphs(const MixedGraph& truth, const MixedGraph& learned, const Order* order) {
  const MixedGraph aligned = align_nodes(learned, truth.names());
  const GraphKind true_kind = effective_kind(truth);
  const GraphKind learned_kind = effective_kind(aligned);
  Comparison comparison;
  comparison.nodes = truth.size();
  comparison.true_edges = truth.edge_count();
  if (order != nullptr) {
    add_order_divergence(comparison, truth, *order);
  } else if (true_kind == GraphKind::kDag && learned_kind == GraphKind::kDag) {
    comparison.div = order_divergence(to_dag(truth), to_dag(aligned));
  } else {
    comparison.notes.emplace_back("DIV needs a learned order or DAG and a true DAG.");
  }
  if (true_kind == GraphKind::kPag || learned_kind == GraphKind::kPag) {
    comparison.basis = ComparisonBasis::kSkeleton;
    comparison.notes.emplace_back(
        "One side is a PAG: only skeletons were compared, so SHD, precision, recall and F1 are of adjacencies.");
    add_counts(comparison, count_adjacencies(truth, aligned));
    return comparison;
  }
  add_counts(comparison, count_edges(truth, aligned));
  comparison.shd2 = shd2(truth, aligned);
  comparison.shd_cpdag = shd_cpdag(truth, aligned);
  add_sid(comparison, truth, aligned);
  return comparison;
}

Comparison compare_order(const MixedGraph& truth, const Order& order) {
  Comparison comparison;
  comparison.basis = ComparisonBasis::kOrder;
  comparison.nodes = truth.size();
  comparison.true_edges = truth.edge_count();
  add_order_divergence(comparison, truth, order);
  comparison.notes.emplace_back(
      "An order has no edges of its own: SHD, SID, precision, recall and F1 need the data to prune its graph with.");
  return comparison;
}

Json to_json(const Comparison& comparison) {
  Json object;
  const auto put = [&](const char* key, const auto& value) { object[key] = value ? Json(*value) : Json(nullptr); };
  object["basis"] = basis_name(comparison.basis);
  object["nodes"] = comparison.nodes;
  object["true_edges"] = comparison.true_edges;
  if (comparison.counts) object["learned_edges"] = comparison.counts->learned;
  put("div", comparison.div);
  put("shd", comparison.shd);
  put("shd2", comparison.shd2);
  put("sid", comparison.sid);
  put("precision", comparison.precision);
  put("recall", comparison.recall);
  put("f1", comparison.f1);
  if (comparison.shd_cpdag) object["shd_cpdag"] = *comparison.shd_cpdag;
  if (comparison.sid_bounds) {
    object["sid_lower"] = comparison.sid_bounds->lower;
    object["sid_upper"] = comparison.sid_bounds->upper;
  }
  if (comparison.counts) {
    object["missing"] = comparison.counts->missing;
    object["extra"] = comparison.counts->extra;
    object["reversed"] = comparison.counts->reversed;
    object["undecided"] = comparison.counts->undecided;
  }
  object["notes"] = comparison.notes;
  return object;
}

}  // namespace olem
