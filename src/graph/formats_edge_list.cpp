#include <fmt/format.h>

#include <optional>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"

namespace olem::internal {

namespace {

struct Columns {
  std::optional<std::size_t> from, to, weight, edge;
};

Columns find_columns(const Record& header, const GraphBuilder& builder) {
  Columns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string name = lower_case(header.fields[i]);
    std::optional<std::size_t>* column = nullptr;
    if (name == "from" || name == "source") column = &columns.from;
    if (name == "to" || name == "target") column = &columns.to;
    if (name == "weight") column = &columns.weight;
    if (name == "edge") column = &columns.edge;
    if (column == nullptr || column->has_value()) {
      builder.fail(header.line, fmt::format("The column '{}' is {}. An edge list has the columns from and to, and may "
                                            "have weight and edge.",
                                            header.fields[i], column == nullptr ? "not known" : "there twice"));
    }
    *column = i;
  }
  if (!columns.from || !columns.to) {
    builder.fail(header.line, fmt::format("The column '{}' is missing. An edge list has the columns from and to.",
                                          columns.from ? "to" : "from"));
  }
  return columns;
}

}  // namespace

bool is_edge_list_header(const std::vector<std::string>& fields) {
  // The corner of an adjacency matrix, whose nodes may be called like the columns of an edge list, is empty.
  if (fields.empty() || fields.front().empty()) return false;
  bool from = false;
  bool to = false;
  for (const std::string& field : fields) {
    const std::string name = lower_case(field);
    from = from || name == "from" || name == "source";
    to = to || name == "to" || name == "target";
  }
  return from && to;
}

GraphFile parse_edge_list(std::string_view text, const std::string& source) {
  GraphBuilder builder(source);
  const std::vector<Record> records = split_records(text, sniff_delimiter(text), source);
  if (records.empty()) builder.fail(0, "The file is empty.");
  const Columns columns = find_columns(records[0], builder);
  for (std::size_t r = 1; r < records.size(); ++r) {
    const auto& [line, fields] = records[r];
    if (fields.size() != records[0].fields.size()) {
      builder.fail(line,
                   fmt::format("There are {} fields, but the header has {}.", fields.size(), records[0].fields.size()));
    }
    if (columns.weight) {
      const auto weight = parse_finite(fields[*columns.weight]);
      if (!weight) builder.fail(line, fmt::format("The weight '{}' is not a finite number.", fields[*columns.weight]));
      if (*weight == 0.0) builder.fail(line, "An edge of weight 0 is no edge. Remove the line.");
    }
    std::optional<std::pair<Mark, Mark>> marks = std::pair(Mark::kTail, Mark::kArrow);
    if (columns.edge) {
      marks = parse_edge_symbol(fields[*columns.edge]);
      if (!marks) {
        builder.fail(line, fmt::format("'{}' is not a kind of edge. Write -->, ---, <->, o->, o-o, o-- or one of these "
                                       "turned round.",
                                       fields[*columns.edge]));
      }
    }
    const std::size_t from = builder.node(fields[*columns.from], line);
    const std::size_t to = builder.node(fields[*columns.to], line);
    builder.add_edge(from, to, marks->first, marks->second, line);
  }
  GraphFile file;
  file.graph = builder.finish();
  file.format = GraphFormat::kEdgeList;
  file.lists_nodes = false;
  file.source = source;
  return file;
}

std::string write_edge_list(const MixedGraph& graph) {
  const bool all_directed = graph.narrowest_kind() == GraphKind::kDag;
  std::string text = all_directed ? "from,to\n" : "from,to,edge\n";
  for_each_edge(graph, [&](std::size_t a, std::size_t b, Mark at_a, Mark at_b) {
    text += quote_field(graph.name(a)) + ',' + quote_field(graph.name(b));
    if (!all_directed) text += ',' + edge_symbol(at_a, at_b);
    text += '\n';
  });
  return text;
}

}  // namespace olem::internal
