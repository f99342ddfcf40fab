#include "olem/metrics.h"

#include <fmt/format.h>

#include "graph/align.h"
#include "olem/error.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

void require_same_nodes(const NodeNames& learned, const NodeNames& truth) {
  for (const std::string& name : learned.list()) {
    if (truth.find(name)) continue;
    const std::string near = closest_name(name, truth.list());
    throw Error(ErrorCategory::kData,
                fmt::format("The learned graph has the node '{}', which the true graph does not have.{}", name,
                            near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
  }
  for (const std::string& name : truth.list()) {
    if (learned.find(name)) continue;
    throw Error(ErrorCategory::kData,
                fmt::format("The learned graph does not have the node '{}' of the true graph.", name));
  }
}

void require_directions(const MixedGraph& graph) {
  if (graph.kind() == GraphKind::kPag || graph.narrowest_kind() == GraphKind::kPag) {
    throw Error(ErrorCategory::kUsage, "A PAG can be compared by its skeleton only.");
  }
}

MixedGraph class_of(const MixedGraph& graph) {
  return graph.narrowest_kind() == GraphKind::kDag ? cpdag(to_dag(graph)) : graph;
}

}  // namespace

}  // namespace olem

namespace olem::internal {

Dag align_nodes(const Dag& graph, const NodeNames& names) {
  require_same_nodes(graph.names(), names);
  return graph.names() == names ? graph : graph.with_nodes(names.list());
}

MixedGraph align_nodes(const MixedGraph& graph, const NodeNames& names) {
  require_same_nodes(graph.names(), names);
  return graph.names() == names ? graph : graph.with_nodes(names.list());
}

}  // namespace olem::internal

namespace olem {

std::size_t order_divergence(const Dag& truth, const Order& order) {
  const std::vector<std::size_t> indices = order_indices(order, truth.names());
  BitSet before(truth.size());
  std::size_t against = 0;
  for (const std::size_t node : indices) {
    for_each(truth.children(node), [&](std::size_t child) { against += before.test(child) ? 1 : 0; });
    before.set(node);
  }
  return against;
}

std::size_t order_divergence(const Dag& truth, const Dag& learned) {
  const BitMatrix below = all_descendants(align_nodes(learned, truth.names()));
  std::size_t against = 0;
  for (const Edge& edge : truth.edges()) against += below.test(edge.to, edge.from) ? 1 : 0;
  return against;
}

std::optional<double> EdgeCounts::precision() const {
  if (learned == 0) return std::nullopt;
  return static_cast<double>(correct) / static_cast<double>(learned);
}

std::optional<double> EdgeCounts::recall() const {
  if (truth == 0) return std::nullopt;
  return static_cast<double>(correct) / static_cast<double>(truth);
}

std::optional<double> EdgeCounts::f1() const {
  if (truth + learned == 0) return std::nullopt;
  return 2.0 * static_cast<double>(correct) / static_cast<double>(truth + learned);
}

EdgeCounts count_edges(const MixedGraph& truth, const MixedGraph& learned) {
  require_directions(truth);
  require_directions(learned);
  const MixedGraph other = align_nodes(learned, truth.names());
  EdgeCounts counts;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = i + 1; j < truth.size(); ++j) {
      const bool in_truth = truth.adjacent(i, j);
      const bool in_learned = other.adjacent(i, j);
      if (in_truth) ++counts.truth;
      if (in_learned) ++counts.learned;
      if (in_truth != in_learned) {
        ++(in_truth ? counts.missing : counts.extra);
      } else if (in_truth) {
        const bool same = truth.mark(i, j) == other.mark(i, j) && truth.mark(j, i) == other.mark(j, i);
        const bool loose = truth.undirected(i, j) || other.undirected(i, j);
        ++(same ? counts.correct : loose ? counts.undecided : counts.reversed);
      }
    }
  }
  return counts;
}

EdgeCounts count_adjacencies(const MixedGraph& truth, const MixedGraph& learned) {
  const auto skeleton = [](const MixedGraph& graph) {
    MixedGraph result(graph.names().list(), GraphKind::kCpdag);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (std::size_t j = i + 1; j < graph.size(); ++j) {
        if (graph.adjacent(i, j)) result.set_undirected(i, j);
      }
    }
    return result;
  };
  return count_edges(skeleton(truth), skeleton(learned));
}

std::size_t shd(const MixedGraph& truth, const MixedGraph& learned) { return count_edges(truth, learned).shd(); }

std::size_t shd2(const MixedGraph& truth, const MixedGraph& learned) {
  require_directions(truth);
  require_directions(learned);
  const MixedGraph other = align_nodes(learned, truth.names());
  const auto entry = [](const MixedGraph& graph, std::size_t i, std::size_t j) {
    return graph.directed(i, j) || graph.undirected(i, j);
  };
  std::size_t differences = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = 0; j < truth.size(); ++j) differences += entry(truth, i, j) != entry(other, i, j) ? 1 : 0;
  }
  return differences;
}

std::size_t shd_cpdag(const MixedGraph& truth, const MixedGraph& learned) {
  require_directions(truth);
  require_directions(learned);
  return shd(class_of(truth), class_of(learned));
}

}  // namespace olem
