#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/graph_options.h"
#include "olem/json.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order.h"
#include "olem/prune.h"
#include "olem/table.h"

namespace olem {

// What every graph learner returns.
struct GraphResult {
  std::string method;
  MixedGraph graph;                  // a DAG, CPDAG or PAG; its nodes are the columns
  std::string rule;                  // how its edges were chosen, in words
  std::optional<OrderResult> order;  // of the learners that learn an order first
  std::optional<PruneResult> pruning;
  // The method's own numbers for the JSON result, by key; may be empty.
  Json details = Json::object();
  // The same for people: lines for a terminal, may be empty.
  std::string text;
  Summary summary;
};

// A method, chosen by name.
struct GraphLearnerKind {
  std::string name;
  std::string help;  // one line
  std::function<OptionSet(GraphOptions& options)> describe;
  std::function<std::size_t(std::size_t columns, const GraphOptions& options)> least_rows;
  std::function<GraphResult(const Table& table, const GraphOptions& options, const Precedence& knowledge,
                            const Context& context)>
      learn;
  Invariances invariances;
};

// Every order learner with its own way of choosing edges, then the learners of graphs.
const std::vector<GraphLearnerKind>& graph_learners();

// Throws a usage error that suggests the closest name when there is none such.
const GraphLearnerKind& graph_learner(const std::string& name);

// Learns a graph by the chosen method. Columns that never vary and tables with too few rows are data errors. With
// `dag` a CPDAG is extended to a member of its class (Dor and Tarsi 1992), after its undirected edges were directed by
// what is known; a PAG is then refused with a task error, since circles have no direction to choose.
GraphResult learn_graph(const Table& table, const GraphOptions& options, const Precedence& knowledge,
                        const Context& context);

// The edges along an order that one of order_learners() found on the same table, by that learner's own rule: what
// learn_graph does once it has the order. The warnings of the order become warnings of the result.
GraphResult graph_of_order(OrderResult order, const Table& table, const GraphOptions& options,
                           const Precedence& knowledge, const Context& context);

// A graph from an order that is given: CAM pruning of it.
GraphResult prune_given_order(const Table& table, const Order& order, const PruneOptions& options,
                              const Context& context);

}  // namespace olem
