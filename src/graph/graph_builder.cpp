#include "graph/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "olem/error.h"
#include "olem/options.h"

namespace olem::internal {

namespace {

char mark_symbol(Mark mark, char arrow) {
  if (mark == Mark::kArrow) return arrow;
  return mark == Mark::kCircle ? 'o' : '-';
}

std::optional<Mark> symbol_mark(char symbol, char arrow) {
  if (symbol == arrow) return Mark::kArrow;
  if (symbol == 'o') return Mark::kCircle;
  if (symbol == '-') return Mark::kTail;
  return std::nullopt;
}

std::string arrow_shape(Mark mark) {
  if (mark == Mark::kArrow) return "normal";
  return mark == Mark::kCircle ? "odot" : "none";
}

Mark shape_mark(const std::string& shape) {
  if (shape == "none") return Mark::kTail;
  return shape == "odot" || shape == "dot" ? Mark::kCircle : Mark::kArrow;
}

}  // namespace

std::string location(std::string_view source, std::size_t line) {
  return line == 0 ? fmt::format("{}: ", source) : fmt::format("{}, line {}: ", source, line);
}

void GraphBuilder::fail(std::size_t line, std::string_view text) const {
  throw Error(ErrorCategory::kData, location(source_, line) + std::string(text));
}

std::size_t GraphBuilder::declare_node(const std::string& name, std::size_t line) {
  if (positions_.contains(name)) {
    fail(line, fmt::format("Two nodes are called '{}'. Rename or remove one of them.", name));
  }
  return node(name, line);
}

std::size_t GraphBuilder::node(const std::string& name, std::size_t line) {
  const auto [entry, added] = positions_.emplace(name, names_.size());
  if (added) {
    if (const std::string_view fault = name_fault(name); !fault.empty()) {
      fail(line, fmt::format("The name of a node {}. Give every node a name.", fault));
    }
    if (names_.size() == kMaxNodes) {
      throw Error(ErrorCategory::kResource,
                  location(source_, line) + fmt::format("The graph has more than {} nodes, which is the most that "
                                                        "can be handled.",
                                                        kMaxNodes));
    }
    names_.push_back(name);
  }
  return entry->second;
}

std::size_t GraphBuilder::known_node(const std::string& name, std::size_t line) const {
  if (const auto found = positions_.find(name); found != positions_.end()) return found->second;
  const std::string near = closest_name(name, names_);
  fail(line, fmt::format("An edge names '{}', which is not among the nodes of the file.{}", name,
                         near.empty() ? " Add it to them." : fmt::format(" Did you mean '{}'?", near)));
}

void GraphBuilder::add_edge(std::size_t a, std::size_t b, Mark at_a, Mark at_b, std::size_t line) {
  if (a == b)
    fail(line, fmt::format("The edge {0} {1} {0} leads from a node to itself. Remove it.", names_[a],
                           edge_symbol(at_a, at_b)));
  const auto [entry, added] = edge_between_.emplace(std::min(a, b) * kMaxNodes + std::max(a, b), edges_.size());
  if (added) {
    if (edges_.size() == kMaxEdges) {
      throw Error(
          ErrorCategory::kResource,
          location(source_, line) + fmt::format("The graph has more than {} edges, which is the most that can be "
                                                "handled.",
                                                kMaxEdges));
    }
    edges_.push_back({a, b, at_a, at_b, line});
    return;
  }
  const Item& first = edges_[entry->second];
  const bool turned = first.a != a;
  const Mark first_at_a = turned ? first.at_b : first.at_a;
  const Mark first_at_b = turned ? first.at_a : first.at_b;
  const bool same = first_at_a == at_a && first_at_b == at_b;
  if (same && merge_repeats_) return;
  const std::string where = first.line == 0 ? "" : fmt::format(" (the other one is on line {})", first.line);
  const bool both_directed =
      at_a != at_b && first_at_a == at_b && first_at_b == at_a && at_a != Mark::kCircle && at_b != Mark::kCircle;
  if (both_directed) {
    fail(line, fmt::format("The graph has a cycle: {0} -> {1} -> {0}{2}. Remove one of the two edges.", names_[a],
                           names_[b], where));
  }
  fail(line,
       fmt::format("There are two edges between '{}' and '{}'{}. Remove one of them.", names_[a], names_[b], where));
}

MixedGraph GraphBuilder::finish(std::optional<GraphKind> kind) const {
  MixedGraph graph(names_, GraphKind::kPag);
  for (const Item& edge : edges_) graph.set_edge(edge.a, edge.b, edge.at_a, edge.at_b);
  const std::vector<Edge> directed = graph.directed_edges();
  if (const auto cycle = find_cycle(graph.size(), directed)) {
    fail(0, fmt::format("The graph has a cycle: {}. Remove or reverse one of these edges.",
                        cycle_text(graph.names(), *cycle)));
  }
  graph.set_kind(kind ? *kind : graph.narrowest_kind());
  return graph;
}

std::string edge_symbol(Mark left, Mark right) { return {mark_symbol(left, '<'), '-', mark_symbol(right, '>')}; }

std::optional<std::pair<Mark, Mark>> parse_edge_symbol(std::string_view symbol) {
  if (symbol == "->") symbol = "-->";
  if (symbol == "<-") symbol = "<--";
  if (symbol == "--" || symbol == "-") symbol = "---";
  if (symbol.size() != 3 || symbol[1] != '-') return std::nullopt;
  const auto left = symbol_mark(symbol[0], '<');
  const auto right = symbol_mark(symbol[2], '>');
  if (!left || !right) return std::nullopt;
  return std::pair(*left, *right);
}

EdgeDrawing drawing_of(Mark at_first, Mark at_second) {
  if (at_first == Mark::kTail && at_second == Mark::kArrow) return {};
  if (at_first == Mark::kTail && at_second == Mark::kTail) return {"none", "", ""};
  if (at_first == Mark::kArrow && at_second == Mark::kArrow) return {"both", "", ""};
  return {"both", arrow_shape(at_second), arrow_shape(at_first)};
}

std::optional<std::pair<Mark, Mark>> marks_of(const EdgeDrawing& drawing, bool directed) {
  const std::string dir = drawing.dir.empty() ? (directed ? "forward" : "none") : drawing.dir;
  if (dir != "forward" && dir != "back" && dir != "both" && dir != "none") return std::nullopt;
  const auto end = [](bool drawn, const std::string& shape) { return drawn ? shape_mark(shape) : Mark::kTail; };
  return std::pair(end(dir == "back" || dir == "both", drawing.arrowtail),
                   end(dir == "forward" || dir == "both", drawing.arrowhead));
}

}  // namespace olem::internal
