#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMaxDepth = 1000;  // of nested subgraphs

struct DotToken {
  enum class Kind { kId, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  bool quoted = false;  // a quoted word is never a keyword
  std::size_t line = 0;

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  bool is_keyword(std::string_view word) const { return kind == Kind::kId && !quoted && lower_case(text) == word; }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_id_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The words and signs of the DOT language, with one of look-ahead.
class DotScanner {
 public:
  DotScanner(std::string_view text, const GraphBuilder& errors) : text_(text), errors_(errors) { ahead_ = scan(); }

  const DotToken& peek() const { return ahead_; }
  DotToken next() {
    DotToken token = std::move(ahead_);
    ahead_ = scan();
    return token;
  }

 private:
  char at(std::size_t offset) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }

  void advance(std::size_t end) {
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(position_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    position_ = end;
  }

  void skip_blanks_and_comments() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      const bool line_start = position_ == 0 || text_[position_ - 1] == '\n';
      if ((c == '/' && at(1) == '/') || (c == '#' && line_start)) {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (c == '/' && at(1) == '*') {
        const std::size_t end = text_.find("*/", position_ + 2);
        if (end == std::string_view::npos) errors_.fail(line_, "A comment opens here and is never closed.");
        advance(end + 2);
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance(position_ + 1);
      } else {
        return;
      }
    }
  }

  DotToken scan() {
    skip_blanks_and_comments();
    DotToken token;
    token.line = line_;
    if (position_ == text_.size()) return token;
    const char c = at(0);
    token.kind = DotToken::Kind::kId;
    if (c == '"') {
      token.quoted = true;
      token.text = scan_quoted();
    } else if (c == '<') {
      token.quoted = true;
      token.text = scan_html();
    } else if (is_id_char(c) || c == '.' || (c == '-' && (is_digit(at(1)) || at(1) == '.'))) {
      std::size_t end = position_ + 1;
      const bool number = !is_id_char(c) || is_digit(c);
      while (end < text_.size() && (is_id_char(text_[end]) || (number && text_[end] == '.'))) ++end;
      token.text = text_.substr(position_, end - position_);
      position_ = end;
    } else {
      token.kind = DotToken::Kind::kSymbol;
      const bool edge = c == '-' && (at(1) == '>' || at(1) == '-');
      if (!edge && std::string_view("{}[];,=:+").find(c) == std::string_view::npos) {
        errors_.fail(line_, fmt::format("The sign '{}' has no meaning here. Put names with signs into quotes.", c));
      }
      token.text = text_.substr(position_, edge ? 2 : 1);
      position_ += token.text.size();
    }
    return token;
  }

  // Quoted texts joined by + are one.
  std::string scan_quoted() {
    std::string value;
    while (true) {
      const std::size_t opened = line_;
      ++position_;
      while (true) {
        if (position_ >= text_.size()) errors_.fail(opened, "A quote opens here and is never closed.");
        const char c = at(0);
        if (c == '"') break;
        if (c == '\\' && (at(1) == '"' || at(1) == '\\')) {
          value += at(1);
          position_ += 2;
        } else if (c == '\\' && at(1) == '\n') {
          advance(position_ + 2);
        } else {
          value += c;
          advance(position_ + 1);
        }
      }
      ++position_;
      const std::size_t after = position_;
      const std::size_t line_after = line_;
      skip_blanks_and_comments();
      if (at(0) == '+') {
        ++position_;
        skip_blanks_and_comments();
        if (at(0) != '"') errors_.fail(line_, "A quoted text must follow the + sign.");
        continue;
      }
      position_ = after;
      line_ = line_after;
      return value;
    }
  }

  std::string scan_html() {
    std::size_t depth = 0;
    for (std::size_t end = position_; end < text_.size(); ++end) {
      if (text_[end] == '<') ++depth;
      if (text_[end] == '>' && --depth == 0) {
        std::string value(text_.substr(position_ + 1, end - position_ - 1));
        advance(end + 1);
        return value;
      }
    }
    errors_.fail(line_, "A < opens here and is never closed.");
  }

  std::string_view text_;
  const GraphBuilder& errors_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  DotToken ahead_;
};

// One pair of braces. A statement is a chain of ends joined by edge signs; each end is a node or all nodes of an
// inner pair of braces.
struct Frame {
  EdgeDrawing defaults;            // of `edge [...]`
  std::vector<std::size_t> nodes;  // named in these braces
  std::vector<std::vector<std::size_t>> chain;
  bool expects_end = false;  // the last token was an edge sign
  bool lone_node = false;    // the chain is one node, not braces
  std::size_t line = 0;      // where the chain starts
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : builder_(source), scanner_(text, builder_) {}

