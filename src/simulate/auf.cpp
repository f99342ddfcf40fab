#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "olem/error.h"
#include "olem/simulate.h"
#include "simulate/evaluate.h"
#include "simulate/options.h"
#include "simulate/random_graph.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kFamilies = {{
    {"linear", "linear functions, weights uniform on [-1, 1]"},
    {"mlp", "sigmoid networks with one hidden layer, weights uniform on [-2, -0.5] and [0.5, 2]"},
}};

enum class Role { kContext, kIntermediate, kAlterable, kOutcome };

struct Structure {
  RandomGraph graph;
  std::vector<Role> roles;
};

// Each intermediate cause of an outcome becomes alterable with probability one half, for every outcome anew. False when
// some outcome has none among its causes.
bool draw_alterables(Structure& structure, RandomStream& random) {
  std::vector<Role>& roles = structure.roles;
  std::replace(roles.begin(), roles.end(), Role::kAlterable, Role::kIntermediate);
  std::vector<std::vector<bool>> causes;
  for (std::size_t j = 0; j < roles.size(); ++j) {
    if (roles[j] == Role::kOutcome) causes.push_back(ancestors(structure.graph, j));
  }
  for (const std::vector<bool>& causal : causes) {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const bool eligible = causal[i] && (roles[i] == Role::kIntermediate || roles[i] == Role::kAlterable);
      if (eligible && random.uniform() < 0.5) roles[i] = Role::kAlterable;
    }
  }
  return std::all_of(causes.begin(), causes.end(), [&](const std::vector<bool>& causal) {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (causal[i] && roles[i] == Role::kAlterable) return true;
    }
    return false;
  });
}

bool has_intermediate_causes(const Structure& structure) {
  for (std::size_t j = 0; j < structure.roles.size(); ++j) {
    if (structure.roles[j] != Role::kOutcome) continue;
    const std::vector<bool> causal = ancestors(structure.graph, j);
    bool found = false;
    for (std::size_t i = 0; i < causal.size(); ++i) found |= causal[i] && structure.roles[i] == Role::kIntermediate;
    if (!found) return false;
  }
  return true;
}

Structure draw_structure(std::size_t size, std::size_t contexts, std::size_t outcomes, double density,
                         RandomStream& random) {
  constexpr int kMostGraphs = 10000;
  for (int attempt = 0; attempt < kMostGraphs; ++attempt) {
    Structure structure{random_graph(size, density, random), std::vector<Role>(size, Role::kIntermediate)};
    const std::vector<std::size_t>& order = structure.graph.order;
    for (std::size_t k = 0; k < contexts; ++k) structure.roles[order[k]] = Role::kContext;
    for (std::size_t k = size - outcomes; k < size; ++k) structure.roles[order[k]] = Role::kOutcome;
    if (!has_intermediate_causes(structure)) continue;
    while (!draw_alterables(structure, random)) {
    }
    return structure;
  }
  throw Error(ErrorCategory::kUsage,
              fmt::format("None of {} random graphs gave every outcome an intermediate cause.", kMostGraphs),
              {{"Draw denser graphs", "density"}, {"Draw more variables", "variables"}});
}

StructuralFunction random_function(const AufSimulationOptions& options, std::size_t parents, RandomStream& random) {
  if (options.family == AufFamily::kLinear || parents == 0) {
    LinearFunction linear;
    for (std::size_t p = 0; p < parents; ++p) linear.weights.push_back(random.uniform(-1.0, 1.0));
    return linear;
  }
  MlpFunction mlp;
  const auto hidden = static_cast<std::size_t>(options.hidden);
  for (std::size_t w = 0; w < hidden * parents; ++w) mlp.input_weights.push_back(random_weight(0.5, 2.0, random));
  for (std::size_t h = 0; h < hidden; ++h) mlp.output_weights.push_back(random_weight(0.5, 2.0, random));
  return mlp;
}

