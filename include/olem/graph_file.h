#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/json.h"

namespace olem {

// docs/graphs.md shows an example of each.
enum class GraphFormat { kEdgeList, kAdjacency, kJson, kDot, kGml, kGraphml, kTetrad };

// "edges", "adjacency", "json", "dot", "gml", "graphml", "tetrad"
std::string_view format_name(GraphFormat format);
// The inverse; a usage error that lists the names for any other text.
GraphFormat parse_format_name(std::string_view name);

// A graph as it was found in a file.
struct GraphFile {
  MixedGraph graph;
  GraphFormat format = GraphFormat::kEdgeList;
  // False when the file names only the nodes that have edges (an edge list), so that it may be silent about others.
  bool lists_nodes = true;
  std::optional<Order> order;  // the order that a result of `olem graph` carries
  std::string source;          // the path, for messages
};

// What a file holds when either a graph or an order will do: exactly one of the two is set.
struct GraphOrOrder {
  std::optional<GraphFile> graph;
  std::optional<Order> order;
  std::string source;
};

// Reads a graph in any of the formats, recognised by the content and never by the file's name; "-" is standard input.
// The kind is the narrowest that the edges allow, kPag for a JSON file with `marks`. Weights are checked to be finite
// and then not kept. Fails with a file error when the file cannot be read, and with a data error that names file and
// line when the content is malformed, a node is named twice, an edge stands twice or leads from a node to itself, or
// directed edges form a cycle (which is printed); more than kMaxNodes nodes or 5 000 000 edges are a resource error.
// Never recurses on the depth of the input.
GraphFile read_graph(const std::string& path, const Context& context = {});
// The same for text that is already in memory; `source` is used in messages.
GraphFile parse_graph(std::string_view text, const std::string& source);

// The format of the text. Throws a data error when it is none of ours, with a word of its own for an order.
GraphFormat sniff_format(std::string_view text, const std::string& source);

// The graph in a format. Throws a usage error when the format cannot hold the kind of the graph or one of its names.
// What it returns, parse_graph reads back as the same graph (an edge list: without the nodes that have no edges, in
// order of appearance).
std::string write_graph_text(const MixedGraph& graph, GraphFormat format);

// {"nodes": [...], "edges": [[from, to]]}, "undirected": [[a, b]] when there are any, and for a PAG
// "marks": [[a, "o->", b]] with every edge that is neither directed nor undirected.
Json to_json(const MixedGraph& graph);

// Reads an order, sources first: one name a line (quoted as in CSV where a name holds separators or quotes), a JSON
// list of names, or a JSON object with the key `order`. Fails as read_graph does; repeated names are a data error.
Order read_order(const std::string& path, const Context& context = {});
Order parse_order(std::string_view text, const std::string& source);
std::string write_order_text(const Order& order);  // one name a line

// A JSON object with `edges` is a graph, also when it has an `order`.
GraphOrOrder read_graph_or_order(const std::string& path, const Context& context = {});
GraphOrOrder parse_graph_or_order(std::string_view text, const std::string& source);

// Gives both graphs the same nodes in the same order: those of `variables` (the columns of the data) when there are
// any, else those of the truth when its file lists its nodes, else those of the learned file when that does. A file
// that lists its nodes is taken at its word: they must be exactly the nodes of the other side. A file that does not
// gets the nodes it is silent about, but must not name others. When neither lists its nodes, the truth's are taken. A
// breach is a data error with the closest name and the remedy.
void match_nodes(GraphFile& truth, GraphFile& learned, const std::vector<std::string>& variables = {});
// The same for an order, which always lists its nodes.
void match_nodes(GraphFile& truth, const Order& learned, const std::string& order_source,
                 const std::vector<std::string>& variables = {});

}  // namespace olem
