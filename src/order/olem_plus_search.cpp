#include "order/olem_plus_search.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace olem {

namespace {

constexpr double kLeastGain = 1e-6;  // nats; below it a move is rounding
constexpr int kMostRounds = 20;
constexpr double kShortWalk = 0.02;  // how far J may rise on the way to a better place
constexpr double kLongWalk = 0.2;

void sum_up(const PlusNodes& nodes, const ScaleTerms& terms, ScoredOrder& scored) {
  double entropy = 0.0;
  std::size_t edges = 0;
  for (const PlusNode& node : scored.nodes) {
    entropy += node.fit->entropy;
    edges += node.edges;
  }
  scored.shape = entropy + edge_price(nodes.columns().rows) * static_cast<double>(edges);
  scored.scale = terms.value(scored.entropies());
}

class PlusSearch {
 public:
  PlusSearch(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge, const Context& context)
      : nodes_(nodes), terms_(terms), knowledge_(knowledge), context_(context) {}

  void swap_while_it_helps(ScoredOrder& current) {
    for (bool moved = true; moved;) {
      moved = false;
      ScoredOrder best = current;
      fetch_swaps(current);
      for (std::size_t place = 0; place + 1 < current.order.size(); ++place) {
        if (!may_swap(current, place)) continue;
        ScoredOrder next = swap_neighbours(nodes_, terms_, current, place, context_);
        if (next.total() < best.total() - kLeastGain) best = std::move(next), moved = true;
      }
      current = std::move(best);
    }
  }

  // Rounds of walks until nothing moves.
  void walk(ScoredOrder& current, double rise, const std::function<void(double)>& progress) {
    const std::size_t d = current.order.size();
    for (int round = 0; round < kMostRounds; ++round) {
      bool moved = false;
      for (std::size_t column = 0; column < d; ++column) {
        moved |= walk_column(current, column, rise, false);
        moved |= walk_column(current, column, rise, true);
        // Most searches take two to four rounds; each is taken to be half of what is left.
        const double done = 1.0 - std::pow(0.5, round);
        progress(done + 0.5 * (1.0 - done) * static_cast<double>(column + 1) / static_cast<double>(d));
      }
      if (!moved) break;
    }
    progress(1.0);
  }

 private:
  bool may_swap(const ScoredOrder& current, std::size_t place) const {
    return !knowledge_.precedes(current.order[place], current.order[place + 1]);
  }

  // All the nodes that swaps of neighbours need, at once and in parallel.
  void fetch_swaps(const ScoredOrder& current) {
    std::vector<std::vector<std::size_t>> sets;
    std::vector<NodeRequest> requests;
    sets.reserve(current.order.size());
    for (std::size_t place = 0; place + 1 < current.order.size(); ++place) {
      if (!may_swap(current, place)) continue;
      const std::span before(current.order.data(), place);
      std::vector<std::size_t>& with = sets.emplace_back(before.begin(), before.end());
      with.push_back(current.order[place + 1]);
      requests.push_back({current.order[place + 1], before});
      requests.push_back({current.order[place], with});
    }
    nodes_.find(requests, context_);
  }

  bool walk_column(ScoredOrder& current, std::size_t column, double rise, bool right) {
    ScoredOrder walker = current;
    ScoredOrder best = current;
    const auto at = std::find(current.order.begin(), current.order.end(), column) - current.order.begin();
    auto place = static_cast<std::size_t>(at);
    while (right ? place + 1 < current.order.size() : place > 0) {
      const std::size_t left = right ? place : place - 1;
      if (!may_swap(walker, left)) break;
      walker = swap_neighbours(nodes_, terms_, walker, left, context_);
      place = right ? place + 1 : place - 1;
      if (walker.total() < best.total() - kLeastGain) best = walker;
      if (walker.total() > current.total() + rise) break;
    }
    const bool moved = best.total() < current.total() - kLeastGain;
    if (moved) current = std::move(best);
    return moved;
  }

  PlusNodes& nodes_;
  const ScaleTerms& terms_;
  const Precedence& knowledge_;
  const Context& context_;
};

}  // namespace

std::vector<double> ScoredOrder::entropies() const {
  std::vector<double> values;
  values.reserve(nodes.size());
  for (const PlusNode& node : nodes) values.push_back(node.fit->entropy);
  return values;
}

ScoredOrder score_plus_order(PlusNodes& nodes, const ScaleTerms& terms, std::span<const std::size_t> order,
                             const Context& context) {
  ScoredOrder scored;
  scored.order.assign(order.begin(), order.end());
  std::vector<NodeRequest> requests;
  for (std::size_t place = 0; place < order.size(); ++place) {
    requests.push_back({order[place], order.first(place)});
  }
  scored.nodes = nodes.find(requests, context);
  sum_up(nodes, terms, scored);
  return scored;
}

ScoredOrder swap_neighbours(PlusNodes& nodes, const ScaleTerms& terms, const ScoredOrder& from, std::size_t place,
                            const Context& context) {
  ScoredOrder swapped = from;
  std::swap(swapped.order[place], swapped.order[place + 1]);
  const std::span<const std::size_t> order = swapped.order;
  const NodeRequest requests[] = {{order[place], order.first(place)}, {order[place + 1], order.first(place + 1)}};
  const std::vector<PlusNode> changed = nodes.find(requests, context);
  swapped.nodes[place] = changed[0];
  swapped.nodes[place + 1] = changed[1];
  sum_up(nodes, terms, swapped);
  return swapped;
}

ScoredOrder search_plus_order(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge,
                              std::span<const std::size_t> start, const Context& context,
                              const std::function<void(double)>& progress) {
  PlusSearch search(nodes, terms, knowledge, context);
  ScoredOrder current = score_plus_order(nodes, terms, start, context);
  progress(0.1);
  search.swap_while_it_helps(current);
  progress(0.25);
  search.walk(current, kShortWalk, [&](double part) { progress(0.25 + 0.45 * part); });
  search.walk(current, kLongWalk, [&](double part) { progress(0.7 + 0.3 * part); });
  return current;
}

}  // namespace olem
