#include "order/olem_plus_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

namespace olem::internal {

namespace {

constexpr double kLeastGain = 1e-6;  // nats; below it a move is rounding
constexpr int kMostRounds = 20;
constexpr double kShortWalk = 0.02;  // how far J may rise on the way to a better place
constexpr double kLongWalk = 0.2;
constexpr double kTuckRise = 0.01;

// What is done, as a share of the regressions of a search.
constexpr double kScored = 0.02;
constexpr double kSwapped = 0.12;
constexpr double kWalkedShort = 0.45;
constexpr double kWalked = 0.95;
constexpr double kMostMovedRise = 0.1;

// How many tucks without a gain may come before one with it. Where scales count, the start is good and single tucks
// suffice; otherwise sequences lead through the orders of one equivalence class. Their number grows like the edges to
// the power of the depth.
int tuck_depth(std::size_t columns, const ScaleTerms& terms) {
  if (!terms.none()) return 0;
  return columns <= 20 ? 2 : columns <= 50 ? 1 : 0;
}

void sum_up(const PlusNodes& nodes, const ScaleTerms& terms, ScoredOrder& scored) {
  double entropy = 0.0;
  std::size_t edges = 0;
  for (const PlusNode& node : scored.nodes) {
    entropy += node.fit->entropy;
    edges += node.edges();
  }
  scored.shape = entropy + edge_price(nodes.columns().rows) * static_cast<double>(edges);
  scored.scale = terms.value(scored.entropies(nodes.columns()));
}

class PlusSearch {
 public:
  PlusSearch(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge, const Context& context)
      : nodes_(nodes), terms_(terms), knowledge_(knowledge), context_(context) {}

