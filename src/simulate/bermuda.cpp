#include <cmath>
#include <initializer_list>
#include <utility>

#include "olem/simulate.h"
#include "simulate/evaluate.h"
#include "simulate/options.h"

namespace olem {

using namespace internal;

namespace {

// Columns of the measurements, in the order of their file.
enum Variable : std::size_t { kLight, kTemp, kSal, kDic, kTa, kOmega, kChla, kNutrients, kPhsw, kCo2, kNec };

using Terms = std::initializer_list<std::pair<Variable, double>>;

StructuralNode root(const char* name, double low, double high) {
  return {name, {}, LinearFunction{}, {NoiseKind::kUniform, low, high}};
}

StructuralNode equation(const char* name, Terms terms) {
  StructuralNode node{name, {}, LinearFunction{}, {NoiseKind::kGaussian, std::sqrt(0.05), 0.0}};
  for (const auto& [parent, weight] : terms) {
    node.parents.push_back(parent);
    std::get<LinearFunction>(node.function).weights.push_back(weight);
  }
  return node;
}

}  // namespace

StructuralModel bermuda_model() {
  // Least-squares fits to the standardised measurements of data/bermuda, without intercepts.
  StructuralModel model;
  model.nodes = {
      root("Light", -1.4644919152388107, 3.2967151962589814),
      equation("Temp", {{kLight, 0.08336954980497932}}),
      equation("Sal", {{kTemp, -0.48098373731676836}}),
      equation("DIC", {{kSal, 0.4777168829735183}}),
      equation("TA", {{kSal, 0.5457734531124399}}),
      equation("Omega", {{kTemp, 0.5182253589055715},
                         {kSal, 0.0350721871855576},
                         {kDic, -1.1056652215053284},
                         {kTa, 1.6104231541803828}}),
      equation("Chla",
               {{kLight, -0.1510668421850027}, {kTemp, -0.044515831342475456}, {kNutrients, -0.07690378415962341}}),
      root("Nutrients_PC1", -1.510967974933695, 2.695646814078358),
      equation("pHsw", {{kTemp, -0.7482789216296074},
                        {kSal, 0.013001179873523214},
                        {kDic, -0.587961877478712},
                        {kTa, 0.7676261914081876}}),
      equation("CO2", {{kTemp, 0.8613318110706951},
                       {kSal, 0.04051812201172803},
                       {kDic, 0.5700488513842489},
                       {kTa, -0.5962519746865624}}),
      equation("NEC", {{kLight, 0.032062806669366374},
                       {kTemp, 5.197953836357216},
                       {kOmega, -2.330312207868607},
                       {kChla, 0.1310798429807829},
                       {kNutrients, 0.09825621635310261},
                       {kPhsw, 2.037611596867848},
                       {kCo2, -2.5003527899672005}}),
  };
  model.anchors.resize(model.nodes.size());
  return model;
}

OptionSet describe(BermudaSimulationOptions& options) {
  OptionSet set;
  set.integer("rows", options.rows, 2, 10000000, "number of observations");
  set.integer("rounds", options.rounds, 1, 1000000, "number of contexts to decide for");
  return set;
}

Simulation bermuda_task(const BermudaSimulationOptions& options, std::uint64_t index, const Context& context) {
  check_options(options);
  Simulation simulation;
  simulation.options = options;
  simulation.seed = context.seed;
  simulation.index = index;
  simulation.model = bermuda_model();
  simulation.data = draw_rows(simulation.model, static_cast<std::size_t>(options.rows), index, context);
  SimulatedTask task;
  task.context = {"Light", "Temp", "Sal"};
  for (const char* name : {"DIC", "TA", "Omega", "Chla", "Nutrients_PC1"}) task.alterable.push_back({name, -1.0, 1.0});
  task.outcome = {"NEC"};
  task.desired = {{"NEC", 0.5, 2.0}};
  task.contexts =
      draw_contexts(simulation.model, task.context, static_cast<std::size_t>(options.rounds), index, context);
  simulation.task = std::move(task);
  return simulation;
}

}  // namespace olem
