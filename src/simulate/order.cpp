#include <fmt/format.h>

#include "olem/simulate.h"
#include "simulate/evaluate.h"
#include "simulate/gaussian_process.h"
#include "simulate/options.h"
#include "simulate/random_graph.h"

namespace olem {

using namespace internal;

namespace {

// Draws the function at the node's rows as a Gaussian process; the parents' columns become anchors of the model.
GaussianProcessFunction draw_process(StructuralModel& model, std::size_t node, const Columns& columns,
                                     RandomStream& random, const Context& context) {
  Coordinates points;
  for (const std::size_t parent : model.nodes[node].parents) {
    points.emplace_back(columns[parent]);
    model.anchors[parent] = columns[parent];
  }
  return {draw_rbf_weights(points, random, context)};
}

}  // namespace

OptionSet describe(OrderSimulationOptions& options) {
  OptionSet set;
  set.integer("variables", options.variables, 2, 1000, "number of variables");
  set.integer("rows", options.rows, 2, 1000000, "number of observations");
  set.real("density", options.density, 0.0, 1.0, "probability of an edge between each pair of variables");
  set.real("linearity", options.linearity, 0.0, 1.0,
           "probability that a function is linear; the others are drawn from a Gaussian process");
  set.choice("noise", options.noise, kNoises, "distribution of the noise");
  return set;
}

Simulation random_order_model(const OrderSimulationOptions& options, std::uint64_t index, const Context& context) {
  check_options(options);
  const auto size = static_cast<std::size_t>(options.variables);
  const auto rows = static_cast<std::size_t>(options.rows);
  RandomStream graph_stream(context.seed, "simulate.order.graph", index);
  const RandomGraph graph = random_graph(size, options.density, graph_stream);

  StructuralModel model;
  model.anchors.resize(size);
  std::vector<bool> linear(size);
  for (std::size_t j = 0; j < size; ++j) {
    RandomStream random(context.seed, "simulate.order.node", node_stream(index, j));
    StructuralNode node;
    node.name = fmt::format("V{}", j + 1);
    node.parents = graph.parents[j];
    node.noise = random_noise(options.noise, random);
    linear[j] = random.uniform() < options.linearity || node.parents.empty();
    LinearFunction function;
    for (std::size_t p = 0; p < node.parents.size(); ++p) {
      function.weights.push_back(random_weight(0.25, 1.0, random));
    }
    node.function = std::move(function);
    model.nodes.push_back(std::move(node));
  }

  context.require_memory(3 * rows * size * sizeof(double), "A simulated table");
  Columns columns(size, std::vector<double>(rows));
  fill_noise(model, graph.order, "simulate.rows", index, columns, context);
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t j = graph.order[k];
    context.check_interrupt();
    if (!linear[j]) {
      RandomStream random(context.seed, "simulate.order.process", node_stream(index, j));
      model.nodes[j].function = draw_process(model, j, columns, random, context);
    }
    // Also a process is evaluated as it will be from the truth file, so that the file gives the data again.
    add_function(model, j, columns, context);
    context.report_progress(static_cast<double>(k + 1) / static_cast<double>(size), "drawing functions");
  }

  Simulation simulation;
  simulation.options = options;
  simulation.seed = context.seed;
  simulation.index = index;
  simulation.data = as_table(model, columns, "simulated data");
  simulation.model = std::move(model);
  return simulation;
}

}  // namespace olem
