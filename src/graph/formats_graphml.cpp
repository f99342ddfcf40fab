#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <unordered_map>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"

namespace olem::internal {

namespace {

// The lines of elements that are asked for in the order of the file, in one pass over the text.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  std::size_t line(const pugi::xml_node& node) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    for (; position_ < offset && position_ < text_.size(); ++position_) {
      if (text_[position_] == '\n') ++line_;
    }
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

// The <data> of an element by the name that its <key> declares.
class Keys {
 public:
  explicit Keys(const pugi::xml_node& root) {
    for (const pugi::xml_node& key : root.children("key")) {
      names_[key.attribute("id").as_string()] = lower_case(key.attribute("attr.name").as_string());
    }
  }

  std::string value(const pugi::xml_node& element, std::string_view name) const {
    for (const pugi::xml_node& data : element.children("data")) {
      const auto found = names_.find(data.attribute("key").as_string());
      if (found != names_.end() && found->second == name) return data.text().as_string();
    }
    return "";
  }

 private:
  std::unordered_map<std::string, std::string> names_;
};

std::string node_name(const pugi::xml_node& node, const Keys& keys) {
  for (const char* key : {"name", "label"}) {
    if (std::string name = keys.value(node, key); !name.empty()) return name;
  }
  return node.attribute("id").as_string();
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&' || c == '<' || c == '>' || c == '"' || byte < 0x20) {
      text += fmt::format("&#{};", static_cast<unsigned>(byte));
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

GraphFile parse_graphml(std::string_view text, const std::string& source) {
  GraphBuilder builder(source);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    builder.fail(line_of(text, static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0))),
                 fmt::format("The XML text is malformed or ends too early here ({}).", parsed.description()));
  }
  const pugi::xml_node root = document.child("graphml");
  const pugi::xml_node graph = root.child("graph");
  if (!graph) builder.fail(0, "The XML text is not GraphML: there is no <graph> in a <graphml>.");
  if (graph.next_sibling("graph")) builder.fail(0, "There is a second <graph> in the file. Keep one of them.");
  const Keys keys(root);

  std::unordered_map<std::string, std::size_t> by_id;
  LineCounter node_lines(text);
  for (const pugi::xml_node& node : graph.children("node")) {
    const std::size_t line = node_lines.line(node);
    if (!node.attribute("id")) builder.fail(line, "The node has no id.");
    if (node.child("graph")) builder.fail(line, "The node holds a graph of its own, which cannot be read.");
    if (!by_id.emplace(node.attribute("id").as_string(), builder.declare_node(node_name(node, keys), line)).second) {
      builder.fail(line, fmt::format("Two nodes have the id '{}'.", node.attribute("id").as_string()));
    }
  }
  if (graph.child("hyperedge")) builder.fail(0, "There are hyperedges in the file, which cannot be read.");
  const bool directed = std::string_view(graph.attribute("edgedefault").as_string("directed")) != "undirected";
  LineCounter edge_lines(text);
  for (const pugi::xml_node& edge : graph.children("edge")) {
    const std::size_t line = edge_lines.line(edge);
    const auto end = [&](const char* key) {
      const auto found = by_id.find(edge.attribute(key).as_string());
      if (found == by_id.end()) {
        builder.fail(line, fmt::format("The {} of the edge is '{}', which is not the id of a node.", key,
                                       edge.attribute(key).as_string()));
      }
      return found->second;
    };
    const std::string dir = keys.value(edge, "dir");
    const auto marks = marks_of({dir, keys.value(edge, "arrowhead"), keys.value(edge, "arrowtail")},
                                edge.attribute("directed").as_bool(directed));
    if (!marks) builder.fail(line, fmt::format("dir is '{}', but must be forward, back, both or none.", dir));
    const std::size_t from = end("source");
    builder.add_edge(from, end("target"), marks->first, marks->second, line);
  }
  GraphFile file;
  file.graph = builder.finish();
  file.format = GraphFormat::kGraphml;
  file.source = source;
  return file;
}

std::string write_graphml(const MixedGraph& graph) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  if (graph.narrowest_kind() != GraphKind::kDag) {
    for (const char* key : {"dir", "arrowhead", "arrowtail"}) {
      text += fmt::format("  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"string\"/>\n", key);
    }
  }
  text += "  <graph edgedefault=\"directed\">\n";
  for (const std::string& name : graph.names().list()) text += fmt::format("    <node id=\"{}\"/>\n", escaped(name));
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    text += fmt::format("    <edge source=\"{}\" target=\"{}\"", escaped(graph.name(a)), escaped(graph.name(b)));
    const EdgeDrawing drawing = drawing_of(at_a, at_b);
    if (graph.undirected(a, b)) text += " directed=\"false\"";
    if (drawing.dir.empty() || graph.undirected(a, b)) {
      text += "/>\n";
      return;
    }
    text += fmt::format("><data key=\"dir\">{}</data>", drawing.dir);
    if (!drawing.arrowhead.empty()) {
      text += fmt::format("<data key=\"arrowhead\">{}</data><data key=\"arrowtail\">{}</data>", drawing.arrowhead,
                          drawing.arrowtail);
    }
    text += "</edge>\n";
  });
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace olem::internal
