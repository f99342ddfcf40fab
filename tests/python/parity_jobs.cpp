// The jobs of test_parity.py through the C++ library: parity_jobs DATA.csv TASK.json prints one JSON object.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "olem/data_check.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "olem/metrics.h"

namespace olem {
namespace {

GraphOptions options_of(const std::string& method) {
  GraphOptions options;
  options.method = method;
  options.order.method = method;
  options.order.diffan.epochs = 4;
  options.order.diffan.warm_up = 1;
  options.order.diffan.patience = 2;
  options.order.diffan.narrow = 8;
  options.order.diffan.wide = 8;
  return options;
}

Json graph_json(const GraphResult& result) {
  Json json = to_json(result.graph);
  if (result.order) json["order"] = result.order->order;
  if (result.pruning) json.update(to_json(*result.pruning));
  json["rule"] = result.rule;
  json.update(result.details);
  return json;
}

Json learned_json(const std::string& data, const Context& context) {
  const Table table = prepare_table(read_table(data, {}, context).table, ConstantPolicy::kError, context).table;
  Json json;
  for (const OrderLearnerKind& kind : order_learners())
    json["order"][kind.name] = to_json(learn_order(table, options_of(kind.name).order, {}, context));
  for (const GraphLearnerKind& kind : graph_learners())
    json["graph"][kind.name] = graph_json(learn_graph(table, options_of(kind.name), {}, context));
  const Dag truth = to_dag(learn_graph(table, options_of("olem"), {}, context).graph);
  const OrderResult varsort = learn_order(table, options_of("varsort").order, {}, context);
  const MixedGraph learned = prune_given_order(table, varsort.order, {}, context).graph;
  json["compare"] = to_json(compare_graphs(truth, learned));
  return json;
}

Json decision_json(const std::string& file, const Context& context) {
  const Task task = read_task(file);
  RehearsalOptions options;
  options.members.emplace();  // as the class of Python does
  options.samplers.sampler = "linear";
  const RehearsalModel model =
      fit_rehearsal(task, read_table(data_path(task), {}, context).table, options, std::nullopt, context);
  DecisionOptions search;
  search.draws = 200;
  search.judge_draws = 500;
  const auto problem = decision_problem(model, named_values(task.context, read_contexts(task, {}, context).front()));
  return to_json(decide_all({problem}, search, context).front());
}

}  // namespace
}  // namespace olem

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    olem::Context context;
    context.seed = 11;
    olem::Json json = olem::learned_json(argv[1], context);
    json["decision"] = olem::decision_json(argv[2], context);
    std::puts(json.dump().c_str());
  } catch (const olem::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
