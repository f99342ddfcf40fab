#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "graph/formats.h"
#include "graph/graph_builder.h"
#include "olem/error.h"

namespace olem::internal {

GraphFile parse_adjacency(std::string_view text, const std::string& source) {
  GraphBuilder builder(source);
  const std::vector<Record> records = split_records(text, sniff_delimiter(text), source);
  if (records.empty()) builder.fail(0, "The file is empty.");
  const std::vector<std::string>& header = records[0].fields;
  if (std::all_of(header.begin(), header.end(), [](const std::string& field) { return parse_finite(field); })) {
    builder.fail(records[0].line, "The first line has numbers only, but must hold the names of the nodes.");
  }
  // Rows carry names unless the first column is one of numbers under a name.
  const bool named_rows = header[0].empty() || (records.size() > 1 && !parse_finite(records[1].fields[0]).has_value());
  const std::size_t skip = named_rows ? 1 : 0;
  for (std::size_t j = skip; j < header.size(); ++j) builder.declare_node(header[j], records[0].line);
  const std::size_t size = builder.size();
  if (records.size() != size + 1) {
    builder.fail(0, fmt::format("There are {} names in the first line but {} rows below it. An adjacency matrix has "
                                "one row and one column per node. (An edge list starts with the line from,to.)",
                                size, records.size() - 1));
  }

  std::vector<double> weights(size * size);
  std::vector<std::size_t> line_of_row(size);
  std::vector<bool> seen(size);
  for (std::size_t r = 0; r < size; ++r) {
    const auto& [line, fields] = records[r + 1];
    if (fields.size() != size + skip) {
      builder.fail(line, fmt::format("There are {} fields, but the first line has {}.", fields.size(), size + skip));
    }
    const std::size_t row = named_rows ? builder.known_node(fields[0], line) : r;
    if (seen[row]) builder.fail(line, fmt::format("There are two rows for '{}'.", builder.name(row)));
    seen[row] = true;
    line_of_row[row] = line;
    for (std::size_t j = 0; j < size; ++j) {
      const auto weight = parse_finite(fields[j + skip]);
      if (!weight) {
        builder.fail(
            line,
            fmt::format("The entry '{}' from '{}' to '{}' is not a finite number. (An edge list starts with the line "
                        "from,to.)",
                        fields[j + skip], builder.name(row), builder.name(j)));
      }
      weights[row * size + j] = *weight;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (weights[i * size + j] == 0.0) continue;
      if (weights[i * size + j] == weights[j * size + i]) {
        if (i <= j) builder.add_edge(i, j, Mark::kTail, Mark::kTail, line_of_row[i]);
      } else {
        builder.add_edge(i, j, Mark::kTail, Mark::kArrow, line_of_row[i]);
      }
    }
  }
  GraphFile file;
  file.graph = builder.finish();
  file.format = GraphFormat::kAdjacency;
  file.source = source;
  return file;
}

std::string write_adjacency(const MixedGraph& graph) {
  if (graph.kind() == GraphKind::kPag) {
    throw Error(ErrorCategory::kUsage, "An adjacency matrix cannot hold a PAG. Write it as json, dot or tetrad.");
  }
  if (graph.size() == 0) {
    throw Error(ErrorCategory::kUsage, "An adjacency matrix cannot hold a graph without nodes. Write it as json.");
  }
  std::string text;
  for (const std::string& name : graph.names().list()) text += ',' + quote_field(name);
  text += '\n';
  for (std::size_t i = 0; i < graph.size(); ++i) {
    text += quote_field(graph.name(i));
    for (std::size_t j = 0; j < graph.size(); ++j) {
      text += graph.directed(i, j) || graph.undirected(i, j) ? ",1" : ",0";
    }
    text += '\n';
  }
  return text;
}

}  // namespace olem::internal
