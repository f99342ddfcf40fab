#include "graph/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "graph/graph_builder.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<std::pair<GraphFormat, std::string_view>, 7> kFormats = {{
    {GraphFormat::kEdgeList, "edges"},
    {GraphFormat::kAdjacency, "adjacency"},
    {GraphFormat::kJson, "json"},
    {GraphFormat::kDot, "dot"},
    {GraphFormat::kGml, "gml"},
    {GraphFormat::kGraphml, "graphml"},
    {GraphFormat::kTetrad, "tetrad"},
}};

// The text without byte order mark; throws for what no reader wants to see.
std::string_view clean_text(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  if (trim(text).empty()) throw Error(ErrorCategory::kData, location(source, 0) + "The file is empty.");
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error(ErrorCategory::kData, location(source, line_of(text, nul)) + "There is a NUL byte in the file.");
  }
  if (const auto bad = find_invalid_utf8(text)) {
    throw Error(ErrorCategory::kData,
                location(source, line_of(text, *bad)) + "The text is not valid UTF-8. Save the file as UTF-8.");
  }
  return text;
}

// What stands behind the blanks, comments and lines that DOT and GML files may begin with.
std::string_view skip_comments(std::string_view text) {
  while (true) {
    text = trim(text);
    if (text.substr(0, 1) == "#" || text.substr(0, 2) == "//") {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.substr(0, 2) == "/*") {
      const std::size_t end = text.find("*/");
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 2);
    } else {
      return text;
    }
  }
}

// Takes the first word, of letters and digits, off the text.
std::string take_word(std::string_view& text) {
  const std::size_t end =
      std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), text.size());
  std::string word = lower_case(text.substr(0, end));
  text.remove_prefix(end);
  return word;
}

bool looks_like_dot(std::string_view text) {
  text = skip_comments(text);
  std::string word = take_word(text);
  if (word == "strict") {
    text = skip_comments(text);
    word = take_word(text);
  }
  if (word != "digraph" && word != "graph") return false;
  text = skip_comments(text);
  if (text.substr(0, 1) == "\"") {
    for (text.remove_prefix(1); !text.empty() && text[0] != '"';) {
      text.remove_prefix(std::min<std::size_t>(text[0] == '\\' ? 2 : 1, text.size()));
    }
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
  } else {
    text.remove_prefix(std::min(text.find_first_of(" \t\r\n{"), text.size()));
  }
  text = skip_comments(text);
  return !text.empty() && text[0] == '{';
}

bool looks_like_gml(std::string_view text) {
  // Lines such as Creator "..." or Version 1 may come first.
  for (int i = 0; i < 100; ++i) {
    text = skip_comments(text);
    const std::string word = take_word(text);
    if (word == "graph") {
      text = skip_comments(text);
      return !text.empty() && text[0] == '[';
    }
    if (word != "creator" && word != "version" && word != "comment" && word != "label") return false;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return false;
}

// What the text of an order would be taken for.
std::optional<GraphFormat> sniff(std::string_view text, const std::string& source) {
  const std::string_view start = trim(text);
  if (start[0] == '{' || start[0] == '[') return GraphFormat::kJson;
  if (start[0] == '<') return GraphFormat::kGraphml;
  // Before DOT: the first node may begin with a brace.
  if (start.substr(0, 12) == "Graph Nodes:" || start.substr(0, 12) == "Graph Edges:") return GraphFormat::kTetrad;
  if (looks_like_gml(start)) return GraphFormat::kGml;
  if (looks_like_dot(start)) return GraphFormat::kDot;
  if (start.substr(0, 2) == "//" || start.substr(0, 2) == "/*") return GraphFormat::kJson;  // comments are allowed
  const char delimiter = sniff_delimiter(text);
  if (delimiter == 0) return std::nullopt;
  return is_edge_list_header(first_record(text, delimiter, source).fields) ? GraphFormat::kEdgeList
                                                                           : GraphFormat::kAdjacency;
}

GraphFile parse_as(GraphFormat format, std::string_view text, const std::string& source) {
  switch (format) {
    case GraphFormat::kEdgeList: return parse_edge_list(text, source);
    case GraphFormat::kAdjacency: return parse_adjacency(text, source);
    case GraphFormat::kJson: return parse_json_graph(text, source);
    case GraphFormat::kDot: return parse_dot(text, source);
    case GraphFormat::kGml: return parse_gml(text, source);
    case GraphFormat::kGraphml: return parse_graphml(text, source);
    case GraphFormat::kTetrad: return parse_tetrad(text, source);
  }
  throw Error(ErrorCategory::kInternal, "There is no such graph format.");
}

// Gives the graph the nodes `names`, those of `owner`, in their order; throws when the file has others, or when it
// lists its nodes and lacks some.
void complete(GraphFile& file, const std::vector<std::string>& names, const std::string& owner,
              const std::string& remedy = "") {
  const NodeNames target(names);
  for (const std::string& name : file.graph.names().list()) {
    if (target.find(name)) continue;
    const std::string near = closest_name(name, names);
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The node '{}' is not one of {}.{}{}", file.source, name, owner,
                            near.empty() ? "" : fmt::format(" Did you mean '{}'?", near), remedy));
  }
  for (const std::string& name : names) {
    if (file.lists_nodes && !file.graph.names().find(name)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}: The node '{}', one of {}, is missing. Both sides must have the same nodes.",
                              file.source, name, owner));
    }
  }
  file.graph = file.graph.with_nodes(names);
}

