#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "convert.h"
#include "olem/data_check.h"
#include "olem/entropy.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "olem/order.h"
#include "run.h"

namespace py = pybind11;

namespace olem::python {

namespace {

void check_data(const Table& table, const Context& context, std::vector<Warning>& warnings) {
  const PreparedTable prepared = prepare_table(table, ConstantPolicy::kError, context);
  warnings.insert(warnings.begin(), prepared.warnings.begin(), prepared.warnings.end());
}

GraphOptions graph_options(const std::string& method, const OptionTexts& values) {
  GraphOptions options;
  options.method = method;
  options.order.method = method;
  set_options(graph_learner(method).describe(options), values);
  return options;
}

OrderResult learn_order_of(const Table& table, const std::string& method, const OptionTexts& values,
                           const std::string& knowledge, const RunSettings& settings) {
  // The options of the graph learner hold those of the order learner, and its table of names both.
  const OrderOptions options = graph_options(method, values).order;
  const Precedence known = precedence_of(knowledge, table);
  return run(settings, [&](const Context& context) {
    OrderResult result;
    std::vector<Warning> warnings;
    check_data(table, context, warnings);
    result = learn_order(table, options, known, context);
    result.summary.warnings.insert(result.summary.warnings.begin(), warnings.begin(), warnings.end());
    return result;
  });
}

py::dict result_of(const OrderResult& result) {
  py::dict dict = to_python(to_json(result));
  dict["method"] = result.method;
  dict["criterion"] = result.criterion;
  dict["seconds"] = result.summary.seconds;
  dict["status"] = status_name(result.summary.status);
  dict["message"] = result.summary.message;
  dict["warnings"] = to_python(result.summary.warnings);
  return dict;
}

py::dict result_of(const GraphResult& result) {
  Json json = to_json(result.graph);
  if (result.order) json.update(to_json(*result.order));
  if (result.pruning) json.update(to_json(*result.pruning));
  json["rule"] = result.rule;
  json.update(result.details);
  py::dict dict = to_python(json);
  dict["kind"] = std::string(kind_name(result.graph.kind()));
  dict["method"] = result.method;
  dict["criterion"] = result.order ? result.order->criterion : "";
  dict["seconds"] = result.summary.seconds;
  dict["status"] = status_name(result.summary.status);
  dict["message"] = result.summary.message;
  dict["warnings"] = to_python(result.summary.warnings);
  return dict;
}

py::dict learn_graph_of(const Table& table, const std::string& method, const OptionTexts& values,
                        const std::string& knowledge, const RunSettings& settings) {
  const GraphOptions options = graph_options(method, values);
  const Precedence known = precedence_of(knowledge, table);
  return result_of(run(settings, [&](const Context& context) {
    std::vector<Warning> warnings;
    check_data(table, context, warnings);
    GraphResult result = learn_graph(table, options, known, context);
    result.summary.warnings.insert(result.summary.warnings.begin(), warnings.begin(), warnings.end());
    return result;
  }));
}

py::dict graph_along_order(const Table& table, const OrderResult& order, const OptionTexts& values,
                           const std::string& knowledge, const RunSettings& settings) {
  const GraphOptions options = graph_options(order.method, values);
  const Precedence known = precedence_of(knowledge, table);
  return result_of(
      run(settings, [&](const Context& context) { return graph_of_order(order, table, options, known, context); }));
}

py::dict prune_order(const Table& table, const Order& order, const OptionTexts& values, const RunSettings& settings) {
  PruneOptions options;
  set_options(describe(options), values);
  check_order(order, table.names(), "The order");
  return result_of(run(settings, [&](const Context& context) {
    std::vector<Warning> warnings;
    check_data(table, context, warnings);
    GraphResult result = prune_given_order(table, order, options, context);
    result.summary.warnings.insert(result.summary.warnings.begin(), warnings.begin(), warnings.end());
    return result;
  }));
}

std::pair<double, double> entropy_of(const Table& table, const OptionTexts& values, const RunSettings& settings) {
  EntropyOptions options;
  set_options(describe(options), values);
  const EntropyEstimate estimate =
      run(settings, [&](const Context& context) { return estimate_entropy(table, options, context); });
  return {estimate.value, estimate.zero_share};
}

py::list all_methods() {
  py::list list;
  for (const GraphLearnerKind& kind : graph_learners()) {
    GraphOptions options;
    py::dict entry;
    entry["name"] = kind.name;
    entry["help"] = kind.help;
    entry["options"] = to_python(kind.describe(options));
    entry["explanation"] = "";
    entry["learns_order"] = false;
    for (const OrderLearnerKind& learner : order_learners()) {
      if (learner.name != kind.name) continue;
      entry["help"] = learner.help;
      entry["explanation"] = with_keywords(learner.explanation);
      entry["learns_order"] = true;
    }
    list.append(entry);
  }
  return list;
}

template <class Options>
py::list described() {
  Options options;
  return to_python(describe(options));
}

}  // namespace

void add_learning(py::module_& module) {
  py::class_<OrderResult>(module, "OrderResult", "What an order learner found.")
      .def("to_dict", [](const OrderResult& result) { return result_of(result); });
  module.def("methods", &all_methods, "Every learner with its options.");
  module.def("prune_options", &described<PruneOptions>);
  module.def("entropy_options", &described<EntropyOptions>);
  module.def("learn_order", &learn_order_of, py::arg("table"), py::arg("method"), py::arg("options"),
             py::arg("knowledge"), py::arg("settings"), "The order by a method; knowledge is JSON text.");
  module.def("learn_graph", &learn_graph_of, py::arg("table"), py::arg("method"), py::arg("options"),
             py::arg("knowledge"), py::arg("settings"), "The graph by a method; knowledge is JSON text.");
  module.def("graph_of_order", &graph_along_order, py::arg("table"), py::arg("order"), py::arg("options"),
             py::arg("knowledge"), py::arg("settings"), "The edges that an order learner chooses along its order.");
  module.def("prune", &prune_order, py::arg("table"), py::arg("order"), py::arg("options"), py::arg("settings"),
             "CAM pruning of a given order.");
  module.def("entropy", &entropy_of, py::arg("table"), py::arg("options"), py::arg("settings"),
             "Differential entropy of all columns in nats, and the share of zero distances.");
}

}  // namespace olem::python
