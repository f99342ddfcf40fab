#include "olem/order.h"

#include <memory>
#include <optional>

#include "data_options.h"
#include "method_options.h"
#include "olem/agreement.h"
#include "olem/column_types.h"
#include "olem/report.h"
#include "ranks_run.h"
#include "session.h"

namespace olem::app {

namespace {

struct OrderArguments {
  CommonOptions common;
  DataOptions data;
  KnowledgeOptions knowledge;
  OrderOptions order;
  std::string like;
};

std::vector<Method> order_verb_methods(OrderOptions& options) {
  std::vector<Method> list;
  for (const OrderLearnerKind& kind : order_learners()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

int run_order(const OrderArguments& arguments, const Ranks* ranks) {
  Session session(arguments.common, ranks);
  const Knowledge knowledge = load_knowledge(arguments.knowledge, session);
  const LoadedTable loaded = load_tables(arguments.data, session);
  const Table& table = loaded.table;
  const Precedence precedence = precedence_for(loaded, knowledge);
  std::optional<Agreement> agreement;
  OrderResult result;
  if (loaded.completed) {
    const std::vector<Table>& tables = loaded.completed->tables;
    std::vector<OrderResult> results;
    std::vector<Order> orders;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      results.push_back(learn_order(tables[t], arguments.order, precedence, session.context().part(t, tables.size())));
      orders.push_back(results.back().order);
    }
    agreement = most_agreeing(orders);
    result = std::move(results[agreement->chosen]);
  } else {
    result = learn_order(table, arguments.order, precedence, session.context());
  }
  session.warn(result.summary.warnings);

  Json json;
  json["method"] = result.method;
  json["data"] = {{"source", table.source()}, {"rows", table.rows()}, {"columns", table.columns()}};
  json["column_types"] = column_types_json(named_columns(table));
  if (loaded.completed) json["missing"] = to_json(loaded.completed->gaps);
  if (agreement) json["agreement"] = to_json(*agreement);
  json.update(to_json(result));
  if (!knowledge.empty()) json["knowledge"] = to_json(knowledge);
  json["message"] = result.summary.message;
  Json options = to_json(arguments.data);
  OrderOptions used = arguments.order;
  options.update(order_learner(used.method).describe(used).json());
  std::string text = order_text(result, table, session.spelling());
  if (loaded.completed) text += "\n" + gaps_text(loaded.completed->gaps, agreement, "orders");
  session.finish("order", json, std::move(options), text);
  return 0;
}

}  // namespace

std::function<int()> fill_order_verb(CLI::App* verb) {
  auto arguments = std::make_shared<OrderArguments>();
  add_data_options(*verb, arguments->data);
  add_method_options(*verb, order_verb_methods(arguments->order), arguments->order.method, "how the order is learned");
  add_like_option(*verb, arguments->like);
  add_knowledge_options(*verb, arguments->knowledge);
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem order data.csv
  olem order data.csv --bootstrap 100 --json -o order.json
  olem order data.csv --method olem
  olem order data.csv --tier "age,sex" --tier "dose" --before "dose,response"
  olem order data.csv --drop-columns "id,date" --missing drop
  zcat data.csv.gz | olem order -
  mpirun -n 16 olem order big.csv

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [verb, arguments] {
    apply_like(*verb, arguments->like, arguments->order.method);
    check_method_options(*verb, order_verb_methods(arguments->order), arguments->order.method);
    return run_on_ranks(*verb, [&](const Ranks* ranks) { return run_order(*arguments, ranks); });
  };
}

}  // namespace olem::app
