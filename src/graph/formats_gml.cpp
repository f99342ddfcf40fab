#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"

namespace olem::internal {

namespace {

struct GmlToken {
  enum class Kind { kOpen, kClose, kWord, kString, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  std::size_t line = 0;
};

class GmlScanner {
 public:
  GmlScanner(std::string_view text, const GraphBuilder& errors) : text_(text), errors_(errors) {}

  GmlToken next() {
    skip_blanks();
    GmlToken token;
    token.line = line_;
    if (position_ == text_.size()) return token;
    const char c = text_[position_];
    if (c == '[' || c == ']') {
      token.kind = c == '[' ? GmlToken::Kind::kOpen : GmlToken::Kind::kClose;
      ++position_;
    } else if (c == '"') {
      token.kind = GmlToken::Kind::kString;
      token.text = read_string();
    } else {
      token.kind = GmlToken::Kind::kWord;
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n[]\"", position_), text_.size());
      token.text = text_.substr(position_, end - position_);
      position_ = end;
    }
    return token;
  }

 private:
  void skip_blanks() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
        continue;
      }
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
      if (c == '\n') ++line_;
      ++position_;
    }
  }

  std::string read_string() {
    const std::size_t opened = line_;
    std::string value;
    for (++position_; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '"') {
        ++position_;
        return value;
      }
      if (c == '\n') ++line_;
      if (c == '&' && read_entity(value)) continue;
      value += c;
    }
    errors_.fail(opened, "A quote opens here and is never closed.");
  }

  // Leaves the position on the semicolon. An ampersand that starts no entity stands for itself.
  bool read_entity(std::string& value) {
    const std::size_t end = text_.find(';', position_);
    if (end == std::string_view::npos || end - position_ > 10) return false;
    std::string_view entity = text_.substr(position_ + 1, end - position_ - 1);
    char32_t code = 0;
    if (entity == "quot") code = U'"';
    if (entity == "amp") code = U'&';
    if (entity == "lt") code = U'<';
    if (entity == "gt") code = U'>';
    if (entity == "apos") code = U'\'';
    if (!entity.empty() && entity[0] == '#') {
      entity.remove_prefix(1);
      int base = 10;
      if (!entity.empty() && (entity[0] == 'x' || entity[0] == 'X')) {
        entity.remove_prefix(1);
        base = 16;
      }
      std::uint32_t number = 0;
      const auto [stop, error] = std::from_chars(entity.data(), entity.data() + entity.size(), number, base);
      if (error == std::errc{} && stop == entity.data() + entity.size()) code = number;
    }
    if (!append_code_point(value, code)) return false;
    position_ = end;
    return true;
  }

  std::string_view text_;
  const GraphBuilder& errors_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

// The values that matter of one node or edge, as text.
using Values = std::unordered_map<std::string, std::string>;

struct Block {
  Values values;
  std::size_t line = 0;
};

struct Content {
  bool directed = false;  // GML's default
  std::vector<Block> nodes;
  std::vector<Block> edges;
};

