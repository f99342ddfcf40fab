// CAM's search on Sachs (table 0: 853 x 11) and on a linear model (table 1: 1000 x 15), and the form in which every
// gain is computed anew after every edge.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "contexts.h"
#include "graph/csv_rows.h"
#include "olem/order_cam.h"
#include "order/cam.h"

namespace olem {

using namespace internal;
namespace {

using bench::with_threads;

Table table_of(std::int64_t which) { return which == 0 ? test::sachs() : test::linear_table(1000, 15, 1); }

void cam_search(benchmark::State& state) {
  const Table table = table_of(state.range(0));
  const Context context = with_threads(static_cast<int>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(learn_order_cam(table, {}, {}, context));
}

// The same edges: every step looks at all edges that close no cycle and computes their gains.
std::vector<Edge> naive_search(const CamScores& scores, const Context& context) {
  const std::size_t d = scores.table().columns();
  std::vector<std::vector<std::size_t>> parents(d);
  BitMatrix reach(d);
  std::vector<Edge> edges;
  while (true) {
    Edge best;
    double best_gain = -std::numeric_limits<double>::infinity();
    for (std::size_t to = 0; to < d; ++to) {
      const double without = scores.score(to, parents[to], context);
      for (std::size_t from = 0; from < d; ++from) {
        const bool there = std::find(parents[to].begin(), parents[to].end(), from) != parents[to].end();
        if (from == to || there || reach.test(to, from)) continue;
        std::vector<std::size_t> with = parents[to];
        with.push_back(from);
        const double gain = scores.score(to, with, context) - without;
        if (gain > best_gain + 1e-10) {  // of equal gains the first, as in the search
          best_gain = gain;
          best = {from, to};
        }
      }
    }
    if (best.from == best.to) return edges;
    edges.push_back(best);
    parents[best.to].push_back(best.from);
    BitSet below(d);
    below.unite(reach.row(best.to));
    below.set(best.to);
    for (std::size_t a = 0; a < d; ++a) {
      if (a == best.from || reach.test(a, best.from)) reach.unite_row(a, below);
    }
  }
}

// Prints how many times longer it takes than the search that keeps its gains.
void cam_search_naive(benchmark::State& state) {
  const Table table = table_of(state.range(0));
  const Context context = with_threads(1);
  const auto seconds_of = [](const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<Edge> naive;
  OrderResult ours;
  double slow = 0.0;
  double fast = 0.0;
  for (auto _ : state) {
    slow += seconds_of([&] { naive = naive_search(CamScores(table, table.columns() - 1, context), context); });
    state.PauseTiming();
    fast += seconds_of([&] { ours = learn_order_cam(table, {}, {}, context); });
    state.ResumeTiming();
  }
  for (std::size_t i = 0; i < naive.size(); ++i) {
    if (table.name(naive[i].from) != ours.inclusions[i].from || table.name(naive[i].to) != ours.inclusions[i].to) {
      state.SkipWithError("the two searches differ");
      return;
    }
  }
  state.counters["times_slower"] = slow / fast;
}

BENCHMARK(cam_search)
    ->ArgNames({"table", "threads"})
    ->Args({0, 1})
    ->Args({0, 2})
    ->Args({1, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(cam_search_naive)->ArgNames({"table"})->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace olem

BENCHMARK_MAIN();
