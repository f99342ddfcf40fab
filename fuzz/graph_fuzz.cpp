#include "support.h"

using namespace olem;

namespace {

// A format may refuse a graph that it cannot hold; what it writes is the same graph.
void require_survives(const MixedGraph& graph, GraphFormat format) {
  std::string text;
  try {
    text = write_graph_text(graph, format);
  } catch (const Error& error) {
    fuzz::require(error.category() == ErrorCategory::kUsage, "what a format cannot hold is a usage error");
    return;
  }
  const GraphFile again = parse_graph(text, "the graph written again");
  fuzz::require(again.format == format, "a format is recognised");
  fuzz::require_same_graph(again, graph);
}

}  // namespace

// Graphs in any format and orders, recognised by their content; what was read is written in all formats and read again.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = fuzz::accepted([&] { return parse_graph_or_order(fuzz::as_text(data, size), fuzz::kSource); });
  if (!read) return 0;
  fuzz::require(read->graph.has_value() != read->order.has_value(), "a file holds either a graph or an order");
  if (read->order) {
    fuzz::require(parse_order(write_order_text(*read->order), "the order written again") == *read->order,
                  "an order survives its file");
    return 0;
  }
  for (const GraphFormat format : {GraphFormat::kEdgeList, GraphFormat::kAdjacency, GraphFormat::kJson,
                                   GraphFormat::kDot, GraphFormat::kGml, GraphFormat::kGraphml, GraphFormat::kTetrad}) {
    require_survives(read->graph->graph, format);
  }
  return 0;
}
