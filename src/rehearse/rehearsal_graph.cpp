#include "rehearse/rehearsal_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "graph/knowledge_edges.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostNamed = 4;  // edges in a message

std::string edges_text(const NodeNames& names, const std::vector<Edge>& edges, const char* arrow) {
  std::vector<std::string> parts;
  for (const Edge& edge : edges) {
    if (parts.size() == kMostNamed) break;
    parts.push_back(fmt::format("{} {} {}", names[edge.from], arrow, names[edge.to]));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     edges.size() > kMostNamed ? fmt::format(" and {} more", edges.size() - kMostNamed) : "");
}

// The edges against what is known, those that are so by themselves first. Others only with a path through them.
std::vector<Edge> contradicting_edges(const MixedGraph& graph, const Precedence& known) {
  std::vector<Edge> edges = circular_edges(graph, known);
  std::stable_partition(edges.begin(), edges.end(),
                        [&](const Edge& edge) { return known.precedes(edge.to, edge.from); });
  return edges;
}

// Edges that say nothing about who causes whom: two-headed ones, and those with a circle.
std::vector<Edge> edges_with(const MixedGraph& graph, bool circles) {
  std::vector<Edge> edges;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = a + 1; b < graph.size(); ++b) {
      const Mark at_a = graph.mark(b, a);
      const Mark at_b = graph.mark(a, b);
      const bool circle = at_a == Mark::kCircle || at_b == Mark::kCircle;
      const bool two_headed = at_a == Mark::kArrow && at_b == Mark::kArrow;
      if (circles ? circle : two_headed) edges.push_back({a, b});
    }
  }
  return edges;
}

// Why no DAG can be made of the graph, going on from "The graph", and what can be done about a graph that is given.
struct Refusal {
  std::string why;
  std::string advice;
};

std::variant<Dag, Refusal> as_dag(const MixedGraph& graph, const Precedence& known) {
  const NodeNames& names = graph.names();
  if (const auto edges = edges_with(graph, false); !edges.empty()) {
    return Refusal{fmt::format("has two-headed edges ({}), which stand for hidden common causes: a variable cannot be "
                               "drawn from its parents alone there.",
                               edges_text(names, edges, "<->")),
                   "Leave them out, or direct them"};
  }
  if (const auto edges = edges_with(graph, true); !edges.empty()) {
    return Refusal{
        fmt::format("is a PAG: circles between {} leave open what causes what, so that it stands for no single "
                    "graph.",
                    edges_text(names, edges, "and")),
        "Use a graph whose edges are directed, or a CPDAG"};
  }
  if (const auto edges = contradicting_edges(graph, known); !edges.empty()) {
    return Refusal{fmt::format("contradicts the stages of the task (context, everything else, outcomes) or its "
                               "\"before\": {}.",
                               edges_text(names, edges, "->")),
                   "Correct the graph or the task"};
  }
  std::optional<Dag> dag = consistent_extension(graph, known);
  if (!dag) {
    return Refusal{
        "stands for no graph that the task allows: its undirected edges cannot all be directed without a "
        "cycle, a new collider or an edge against the task.",
        "Direct them"};
  }
  return *std::move(dag);
}

}  // namespace

Dag given_dag(const GraphFile& given, const Table& table, const Precedence& known) {
  GraphFile matched = given;
  match_nodes(matched, table.names(), table.source(), table.names());
  auto made = as_dag(matched.graph, known);
  if (const auto* refusal = std::get_if<Refusal>(&made)) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}{}The graph {}", given.source, given.source.empty() ? "" : ": ", refusal->why),
                {{refusal->advice}});
  }
  return std::get<Dag>(std::move(made));
}

Dag learned_dag(const GraphResult& learned, const Precedence& known) {
  auto made = as_dag(learned.graph, known);
  if (const auto* refusal = std::get_if<Refusal>(&made)) {
    throw Error(ErrorCategory::kTask, fmt::format("The graph that {} learned {}", learned.method, refusal->why),
                {{"Choose another method", "graph_method"}});
  }
  return std::get<Dag>(std::move(made));
}

std::optional<Warning> graph_contradiction(const Dag& dag, const Precedence& stages) {
  const std::vector<Edge> edges = contradicting_edges(dag, stages);
  if (edges.empty()) return std::nullopt;
  const std::string text = edges_text(dag.names(), edges, "->");
  return Warning{
      "graph_contradicts_stages",
      fmt::format("The graph was learned without the stages of the task and contradicts them: {}. It is used "
                  "as it is: a context only informs about what it is a cause of.",
                  text),
      text};
}

Order order_along(const Dag& dag, const Precedence& known) {
  const std::size_t d = dag.size();
  std::vector<std::size_t> waiting_for(d, 0);
  const auto before = [&](std::size_t a, std::size_t b) { return dag.has_edge(a, b) || known.precedes(a, b); };
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) waiting_for[b] += before(a, b) ? 1 : 0;
  }
  std::vector<bool> placed(d, false);
  Order order;
  while (order.size() < d) {
    std::size_t next = 0;
    while (next < d && (placed[next] || waiting_for[next] > 0)) ++next;
    if (next == d) throw Error(ErrorCategory::kInternal, "A graph that contradicts what is known has no order.");
    placed[next] = true;
    order.push_back(dag.name(next));
    for (std::size_t b = 0; b < d; ++b) waiting_for[b] -= before(next, b) ? 1 : 0;
  }
  return order;
}

}  // namespace olem::internal
