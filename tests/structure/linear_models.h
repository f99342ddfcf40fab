#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/graphs.h"
#include "olem/covariance.h"
#include "olem/knowledge.h"
#include "olem/table.h"

namespace olem::test {

using namespace internal;

// A linear Gaussian model: x_j = sum over i of weights[i d + j] x_i + noise of variance noise[j].
struct LinearModel {
  Dag dag;
  std::vector<double> weights;
  std::vector<double> noise;
};

// Weights of size 0.5 to 1 with random signs, noise variances from 0.5 to 2.
inline LinearModel random_linear_model(RandomStream& random, Dag dag) {
  const std::size_t d = dag.size();
  LinearModel model{std::move(dag), std::vector<double>(d * d), {}};
  for (const Edge& edge : model.dag.edges()) {
    model.weights[edge.from * d + edge.to] = random.uniform(0.5, 1.0) * (random.uniform() < 0.5 ? -1.0 : 1.0);
  }
  for (std::size_t j = 0; j < d; ++j) model.noise.push_back(random.uniform(0.5, 2.0));
  return model;
}

inline Covariance population(const LinearModel& model, double rows) {
  const std::size_t d = model.dag.size();
  std::vector<double> effect(d * d);  // [j d + k]: of the noise of k on j
  for (const std::size_t j : topological_order(model.dag)) {
    effect[j * d + j] = 1.0;
    for_each(model.dag.parents(j), [&](std::size_t i) {
      for (std::size_t k = 0; k < d; ++k) effect[j * d + k] += model.weights[i * d + j] * effect[i * d + k];
    });
  }
  std::vector<double> matrix(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) {
        matrix[i * d + j] += effect[i * d + k] * effect[j * d + k] * model.noise[k];
      }
    }
  }
  return make_covariance(model.dag.names().list(), matrix, rows);
}

inline Table sample(const LinearModel& model, std::size_t rows, std::uint64_t seed) {
  const std::size_t d = model.dag.size();
  std::vector<double> values(rows * d);
  for (const std::size_t j : topological_order(model.dag)) {
    RandomStream random(seed, "linear model", j);
    double* const child = values.data() + j * rows;
    for (std::size_t i = 0; i < rows; ++i) child[i] = std::sqrt(model.noise[j]) * random.normal();
    for_each(model.dag.parents(j), [&](std::size_t p) {
      for (std::size_t i = 0; i < rows; ++i) child[i] += model.weights[p * d + j] * values[p * rows + i];
    });
  }
  return {model.dag.names().list(), std::move(values), "linear model"};
}

// Calls visit(i, j, given) for all pairs and all sets of the other nodes.
template <class Visit>
void for_each_statement(std::size_t size, Visit visit) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      for (std::size_t mask = 0; mask < (std::size_t{1} << size); ++mask) {
        if (((mask >> i) & 1U) != 0 || ((mask >> j) & 1U) != 0) continue;
        std::vector<std::size_t> given;
        for (std::size_t k = 0; k < size; ++k) {
          if (((mask >> k) & 1U) != 0) given.push_back(k);
        }
        visit(i, j, given);
      }
    }
  }
}

// The smallest partial correlation among all that the graph says are not zero: what a learner must be able to see.
inline double weakest_dependence(const LinearModel& model) {
  const Covariance covariance = population(model, 1.0);
  double weakest = 1.0;
  for_each_statement(model.dag.size(), [&](std::size_t i, std::size_t j, const std::vector<std::size_t>& given) {
    const std::size_t a[] = {i};
    const std::size_t b[] = {j};
    if (d_separated(model.dag, a, b, given)) return;
    weakest = std::min(weakest, std::abs(partial_correlation(covariance, i, j, given)));
  });
  return weakest;
}

// 200 sparse models of 5 to 7 variables with about one edge a variable. A model in which two effects happen to cancel
// (a partial correlation below 1e-4 that the graph does not make zero) says something else than its graph, and is drawn
// again: 2 of 202 are.
inline std::vector<LinearModel> faithful_models() {
  constexpr std::size_t kModels = 200;
  constexpr double kVisible = 1e-4;
  std::vector<LinearModel> models;
  std::size_t drawn = 0;
  while (models.size() < kModels) {
    RandomStream random(7, "faithful models", drawn++);
    const std::size_t size = 5 + models.size() % 3;
    LinearModel model = random_linear_model(random, random_dag(random, size, 2.0 / static_cast<double>(size - 1)));
    if (weakest_dependence(model) > kVisible) models.push_back(std::move(model));
  }
  EXPECT_EQ(drawn, kModels + 2);
  return models;
}

// The table with its columns in another order.
inline Table permuted_columns(const Table& table, std::uint64_t seed) {
  RandomStream random(seed, "permutation");
  std::vector<std::size_t> columns(table.columns());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  for (std::size_t i = columns.size(); i > 1; --i) std::swap(columns[i - 1], columns[random.below(i)]);
  return table.with_columns(columns);
}

// Three tiers over about two thirds of the columns; the others are free.
inline Knowledge random_tiers(const std::vector<std::string>& names, std::uint64_t seed) {
  RandomStream random(seed, "tiers");
  Knowledge knowledge;
  knowledge.tiers.resize(3);
  for (const std::string& name : names) {
    const std::size_t tier = random.below(5);
    if (tier < 3) knowledge.tiers[tier].push_back(name);
  }
  return knowledge;
}

// True when the graph's directed edges and what is known together have an order.
inline bool obeys(const MixedGraph& graph, const Precedence& knowledge) {
  std::vector<Edge> edges = graph.directed_edges();
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      if (knowledge.precedes(a, b)) edges.push_back({a, b});
    }
  }
  return !find_cycle(graph.size(), edges);
}

}  // namespace olem::test
