#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "olem/bit_set.h"

namespace olem {

// A causal order by name, sources first: nothing causes what stands before it.
using Order = std::vector<std::string>;

// The edge from -> to, by position in the list of names.
struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  auto operator<=>(const Edge&) const = default;
};

// More nodes than this are a resource error: the matrices of a graph grow with the square.
inline constexpr std::size_t kMaxNodes = 10'000;

// The names of the nodes of a graph and where each stands.
class NodeNames {
 public:
  NodeNames() = default;
  // Throws a data error when a name is empty, not UTF-8 or stands twice, a resource error above kMaxNodes.
  explicit NodeNames(std::vector<std::string> names);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& list() const { return names_; }
  const std::string& operator[](std::size_t i) const { return names_[i]; }
  std::optional<std::size_t> find(std::string_view name) const;
  // Throws a data error that suggests the closest name when there is none such.
  std::size_t index(std::string_view name) const;

  bool operator==(const NodeNames& other) const { return names_ == other.names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> positions_;
};

// A directed acyclic graph with named nodes; acyclic by construction and never changed afterwards.
// A[i][j] = 1 means i -> j.
class Dag {
 public:
  Dag() = default;
  // Throws a data error for bad names (see NodeNames), an edge to a node that does not exist, a self loop, and for a
  // cycle, which the message prints as a -> b -> a. An edge that is given twice counts once. O(d + edges).
  explicit Dag(std::vector<std::string> names, std::span<const Edge> edges = {});

  std::size_t size() const { return names_.size(); }
  const NodeNames& names() const { return names_; }
  const std::string& name(std::size_t i) const { return names_[i]; }

  bool has_edge(std::size_t from, std::size_t to) const { return children_.test(from, to); }
  bool adjacent(std::size_t a, std::size_t b) const { return has_edge(a, b) || has_edge(b, a); }
  BitRow children(std::size_t i) const { return children_.row(i); }
  BitRow parents(std::size_t i) const { return parents_.row(i); }
  const BitMatrix& matrix() const { return children_; }
  std::size_t edge_count() const { return edge_count_; }
  std::vector<Edge> edges() const;  // sorted by from, then to

  // The same graph with its nodes in the order of `names`, which may hold further nodes (they get no edges). Throws a
  // data error when a node of the graph is missing from `names`.
  Dag with_nodes(const std::vector<std::string>& names) const;

  // Names, their order and edges are equal.
  bool operator==(const Dag& other) const { return names_ == other.names_ && children_ == other.children_; }

 private:
  NodeNames names_;
  BitMatrix children_;
  BitMatrix parents_;
  std::size_t edge_count_ = 0;
};

// A cycle among the edges, as nodes in order with the first repeated at the end; nothing when there is none.
// Deterministic. O(size + edges).
std::optional<std::vector<std::size_t>> find_cycle(std::size_t size, std::span<const Edge> edges);

// "a -> b -> a"
std::string cycle_text(const NodeNames& names, std::span<const std::size_t> cycle);

// Every node after its parents; among the nodes that could come next, the one with the lowest index. O(d^2 / 64 +
// edges log d).
std::vector<std::size_t> topological_order(const Dag& dag);

// True when `order` lists every node once and none before one of its parents.
bool is_topological_order(const Dag& dag, std::span<const std::size_t> order);

// The nodes with a directed path to `node` (from `node`), without the node itself. O(d^2 / 64).
BitSet ancestors(const Dag& dag, std::size_t node);
BitSet descendants(const Dag& dag, std::size_t node);

// Row i holds the descendants of i, without i. O(d edges / 64).
BitMatrix all_descendants(const Dag& dag);

// True when every path between a node of `a` and a node of `b` is blocked by `given`. Throws a usage error when a
// node stands in two of the three sets. O(d^2 / 64 + edges).
bool d_separated(const Dag& dag, std::span<const std::size_t> a, std::span<const std::size_t> b,
                 std::span<const std::size_t> given);

// What stands at one end of an edge.
enum class Mark : std::uint8_t { kNone, kTail, kArrow, kCircle };

enum class GraphKind {
  kDag,    // directed edges without a cycle
  kCpdag,  // directed and undirected edges: an equivalence class, or what a learner takes for one
  kPag,    // any marks
};

// "dag", "cpdag", "pag"
std::string_view kind_name(GraphKind kind);

// A graph with at most one edge between two nodes and a mark at each end of it: holds a DAG, a CPDAG or a PAG.
class MixedGraph {
 public:
  MixedGraph() = default;
  explicit MixedGraph(std::vector<std::string> names, GraphKind kind = GraphKind::kDag);
  MixedGraph(const Dag& dag);  // every DAG is a mixed graph