// mean +- width standard deviations of a column
NamedRange spread(const Table& data, std::size_t column, double width) {
  const auto values = data.column(column);
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = width * std::sqrt(squares / (n - 1.0));
  return {data.name(column), mean - half, mean + half};
}

}  // namespace

OptionSet describe(AufSimulationOptions& options) {
  OptionSet set;
  set.choice("family", options.family, kFamilies, "kind of the structural functions");
  set.choice("noise", options.noise, kNoises, "distribution of the noise");
  set.integer("rows", options.rows, 2, 10000000, "number of observations");
  set.real("density", options.density, 0.0, 1.0, "probability of an edge between each pair of variables");
  set.integer("variables", options.variables, 0, 1000, "number of variables; 0: 15 for linear, 12 for mlp");
  set.integer("context_variables", options.context_variables, 0, 1000,
              "number of context variables; 0: 4 for linear, 3 for mlp");
  set.integer("outcomes", options.outcomes, 0, 1000, "number of outcomes; 0: 1 or 2 with equal chance");
  set.integer("hidden", options.hidden, 1, 10000, "hidden units of each network of the family mlp");
  set.integer("rounds", options.rounds, 1, 1000000, "number of contexts to decide for");
  return set;
}

Simulation random_auf_task(const AufSimulationOptions& options, std::uint64_t index, const Context& context) {
  check_options(options);
  const bool linear = options.family == AufFamily::kLinear;
  const auto given_or = [](int given, int fallback) { return static_cast<std::size_t>(given > 0 ? given : fallback); };
  const std::size_t size = given_or(options.variables, linear ? 15 : 12);
  const std::size_t contexts = given_or(options.context_variables, linear ? 4 : 3);
  RandomStream graph_stream(context.seed, "simulate.auf.graph", index);
  const int coin = graph_stream.uniform() < 0.5 ? 1 : 2;
  const std::size_t outcomes = given_or(options.outcomes, coin);
  const std::size_t most_outcomes = given_or(options.outcomes, 2);
  if (contexts + most_outcomes >= size) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("{} variables are too few for {} context variables, {} outcomes and at least one variable "
                            "between them.",
                            size, contexts, most_outcomes),
                {{"Draw more variables", "variables"}});
  }
  const Structure structure = draw_structure(size, contexts, outcomes, options.density, graph_stream);

  StructuralModel model;
  model.anchors.resize(size);
  std::array<int, 3> used{};
  for (std::size_t j = 0; j < size; ++j) {
    RandomStream random(context.seed, "simulate.auf.node", node_stream(index, j));
    const Role role = structure.roles[j];
    const std::size_t letter = role == Role::kContext ? 0 : role == Role::kOutcome ? 2 : 1;
    StructuralNode node;
    node.name = fmt::format("{}{}", "XZY"[letter], ++used[letter]);
    node.parents = structure.graph.parents[j];
    node.noise = random_noise(options.noise, random);
    node.function = random_function(options, node.parents.size(), random);
    model.nodes.push_back(std::move(node));
  }

  Simulation simulation;
  simulation.options = options;
  simulation.seed = context.seed;
  simulation.index = index;
  simulation.data = draw_rows(model, static_cast<std::size_t>(options.rows), index, context);
  SimulatedTask task;
  for (std::size_t j = 0; j < size; ++j) {
    switch (structure.roles[j]) {
      case Role::kContext: task.context.push_back(model.nodes[j].name); break;
      case Role::kAlterable: task.alterable.push_back(spread(simulation.data, j, 2.0)); break;
      case Role::kOutcome:
        task.outcome.push_back(model.nodes[j].name);
        task.desired.push_back(spread(simulation.data, j, 1.0));
        break;
      case Role::kIntermediate: break;
    }
  }
  task.contexts = draw_contexts(model, task.context, static_cast<std::size_t>(options.rounds), index, context);
  simulation.task = std::move(task);
  simulation.model = std::move(model);
  return simulation;
}

}  // namespace olem
