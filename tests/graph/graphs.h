#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "olem/error.h"
#include "olem/graph.h"
#include "olem/random.h"

namespace olem::test {

// x0, x1, ...
inline std::vector<std::string> node_names(std::size_t size) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) names.push_back("x" + std::to_string(i));
  return names;
}

inline Dag make_dag(std::size_t size, const std::vector<Edge>& edges) { return Dag(node_names(size), edges); }

// The true graph of the data set KA5.
inline Dag ka5_dag() { return make_dag(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}); }

// Every pair of a random order is an edge with probability `density`.
inline Dag random_dag(RandomStream& random, std::size_t size, double density) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      if (random.uniform() < density) edges.push_back({order[i], order[j]});
    }
  }
  return make_dag(size, edges);
}

// All DAGs over `size` nodes: 3, 25, 543, 29281 for 2, 3, 4, 5 nodes (Robinson 1973).
inline std::vector<Dag> all_dags(std::size_t size) {
  std::vector<Edge> pairs;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) pairs.push_back({i, j});
  }
  std::size_t total = 1;
  for (std::size_t p = 0; p < pairs.size(); ++p) total *= 3;
  std::vector<Dag> dags;
  for (std::size_t code = 0; code < total; ++code) {
    std::vector<Edge> edges;
    std::size_t rest = code;
    for (const Edge& pair : pairs) {
      if (rest % 3 == 1) edges.push_back(pair);
      if (rest % 3 == 2) edges.push_back({pair.to, pair.from});
      rest /= 3;
    }
    if (!find_cycle(size, edges)) dags.push_back(make_dag(size, edges));
  }
  return dags;
}

// Adjacent pairs and unshielded colliders: equal exactly for Markov equivalent DAGs (Verma and Pearl 1990).
using ClassKey = std::pair<std::set<std::pair<std::size_t, std::size_t>>, std::set<std::vector<std::size_t>>>;

inline ClassKey class_key(const Dag& dag) {
  ClassKey key;
  for (const Edge& edge : dag.edges()) key.first.insert(std::minmax(edge.from, edge.to));
  for (std::size_t c = 0; c < dag.size(); ++c) {
    for (std::size_t a = 0; a < dag.size(); ++a) {
      for (std::size_t b = a + 1; b < dag.size(); ++b) {
        if (dag.has_edge(a, c) && dag.has_edge(b, c) && !dag.adjacent(a, b)) key.second.insert({a, b, c});
      }
    }
  }
  return key;
}

// The edges that all DAGs agree on are directed, the others are not.
inline MixedGraph common_graph(const std::vector<Dag>& dags) {
  MixedGraph graph(dags.front().names().list(), GraphKind::kCpdag);
  for (const Edge& edge : dags.front().edges()) {
    bool agreed = true;
    for (const Dag& dag : dags) agreed = agreed && dag.has_edge(edge.from, edge.to);
    if (agreed) {
      graph.set_directed(edge.from, edge.to);
    } else {
      graph.set_undirected(edge.from, edge.to);
    }
  }
  return graph;
}

// The message of the data error that `action` must end in.
inline std::string data_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace olem::test
