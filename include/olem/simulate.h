#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "olem/context.h"
#include "olem/graph_file.h"
#include "olem/options.h"
#include "olem/simulate_named.h"
#include "olem/structural_model.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

// Data for order learning: an Erdős–Rényi graph, linear and Gaussian-process functions (Experiments, order learning).
struct OrderSimulationOptions {
  int variables = 10;
  int rows = 2000;
  double density = 0.3;    // probability of an edge, for each of the d (d - 1) / 2 pairs
  double linearity = 0.5;  // probability that a node's function is linear
  NoiseKind noise = NoiseKind::kBeta;
};

enum class AufFamily { kLinear, kMlp };

// A decision task with a known model (Experiments, decisions).
struct AufSimulationOptions {
  AufFamily family = AufFamily::kLinear;
  NoiseKind noise = NoiseKind::kBeta;
  int rows = 1000;
  double density = 0.3;
  // The paper gives 15 variables for the linear and 12 for the nonlinear tasks; the number of context and outcome
  // variables is ours (docs/simulate.md).
  int variables = 0;          // 0: 15 linear, 12 MLP
  int context_variables = 0;  // 0: 4 linear, 3 MLP
  int outcomes = 0;           // 0: 1 or 2 with equal chance
  int hidden = 100;           // units of each MLP
  int rounds = 50;            // contexts to decide for
};

// Data of the Bermuda task from its linear simulator.
struct BermudaSimulationOptions {
  int rows = 1000;
  int rounds = 50;
};

OptionSet describe(OrderSimulationOptions& options);
OptionSet describe(AufSimulationOptions& options);
OptionSet describe(BermudaSimulationOptions& options);

// The roles and preferences of a simulated decision task; variables in no list are intermediate.
struct SimulatedTask {
  std::vector<std::string> context;
  std::vector<NamedRange> alterable;  // with their domains
  std::vector<std::string> outcome;
  std::vector<NamedRange> desired;  // one range per outcome
  Table contexts;                   // one row per decision round, one column per context variable
};

struct Simulation {
  std::variant<OrderSimulationOptions, AufSimulationOptions, BermudaSimulationOptions> options;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  StructuralModel model;
  Table data;  // draw_rows(model, rows, index) with this seed
  std::optional<SimulatedTask> task;
};

// "order", "auf" or "bermuda".
std::string_view kind_name(const Simulation& simulation);

// Each of the three is a pure function of its options, the context's seed and `index`, which tells the repetitions of
// one setting apart. All throw a usage error for options out of range and a resource error when they would not fit.

// Each node with parents costs one n x n Cholesky factor unless it is linear: O(n^3 / 3) time and 8 n^2 bytes.
Simulation random_order_model(const OrderSimulationOptions& options, std::uint64_t index, const Context& context);

// Every outcome has an alterable variable among its causes; each alterable may be set within mean +- 2 standard
// deviations and each outcome is wanted within mean +- 1 standard deviation of its data column (divisor n - 1). Graphs
// in which some outcome has no intermediate cause are drawn again.
Simulation random_auf_task(const AufSimulationOptions& options, std::uint64_t index, const Context& context);

Simulation bermuda_task(const BermudaSimulationOptions& options, std::uint64_t index, const Context& context);

// What a learner may know of a simulation that has a task: roles, domains and the desired box, no data and no context.
Task decision_task(const Simulation& simulation);

// The truth that learned graphs and orders are compared with: an edge from each variable to those whose equation it
// stands in. The file, for fit_rehearsal_on_graph, has the source "the true graph".
Dag true_dag(const StructuralModel& model);
GraphFile true_graph(const Simulation& simulation);

// The model and the task of a truth file of `auf` or `bermuda`; `contexts` stays empty. Throws what
// read_structural_model throws, and a data error for a truth without a task.
struct SimulationTruth {
  StructuralModel model;
  SimulatedTask task;
};
SimulationTruth read_simulation_truth(const std::string& path);

// The share of `trials` draws of the true model in which every outcome is where it is desired. Calls with the same
// `draw` share their noise. Throws what simulate_decision throws.
double true_success(const SimulationTruth& truth, std::span<const NamedValue> observed,
                    std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                    const Context& context, std::span<const AlterationRule> rules = {});

// As best_decision of a NamedModel.
NamedDecision best_decision(const SimulationTruth& truth, std::span<const NamedValue> observed, const Context& context);

// The linear simulator of the Bermuda task in standardised units: 11 nodes, 26 edges, zero intercepts, noise of
// variance 0.05 in every equation, the two roots uniform on their observed ranges.
StructuralModel bermuda_model();

// Writes data.csv, graph.csv, truth.json and, when there is a task, task.json and contexts.csv into `folder` and
// returns these names. All of them appear at once or, when anything fails, nothing changes: they are written into a new
// folder beside it, which then takes its place. A folder that is not empty is a file error unless `overwrite`, and even
// then when it holds anything but the files of an earlier simulation. Throws a file error with the system's reason, and
// what the context's limits ask for.
std::vector<std::string> write_simulation(const std::string& folder, const Simulation& simulation, bool overwrite,
                                          const Context& context = {});

// Throws what write_simulation would throw at once, so that a long computation does not end in vain.
void check_simulation_folder(const std::string& folder, bool overwrite);

}  // namespace olem
