#include <pybind11/stl.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "convert.h"
#include "olem/agreement.h"
#include "olem/file.h"
#include "olem/graph_file.h"
#include "olem/metrics.h"
#include "olem/simulate.h"
#include "run.h"

namespace py = pybind11;

namespace olem::python {

namespace {

// Graphs come as the JSON text of a graph file.
MixedGraph graph_of(const std::string& text, const std::string& what) { return parse_graph(text, what).graph; }

py::dict result_of(const GraphFile& file) {
  py::dict dict = to_python(to_json(file.graph));
  dict["kind"] = std::string(kind_name(file.graph.kind()));
  dict["order"] = file.order ? py::cast(*file.order) : py::none();
  return dict;
}

py::object compare(const std::string& truth, const std::string& learned, const std::optional<Order>& order) {
  return to_python(to_json(
      compare_graphs(graph_of(truth, "The truth"), graph_of(learned, "The learned graph"), order ? &*order : nullptr)));
}

py::dict ranges(const std::vector<NamedRange>& list) {
  py::dict dict;
  for (const NamedRange& range : list) dict[py::str(range.name)] = py::make_tuple(range.low, range.high);
  return dict;
}

py::dict result_of(Simulation simulation) {
  py::dict dict;
  py::list edges;
  const std::vector<std::string> names = simulation.model.names();
  for (const auto& [from, to] : simulation.model.edges()) edges.append(py::make_tuple(names[from], names[to]));
  dict["nodes"] = names;
  dict["edges"] = edges;
  dict["data"] = std::move(simulation.data);
  dict["task"] = py::none();
  if (simulation.task) {
    py::dict task;
    task["context"] = simulation.task->context;
    task["alterable"] = ranges(simulation.task->alterable);
    task["outcome"] = simulation.task->outcome;
    task["desired"] = ranges(simulation.task->desired);
    dict["task"] = task;
    dict["contexts"] = std::move(simulation.task->contexts);
  }
  dict["model"] = std::move(simulation.model);
  return dict;
}

// Binds one kind of simulation: its options, and a function that makes it.
template <class Options>
void add_kind(py::module_& module, const std::string& name,
              Simulation (*simulate)(const Options&, std::uint64_t, const Context&)) {
  module.def(("simulate_" + name + "_options").c_str(), [] {
    Options options;
    return to_python(describe(options));
  });
  module.def(
      ("simulate_" + name).c_str(),
      [simulate](const OptionTexts& values, std::uint64_t index, const RunSettings& settings) {
        Options options;
        set_options(describe(options), values);
        return result_of(run(settings, [&](const Context& context) { return simulate(options, index, context); }));
      },
      py::arg("options"), py::arg("index"), py::arg("settings"));
}

std::vector<NamedValue> named_values(const std::map<std::string, double>& values) {
  std::vector<NamedValue> list;
  for (const auto& [name, value] : values) list.push_back({name, value});
  return list;
}

}  // namespace

void add_graphs(py::module_& module) {
  module.def(
      "agreement_of_orders", [](const std::vector<Order>& orders) { return to_python(to_json(most_agreeing(orders))); },
      py::arg("orders"), "Which of them agrees best with the others.");
  module.def(
      "agreement_of_graphs",
      [](const std::vector<std::string>& texts) {
        std::vector<MixedGraph> graphs;
        for (const std::string& text : texts) graphs.push_back(graph_of(text, "A graph"));
        return to_python(to_json(most_agreeing(graphs)));
      },
      py::arg("graphs"), "The same of graphs as JSON text.");
  module.def("compare", &compare, py::arg("truth"), py::arg("learned"), py::arg("order"),
             "All measures; graphs as JSON text.");
  module.def(
      "order_divergence",
      [](const std::string& truth, const Order& order) {
        return order_divergence(to_dag(graph_of(truth, "The truth")), order);
      },
      py::arg("truth"), py::arg("order"));
  module.def(
      "sid",
      [](const std::string& truth, const std::string& learned) {
        return sid(to_dag(graph_of(truth, "The truth")), to_dag(graph_of(learned, "The learned graph")));
      },
      py::arg("truth"), py::arg("learned"));
  module.def(
      "shd",
      [](const std::string& truth, const std::string& learned, const std::string& convention) {
        const MixedGraph first = graph_of(truth, "The truth");
        const MixedGraph second = graph_of(learned, "The learned graph");
        if (convention == "shd2") return shd2(first, second);
        return convention == "cpdag" ? shd_cpdag(first, second) : shd(first, second);
      },
      py::arg("truth"), py::arg("learned"), py::arg("convention"));
  module.def(
      "topological_order", [](const std::string& graph) { return order_of(to_dag(graph_of(graph, "The graph"))); },
      py::arg("graph"));
  module.def(
      "read_graph", [](const std::string& path) { return result_of(read_graph(path)); }, py::arg("path"));
  module.def(
      "write_graph",
      [](const std::string& path, const std::string& graph, const std::string& format, bool overwrite) {
        write_file_atomically(path, write_graph_text(graph_of(graph, "The graph"), parse_format_name(format)),
                              overwrite);
      },
      py::arg("path"), py::arg("graph"), py::arg("format"), py::arg("overwrite"));
}

void add_simulation(py::module_& module) {
  py::class_<StructuralModel>(module, "StructuralModel", "A known truth: functions and noises.")
      .def_property_readonly("names", &StructuralModel::names)
      .def(
          "simulate_decision",
          [](const StructuralModel& model, const std::map<std::string, double>& observed,
             const std::map<std::string, double>& alterations, std::size_t trials, std::uint64_t draw,
             const RunSettings& settings) {
            return run(settings, [&](const Context& context) {
              return simulate_decision(model, named_values(observed), named_values(alterations), trials, draw, context);
            });
          },
          py::arg("observed"), py::arg("alterations"), py::arg("trials"), py::arg("draw"), py::arg("settings"))
      .def(py::pickle([](const StructuralModel& model) { return py::make_tuple(to_json(model).dump()); },
                      [](const py::tuple& state) {
                        return parse_structural_model(Json::parse(state[0].cast<std::string>()), "A pickled model");
                      }));
  module.def("read_structural_model", &read_structural_model, py::arg("path"));
  add_kind(module, "order", &random_order_model);
  add_kind(module, "auf", &random_auf_task);
}

}  // namespace olem::python
