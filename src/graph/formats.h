#pragma once

#include <string>
#include <string_view>

#include "olem/graph_file.h"

// One pair of functions per format. The readers take UTF-8 text without byte order mark or NUL and throw data errors
// that begin with the source; the writers take graphs whose names are valid and throw a usage error for a kind or a
// name that the format cannot hold.
namespace olem::internal {

GraphFile parse_edge_list(std::string_view text, const std::string& source);
std::string write_edge_list(const MixedGraph& graph);
// True when the fields of a first line are the header of an edge list.
bool is_edge_list_header(const std::vector<std::string>& fields);

GraphFile parse_adjacency(std::string_view text, const std::string& source);
std::string write_adjacency(const MixedGraph& graph);

GraphFile parse_json_graph(std::string_view text, const std::string& source);
GraphOrOrder parse_json_graph_or_order(std::string_view text, const std::string& source);
std::string write_json_graph(const MixedGraph& graph);

GraphFile parse_dot(std::string_view text, const std::string& source);
std::string write_dot(const MixedGraph& graph);

GraphFile parse_gml(std::string_view text, const std::string& source);
std::string write_gml(const MixedGraph& graph);

GraphFile parse_graphml(std::string_view text, const std::string& source);
std::string write_graphml(const MixedGraph& graph);

GraphFile parse_tetrad(std::string_view text, const std::string& source);
std::string write_tetrad(const MixedGraph& graph);

// One name a line.
Order parse_order_lines(std::string_view text, const std::string& source);

// Calls visit(a, b, mark at a, mark at b) for every edge, sorted by its first node; a directed edge starts at its tail
// and every other at the node with the lower index.
template <class Visit>
void for_each_edge(const MixedGraph& graph, Visit visit) {
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      if (!graph.adjacent(a, b) || graph.directed(b, a)) continue;
      if (graph.directed(a, b) || a < b) visit(a, b, graph.mark(b, a), graph.mark(a, b));
    }
  }
}

}  // namespace olem::internal
