#include "olem/agreement.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

namespace olem {

namespace {

Agreement least_total(std::size_t count, std::size_t columns,
                      const std::function<std::size_t(std::size_t, std::size_t)>& differing) {
  Agreement agreement;
  agreement.pairs = columns * (columns - (columns > 0 ? 1 : 0)) / 2;
  std::size_t least = static_cast<std::size_t>(-1);
  for (std::size_t a = 0; a < count; ++a) {
    std::vector<std::size_t> own;
    for (std::size_t b = 0; b < count; ++b) own.push_back(a == b ? 0 : differing(a, b));
    const std::size_t total = std::accumulate(own.begin(), own.end(), std::size_t{0});
    if (total >= least) continue;
    least = total;
    agreement.chosen = a;
    agreement.differing = std::move(own);
  }
  return agreement;
}

}  // namespace

double Agreement::mean_differing() const {
  if (differing.size() < 2) return 0.0;
  return static_cast<double>(std::accumulate(differing.begin(), differing.end(), std::size_t{0})) /
         static_cast<double>(differing.size() - 1);
}

Json to_json(const Agreement& agreement) {
  return {{"tables", agreement.differing.size()},
          {"chosen", agreement.chosen},
          {"differing", agreement.differing},
          {"pairs", agreement.pairs},
          {"mean_differing", agreement.mean_differing()}};
}

Agreement most_agreeing(std::span<const Order> orders) {
  std::vector<std::vector<std::size_t>> places;  // of the names of the first order
  for (const Order& order : orders) {
    check_order(order, orders.front());
    std::vector<std::size_t>& own = places.emplace_back(order.size());
    const std::vector<std::size_t> indices = order_indices(order, NodeNames(orders.front()));
    for (std::size_t k = 0; k < indices.size(); ++k) own[indices[k]] = k;
  }
  return least_total(orders.size(), orders.empty() ? 0 : orders.front().size(), [&](std::size_t a, std::size_t b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < places[a].size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        count += (places[a][i] < places[a][j]) != (places[b][i] < places[b][j]) ? 1 : 0;
      }
    }
    return count;
  });
}

Agreement most_agreeing(std::span<const MixedGraph> graphs) {
  std::vector<MixedGraph> aligned;
  for (const MixedGraph& graph : graphs) {
    const NodeNames& names = graphs.front().names();
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < names.size(); ++i) nodes.push_back(names[i]);
    aligned.push_back(graph.with_nodes(nodes));
  }
  return least_total(graphs.size(), graphs.empty() ? 0 : graphs.front().size(), [&](std::size_t a, std::size_t b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < aligned[a].size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool same =
            aligned[a].mark(i, j) == aligned[b].mark(i, j) && aligned[a].mark(j, i) == aligned[b].mark(j, i);
        count += same ? 0 : 1;
      }
    }
    return count;
  });
}

}  // namespace olem