Content read_content(GmlScanner& scanner, const GraphBuilder& errors) {
  Content content;
  std::vector<std::string> path;  // keys of the open lists
  std::vector<std::size_t> opened;
  bool has_graph = false;
  const auto in_graph = [&](std::size_t depth) { return path.size() == depth && path[0] == "graph"; };
  for (GmlToken key = scanner.next(); key.kind != GmlToken::Kind::kEnd; key = scanner.next()) {
    if (key.kind == GmlToken::Kind::kClose) {
      if (path.empty()) errors.fail(key.line, "There is a ] without its [.");
      path.pop_back();
      opened.pop_back();
      continue;
    }
    if (key.kind != GmlToken::Kind::kWord) errors.fail(key.line, "The name of a value is missing here.");
    const GmlToken value = scanner.next();
    if (value.kind == GmlToken::Kind::kEnd || value.kind == GmlToken::Kind::kClose) {
      errors.fail(value.line, fmt::format("'{}' has no value.", key.text));
    }
    if (value.kind == GmlToken::Kind::kOpen) {
      if (path.empty() && key.text == "graph") {
        if (has_graph) errors.fail(key.line, "There is a second graph in the file. Keep one of them.");
        has_graph = true;
      }
      if (in_graph(1) && key.text == "node") content.nodes.push_back({{}, key.line});
      if (in_graph(1) && key.text == "edge") content.edges.push_back({{}, key.line});
      path.push_back(key.text);
      opened.push_back(key.line);
      continue;
    }
    if (in_graph(1) && key.text == "directed") content.directed = value.text == "1";
    if (in_graph(2) && path[1] == "node") content.nodes.back().values[key.text] = value.text;
    if (in_graph(2) && path[1] == "edge") content.edges.back().values[key.text] = value.text;
  }
  if (!path.empty()) errors.fail(opened.back(), fmt::format("'{} [' is never closed.", path.back()));
  if (!has_graph) errors.fail(0, "There is no 'graph [' in the file.");
  return content;
}

std::string ascii(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    const char32_t code = next_code_point(name, i);
    if (code == U'"' || code == U'&' || code < 0x20 || code > 0x7E) {
      text += fmt::format("&#{};", static_cast<std::uint32_t>(code));
    } else {
      text += static_cast<char>(code);
    }
  }
  return text;
}

}  // namespace

GraphFile parse_gml(std::string_view text, const std::string& source) {
  GraphBuilder builder(source);
  GmlScanner scanner(text, builder);
  Content content = read_content(scanner, builder);
  std::unordered_map<std::string, std::size_t> by_id;
  for (Block& node : content.nodes) {
    if (!node.values.contains("id")) builder.fail(node.line, "The node has no id.");
    const std::string& id = node.values["id"];
    const std::string name = node.values.contains("label") ? node.values["label"] : id;
    if (!by_id.emplace(id, builder.declare_node(name, node.line)).second) {
      builder.fail(node.line, fmt::format("Two nodes have the id {}.", id));
    }
  }
  for (Block& edge : content.edges) {
    const auto end = [&](const char* key) {
      if (!edge.values.contains(key)) builder.fail(edge.line, fmt::format("The edge has no {}.", key));
      const auto found = by_id.find(edge.values[key]);
      if (found == by_id.end()) {
        builder.fail(edge.line,
                     fmt::format("The {} of the edge is node {}, which does not exist.", key, edge.values[key]));
      }
      return found->second;
    };
    const auto marks =
        marks_of({edge.values["dir"], edge.values["arrowhead"], edge.values["arrowtail"]}, content.directed);
    if (!marks) {
      builder.fail(edge.line, fmt::format("dir is '{}', but must be forward, back, both or none.", edge.values["dir"]));
    }
    const std::size_t from = end("source");
    builder.add_edge(from, end("target"), marks->first, marks->second, edge.line);
  }
  GraphFile file;
  file.graph = builder.finish();
  file.format = GraphFormat::kGml;
  file.source = source;
  return file;
}

std::string write_gml(const MixedGraph& graph) {
  std::string text = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < graph.size(); ++i) {
    text += fmt::format("  node [ id {} label \"{}\" ]\n", i, ascii(graph.name(i)));
  }
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    text += fmt::format("  edge [ source {} target {}", a, b);
    const EdgeDrawing drawing = drawing_of(at_a, at_b);
    if (!drawing.dir.empty()) text += fmt::format(" dir \"{}\"", drawing.dir);
    if (!drawing.arrowhead.empty()) {
      text += fmt::format(" arrowhead \"{}\" arrowtail \"{}\"", drawing.arrowhead, drawing.arrowtail);
    }
    text += " ]\n";
  });
  return text + "]\n";
}

}  // namespace olem::internal
