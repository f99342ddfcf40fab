#include "study/order_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/graph_learner.h"
#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/random.h"
#include "olem/task.h"

namespace olem::internal {

std::vector<StudyName> order_method_names() {
  return {{"cam", "CAM"},   {"listen", "LISTEN"}, {"score", "SCORE"},     {"diffan", "DiffAN"},
          {"caps", "CaPS"}, {"olem", "OLEM"},     {"varsort", "varsort"}, {"olem+", "OLEM+"}};
}

double order_cost(const std::string& method, double variables, double rows) {
  // Measured at 10 and 20 variables and 2000 rows, on one core of an ordinary server.
  const double cube = std::pow(rows / 2000.0, 3);
  const double square = std::pow(rows / 2000.0, 2);
  const double scale = variables / 10.0;
  if (method == "score" || method == "caps") return 1.0 * scale * cube;
  if (method == "olem") return 0.03 * scale * square;
  if (method == "olem+") return 0.15 * std::pow(scale, 2.2) * (rows / 2000.0);
  if (method == "cam") return 0.3 * std::pow(scale, 4) * (rows / 2000.0);
  if (method == "diffan") return 80.0 * scale * (rows / 2000.0);
  return 0.002 * scale * (rows / 2000.0);
}

Table in_units(const Table& table, const std::string& units, std::uint64_t seed, std::uint64_t index) {
  if (units == kOwnUnits) return table;
  RandomStream random(seed, "units", index);
  const std::vector<ColumnSummary> columns = summarise_columns(table);
  std::vector<double> values;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const double factor =
        units == kStandardised ? 1.0 / columns[j].deviation : std::pow(10.0, random.uniform(-1.5, 1.5));
    for (const double value : table.column(j)) values.push_back(units == kLogs ? std::log(value) : factor * value);
  }
  return {table.names(), std::move(values), table.source()};
}

OrderMeasure measure_for(const std::vector<std::string>& metrics) {
  const bool order_only = std::all_of(metrics.begin(), metrics.end(), [](const auto& name) { return name == "div"; });
  return order_only ? OrderMeasure::kOrder : OrderMeasure::kGraph;
}

std::vector<StudyName> order_metric_names() {
  return {{"div", "DIV"}, {"shd2", "SHD2"}, {"sid", "SID"}, {"shd", "SHD"}};
}

std::vector<Cell> order_cells(const StudyRequest& request, const StudySetting& setting, const std::string& place,
                              int epoch, int task, double variables, double rows) {
  const OrderMeasure measure = measure_for(request.metrics);
  std::vector<Cell> cells;
  for (const std::string& method : request.methods) {
    Cell& cell = cells.emplace_back();
    cell.setting = setting;
    cell.method = method;
    cell.epoch = epoch;
    cell.task = task;
    cell.key = fmt::format("{} {} method={} measure={}", setting.text(), place, method,
                           measure == OrderMeasure::kOrder ? "order" : "graph");
    cell.cost = order_cost(method, variables, rows);
    if (measure == OrderMeasure::kGraph) {
      // CaPS computes its estimator once more for each variable.
      if (method == "caps") cell.cost *= 2.0;
      cell.cost += 0.04 * std::pow(variables / 10.0, 3) * (rows / 2000.0);
    }
  }
  return cells;
}

StudyValues measure_order_method(const Table& table, const Dag& truth, const std::string& method, OrderMeasure measure,
                                 const Context& context) {
  if (measure == OrderMeasure::kOrder) {
    OrderOptions options;
    options.method = method;
    const OrderResult learned = learn_order(table, options, {}, context);
    return {{"div", static_cast<double>(order_divergence(truth, learned.order))}};
  }
  GraphOptions options;
  options.method = method;
  const GraphResult learned = learn_graph(table, options, {}, context);
  const Comparison comparison =
      compare_graphs(MixedGraph(truth), learned.graph, learned.order ? &learned.order->order : nullptr);
  return {{"div", static_cast<double>(comparison.div.value())},
          {"shd", static_cast<double>(comparison.shd.value())},
          {"shd2", static_cast<double>(comparison.shd2.value())},
          {"sid", static_cast<double>(comparison.sid.value())}};
}

}  // namespace olem::internal