  std::size_t size() const { return names_.size(); }
  const NodeNames& names() const { return names_; }
  const std::string& name(std::size_t i) const { return names_[i]; }
  GraphKind kind() const { return kind_; }
  void set_kind(GraphKind kind) { kind_ = kind; }

  // The mark at b's end of the edge between a and b; kNone when they are not adjacent.
  Mark mark(std::size_t a, std::size_t b) const { return marks_[a * size() + b]; }
  bool adjacent(std::size_t a, std::size_t b) const { return mark(a, b) != Mark::kNone; }
  // True for a -> b exactly: a tail at a and an arrow at b.
  bool directed(std::size_t a, std::size_t b) const { return mark(a, b) == Mark::kArrow && mark(b, a) == Mark::kTail; }
  // True for a - b: two tails.
  bool undirected(std::size_t a, std::size_t b) const { return mark(a, b) == Mark::kTail && mark(b, a) == Mark::kTail; }
  std::size_t edge_count() const;

  // Replaces whatever is between a and b, a != b. Both marks or neither must be kNone.
  void set_edge(std::size_t a, std::size_t b, Mark at_a, Mark at_b);
  void set_directed(std::size_t from, std::size_t to) { set_edge(from, to, Mark::kTail, Mark::kArrow); }
  void set_undirected(std::size_t a, std::size_t b) { set_edge(a, b, Mark::kTail, Mark::kTail); }
  void remove_edge(std::size_t a, std::size_t b) { set_edge(a, b, Mark::kNone, Mark::kNone); }

  // The edges a -> b, sorted by a, then b. O(d^2).
  std::vector<Edge> directed_edges() const;
  // The narrowest kind that the marks allow: kDag, else kCpdag, else kPag. Does not look for cycles.
  GraphKind narrowest_kind() const;

  // As Dag::with_nodes.
  MixedGraph with_nodes(const std::vector<std::string>& names) const;

  // Names, their order, marks and kind are equal.
  bool operator==(const MixedGraph& other) const {
    return kind_ == other.kind_ && names_ == other.names_ && marks_ == other.marks_;
  }

 private:
  NodeNames names_;
  std::vector<Mark> marks_;
  GraphKind kind_ = GraphKind::kDag;
};

// The graph as a DAG. Throws a data error that names an edge without a direction, or the cycle.
Dag to_dag(const MixedGraph& graph);

// The completed partially directed graph of the Markov equivalence class of `dag`: an edge is directed exactly when it
// has that direction in every member of the class (Chickering 1995, algorithms Order-Edges and Label-Edges).
// O(d^2).
MixedGraph cpdag(const Dag& dag);

// Directs undirected edges by Meek's rules (Meek 1995, rules 1 to 4) until none applies. Rule 4 only ever applies
// after edges were directed by outside knowledge. An edge that they would direct both ways, which no DAG has, stays
// undirected; so the result does not depend on the order of the nodes. Graphs with circles are a usage error.
void close_under_meek_rules(MixedGraph& graph);

// A DAG with the skeleton and the directed edges of `graph` and no further unshielded colliders (Dor and Tarsi 1992);
// for a CPDAG this is a member of its class. The sink with the lowest index is taken first, so the member is always
// the same one. Nothing when there is no such DAG. Circles and two-headed edges are a usage error.
std::optional<Dag> consistent_extension(const MixedGraph& graph);

// Throws a data error, which begins with `source` when that is not empty, unless `order` holds each of `names` exactly
// once: names a repeated, unknown (with the closest name) or missing name.
void check_order(const Order& order, const std::vector<std::string>& names, std::string_view source = "");

// The positions in `names` of the entries of `order`, which must pass check_order.
std::vector<std::size_t> order_indices(const Order& order, const NodeNames& names);

// The graph with every edge that the order allows; its nodes stand in the order.
Dag dense_dag(const Order& order);

// topological_order by name.
Order order_of(const Dag& dag);

}  // namespace olem