  GraphFile parse() {
    read_head();
    frames_.emplace_back();
    while (!frames_.empty()) read_item();
    if (scanner_.peek().kind != DotToken::Kind::kEnd) {
      builder_.fail(scanner_.peek().line, "There is text after the end of the graph.");
    }
    GraphFile file;
    file.graph = builder_.finish();
    file.format = GraphFormat::kDot;
    const auto stated = static_cast<std::size_t>(std::count(stated_.begin(), stated_.end(), true));
    file.lists_nodes = builder_.size() > 0 && stated == builder_.size();
    return file;
  }

 private:
  void read_head() {
    if (scanner_.peek().is_keyword("strict")) {
      builder_.merge_repeats();
      scanner_.next();
    }
    const DotToken kind = scanner_.next();
    directed_ = kind.is_keyword("digraph");
    if (!directed_ && !kind.is_keyword("graph")) builder_.fail(kind.line, "A DOT file starts with digraph or graph.");
    if (scanner_.peek().kind == DotToken::Kind::kId) scanner_.next();
    expect("{");
  }

  void expect(std::string_view symbol) {
    const DotToken token = scanner_.next();
    if (!token.is(symbol)) fail_at(token, fmt::format("'{}' is expected here", symbol));
  }

  [[noreturn]] void fail_at(const DotToken& token, const std::string& text) const {
    builder_.fail(token.line, token.kind == DotToken::Kind::kEnd
                                  ? fmt::format("{}, but the file ends. It may be cut off.", text)
                                  : fmt::format("{}, not '{}'.", text, token.text));
  }

  void read_item() {
    const DotToken token = scanner_.next();
    if (token.kind == DotToken::Kind::kEnd) fail_at(token, "'}' is expected here");
    if (token.is("}")) return close_braces(token);
    if (token.is("{")) return open_braces(token);
    if (token.is(";")) return finish_statement(token, {});
    if (token.is("->") || token.is("--")) return read_edge_sign(token);
    if (token.is("[")) {
      if (frames_.back().chain.empty()) fail_at(token, "A node or an edge is expected here");
      return finish_statement(token, read_attributes());
    }
    if (token.kind == DotToken::Kind::kSymbol) fail_at(token, "A node, an edge or '}' is expected here");
    if (token.is_keyword("subgraph")) {
      if (scanner_.peek().kind == DotToken::Kind::kId) scanner_.next();
      const DotToken brace = scanner_.next();
      if (!brace.is("{")) fail_at(brace, "'{' is expected here");
      return open_braces(brace);
    }
    if (token.is_keyword("graph") || token.is_keyword("node") || token.is_keyword("edge")) {
      finish_statement(token, {});
      expect("[");
      const EdgeDrawing drawing = read_attributes();
      if (token.is_keyword("edge")) merge(frames_.back().defaults, drawing);
      return;
    }
    if (scanner_.peek().is("=")) {
      finish_statement(token, {});
      scanner_.next();
      read_id();
      return;
    }
    read_node(token);
  }

  DotToken read_id() {
    DotToken token = scanner_.next();
    if (token.kind != DotToken::Kind::kId) fail_at(token, "A name or a value is expected here");
    return token;
  }

  void read_node(const DotToken& token) {
    begin_end(token);
    const std::size_t node = builder_.node(token.text, token.line);
    while (scanner_.peek().is(":")) {  // the port of a record
      scanner_.next();
      read_id();
    }
    Frame& frame = frames_.back();
    frame.lone_node = frame.chain.empty();
    frame.nodes.push_back(node);
    frame.chain.push_back({node});
    frame.expects_end = false;
  }

  void read_edge_sign(const DotToken& token) {
    Frame& frame = frames_.back();
    if (frame.chain.empty() || frame.expects_end) fail_at(token, "A node is expected here");
    if (token.is("->") != directed_) {
      fail_at(token, directed_ ? "'->' is expected in a digraph" : "'--' is expected in a graph");
    }
    frame.expects_end = true;
    frame.lone_node = false;
  }

