#include "olem/graph.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "choices.h"
#include "command_line.h"
#include "data_options.h"
#include "method_options.h"
#include "olem/agreement.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "olem/report.h"
#include "session.h"

namespace olem::app {

namespace {

struct GraphArguments {
  CommonOptions common;
  DataOptions data;
  KnowledgeOptions knowledge;
  GraphOptions graph;
  std::string order_file;
  std::string graph_file;
  std::string format;
  std::string like;
};

std::vector<Method> graph_verb_methods(GraphOptions& options) {
  std::vector<Method> list;
  for (const GraphLearnerKind& kind : graph_learners()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

// A given order must name exactly the columns of the data.
Order given_order(const std::string& file, const Table& table, const Context& context) {
  Order order = read_order(file, context);
  check_order(order, table.names(), file);
  return order;
}

// A given order is taken as it is; where it contradicts what is known, the pairs are told.
std::vector<Warning> contradictions(const Order& order, const Table& table, const Precedence& knowledge) {
  const std::string pairs =
      contradiction_text(knowledge, order_indices(order, NodeNames(table.names())), table.names());
  if (pairs.empty()) return {};
  return {{"order_contradicts_knowledge",
           fmt::format("The given order contradicts what is known: it should have {}. It is used as it is.", pairs),
           ""}};
}

GraphFormat format_of(const GraphArguments& arguments) {
  if (arguments.format.empty()) return GraphFormat::kEdgeList;
  try {
    return parse_format_name(arguments.format);
  } catch (const Error& error) {
    throw Error::of_option("format", error.finding(), error.remedies());
  }
}

int run_graph(const GraphArguments& arguments) {
  Session session(arguments.common);
  const GraphFormat format = format_of(arguments);
  session.reserve_file(arguments.graph_file, "--graph-file");
  session.protect(arguments.order_file, "the file with the order");
  const Knowledge knowledge = load_knowledge(arguments.knowledge, session);
  const LoadedTable loaded = load_tables(arguments.data, session);
  const Table& table = loaded.table;
  const Precedence precedence = precedence_for(loaded, knowledge);

  Json options = to_json(arguments.data);
  GraphOptions used = arguments.graph;
  const std::size_t tables = loaded.completed ? loaded.completed->tables.size() : 1;
  std::vector<GraphResult> results;
  for (std::size_t t = 0; t < tables; ++t) {
    const Table& own = loaded.completed ? loaded.completed->tables[t] : table;
    const Context context = session.context().part(t, tables);
    if (arguments.order_file.empty()) {
      results.push_back(learn_graph(own, arguments.graph, precedence, context));
    } else {
      const Order order = given_order(arguments.order_file, table, context);
      results.push_back(prune_given_order(own, order, arguments.graph.prune, context));
    }
  }
  std::optional<Agreement> agreement;
  if (loaded.completed) {
    std::vector<MixedGraph> graphs;
    for (const GraphResult& one : results) graphs.push_back(one.graph);
    agreement = most_agreeing(graphs);
  }
  const GraphResult& result = results[agreement ? agreement->chosen : 0];
  if (arguments.order_file.empty()) {
    options.update(graph_learner(used.method).describe(used).json());
  } else {
    session.warn(contradictions(result.order->order, table, precedence));
    options.update(describe(used.prune).json());
  }
  session.warn(result.summary.warnings);

  Json json;
  json["method"] = result.method;
  json["data"] = {{"source", table.source()}, {"rows", table.rows()}, {"columns", table.columns()}};
  json["column_types"] = column_types_json(named_columns(table));
  if (loaded.completed) json["missing"] = to_json(loaded.completed->gaps);
  if (agreement) json["agreement"] = to_json(*agreement);
  if (result.order) json["order"] = result.order->order;
  json.update(to_json(result.graph));
  if (result.pruning) json.update(to_json(*result.pruning));
  json["rule"] = result.rule;
  json.update(result.details);
  if (!knowledge.empty()) json["knowledge"] = to_json(knowledge);
  if (!arguments.graph_file.empty()) {
    write_file_atomically(arguments.graph_file, write_graph_text(result.graph, format), arguments.common.force);
  }
  std::string text = graph_text(result, arguments.graph, table);
  if (loaded.completed) text += "\n" + gaps_text(loaded.completed->gaps, agreement, "graphs");
  session.finish("graph", json, std::move(options), text);
  return 0;
}

}  // namespace

std::function<int()> fill_graph_verb(CLI::App* verb) {
  auto arguments = std::make_shared<GraphArguments>();
  add_data_options(*verb, arguments->data);
  add_method_options(*verb, graph_verb_methods(arguments->graph), arguments->graph.method, "how the graph is learned");
  verb->add_option("--order", arguments->order_file, "prune this order instead of learning one: a name a line, or JSON")
      ->type_name("FILE")
      ->group("Method");
  add_like_option(*verb, arguments->like);
  add_knowledge_options(*verb, arguments->knowledge);
  const std::string group = "Graph file";
  verb->add_option("--graph-file", arguments->graph_file, "also write the graph itself to this file")
      ->type_name("FILE")
      ->group(group);
  std::vector<std::string> formats;
  for (int format = 0; format <= static_cast<int>(GraphFormat::kTetrad); ++format) {
    formats.emplace_back(format_name(static_cast<GraphFormat>(format)));
  }
  CLI::Option* const format_flag =
      verb->add_option("--format", arguments->format,
                       fmt::format("of the graph file: {} (default {})", fmt::join(formats, ", "), formats.front()));
  format_flag->type_name("NAME")->group(group);
  keep_choices(*format_flag, formats);
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem graph data.csv
  olem graph data.csv --cutoff 0.01 --json -o graph.json
  olem graph data.csv --order order.json
  olem graph data.csv --graph-file graph.dot --format dot

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [verb, arguments] {
    apply_like(*verb, arguments->like, arguments->graph.method);
    if (!arguments->order_file.empty() && flag_given(*verb, "--method")) {
      throw Error(ErrorCategory::kUsage,
                  "--order gives the order that is pruned, so that there is nothing left for --method to learn.");
    }
    check_method_options(*verb, graph_verb_methods(arguments->graph), arguments->graph.method);
    return run_graph(*arguments);
  };
}

}  // namespace olem::app