std::string nodes_of(const std::string& source) { return fmt::format("the nodes of {}", source); }

}  // namespace

std::string_view format_name(GraphFormat format) {
  for (const auto& [value, name] : kFormats) {
    if (value == format) return name;
  }
  return "";
}

GraphFormat parse_format_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [value, known] : kFormats) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw Error(ErrorCategory::kUsage,
              fmt::format("'{}' is not a format of graphs. Use one of: {}.", name, fmt::join(names, ", ")));
}

GraphFormat sniff_format(std::string_view text, const std::string& source) {
  if (const auto format = sniff(clean_text(text, source), source)) return *format;
  throw Error(ErrorCategory::kData,
              location(source, 0) +
                  "This is not a graph in any format that can be read: the first line has one field, "
                  "as in an order. An edge list starts with the line from,to.");
}

GraphFile parse_graph(std::string_view text, const std::string& source) {
  return parse_as(sniff_format(text, source), clean_text(text, source), source);
}

GraphFile read_graph(const std::string& path, const Context& context) {
  return parse_graph(read_file(path, context), path == "-" ? "standard input" : path);
}

std::string write_graph_text(const MixedGraph& graph, GraphFormat format) {
  switch (format) {
    case GraphFormat::kEdgeList: return write_edge_list(graph);
    case GraphFormat::kAdjacency: return write_adjacency(graph);
    case GraphFormat::kJson: return write_json_graph(graph);
    case GraphFormat::kDot: return write_dot(graph);
    case GraphFormat::kGml: return write_gml(graph);
    case GraphFormat::kGraphml: return write_graphml(graph);
    case GraphFormat::kTetrad: return write_tetrad(graph);
  }
  throw Error(ErrorCategory::kInternal, "There is no such graph format.");
}

}  // namespace olem

namespace olem::internal {

Order parse_order_lines(std::string_view text, const std::string& source) {
  GraphBuilder names(source);  // refuses empty and repeated names
  Order order;
  for (const Record& record : split_records(text, 0, source)) {
    names.declare_node(record.fields[0], record.line);
    order.push_back(record.fields[0]);
  }
  if (order.empty()) names.fail(0, "There is no name in the order.");
  return order;
}

}  // namespace olem::internal

namespace olem {

GraphOrOrder parse_graph_or_order(std::string_view text, const std::string& source) {
  text = clean_text(text, source);
  const auto format = sniff(text, source);
  if (format == GraphFormat::kJson) return parse_json_graph_or_order(text, source);
  GraphOrOrder result;
  result.source = source;
  if (format) {
    result.graph = parse_as(*format, text, source);
  } else {
    result.order = parse_order_lines(text, source);
  }
  return result;
}

GraphOrOrder read_graph_or_order(const std::string& path, const Context& context) {
  return parse_graph_or_order(read_file(path, context), path == "-" ? "standard input" : path);
}

Order parse_order(std::string_view text, const std::string& source) {
  GraphOrOrder result = parse_graph_or_order(text, source);
  if (result.order) return std::move(*result.order);
  if (result.graph->order) return std::move(*result.graph->order);
  throw Error(ErrorCategory::kData, location(source, 0) +
                                        "This is a graph, but an order is needed here: one name a line, sources first. "
                                        "Put names with separators into quotes.");
}

Order read_order(const std::string& path, const Context& context) {
  return parse_order(read_file(path, context), path == "-" ? "standard input" : path);
}

std::string write_order_text(const Order& order) {
  std::string text;
  for (const std::string& name : order) text += quote_field(name) + '\n';
  return text;
}

void match_nodes(GraphFile& truth, GraphFile& learned, const std::vector<std::string>& variables) {
  if (!variables.empty()) {
    complete(truth, variables, "the columns of the data");
    complete(learned, variables, "the columns of the data");
  } else if (!truth.lists_nodes && learned.lists_nodes) {
    complete(truth, learned.graph.names().list(), nodes_of(learned.source));
  } else {
    const std::string remedy =
        truth.lists_nodes ? ""
                          : " If it is a variable without edges in the truth, give the data as well, or the truth in a "
                            "format that lists its nodes.";
    complete(learned, truth.graph.names().list(), nodes_of(truth.source), remedy);
  }
  if (learned.order) check_order(*learned.order, truth.graph.names().list(), learned.source);
}

void match_nodes(GraphFile& truth, const Order& learned, const std::string& order_source,
                 const std::vector<std::string>& variables) {
  if (!variables.empty()) {
    complete(truth, variables, "the columns of the data");
  } else if (!truth.lists_nodes) {
    complete(truth, learned, nodes_of(order_source));
  }
  check_order(learned, truth.graph.names().list(), order_source);
}

}  // namespace olem