  // Statements need no semicolon between them: a second end without an edge sign starts the next one.
  void begin_end(const DotToken& token) {
    if (!frames_.back().expects_end) finish_statement(token, {});
    if (frames_.back().chain.empty()) frames_.back().line = token.line;
  }

  void open_braces(const DotToken& token) {
    begin_end(token);
    if (frames_.size() == kMaxDepth) {
      builder_.fail(token.line, fmt::format("Subgraphs are nested more than {} deep.", kMaxDepth));
    }
    Frame inner;
    inner.defaults = frames_.back().defaults;
    frames_.push_back(std::move(inner));
  }

  void close_braces(const DotToken& token) {
    finish_statement(token, {});
    const std::vector<std::size_t> nodes = std::move(frames_.back().nodes);
    frames_.pop_back();
    if (frames_.empty()) return;
    Frame& outer = frames_.back();
    outer.nodes.insert(outer.nodes.end(), nodes.begin(), nodes.end());
    std::sort(outer.nodes.begin(), outer.nodes.end());
    outer.nodes.erase(std::unique(outer.nodes.begin(), outer.nodes.end()), outer.nodes.end());
    outer.lone_node = false;
    outer.chain.push_back(nodes);
    outer.expects_end = false;
  }

  void finish_statement(const DotToken& token, const EdgeDrawing& own) {
    Frame& frame = frames_.back();
    if (frame.expects_end) fail_at(token, "A node is expected here");
    if (frame.chain.size() == 1 && frame.lone_node) {
      stated_.resize(builder_.size());
      stated_[frame.chain[0][0]] = true;
    }
    if (frame.chain.size() > 1) {
      EdgeDrawing drawing = frame.defaults;
      merge(drawing, own);
      const auto marks = marks_of(drawing, directed_);
      if (!marks) {
        builder_.fail(frame.line, fmt::format("dir is '{}', but must be forward, back, both or none.", drawing.dir));
      }
      for (std::size_t i = 0; i + 1 < frame.chain.size(); ++i) {
        for (const std::size_t a : frame.chain[i]) {
          for (const std::size_t b : frame.chain[i + 1])
            builder_.add_edge(a, b, marks->first, marks->second, frame.line);
        }
      }
    }
    frame.chain.clear();
  }

  static void merge(EdgeDrawing& base, const EdgeDrawing& own) {
    if (!own.dir.empty()) base.dir = own.dir;
    if (!own.arrowhead.empty()) base.arrowhead = own.arrowhead;
    if (!own.arrowtail.empty()) base.arrowtail = own.arrowtail;
  }

  // The lists behind an opening bracket that was just read.
  EdgeDrawing read_attributes() {
    EdgeDrawing drawing;
    while (true) {
      DotToken token = scanner_.next();
      if (token.is("]")) {
        if (!scanner_.peek().is("[")) return drawing;
        scanner_.next();
      } else if (token.kind == DotToken::Kind::kId) {
        std::string value = "true";
        if (scanner_.peek().is("=")) {
          scanner_.next();
          value = read_id().text;
        }
        if (token.text == "dir") drawing.dir = value;
        if (token.text == "arrowhead") drawing.arrowhead = value;
        if (token.text == "arrowtail") drawing.arrowtail = value;
      } else if (!token.is(",") && !token.is(";")) {
        fail_at(token, "']' is expected here");
      }
    }
  }

  GraphBuilder builder_;
  DotScanner scanner_;
  std::vector<Frame> frames_;
  std::vector<bool> stated_;  // nodes with a statement of their own
  bool directed_ = true;
};

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

GraphFile parse_dot(std::string_view text, const std::string& source) {
  GraphFile file = Parser(text, source).parse();
  file.source = source;
  return file;
}

std::string write_dot(const MixedGraph& graph) {
  std::string text = "digraph {\n";
  for (const std::string& name : graph.names().list()) text += fmt::format("  {};\n", quoted(name));
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    text += fmt::format("  {} -> {}", quoted(graph.name(a)), quoted(graph.name(b)));
    const EdgeDrawing drawing = drawing_of(at_a, at_b);
    if (!drawing.arrowhead.empty()) {
      text += fmt::format(" [dir={}, arrowhead={}, arrowtail={}]", drawing.dir, drawing.arrowhead, drawing.arrowtail);
    } else if (!drawing.dir.empty()) {
      text += fmt::format(" [dir={}]", drawing.dir);
    }
    text += ";\n";
  });
  return text + "}\n";
}

}  // namespace olem::internal
