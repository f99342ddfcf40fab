#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "olem/random.h"
#include "olem/simulate.h"

// Tasks on which the place of a lever matters: a column that is neither altered nor known when the decision is made
// causes both a lever and the outcome.
namespace olem::bench {

enum class StressFamily { kLinearGaussian, kLinearExponential, kLinearBeta, kNetworkExponential, kNetworkBeta };

// Columns: X1, X2 (context), M1, M2 (known to nobody when the levers are set), A, B (levers, caused by M and X), F
// (caused by a lever and M), Y (caused by all but one of them). A lever may be set within mean +- 2 standard
// deviations; wanted is the third of the outcomes above the mean. Weights have magnitudes from .5 to 1.5.
inline Simulation stress_task(StressFamily family, std::uint64_t index, std::uint64_t seed, int rows, int rounds) {
  enum : std::size_t { kX1, kX2, kM1, kM2, kA, kB, kF, kY };
  const std::vector<std::string> names = {"X1", "X2", "M1", "M2", "A", "B", "F", "Y"};
  RandomStream random(seed, "stress", stream_index({{static_cast<std::uint64_t>(family), 8}, {index, 40}}));
  const std::vector<std::vector<std::size_t>> parents = {
      {},
      {},
      {kX1},
      {kX2},
      random.uniform() < 0.5 ? std::vector<std::size_t>{kX1, kM1} : std::vector<std::size_t>{kM1, kM2},
      {kX2, kM2},
      {kA, kM1},
      {kA, kB, kF, kM1, kM2}};
  const bool network = family == StressFamily::kNetworkExponential || family == StressFamily::kNetworkBeta;
  const auto weight = [&](double low, double high) {
    const double size = random.uniform(low, high);
    return random.uniform() < 0.5 ? -size : size;
  };
  Simulation simulation;
  StructuralModel& model = simulation.model;
  model.anchors.resize(names.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    StructuralNode node;
    node.name = names[j];
    node.parents = parents[j];
    if (network && !node.parents.empty()) {
      constexpr std::size_t kHidden = 20;
      MlpFunction mlp;
      for (std::size_t w = 0; w < kHidden * node.parents.size(); ++w) mlp.input_weights.push_back(weight(0.5, 2.0));
      for (std::size_t h = 0; h < kHidden; ++h) mlp.output_weights.push_back(0.5 * weight(0.5, 2.0));
      node.function = std::move(mlp);
    } else {
      LinearFunction linear;
      for (std::size_t p = 0; p < node.parents.size(); ++p) linear.weights.push_back(weight(0.5, 1.5));
      node.function = std::move(linear);
    }
    const double size = random.uniform(0.75, 1.25);
    switch (family) {
      case StressFamily::kLinearGaussian: node.noise = {NoiseKind::kGaussian, size, 0.0}; break;
      case StressFamily::kLinearExponential:
      case StressFamily::kNetworkExponential: node.noise = {NoiseKind::kExponential, size, 0.0}; break;
      case StressFamily::kLinearBeta:
      case StressFamily::kNetworkBeta: node.noise = {NoiseKind::kBeta, size, random.uniform(0.75, 1.25)}; break;
    }
    model.nodes.push_back(std::move(node));
  }
  Context context;
  context.seed = seed;
  simulation.seed = seed;
  simulation.index = index;
  simulation.options = AufSimulationOptions();
  simulation.data = draw_rows(model, static_cast<std::size_t>(rows), index, context);
  const auto moments = [&](std::size_t j) {
    const auto values = simulation.data.column(j);
    double mean = 0.0;
    double square = 0.0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) square += (value - mean) * (value - mean) / static_cast<double>(values.size());
    return std::pair(mean, std::sqrt(square));
  };
  SimulatedTask task;
  task.context = {"X1", "X2"};
  for (const std::size_t lever : {std::size_t{kA}, std::size_t{kB}}) {
    const auto [mean, deviation] = moments(lever);
    task.alterable.push_back({names[lever], mean - 2.0 * deviation, mean + 2.0 * deviation});
  }
  const auto [mean, deviation] = moments(kY);
  task.outcome = {"Y"};
  task.desired = {{"Y", mean + 0.3 * deviation, mean + 1.3 * deviation}};
  // Draws far from those of the data.
  const Table fresh = draw_rows(model, static_cast<std::size_t>(rounds), index + (std::uint64_t{1} << 40), context);
  task.contexts = fresh.with_columns(std::vector<std::size_t>{kX1, kX2});
  simulation.task = std::move(task);
  return simulation;
}

// The same task with every column multiplied by 10 to a power between -1.5 and 1.5. For linear models whose noise is
// Gaussian, uniform or exponential.
inline Simulation in_random_units(Simulation simulation, std::uint64_t seed) {
  RandomStream random(seed, "random units", simulation.index);
  std::vector<double> factor;
  for (std::size_t j = 0; j < simulation.model.nodes.size(); ++j)
    factor.push_back(std::pow(10.0, random.uniform(-1.5, 1.5)));
  const auto factor_of = [&](const std::string& name) { return factor[simulation.data.index(name)]; };
  for (std::size_t j = 0; j < factor.size(); ++j) {
    StructuralNode& node = simulation.model.nodes[j];
    auto& linear = std::get<LinearFunction>(node.function);
    linear.intercept *= factor[j];
    for (std::size_t p = 0; p < node.parents.size(); ++p) linear.weights[p] *= factor[j] / factor[node.parents[p]];
    node.noise.a *= factor[j];
    if (node.noise.kind == NoiseKind::kUniform) node.noise.b *= factor[j];
  }
  const auto scaled = [&](const Table& table) {
    std::vector<double> values;
    for (std::size_t j = 0; j < table.columns(); ++j) {
      for (const double value : table.column(j)) values.push_back(value * factor_of(table.name(j)));
    }
    return Table(table.names(), std::move(values));
  };
  for (std::vector<NamedRange>* ranges : {&simulation.task->alterable, &simulation.task->desired}) {
    for (NamedRange& range : *ranges) {
      range.low *= factor_of(range.name);
      range.high *= factor_of(range.name);
    }
  }
  simulation.task->contexts = scaled(simulation.task->contexts);
  simulation.data = scaled(simulation.data);
  return simulation;
}

}  // namespace olem::bench
