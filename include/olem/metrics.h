#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "olem/graph.h"
#include "olem/json.h"

namespace olem {

// All metrics match nodes by name; graphs with different nodes are a data error that names one of them.

// Order divergence: the number of true edges i -> j with j before i in the order, 0 .. edges. 0 means that the order
// is one of the true graph's. O(d + edges).
std::size_t order_divergence(const Dag& truth, const Order& order);
// The same for a graph: the number of true edges i -> j with j an ancestor of i in `learned`, that is, which no order
// of the learned graph respects. Equals the divergence of an order when `learned` is its dense graph.
std::size_t order_divergence(const Dag& truth, const Dag& learned);

// The pairs of nodes by how their edges agree.
struct EdgeCounts {
  std::size_t truth = 0;      // edges of the truth
  std::size_t learned = 0;    // edges of the learned graph
  std::size_t correct = 0;    // the same edge in both
  std::size_t missing = 0;    // only in the truth
  std::size_t extra = 0;      // only in the learned graph
  std::size_t reversed = 0;   // directed in both, the other way round
  std::size_t undecided = 0;  // adjacent in both, directed in one and undirected in the other

  std::size_t shd() const { return missing + extra + reversed + undecided; }
  std::optional<double> precision() const;  // correct / learned; nothing without learned edges
  std::optional<double> recall() const;     // correct / truth; nothing without true edges
  std::optional<double> f1() const;         // 2 correct / (truth + learned); nothing without any edge
};

// Counts over the graphs as they stand; both must be DAGs or CPDAGs (usage error for a PAG).
EdgeCounts count_edges(const MixedGraph& truth, const MixedGraph& learned);
// Counts over the skeletons: every edge is taken as undirected. For any kind.
EdgeCounts count_adjacencies(const MixedGraph& truth, const MixedGraph& learned);

// Structural Hamming distance: the number of pairs of nodes whose edges differ; a reversed edge counts 1.
std::size_t shd(const MixedGraph& truth, const MixedGraph& learned);
// The sum of absolute differences of the adjacency matrices, where an undirected edge is a 1 both ways: a reversed
// edge counts 2. Between DAGs it equals shd + reversed edges.
std::size_t shd2(const MixedGraph& truth, const MixedGraph& learned);
// shd between the CPDAGs of the two; a graph that is not a DAG is taken as it stands.
std::size_t shd_cpdag(const MixedGraph& truth, const MixedGraph& learned);

// Structural intervention distance (Peters and Bühlmann 2015): the number of ordered pairs (t, y) for which adjusting
// for the parents of t in `learned` gives a wrong effect of t on y in `truth`. Not symmetric, 0 .. d (d - 1); 0 when
// `learned` contains `truth`. O(d (d + edges)).
std::size_t sid(const Dag& truth, const Dag& learned);
// The pairs themselves: [t][y] is set when the effect of t on y comes out wrong. Nodes in the truth's order.
BitMatrix sid_errors(const Dag& truth, const Dag& learned);

// Largest undirected component for which sid_bounds searches the orientations.
inline constexpr std::size_t kMaxSidComponent = 12;

struct SidBounds {
  std::size_t lower = 0;
  std::size_t upper = 0;
};

// The smallest and largest SID over the members of the equivalence class `learned`. Both are attained: components of
// undirected edges are oriented independently, and within one of m nodes the best and worst orientation without new
// unshielded colliders are found over the 2^m sets of first nodes. Nothing, and the reason in `reason` unless it is
// null, when a component has more than kMaxSidComponent nodes or when `learned` is not the CPDAG of any DAG.
std::optional<SidBounds> sid_bounds(const Dag& truth, const MixedGraph& learned, std::string* reason = nullptr);

// How a comparison was made.
enum class ComparisonBasis {
  kDirected,  // edges with their directions
  kSkeleton,  // adjacencies only, because one side is a PAG
  kOrder,     // an order: only its divergence
};

// Everything that can be said about a learned graph or order. What is not defined for the pair at hand is absent, and
// `notes` says why.
struct Comparison {
  ComparisonBasis basis = ComparisonBasis::kDirected;
  std::size_t nodes = 0;
  std::size_t true_edges = 0;
  std::optional<std::size_t> div;
  std::optional<EdgeCounts> counts;  // of the basis
  std::optional<std::size_t> shd;    // of skeletons under kSkeleton
  std::optional<std::size_t> shd2;
  std::optional<std::size_t> shd_cpdag;
  std::optional<std::size_t> sid;
  std::optional<SidBounds> sid_bounds;  // when the learned side is a class
  std::optional<double> precision;
  std::optional<double> recall;
  std::optional<double> f1;
  std::vector<std::string> notes;  // full sentences
};

// `order` is the order that the learned graph came from, when there is one: DIV is then the order's own, else that of
// the learned graph when it is a DAG. Nodes must be the same on both sides (see match_nodes).
Comparison compare_graphs(const MixedGraph& truth, const MixedGraph& learned, const Order* order = nullptr);

// Only DIV: an order alone says nothing about edges.
Comparison compare_order(const MixedGraph& truth, const Order& order);

// basis, nodes, true_edges, div, shd, shd2, sid, precision, recall, f1 always (null when absent); learned_edges,
// missing, extra, reversed, undecided, shd_cpdag, sid_lower, sid_upper when known; notes.
Json to_json(const Comparison& comparison);

}  // namespace olem
