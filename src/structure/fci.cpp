#include "olem/fci.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "graph/knowledge_edges.h"
#include "structure/fci_rules.h"
#include "structure/skeleton.h"
#include "structure/test_warnings.h"

namespace olem {

using namespace internal;

namespace {

MixedGraph circle_graph(const std::vector<std::string>& names, const BitMatrix& adjacent) {
  MixedGraph pag(names, GraphKind::kPag);
  for (std::size_t a = 0; a < names.size(); ++a) {
    for_each(adjacent.row(a), [&](std::size_t b) {
      if (a < b) pag.set_edge(a, b, Mark::kCircle, Mark::kCircle);
    });
  }
  return pag;
}

// Possible-D-Sep of `start`: what paths lead to on which every inner node is a collider or has adjacent neighbours. It
// is searched over edges, since how a node was reached decides where the path may go on. O(edges x degree).
BitSet possible_d_sep(const MixedGraph& pag, const BitMatrix& adjacent, std::size_t start) {
  const std::size_t d = pag.size();
  BitSet found(d);
  std::vector<Edge> stack;
  std::vector<bool> seen(d * d);
  for_each(adjacent.row(start), [&](std::size_t v) {
    found.set(v);
    seen[start * d + v] = true;
    stack.push_back({start, v});
  });
  while (!stack.empty()) {
    const std::size_t previous = stack.back().from;
    const std::size_t node = stack.back().to;
    stack.pop_back();
    const bool into = pag.mark(previous, node) == Mark::kArrow;
    for_each(adjacent.row(node), [&](std::size_t next) {
      if (next == previous || next == start || seen[node * d + next]) return;
      const bool collider = into && pag.mark(next, node) == Mark::kArrow;
      if (!collider && !adjacent.test(previous, next)) return;
      seen[node * d + next] = true;
      found.set(next);
      stack.push_back({node, next});
    });
  }
  return found;
}

// Tests the edges that are left given sets out of Possible-D-Sep, by increasing size. A variable that is known to come
// after both ends is a cause of neither and left out.
void separate_further(Skeleton& skeleton, const MixedGraph& pag, const IndependenceTest& test,
                      const IndependenceOptions& options, const Precedence& knowledge, const Context& context) {
  const std::size_t d = pag.size();
  const BitMatrix adjacent = skeleton.adjacent;
  std::vector<BitSet> possible;
  for (std::size_t a = 0; a < d; ++a) {
    context.check_interrupt();
    possible.push_back(possible_d_sep(pag, adjacent, a));
  }
  const auto possible_for = [&](std::size_t a, std::size_t b) {
    std::vector<std::size_t> list;
    for_each(possible[a], [&](std::size_t v) {
      if (v != b && !(knowledge.precedes(a, v) && knowledge.precedes(b, v))) list.push_back(v);
    });
    return list;
  };
  // The skeleton has seen every set of neighbours.
  const auto candidates = [&](std::size_t a, std::size_t b) {
    return EdgeSearch{a,
                      b,
                      possible_for(a, b),
                      possible_for(b, a),
                      possible_causes(adjacent, a, b, knowledge),
                      possible_causes(adjacent, b, a, knowledge)};
  };
  for (std::size_t conditioning = 1;; ++conditioning) {
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < d; ++a) {
      for_each(skeleton.adjacent.row(a), [&](std::size_t b) {
        if (b < a) return;
        const EdgeSearch edge = candidates(a, b);
        const bool news = edge.from_a != edge.seen_a || edge.from_b != edge.seen_b;
        if (news && std::max(edge.from_a.size(), edge.from_b.size()) >= conditioning) edges.push_back({a, b});
      });
    }
    if (edges.empty()) return;
    if (options.max_conditioning >= 0 && conditioning > static_cast<std::size_t>(options.max_conditioning)) return;
    if (static_cast<long long>(conditioning) > test.largest_set) {
      skeleton.untested = std::max(skeleton.untested, edges.size());
      return;
    }
    skeleton.separate(search_separating_sets(edges, conditioning, candidates, test, options.alpha, context,
                                             fmt::format("tests given {} of Possible-D-Sep", conditioning)),
                      conditioning);
  }
}

// Makes circles of the tails whose edges lead round in a circle; returns how many.
std::size_t withdraw_circles(MixedGraph& pag, const Precedence& knowledge) {
  const std::vector<Edge> circular = circular_edges(pag, knowledge);
  for (const Edge& edge : circular) pag.set_edge(edge.from, edge.to, Mark::kCircle, Mark::kArrow);
  return circular.size();
}

}  // namespace

FciResult learn_fci(const std::vector<std::string>& names, const IndependenceTest& test,
                    const IndependenceOptions& options, const Precedence& knowledge, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  IndependenceOptions checked = options;
  describe(checked).validate();
  Skeleton skeleton = learn_skeleton(names.size(), test, checked, knowledge, context);
  FciResult result;
  result.levels = std::exchange(skeleton.levels, {});
  MixedGraph first = circle_graph(names, skeleton.adjacent);
  orient_colliders(first, skeleton.separated);
  separate_further(skeleton, first, test, checked, knowledge, context);
  result.possible_levels = std::move(skeleton.levels);

  result.graph = circle_graph(names, skeleton.adjacent);
  for (std::size_t a = 0; a < names.size(); ++a) {
    for_each(skeleton.adjacent.row(a), [&](std::size_t b) {
      if (knowledge.precedes(a, b)) result.graph.set_edge(a, b, Mark::kCircle, Mark::kArrow);
    });
  }
  orient_colliders(result.graph, skeleton.separated);
  orient_marks(result.graph, skeleton.separated, context);
  result.withdrawn = withdraw_circles(result.graph, knowledge);
  result.separated = std::move(skeleton.separated);
  result.untested = skeleton.untested;
  warn_of_untested(result.untested, result.summary);
  warn_of_circles(result.withdrawn, "given a circle for a tail", result.summary);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

FciResult learn_fci(const Covariance& covariance, const IndependenceOptions& options, const Precedence& knowledge,
                    const Context& context) {
  return learn_fci(covariance.names, fisher_z_test(covariance), options, knowledge, context);
}

FciResult learn_fci(const Table& table, const IndependenceOptions& options, const Precedence& knowledge,
                    const Context& context) {
  return learn_fci(covariance_of(table, context), options, knowledge, context);
}

}  // namespace olem
