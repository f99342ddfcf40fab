#include "order/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/find_kind.h"
#include "graph/knowledge_edges.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "structure/caps_graph.h"
#include "structure/learner_kinds.h"
#include "structure/listen_graph.h"
#include "structure/notears_graph.h"

namespace olem {

using namespace internal;

namespace {

// CAM pruning of an order, which obeys what is known.
GraphResult prune_learned_order(OrderResult order, const Table& table, const GraphOptions& options,
                                const Precedence& /*knowledge*/, const Context& context) {
  GraphResult result;
  result.pruning = prune(table, order.order, options.prune, context);
  result.graph = pruned_graph(*result.pruning);
  result.rule = fmt::format("CAM pruning of the order, cutoff {:g}", options.prune.cutoff);
  result.summary = result.pruning->summary;
  result.summary.warnings.insert(result.summary.warnings.begin(), order.summary.warnings.begin(),
                                 order.summary.warnings.end());
  result.order = std::move(order);
  return result;
}

// How the edges of a graph are found along an order that a learner found.
struct EdgeRule {
  std::string_view learner;  // a name of order_learners(); empty: of all that have no rule of their own
  std::string_view words;
  OptionSet (*describe)(GraphOptions& options);
  // Fewest rows that the rule needs beside what the learner needs.
  std::size_t (*least_rows)(std::size_t columns, const GraphOptions& options);
  GraphResult (*edges)(OrderResult order, const Table& table, const GraphOptions& options, const Precedence& knowledge,
                       const Context& context);
};

const EdgeRule kEdgeRules[] = {
    {"listen", "its weights",
     [](GraphOptions& options) {
       OptionSet set = describe(options.listen);
       set.append(describe(options.prune));
       return set;
     },
     [](std::size_t columns, const GraphOptions& options) {
       return options.listen.edges == ListenEdges::kPvalue ? columns + 1 : 0;
     },
     [](OrderResult order, const Table& table, const GraphOptions& options, const Precedence& knowledge,
        const Context& context) {
       if (options.listen.edges == ListenEdges::kCam)
         return prune_learned_order(std::move(order), table, options, knowledge, context);
       return listen_graph(std::move(order), table, options, knowledge, context);
     }},
    {"caps", "parent scores and CAM pruning",
     [](GraphOptions& options) {
       OptionSet set = describe(options.prune);
       set.append(describe(options.caps));
       return set;
     },
     [](std::size_t, const GraphOptions&) { return std::size_t{0}; }, caps_graph},
    {"", "CAM pruning", [](GraphOptions& options) { return describe(options.prune); },
     [](std::size_t, const GraphOptions&) { return std::size_t{0}; }, prune_learned_order},
};

const EdgeRule& edge_rule(std::string_view learner) {
  return *std::find_if(std::begin(kEdgeRules), std::end(kEdgeRules),
                       [&](const EdgeRule& rule) { return rule.learner == learner || rule.learner.empty(); });
}

GraphLearnerKind order_kind(const OrderLearnerKind& learner) {
  const EdgeRule& rule = edge_rule(learner.name);
  GraphLearnerKind kind;
  kind.name = learner.name;
  kind.help = fmt::format("{}; edges by {}", learner.help, rule.words);
  kind.describe = [&learner, &rule](GraphOptions& options) {
    OptionSet set = rule.describe(options);
    set.append(learner.describe(options.order));
    return set;
  };
  kind.least_rows = [&learner, &rule](std::size_t columns, const GraphOptions& options) {
    return std::max(learner.least_rows(columns, options.order), rule.least_rows(columns, options));
  };
  kind.learn = [&learner](const Table& table, const GraphOptions& options, const Precedence& knowledge,
                          const Context& context) {
    OrderOptions order = options.order;
    order.method = learner.name;
    return graph_of_order(learn_order(table, order, knowledge, context), table, options, knowledge, context);
  };
  kind.invariances = learner.invariances;
  return kind;
}

GraphLearnerKind notears_kind() {
  GraphLearnerKind kind;
  kind.name = "notears";
  kind.help = "a linear graph by continuous optimisation with a penalty on cycles";
  kind.describe = [](GraphOptions& options) { return describe(options.notears); };
  kind.least_rows = [](std::size_t, const GraphOptions&) { return std::size_t{2}; };
  kind.learn = [](const Table& table, const GraphOptions& options, const Precedence& knowledge,
                  const Context& context) {
    return notears_graph(learn_notears(table, options.notears, knowledge, context), options.notears);
  };
  kind.invariances = {
      false, false, false, false,
      "the minimiser stops within a tolerance, and rounding decides where; the penalty on weights is in "
      "the units of the data"};
  return kind;
}

std::vector<GraphLearnerKind> all_kinds() {
  std::vector<GraphLearnerKind> kinds;
  for (const OrderLearnerKind& learner : order_learners()) kinds.push_back(order_kind(learner));
  kinds.push_back(notears_kind());
  kinds.push_back(ges_kind());
  kinds.push_back(pc_kind());
  kinds.push_back(fci_kind());
  return kinds;
}

// A DAG of the class, as `knowledge` would have it.
void extend_to_dag(GraphResult& result, const Precedence& knowledge) {
  if (result.graph.kind() == GraphKind::kDag) return;
  if (result.graph.kind() == GraphKind::kPag) {
    throw Error(ErrorCategory::kTask,
                fmt::format("{} gives a PAG, whose circles may hide common causes: it stands for no single DAG.",
                            result.method),
                {{"Do not ask for a DAG", "dag", "false"}, {"Use a method that gives a CPDAG", "method", "ges"}});
  }
  orient_by_knowledge(result.graph, knowledge);
  const std::optional<Dag> dag = consistent_extension(result.graph, knowledge);
  if (!dag) {
    throw Error(ErrorCategory::kTask,
                fmt::format("The CPDAG of {} has no DAG in its class: its directions contradict each other{}.",
                            result.method, knowledge.empty() ? "" : " or what is known"),
                {{"Do not ask for a DAG, to see it", "dag", "false"},
                 {"Use the method ges, whose graph always has one", "method", "ges"}});
  }
  result.graph = *dag;
  result.rule += "; the DAG is one of its class (Dor and Tarsi, lowest column first)";
}

}  // namespace

const std::vector<GraphLearnerKind>& graph_learners() {
  static const std::vector<GraphLearnerKind> kKinds = all_kinds();
  return kKinds;
}

const GraphLearnerKind& graph_learner(const std::string& name) {
  return find_kind(graph_learners(), name, "a graph learner");
}

GraphResult learn_graph(const Table& table, const GraphOptions& options, const Precedence& knowledge,
                        const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const GraphLearnerKind& kind = graph_learner(options.method);
  GraphOptions checked = options;
  kind.describe(checked).validate();
  check_learnable(table, kind.least_rows(table.columns(), checked), kind.name);
  GraphResult result = kind.learn(table, checked, knowledge, context);
  result.method = kind.name;
  // Of the others the order learner says it.
  constexpr std::string_view kWithoutOrder[] = {"notears", "ges", "pc", "fci"};
  if (std::find(std::begin(kWithoutOrder), std::end(kWithoutOrder), kind.name) != std::end(kWithoutOrder))
    warn_about_category_codes(table, kind.name, result.summary);
  if (checked.dag) extend_to_dag(result, knowledge);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

GraphResult graph_of_order(OrderResult order, const Table& table, const GraphOptions& options,
                           const Precedence& knowledge, const Context& context) {
  std::string method = order.method;
  GraphResult result = edge_rule(method).edges(std::move(order), table, options, knowledge, context);
  result.method = std::move(method);
  return result;
}

GraphResult prune_given_order(const Table& table, const Order& order, const PruneOptions& options,
                              const Context& context) {
  GraphOptions graph;
  graph.prune = options;
  OrderResult given;
  given.method = "given order";
  given.order = order;
  GraphResult result = prune_learned_order(std::move(given), table, graph, {}, context);
  result.method = "given order";
  return result;
}

}  // namespace olem
