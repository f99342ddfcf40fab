#include <fmt/format.h>

#include <unordered_set>

#include "olem/error.h"
#include "olem/graph.h"
#include "olem/options.h"

namespace olem {

void check_order(const Order& order, const std::vector<std::string>& names, std::string_view source) {
  const std::string where = source.empty() ? "" : fmt::format("{}: ", source);
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : order) {
    if (!known.contains(name)) {
      const std::string near = closest_name(name, names);
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The order names '{}', which is not one of the variables.{}", where, name,
                              near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
    }
    if (!seen.insert(name).second) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The order names '{}' twice. Every variable stands in it once.", where, name));
    }
  }
  for (const std::string& name : names) {
    if (!seen.contains(name)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The order does not name '{}'. Every variable stands in it once.", where, name));
    }
  }
}

std::vector<std::size_t> order_indices(const Order& order, const NodeNames& names) {
  check_order(order, names.list());
  std::vector<std::size_t> indices;
  indices.reserve(order.size());
  for (const std::string& name : order) indices.push_back(*names.find(name));
  return indices;
}

Dag dense_dag(const Order& order) {
  std::vector<Edge> edges;
  edges.reserve(order.size() * order.size() / 2);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) edges.push_back({i, j});
  }
  return Dag(order, edges);
}

Order order_of(const Dag& dag) {
  Order order;
  order.reserve(dag.size());
  for (const std::size_t node : topological_order(dag)) order.push_back(dag.name(node));
  return order;
}

}  // namespace olem
