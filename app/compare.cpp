#include <fmt/format.h>

#include <memory>

#include "data_options.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/metrics.h"
#include "olem/prune.h"
#include "olem/report.h"
#include "session.h"

namespace olem::app {

namespace {

struct CompareArguments {
  CommonOptions common;
  DataOptions data;
  PruneOptions prune;
  std::string truth;
  std::string learned;
};

Comparison compare_with_data(GraphFile& truth, const Order& order, const CompareArguments& arguments,
                             Session& session) {
  const Table table = load_table(arguments.data, session).table;
  match_nodes(truth, order, arguments.learned, table.names());
  const PruneResult pruned = prune(table, order, arguments.prune, session.context());
  session.warn(pruned.summary.warnings);
  return compare_graphs(truth.graph, pruned_graph(pruned), &order);
}

Comparison compare(const CompareArguments& arguments, Session& session) {
  session.protect(arguments.truth, "the true graph");
  session.protect(arguments.learned, "what it is compared with");
  GraphFile truth = read_graph(arguments.truth, session.context());
  GraphOrOrder learned = read_graph_or_order(arguments.learned, session.context());
  if (learned.order) {
    if (!arguments.data.file.empty()) return compare_with_data(truth, *learned.order, arguments, session);
    match_nodes(truth, *learned.order, learned.source);
    return compare_order(truth.graph, *learned.order);
  }
  if (!arguments.data.file.empty()) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("--data: {} is a graph already; only an order is pruned.", arguments.learned));
  }
  match_nodes(truth, *learned.graph);
  const auto& order = learned.graph->order;
  return compare_graphs(truth.graph, learned.graph->graph, order ? &*order : nullptr);
}

int run_compare(const CompareArguments& arguments) {
  Session session(arguments.common);
  const Comparison comparison = compare(arguments, session);
  Json options;
  if (!arguments.data.file.empty()) {
    options = to_json(arguments.data);
    PruneOptions used = arguments.prune;
    options.update(describe(used).json());
  }
  Json json;
  json["truth"] = arguments.truth;
  json["learned"] = arguments.learned;
  json.update(to_json(comparison));
  session.finish("compare", json, std::move(options), comparison_text(comparison, arguments.truth, arguments.learned));
  return 0;
}

}  // namespace

std::function<int()> fill_compare_verb(CLI::App* verb) {
  auto arguments = std::make_shared<CompareArguments>();
  verb->add_option("TRUTH", arguments->truth, "file of the true graph, in any format")->required()->group("");
  verb->add_option("LEARNED", arguments->learned, "file of the learned graph or order")->required()->group("");
  add_data_options(*verb, arguments->data, "--data");
  add_described_options(*verb, describe(arguments->prune), "Pruning of an order, with --data");
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem compare truth.csv learned.csv
  olem compare truth.csv order.json --data data.csv
  olem compare truth.dot graph.json --json

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [arguments] { return run_compare(*arguments); };
}

}  // namespace olem::app
