#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

[[noreturn]] void fail(const std::string& source, const std::string& text) {
  throw Error(ErrorCategory::kData, location(source, 0) + text);
}

Json parse_json(std::string_view text, const std::string& source) {
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const Json::parse_error& error) {
    throw Error(ErrorCategory::kData, location(source, line_of(text, error.byte == 0 ? 0 : error.byte - 1)) +
                                          "The JSON text is malformed or ends too early here.");
  } catch (const Json::exception&) {
    fail(source, "The JSON text is malformed.");
  }
}

std::vector<std::string> name_list(const Json& value, const char* key, const std::string& source) {
  if (!value.is_array()) fail(source, fmt::format("'{}' must be a list of names.", key));
  std::vector<std::string> names;
  for (const Json& item : value) {
    if (!item.is_string()) {
      fail(source, fmt::format("Entry {} of '{}' is not a name. Names stand in quotes.", names.size() + 1, key));
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

Order order_from(const Json& value, const std::string& source) {
  Order order = name_list(value, "order", source);
  GraphBuilder names(source);  // refuses empty and repeated names
  for (const std::string& name : order) names.declare_node(name, 0);
  if (order.empty()) names.fail(0, "There is no name in the order.");
  return order;
}

// Reads one of the lists of edges; every entry has the given number of texts.
template <class Add>
void read_entries(const Json& object, const char* key, const char* shape, std::size_t length, const std::string& source,
                  Add add) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_array()) fail(source, fmt::format("'{}' must be a list of entries {}.", key, shape));
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& entry = (*found)[i];
    bool good = entry.is_array() && entry.size() == length;
    for (std::size_t k = 0; good && k < length; ++k) good = entry[k].is_string();
    if (!good) fail(source, fmt::format("Entry {} of '{}' is not of the form {}.", i + 1, key, shape));
    std::vector<std::string> words;
    for (const Json& word : entry) words.push_back(word.get<std::string>());
    add(words);
  }
}

GraphFile graph_from(const Json& object, const std::string& source) {
  GraphBuilder builder(source);
  GraphFile file;
  file.format = GraphFormat::kJson;
  file.source = source;
  file.lists_nodes = object.contains("nodes");
  if (file.lists_nodes) {
    for (const std::string& name : name_list(object["nodes"], "nodes", source)) builder.declare_node(name, 0);
  }
  const auto node = [&](const std::string& name) {
    return file.lists_nodes ? builder.known_node(name, 0) : builder.node(name, 0);
  };
  read_entries(object, "edges", "[from, to]", 2, source, [&](const std::vector<std::string>& words) {
    const std::size_t from = node(words[0]);
    builder.add_edge(from, node(words[1]), Mark::kTail, Mark::kArrow, 0);
  });
  read_entries(object, "undirected", "[a, b]", 2, source, [&](const std::vector<std::string>& words) {
    const std::size_t a = node(words[0]);
    builder.add_edge(a, node(words[1]), Mark::kTail, Mark::kTail, 0);
  });
  read_entries(object, "marks", "[a, \"o->\", b]", 3, source, [&](const std::vector<std::string>& words) {
    const auto marks = parse_edge_symbol(words[1]);
    if (!marks) {
      builder.fail(0, fmt::format("'{}' is not a kind of edge. Write o->, o-o, <->, o-- or one of these turned round.",
                                  words[1]));
    }
    const std::size_t a = node(words[0]);
    builder.add_edge(a, node(words[2]), marks->first, marks->second, 0);
  });
  if (object.contains("order")) file.order = order_from(object["order"], source);
  const bool pag = object.contains("marks");
  file.graph = pag ? builder.finish(GraphKind::kPag) : builder.finish();
  return file;
}

}  // namespace

}  // namespace olem

namespace olem::internal {

GraphOrOrder parse_json_graph_or_order(std::string_view text, const std::string& source) {
  const Json json = parse_json(text, source);
  GraphOrOrder result;
  result.source = source;
  if (json.is_array()) {
    result.order = order_from(json, source);
  } else if (json.is_object() && (json.contains("edges") || json.contains("undirected") || json.contains("marks"))) {
    result.graph = graph_from(json, source);
  } else if (json.is_object() && json.contains("order")) {
    result.order = order_from(json["order"], source);
  } else {
    fail(source, "The JSON text has neither 'edges' (a graph) nor 'order' (an order).");
  }
  return result;
}

GraphFile parse_json_graph(std::string_view text, const std::string& source) {
  GraphOrOrder result = parse_json_graph_or_order(text, source);
  if (!result.graph) fail(source, "This is an order, but a graph is needed here.");
  return std::move(*result.graph);
}

}  // namespace olem::internal

namespace olem {

Json to_json(const MixedGraph& graph) {
  Json edges = Json::array();
  Json undirected = Json::array();
  Json marks = Json::array();
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    if (graph.directed(a, b)) {
      edges.push_back({graph.name(a), graph.name(b)});
    } else if (graph.undirected(a, b)) {
      undirected.push_back({graph.name(a), graph.name(b)});
    } else {
      marks.push_back({graph.name(a), edge_symbol(at_a, at_b), graph.name(b)});
    }
  });
  Json object;
  object["nodes"] = graph.names().list();
  object["edges"] = std::move(edges);
  if (!undirected.empty()) object["undirected"] = std::move(undirected);
  if (graph.kind() == GraphKind::kPag) object["marks"] = std::move(marks);
  return object;
}

}  // namespace olem

namespace olem::internal {

std::string write_json_graph(const MixedGraph& graph) {
  std::string text;
  const Json object = to_json(graph);
  for (const auto& [key, value] : object.items()) {
    text += text.empty() ? "{\n" : ",\n";
    text += fmt::format("  {}: {}", Json(key).dump(), value.dump());
  }
  return text + "\n}\n";
}

}  // namespace olem::internal
