#include "core/text.h"
#include "graph/formats.h"
#include "support.h"

using namespace olem::internal;

using namespace olem;

namespace {

struct Format {
  GraphFile (*parse)(std::string_view text, const std::string& source);
  std::string (*write)(const MixedGraph& graph);
};

constexpr Format kFormats[] = {
    {parse_edge_list, write_edge_list},
    {parse_adjacency, write_adjacency},
    {parse_json_graph, write_json_graph},
    {parse_dot, write_dot},
    {parse_gml, write_gml},
    {parse_graphml, write_graphml},
    {parse_tetrad, write_tetrad},
};

}  // namespace

// The reader of every format of graphs on the same text, whatever that looks like.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  if (text.find('\0') != std::string_view::npos || find_invalid_utf8(text)) return 0;  // never reaches them
  for (const Format& format : kFormats) {
    const auto read = fuzz::accepted([&] { return format.parse(text, fuzz::kSource); });
    if (!read) continue;
    const auto written = fuzz::accepted([&] { return format.write(read->graph); });
    if (!written) continue;
    fuzz::require_same_graph(format.parse(*written, "the graph written again"), read->graph);
  }
  return 0;
}
