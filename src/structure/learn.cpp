#include "order/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/find_kind.h"
#include "graph/knowledge_edges.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "structure/caps_graph.h"
#include "structure/learner_kinds.h"
#include "structure/listen_graph.h"
#include "structure/notears_graph.h"

namespace olem {

namespace {

// An order by `method`, then CAM pruning.
GraphResult prune_learned_order(OrderResult order, const Table& table, const GraphOptions& options,
                                const Context& context) {
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

// How the edges of a graph are found along an order.
struct EdgeRule {
  std::string_view words;
  OptionSet (*describe)(GraphOptions& options);
};

constexpr EdgeRule kPruningRule = {"CAM pruning", [](GraphOptions& options) { return describe(options.prune); }};

constexpr EdgeRule kListenRule = {"its weights", [](GraphOptions& options) {
                                    OptionSet set = describe(options.listen);
                                    set.append(describe(options.prune));
                                    return set;
                                  }};

constexpr EdgeRule kCapsRule = {"parent scores and CAM pruning", [](GraphOptions& options) {
                                  OptionSet set = describe(options.prune);
                                  set.append(describe(options.caps));
                                  return set;
                                }};

GraphLearnerKind order_kind(const OrderLearnerKind& learner, const EdgeRule& rule) {
  GraphLearnerKind kind;
  kind.name = learner.name;
  kind.help = fmt::format("{}; edges by {}", learner.help, rule.words);
  kind.describe = [&learner, &rule](GraphOptions& options) {
    OptionSet set = rule.describe(options);
    set.append(learner.describe(options.order));
    return set;
  };
  kind.least_rows = [&learner](std::size_t columns, const GraphOptions& options) {
    const std::size_t of_order = learner.least_rows(columns, options.order);
    const bool tests = learner.name == "listen" && options.listen.edges == ListenEdges::kPvalue;
    return tests ? std::max(of_order, columns + 1) : of_order;
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
  for (const OrderLearnerKind& learner : order_learners()) {
    kinds.push_back(order_kind(learner, learner.name == "listen" ? kListenRule
                                        : learner.name == "caps" ? kCapsRule
                                                                 : kPruningRule));
  }
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
                fmt::format("{} gives a PAG, whose circles may hide common causes: it stands for no single DAG. Leave "
                            "out --dag, or use a method that gives a CPDAG (ges, pc).",
                            result.method));
  }
  orient_by_knowledge(result.graph, knowledge);
  const std::optional<Dag> dag = consistent_extension(result.graph, knowledge);
  if (!dag) {
    throw Error(
        ErrorCategory::kTask,
        fmt::format("The CPDAG of {} has no DAG in its class: its directions contradict each other{}. Leave out "
                    "--dag to see it, or use ges, whose graph always has one.",
                    result.method, knowledge.empty() ? "" : " or what is known"));
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
  if (checked.dag) extend_to_dag(result, knowledge);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

GraphResult graph_of_order(OrderResult order, const Table& table, const GraphOptions& options,
                           const Precedence& knowledge, const Context& context) {
  std::string method = order.method;
  const auto learn = [&] {
    if (method == "caps") return caps_graph(std::move(order), table, options, knowledge, context);
    if (method == "listen" && options.listen.edges != ListenEdges::kCam)
      return listen_graph(std::move(order), table, options, knowledge, context);
    return prune_learned_order(std::move(order), table, options, context);
  };
  GraphResult result = learn();
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
  GraphResult result = prune_learned_order(std::move(given), table, graph, context);
  result.method = "given order";
  return result;
}

}  // namespace olem
