#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/report.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

// Candidates above the cutoff by less than this factor are worth a look.
constexpr double kNear = 20.0;

std::string p_text(double p) {
  if (std::isnan(p)) return "untested";
  return p < 1e-6 ? "< 1e-6" : fmt::format("{:.2g}", p);
}

// Rows of candidates, the surest first.
std::string candidate_rows(std::vector<EdgeCandidate> rows, const std::vector<std::string>& names, std::size_t width) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const EdgeCandidate& a, const EdgeCandidate& b) { return a.p_value < b.p_value; });
  std::string text;
  for (const EdgeCandidate& row : rows) {
    text += fmt::format("  {} -> {}  {:>8}  {:5.1f}\n", pad_right(names[row.from], width),
                        pad_right(names[row.to], width), p_text(row.p_value), row.edf);
  }
  return text;
}

template <class Value>
void add_row(std::string& text, std::string_view name, const std::optional<Value>& value, std::string_view meaning) {
  if (!value) return;
  if constexpr (std::is_floating_point_v<Value>) {
    text += fmt::format("  {:<10}{:>8.3f}  {}\n", name, *value, meaning);
  } else {
    text += fmt::format("  {:<10}{:>8}  {}\n", name, *value, meaning);
  }
}

std::string_view kind_word(GraphKind kind) {
  switch (kind) {
    case GraphKind::kDag: return "graph";
    case GraphKind::kCpdag: return "CPDAG";
    case GraphKind::kPag: return "PAG";
  }
  return "graph";
}

// How to read the edges that are not simply directed.
std::string_view legend(GraphKind kind) {
  switch (kind) {
    case GraphKind::kDag: return "";
    case GraphKind::kCpdag: return " An undirected edge (---) may go either way.";
    case GraphKind::kPag:
      return " At an arrow, the variable is no cause of the other; at a tail (-) it is one; at a circle (o) it may be. "
             "A "
             "two-headed edge (<->) is a hidden common cause.";
  }
  return "";
}

// "-->", "---", "o->", "<->": an edge as it is drawn from a to b.
std::string edge_symbol(const MixedGraph& graph, std::size_t a, std::size_t b) {
  const auto end = [](Mark mark, const char* arrow) {
    return mark == Mark::kCircle ? "o" : mark == Mark::kArrow ? arrow : "-";
  };
  return fmt::format("{}-{}", end(graph.mark(b, a), "<"), end(graph.mark(a, b), ">"));
}

std::string edge_rows(const MixedGraph& graph) {
  std::size_t width = 4;
  for (const std::string& name : graph.names().list()) width = std::max(width, display_width(name));
  std::string text;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      // Each edge once: with its arrow to the right where it has a direction, else the lower column first.
      const bool here = graph.directed(a, b) || (a < b && graph.adjacent(a, b) && !graph.directed(b, a));
      if (here)
        text += fmt::format("  {} {} {}\n", pad_right(graph.name(a), width), edge_symbol(graph, a, b), graph.name(b));
    }
  }
  return text.empty() ? "  (no edges)\n" : text;
}

}  // namespace

std::string graph_text(const PruneResult& result, const Order& order, const PruneOptions& options, const Table& table) {
  std::size_t width = 4;
  for (const std::string& name : result.names) width = std::max(width, display_width(name));
  std::vector<EdgeCandidate> kept;
  std::vector<EdgeCandidate> near;
  for (const EdgeCandidate& candidate : result.candidates) {
    if (candidate.kept) {
      kept.push_back(candidate);
    } else if (candidate.p_value < kNear * options.cutoff) {
      near.push_back(candidate);
    }
  }
  const std::string heading =
      fmt::format("  {}    {}  {:>8}  {:>5}\n", pad_right("from", width), pad_right("to", width), "p", "edf");
  std::string text = fmt::format(
      "A graph of {} edges among {} variables from {} rows{}.\nThe order it comes from, causes first:\n\n{}\n",
      kept.size(), table.columns(), table.rows(), table.source().empty() ? "" : " of " + table.source(),
      order_chain(order));
  text += wrap_text(fmt::format("Each variable was regressed on smooth functions of all variables before it; an edge "
                                "is kept when the test that "
                                "its function is zero has p < {} (edf 1 is linear, more is nonlinear).",
                                options.cutoff),
                    kLineWidth);
  text += "\n" + heading + candidate_rows(std::move(kept), result.names, width);
  if (!near.empty()) {
    text += fmt::format("\nNot kept, but near the cutoff:\n\n{}{}", heading,
                        candidate_rows(std::move(near), result.names, width));
  }
  for (std::size_t j = 0; j < result.nodes.size(); ++j) {
    const std::string& note = result.nodes[j].note;
    if (!note.empty()) text += "\n" + wrap_text(fmt::format("{}: {}", result.names[j], note), kLineWidth);
  }
  return text;
}

std::string graph_text(const GraphResult& result, const GraphOptions& options, const Table& table) {
  if (result.pruning && result.order && result.text.empty())
    return graph_text(*result.pruning, result.order->order, options.prune, table);
  const MixedGraph& graph = result.graph;
  std::string text =
      fmt::format("A {} of {} edges among {} variables from {} rows{}.\n", kind_word(graph.kind()), graph.edge_count(),
                  table.columns(), table.rows(), table.source().empty() ? "" : " of " + table.source());
  if (result.order) text += "The order it comes from, causes first:\n\n" + order_chain(result.order->order) + "\n";
  text +=
      wrap_text(fmt::format("Edges by {}.{}", result.rule, legend(graph.kind())), kLineWidth) + "\n" + edge_rows(graph);
  if (!result.text.empty()) text += "\n" + result.text;
  return text;
}

std::string comparison_text(const Comparison& comparison, std::string_view truth, std::string_view learned) {
  std::string text = fmt::format("{} against the truth in {}: {} nodes, {} true edges.\n\n", learned, truth,
                                 comparison.nodes, comparison.true_edges);
  add_row(text, "DIV", comparison.div, "true edges that the order turns round");
  add_row(text, "SHD", comparison.shd, "pairs whose edges differ (a reversed edge counts 1)");
  add_row(text, "SHD2", comparison.shd2, "the same with a reversed edge counting 2");
  add_row(text, "SHD-CPDAG", comparison.shd_cpdag, "SHD of the equivalence classes");
  add_row(text, "SID", comparison.sid, "effects that come out wrong when adjusting for the learned parents");
  if (comparison.sid_bounds) {
    text += fmt::format("  {:<10}{:>8}  the same over the members of the learned class\n", "SID",
                        fmt::format("{}..{}", comparison.sid_bounds->lower, comparison.sid_bounds->upper));
  }
  add_row(text, "precision", comparison.precision, "share of learned edges that are true");
  add_row(text, "recall", comparison.recall, "share of true edges that were found");
  add_row(text, "F1", comparison.f1, "harmonic mean of the two");
  for (const std::string& note : comparison.notes) text += "\n" + wrap_text(note, kLineWidth);
  return text;
}

}  // namespace olem