  void swap_while_it_helps(ScoredOrder& current) {
    for (bool moved = true; moved;) {
      moved = false;
      ScoredOrder best = current;
      PrefixScreen screen(nodes_.columns(), current.order);
      fetch_swaps(current, screen);
      for (std::size_t place = 0; place + 1 < current.order.size(); ++place) {
        if (!may_swap(current, place)) continue;
        ScoredOrder next = swap_neighbours(nodes_, terms_, current, screen, place, context_);
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

  // Tucks until none helps, also after up to `depth` others that cost little. In the Markov equivalence class of a
  // linear Gaussian model every order with the fewest edges is reached by tucks that leave J nearly as it is.
  void tuck_while_it_helps(ScoredOrder& current, int depth) {
    for (bool moved = true; moved;) {
      std::set<std::vector<std::size_t>> seen = {current.order};
      const std::optional<ScoredOrder> better = better_by_tucks(current, current.total(), depth, seen);
      moved = better.has_value();
      if (moved) current = *better;
    }
  }

 private:
  // The order in which the column at place `late` and those of its ancestors that stand between come just before the
  // column at place `early`; empty when knowledge forbids it.
  std::vector<std::size_t> tucked(const ScoredOrder& current, std::size_t early, std::size_t late) const {
    std::vector<bool> moves(late - early + 1, false);
    moves.back() = true;
    for (std::size_t place = late; place > early; --place) {
      if (!moves[place - early]) continue;
      for (const std::uint32_t parent : current.nodes[place].active) {
        const auto at = std::find(current.order.begin(), current.order.end(), parent) - current.order.begin();
        const auto parent_place = static_cast<std::size_t>(at);
        if (parent_place > early) moves[parent_place - early] = true;
      }
    }
    std::vector<std::size_t> order(current.order.begin(), current.order.begin() + static_cast<std::ptrdiff_t>(early));
    for (const bool first : {true, false}) {
      for (std::size_t place = early; place <= late; ++place) {
        if (moves[place - early] != first) continue;
        if (!first) {
          for (std::size_t other = place + 1; other <= late; ++other) {
            if (moves[other - early] && knowledge_.precedes(current.order[place], current.order[other])) return {};
          }
        }
        order.push_back(current.order[place]);
      }
    }
    order.insert(order.end(), current.order.begin() + static_cast<std::ptrdiff_t>(late) + 1, current.order.end());
    return order;
  }

  std::optional<ScoredOrder> better_by_tucks(const ScoredOrder& from, double least, int depth,
                                             std::set<std::vector<std::size_t>>& seen) {
    std::vector<ScoredOrder> near;
    for (std::size_t late = 1; late < from.order.size(); ++late) {
      for (const std::uint32_t parent : from.nodes[late].active) {
        const auto at = std::find(from.order.begin(), from.order.end(), parent) - from.order.begin();
        const auto early = static_cast<std::size_t>(at);
        const std::vector<std::size_t> order = tucked(from, early, late);
        if (order.empty() || !seen.insert(order).second) continue;
        PrefixScreen screen(nodes_.columns(), std::span(order).first(late));
        if (is_hopeless(from, order, early, screen)) continue;
        ScoredOrder next = rescore(from, order, early, late, screen);
        if (next.total() < least - kLeastGain) return next;
        if (depth > 0 && next.total() < least + kTuckRise) near.push_back(std::move(next));
      }
    }
    for (const ScoredOrder& next : near) {
      std::optional<ScoredOrder> better = better_by_tucks(next, least, depth - 1, seen);
      if (better) return better;
    }
    return std::nullopt;
  }

  // Whether the columns that a tuck moves before place `early` gain so much entropy there that the others will not make
  // up for it: most tucks end here, after one regression. Without scale terms they may: nothing but the number of edges
  // tells linear Gaussian orders apart, however much entropy moves from one column to another.
  bool is_hopeless(const ScoredOrder& from, const std::vector<std::size_t>& order, std::size_t early,
                   PrefixScreen& screen) {
    if (terms_.none()) return false;
    double rise = 0.0;
    for (std::size_t place = early; order[place] != from.order[early] && rise <= kMostMovedRise; ++place) {
      const NodeRequest request{order[place], place};
      const PlusNode moved = nodes_.find(screen, std::span(&request, 1), context_).front();
      const auto at = std::find(from.order.begin(), from.order.end(), order[place]) - from.order.begin();
      rise += moved.fit->entropy - from.nodes[static_cast<std::size_t>(at)].fit->entropy;
    }
    return rise > kMostMovedRise;
  }

  // The score of an order that differs from `from` between two places only. `screen`: of its columns before `last`.
  ScoredOrder rescore(const ScoredOrder& from, const std::vector<std::size_t>& order, std::size_t first,
                      std::size_t last, PrefixScreen& screen) {
    ScoredOrder scored = from;
    scored.order = order;
    std::vector<NodeRequest> requests;
    for (std::size_t place = first; place <= last; ++place) {
      requests.push_back({order[place], place});
    }
    const std::vector<PlusNode> changed = nodes_.find(screen, requests, context_);
    std::copy(changed.begin(), changed.end(), scored.nodes.begin() + static_cast<std::ptrdiff_t>(first));
    sum_up(nodes_, terms_, scored);
    return scored;
  }

  bool may_swap(const ScoredOrder& current, std::size_t place) const {
    return !knowledge_.precedes(current.order[place], current.order[place + 1]);
  }

  // All the nodes that swaps of neighbours need, at once and in parallel.
  void fetch_swaps(const ScoredOrder& current, PrefixScreen& screen) {
    std::vector<NodeRequest> requests;
    for (std::size_t place = 0; place + 1 < current.order.size(); ++place) {
      if (!may_swap(current, place)) continue;
      requests.push_back({current.order[place + 1], place});
      requests.push_back({current.order[place], place, current.order[place + 1]});
    }
    nodes_.find(screen, requests, context_);
  }

  // One factorisation of the other columns serves the whole way.
  bool walk_column(ScoredOrder& current, std::size_t column, double rise, bool right) {
    std::vector<std::size_t> others = current.order;
    std::erase(others, column);
    PrefixScreen screen(nodes_.columns(), others);
    ScoredOrder walker = current;
    ScoredOrder best = current;
    const auto at = std::find(current.order.begin(), current.order.end(), column) - current.order.begin();
    auto place = static_cast<std::size_t>(at);  // the others before the column
    while (right ? place < others.size() : place > 0) {
      const std::size_t left = right ? place : place - 1;
      if (!may_swap(walker, left)) break;
      const std::size_t other = others[left];
      const NodeRequest requests[] = {{column, right ? left + 1 : left},
                                      right ? NodeRequest{other, left} : NodeRequest{other, left, column}};
      const std::vector<PlusNode> changed = nodes_.find(screen, requests, context_);
      std::swap(walker.order[left], walker.order[left + 1]);
      walker.nodes[left] = changed[right ? 1 : 0];
      walker.nodes[left + 1] = changed[right ? 0 : 1];
      sum_up(nodes_, terms_, walker);
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

std::vector<double> ScoredOrder::entropies(const PlusColumns& columns) const {
  std::vector<double> values;
  values.reserve(nodes.size());
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    if (columns.compared[order[place]] != 0) values.push_back(nodes[place].fit->entropy);
  }
  return values;
}

ScoredOrder score_plus_order(PlusNodes& nodes, const ScaleTerms& terms, std::span<const std::size_t> order,
                             const Context& context) {
  ScoredOrder scored;
  scored.order.assign(order.begin(), order.end());
  std::vector<NodeRequest> requests;
  for (std::size_t place = 0; place < order.size(); ++place) {
    requests.push_back({order[place], place});
  }
  PrefixScreen screen(nodes.columns(), order);
  scored.nodes = nodes.find(screen, requests, context);
  sum_up(nodes, terms, scored);
  return scored;
}

ScoredOrder swap_neighbours(PlusNodes& nodes, const ScaleTerms& terms, const ScoredOrder& from, PrefixScreen& screen,
                            std::size_t place, const Context& context) {
  ScoredOrder swapped = from;
  std::swap(swapped.order[place], swapped.order[place + 1]);
  const NodeRequest requests[] = {{swapped.order[place], place},
                                  {swapped.order[place + 1], place, swapped.order[place]}};
  const std::vector<PlusNode> changed = nodes.find(screen, requests, context);
  swapped.nodes[place] = changed[0];
  swapped.nodes[place + 1] = changed[1];
  sum_up(nodes, terms, swapped);
  return swapped;
}

ScoredOrder search_plus_order(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge,
                              std::span<const std::size_t> start, bool far, const Context& context,
                              const std::function<void(double)>& progress) {
  PlusSearch search(nodes, terms, knowledge, context);
  ScoredOrder current = score_plus_order(nodes, terms, start, context);
  progress(kScored);
  search.swap_while_it_helps(current);
  progress(kSwapped);
  const double walked = far ? kWalkedShort : kWalked;
  search.walk(current, kShortWalk, [&](double part) { progress(kSwapped + (walked - kSwapped) * part); });
  if (far) search.walk(current, kLongWalk, [&](double part) { progress(walked + (kWalked - walked) * part); });
  search.tuck_while_it_helps(current, tuck_depth(current.order.size(), terms));
  progress(1.0);
  return current;
}

}  // namespace olem::internal
