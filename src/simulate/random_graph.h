#pragma once

#include <cstddef>
#include <vector>

#include "olem/random.h"
#include "olem/structural_model.h"

namespace olem::internal {

struct RandomGraph {
  std::vector<std::size_t> order;                 // a causal order: a uniform permutation of the nodes
  std::vector<std::vector<std::size_t>> parents;  // of each node, ascending
};

// Erdős–Rényi: each of the d (d - 1) / 2 pairs is an edge with probability `density`, pointing along the order.
RandomGraph random_graph(std::size_t nodes, double density, RandomStream& random);

// Whether each node is a cause, direct or not, of `node`.
std::vector<bool> ancestors(const RandomGraph& graph, std::size_t node);

// Uniform on [-high, -low] u [low, high].
double random_weight(double low, double high, RandomStream& random);

// A noise whose parameters are uniform on [0.75, 1.25]. Takes two numbers from the stream whatever the kind.
Noise random_noise(NoiseKind kind, RandomStream& random);

}  // namespace olem::internal
