#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "olem/error.h"
#include "olem/graph.h"

namespace olem {

std::string_view kind_name(GraphKind kind) {
  switch (kind) {
    case GraphKind::kDag: return "dag";
    case GraphKind::kCpdag: return "cpdag";
    case GraphKind::kPag: return "pag";
  }
  return "pag";
}

MixedGraph::MixedGraph(std::vector<std::string> names, GraphKind kind)
    : names_(std::move(names)), marks_(names_.size() * names_.size(), Mark::kNone), kind_(kind) {}

MixedGraph::MixedGraph(const Dag& dag) : names_(dag.names()), marks_(dag.size() * dag.size(), Mark::kNone) {
  for (std::size_t i = 0; i < size(); ++i) {
    for_each(dag.children(i), [&](std::size_t j) { set_directed(i, j); });
  }
}

std::size_t MixedGraph::edge_count() const {
  const auto empty = static_cast<std::size_t>(std::count(marks_.begin(), marks_.end(), Mark::kNone));
  return (marks_.size() - empty) / 2;
}

void MixedGraph::set_edge(std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
  if (a >= size() || b >= size() || a == b || (at_a == Mark::kNone) != (at_b == Mark::kNone)) {
    throw Error(ErrorCategory::kInternal,
                fmt::format("There is no such edge between nodes {} and {} of {}.", a, b, size()));
  }
  marks_[a * size() + b] = at_b;
  marks_[b * size() + a] = at_a;
}

std::vector<Edge> MixedGraph::directed_edges() const {
  std::vector<Edge> list;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < size(); ++j) {
      if (directed(i, j)) list.push_back({i, j});
    }
  }
  return list;
}

GraphKind MixedGraph::narrowest_kind() const {
  GraphKind kind = GraphKind::kDag;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i + 1; j < size(); ++j) {
      if (!adjacent(i, j) || directed(i, j) || directed(j, i)) continue;
      if (!undirected(i, j)) return GraphKind::kPag;
      kind = GraphKind::kCpdag;
    }
  }
  return kind;
}

MixedGraph MixedGraph::with_nodes(const std::vector<std::string>& names) const {
  MixedGraph result(names, kind_);
  std::vector<std::size_t> place(size());
  for (std::size_t i = 0; i < size(); ++i) place[i] = result.names().index(names_[i]);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i + 1; j < size(); ++j) {
      if (adjacent(i, j)) result.set_edge(place[i], place[j], mark(j, i), mark(i, j));
    }
  }
  return result;
}

Dag to_dag(const MixedGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::size_t j = i + 1; j < graph.size(); ++j) {
      if (graph.adjacent(i, j) && !graph.directed(i, j) && !graph.directed(j, i)) {
        throw Error(ErrorCategory::kData,
                    fmt::format("The edge between '{}' and '{}' has no single direction, but a directed acyclic graph "
                                "is needed here.",
                                graph.name(i), graph.name(j)));
      }
    }
  }
  return Dag(graph.names().list(), graph.directed_edges());
}

}  // namespace olem
