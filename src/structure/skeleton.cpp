#include "structure/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr std::size_t kTestsBetweenChecks = 256;
constexpr std::size_t kEdgesPerPiece = 4;
constexpr std::size_t kEdgesPerReport = 256;

// Calls visit(set) for every set of `size` members of `from`, lexicographically.
template <class Visit>
void for_each_subset(const std::vector<std::size_t>& from, std::size_t size, Visit visit) {
  if (size > from.size()) return;
  std::vector<std::size_t> place(size);
  std::iota(place.begin(), place.end(), std::size_t{0});
  std::vector<std::size_t> set(size);
  while (true) {
    for (std::size_t i = 0; i < size; ++i) set[i] = from[place[i]];
    visit(set);
    std::size_t i = size;
    while (i > 0 && place[i - 1] == from.size() - size + i - 1) --i;
    if (i == 0) return;
    ++place[i - 1];
    for (std::size_t j = i; j < size; ++j) place[j] = place[j - 1] + 1;
  }
}

EdgeOutcome search_edge(const EdgeSearch& edge, std::size_t conditioning, const IndependenceTest& test, double alpha,
                        const Context& context) {
  EdgeOutcome outcome;
  const auto within = [](const std::vector<std::size_t>& part, const std::vector<std::size_t>& whole) {
    return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
  };
  const auto examine = [&](const std::vector<std::size_t>& given) {
    if (!given.empty() && (within(given, edge.seen_a) || within(given, edge.seen_b))) return;
    if (++outcome.tests % kTestsBetweenChecks == 0) context.check_interrupt();
    const double p = test.p_value(edge.a, edge.b, given);
    if (p > alpha && (!outcome.found || p > outcome.found->p_value)) outcome.found = {edge.a, edge.b, given, p};
  };
  for_each_subset(edge.from_a, conditioning, examine);
  for_each_subset(edge.from_b, conditioning, [&](const std::vector<std::size_t>& given) {
    if (!within(given, edge.from_a)) examine(given);
  });
  return outcome;
}

}  // namespace

std::vector<EdgeOutcome> search_separating_sets(
    const std::vector<Edge>& edges, std::size_t conditioning,
    const std::function<EdgeSearch(std::size_t a, std::size_t b)>& candidates, const IndependenceTest& test,
    double alpha, const Context& context, std::string_view phase) {
  std::vector<EdgeOutcome> outcomes(edges.size());
  for (std::size_t begin = 0; begin < edges.size(); begin += kEdgesPerReport) {
    context.report_progress(static_cast<double>(begin) / static_cast<double>(edges.size()), phase);
    const std::size_t end = std::min(edges.size(), begin + kEdgesPerReport);
    parallel_for(context, begin, end, kEdgesPerPiece, [&](std::size_t first, std::size_t last) {
      for (std::size_t e = first; e < last; ++e) {
        const EdgeSearch edge = conditioning == 0 ? EdgeSearch{edges[e].from, edges[e].to, {}, {}, {}, {}}
                                                  : candidates(edges[e].from, edges[e].to);
        outcomes[e] = search_edge(edge, conditioning, test, alpha, context);
      }
    });
  }
  return outcomes;
}

std::vector<std::size_t> possible_causes(const BitMatrix& adjacent, std::size_t a, std::size_t b,
                                         const Precedence& knowledge) {
  std::vector<std::size_t> causes;
  for_each(adjacent.row(a), [&](std::size_t c) {
    if (c != b && !knowledge.precedes(a, c)) causes.push_back(c);
  });
  return causes;
}

void Skeleton::separate(const std::vector<EdgeOutcome>& outcomes, std::size_t conditioning) {
  TestLevel level;
  level.conditioning = conditioning;
  for (const EdgeOutcome& outcome : outcomes) {
    level.tests += outcome.tests;
    if (!outcome.found) continue;
    ++level.removed;
    adjacent.reset(outcome.found->a, outcome.found->b);
    adjacent.reset(outcome.found->b, outcome.found->a);
    separated.list.push_back(*outcome.found);
  }
  levels.push_back(level);
  std::sort(separated.list.begin(), separated.list.end(), [](const SeparatingSet& left, const SeparatingSet& right) {
    return std::pair(left.a, left.b) < std::pair(right.a, right.b);
  });
}

Skeleton learn_skeleton(std::size_t size, const IndependenceTest& test, const IndependenceOptions& options,
                        const Precedence& knowledge, const Context& context) {
  Skeleton skeleton;
  skeleton.adjacent = BitMatrix(size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      if (a != b) skeleton.adjacent.set(a, b);
    }
  }
  for (std::size_t conditioning = 0;; ++conditioning) {
    const BitMatrix frozen = skeleton.adjacent;
    const auto candidates = [&](std::size_t a, std::size_t b) {
      return EdgeSearch{a,  b, possible_causes(frozen, a, b, knowledge), possible_causes(frozen, b, a, knowledge),
                        {}, {}};
    };
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < size; ++a) {
      for_each(frozen.row(a), [&](std::size_t b) {
        if (b < a) return;
        if (conditioning > 0) {
          const EdgeSearch edge = candidates(a, b);
          if (std::max(edge.from_a.size(), edge.from_b.size()) < conditioning) return;
        }
        edges.push_back({a, b});
      });
    }
    if (edges.empty()) return skeleton;
    if (options.max_conditioning >= 0 && conditioning > static_cast<std::size_t>(options.max_conditioning)) {
      return skeleton;
    }
    if (static_cast<long long>(conditioning) > test.largest_set) {
      skeleton.untested = edges.size();
      return skeleton;
    }
    skeleton.separate(search_separating_sets(edges, conditioning, candidates, test, options.alpha, context,
                                             fmt::format("tests given {}", conditioning)),
                      conditioning);
  }
}

}  // namespace olem::internal
