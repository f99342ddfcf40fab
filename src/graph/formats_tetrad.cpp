#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::string_view kNodesTitle = "Graph Nodes:";
constexpr std::string_view kEdgesTitle = "Graph Edges:";
// What Tetrad may add behind an edge: definitely or possibly direct, visible or not.
constexpr std::array<std::string_view, 4> kEdgeProperties = {"dd", "pd", "nl", "pl"};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Sections after the edges say nothing about the graph itself.
bool is_other_title(std::string_view line) {
  return starts_with(line, "Graph ") || starts_with(line, "Ambiguous triples") ||
         starts_with(line, "Underline triples") || starts_with(line, "Dotted underline") ||
         (!line.empty() && line.back() == ':');
}

// "12. " in front of an edge.
std::string_view without_number(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0 || digits == line.size() || line[digits] != '.') return line;
  return trim(line.substr(digits + 1));
}

std::string_view without_properties(std::string_view name) {
  while (true) {
    const std::size_t blank = name.rfind(' ');
    if (blank == std::string_view::npos) return name;
    const std::string_view word = name.substr(blank + 1);
    if (std::find(kEdgeProperties.begin(), kEdgeProperties.end(), word) == kEdgeProperties.end()) return name;
    name = trim(name.substr(0, blank));
  }
}

// "left symbol right", cut at the first symbol.
struct Cut {
  std::string_view left, right;
  std::pair<Mark, Mark> marks;
};

std::optional<Cut> find_cut(std::string_view line) {
  for (std::size_t i = 0; i + 4 < line.size(); ++i) {
    if (line[i] != ' ' || line[i + 4] != ' ') continue;
    if (const auto marks = parse_edge_symbol(line.substr(i + 1, 3))) {
      return Cut{trim(line.substr(0, i)), trim(line.substr(i + 5)), *marks};
    }
  }
  return std::nullopt;
}

void read_nodes(std::string_view line, std::size_t number, GraphBuilder& builder) {
  const char separator = line.find(';') != std::string_view::npos ? ';' : ',';
  while (true) {
    const std::size_t end = std::min(line.find(separator), line.size());
    builder.declare_node(std::string(trim(line.substr(0, end))), number);
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

void read_edge(std::string_view line, std::size_t number, GraphBuilder& builder) {
  const auto cut = find_cut(without_number(line));
  if (!cut) {
    builder.fail(number, fmt::format("'{}' is not an edge. An edge looks like 1. a --> b.", line));
  }
  // A name may end in a word that is also a property, so those are taken off only when the rest is a node.
  std::string right(cut->right);
  if (!builder.has_node(right) && builder.has_node(std::string(without_properties(right)))) {
    right = without_properties(right);
  }
  builder.add_edge(builder.known_node(std::string(cut->left), number), builder.known_node(right, number),
                   cut->marks.first, cut->marks.second, number);
}

}  // namespace

GraphFile parse_tetrad(std::string_view text, const std::string& source) {
  GraphBuilder builder(source);
  enum class Section { kNone, kNodes, kEdges, kOther };
  Section section = Section::kNone;
  bool has_nodes = false;
  bool has_edges = false;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    if (line == kNodesTitle) {
      if (has_nodes) builder.fail(number, fmt::format("'{}' is there twice.", kNodesTitle));
      section = Section::kNodes;
      has_nodes = true;
    } else if (line == kEdgesTitle) {
      if (has_edges) builder.fail(number, fmt::format("'{}' is there twice.", kEdgesTitle));
      if (!has_nodes) builder.fail(number, fmt::format("'{}' must come before the edges.", kNodesTitle));
      section = Section::kEdges;
      has_edges = true;
    } else if (section == Section::kNodes) {
      read_nodes(line, number, builder);
    } else if (section == Section::kEdges && is_other_title(line)) {
      section = Section::kOther;
    } else if (section == Section::kEdges) {
      read_edge(line, number, builder);
    } else if (section == Section::kNone) {
      builder.fail(number, fmt::format("A Tetrad graph starts with the line '{}'.", kNodesTitle));
    }
  }
  if (!has_edges) builder.fail(0, fmt::format("The line '{}' is missing; the file may be cut off.", kEdgesTitle));
  GraphFile file;
  file.graph = builder.finish();
  file.format = GraphFormat::kTetrad;
  file.source = source;
  return file;
}

std::string write_tetrad(const MixedGraph& graph) {
  for (const std::string& name : graph.names().list()) {
    // Blanks around, so that a symbol at either end of the name is seen as well.
    const bool fits = trim(name).size() == name.size() && name.find_first_of(";,\r\n") == std::string::npos &&
                      !find_cut(" " + name + " ") && !is_other_title(name) && without_number(name) == name &&
                      without_properties(name) == name;
    if (!fits) {
      throw Error(ErrorCategory::kUsage,
                  fmt::format("A Tetrad graph cannot hold the name '{}'. Write the graph as json "
                              "or dot.",
                              name));
    }
  }
  std::string text(kNodesTitle);
  text += '\n';
  for (std::size_t i = 0; i < graph.size(); ++i) text += (i > 0 ? ";" : "") + graph.name(i);
  text += "\n\n";
  text += kEdgesTitle;
  text += '\n';
  std::size_t number = 0;
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    text += fmt::format("{}. {} {} {}\n", ++number, graph.name(a), edge_symbol(at_a, at_b), graph.name(b));
  });
  return text;
}

}  // namespace olem::internal
