#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "olem/graph.h"

namespace olem::internal {

// A few words of DOT can ask for as many edges as there are pairs of nodes, so there is a limit of its own for them.
inline constexpr std::size_t kMaxEdges = 5'000'000;

// Collects the nodes and edges of a file while it is read and refuses what no format may hold. Every line is counted
// from 1; 0 means that it is not known. All errors begin with the source and the line; they are data errors, and
// resource errors above kMaxNodes and kMaxEdges.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string source) : source_(std::move(source)) {}

  [[noreturn]] void fail(std::size_t line, std::string_view text) const;

  // A node that must be new.
  std::size_t declare_node(const std::string& name, std::size_t line);
  // The node of that name, added when it is new.
  std::size_t node(const std::string& name, std::size_t line);
  bool has_node(const std::string& name) const { return positions_.contains(name); }
  // The node of that name, which must be there already.
  std::size_t known_node(const std::string& name, std::size_t line) const;
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t i) const { return names_[i]; }

  // A second edge between the same nodes is refused, unless it is the same one and repeats are merged. Two directed
  // edges that oppose each other are refused as the cycle that they are.
  void add_edge(std::size_t a, std::size_t b, Mark at_a, Mark at_b, std::size_t line);
  void merge_repeats() { merge_repeats_ = true; }

  // The graph, of the narrowest kind unless one is given. Refuses cycles of directed edges.
  MixedGraph finish(std::optional<GraphKind> kind = std::nullopt) const;

 private:
  struct Item {
    std::size_t a, b;
    Mark at_a, at_b;
    std::size_t line;
  };

  std::string source_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<Item> edges_;
  std::unordered_map<std::size_t, std::size_t> edge_between_;  // by lower node x kMaxNodes + higher node
  bool merge_repeats_ = false;
};

// "a.csv, line 3: " or, without a line, "a.csv: "
std::string location(std::string_view source, std::size_t line);

// -->, ---, <->, o->, o-o, ...: the mark at the left end, a dash, the mark at the right end.
std::string edge_symbol(Mark left, Mark right);
// The inverse; also knows the short forms ->, <-, -- and -. Nothing for any other text.
std::optional<std::pair<Mark, Mark>> parse_edge_symbol(std::string_view symbol);

// How DOT draws the ends of an edge from tail to head; GML and GraphML files of ours use the same three words. Empty
// where the file is silent.
struct EdgeDrawing {
  std::string dir;        // forward, back, both, none
  std::string arrowhead;  // at the second node: none is a tail, odot or dot a circle, everything else an arrow
  std::string arrowtail;  // at the first node

  bool operator==(const EdgeDrawing&) const = default;
};

EdgeDrawing drawing_of(Mark at_first, Mark at_second);
// The marks (at the first, at the second node); dir is `forward` when silent in a directed graph, else `none`, and
// decides which ends are drawn at all. Nothing when `dir` is not one of its four words.
std::optional<std::pair<Mark, Mark>> marks_of(const EdgeDrawing& drawing, bool directed);

}  // namespace olem::internal
