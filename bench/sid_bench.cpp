// SID against the plain form of it, in one run: prints seconds and the ratio.
#include <benchmark/benchmark.h>

#include <chrono>
#include <stdexcept>

#include "graph/graphs.h"
#include "olem/metrics.h"

namespace olem {

namespace {

constexpr std::size_t kNodes = 200;
constexpr std::size_t kEdges = 1000;

Dag dag_with_edges(std::uint64_t index) {
  RandomStream random(1, "sid bench", index);
  const std::size_t pairs = kNodes * (kNodes - 1) / 2;
  std::vector<bool> chosen(pairs);
  for (const std::size_t pair : random.sample_without_replacement(pairs, kEdges)) chosen[pair] = true;
  std::vector<std::size_t> order(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) order[i] = i;
  for (std::size_t i = kNodes; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<Edge> edges;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = i + 1; j < kNodes; ++j) {
      if (chosen[pair++]) edges.push_back({order[i], order[j]});
    }
  }
  return test::make_dag(kNodes, edges);
}

// One test of d-separation per ordered pair, in the graph without the first edges of the causal paths (Shpitser et al.
// 2010), with lists of neighbours and ready tables of descendants.
std::size_t sid_pair_by_pair(const Dag& truth, const Dag& learned) {
  const BitMatrix below = all_descendants(truth);
  std::vector<std::vector<std::size_t>> children(kNodes);
  std::vector<std::vector<std::size_t>> parents(kNodes);
  for (const Edge& edge : truth.edges()) {
    children[edge.from].push_back(edge.to);
    parents[edge.to].push_back(edge.from);
  }
  const auto separated = [&](std::size_t t, std::size_t y, BitRow given) {
    const auto removed = [&](std::size_t from, std::size_t to) { return from == t && (to == y || below.test(to, y)); };
    std::vector<bool> seen(2 * kNodes);
    std::vector<std::pair<std::size_t, bool>> stack = {{t, false}};  // node, came from a parent
    while (!stack.empty()) {
      const auto [node, down] = stack.back();
      stack.pop_back();
      if (seen[2 * node + (down ? 1 : 0)]) continue;
      seen[2 * node + (down ? 1 : 0)] = true;
      if (node == y) return false;
      const bool held = contains(given, node);
      if (!held) {
        for (const std::size_t child : children[node]) {
          if (!removed(node, child)) stack.emplace_back(child, true);
        }
      }
      if (held == down) {
        for (const std::size_t parent : parents[node]) {
          if (!removed(parent, node)) stack.emplace_back(parent, false);
        }
      }
    }
    return true;
  };
  std::size_t total = 0;
  for (std::size_t t = 0; t < kNodes; ++t) {
    const BitRow given = learned.parents(t);
    for (std::size_t y = 0; y < kNodes; ++y) {
      if (y == t) continue;
      if (contains(given, y)) {
        total += below.test(t, y) ? 1 : 0;
        continue;
      }
      bool wrong = false;
      for (std::size_t inner = 0; inner < kNodes && !wrong; ++inner) {
        if (!below.test(t, inner) || (inner != y && !below.test(inner, y))) continue;
        wrong = contains(given, inner) || intersects(below.row(inner), given);
      }
      total += wrong || !separated(t, y, given) ? 1 : 0;
    }
  }
  return total;
}

double plain_seconds = 0.0;

template <class Distance>
double measure(benchmark::State& state, Distance distance) {
  const Dag truth = dag_with_edges(0);
  const Dag learned = dag_with_edges(1);
  if (sid(truth, learned) != sid_pair_by_pair(truth, learned)) throw std::logic_error("the two forms disagree");
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(distance(truth, learned));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(state.iterations());
}

void pair_by_pair(benchmark::State& state) { plain_seconds = measure(state, sid_pair_by_pair); }

void one_search_per_node(benchmark::State& state) {
  const double seconds = measure(state, [](const Dag& a, const Dag& b) { return sid(a, b); });
  if (plain_seconds > 0.0) state.counters["plain/olem"] = plain_seconds / seconds;
}

BENCHMARK(pair_by_pair)->Unit(benchmark::kMillisecond);
BENCHMARK(one_search_per_node)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace olem

BENCHMARK_MAIN();
