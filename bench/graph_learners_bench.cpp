// Every learner of graphs on the same data, d = 10 to 100 with 2000 rows: time of one core, and how many pairs of its
// graph differ from the true equivalence class (of FCI the skeleton). Then GES against the form that makes all
// operators anew at every step.
#include <benchmark/benchmark.h>

#include <ctime>
#include <stdexcept>

#include "olem/graph_learner.h"
#include "olem/metrics.h"
#include "structure/gaussian_score.h"
#include "structure/linear_models.h"
#include "structure/plain_ges.h"

namespace olem {

using namespace internal;
namespace {

constexpr std::size_t kRows = 2000;
constexpr std::size_t kSizes[] = {10, 20, 50, 100};

// As many edges as variables: two neighbours each on average.
test::LinearModel sparse_model(std::size_t size) {
  RandomStream random(1, "graph learners bench", size);
  const std::size_t pairs = size * (size - 1) / 2;
  std::vector<bool> chosen(pairs);
  for (const std::size_t pair : random.sample_without_replacement(pairs, size)) chosen[pair] = true;
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<Edge> edges;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      if (chosen[pair++]) edges.push_back({order[i], order[j]});
    }
  }
  return test::random_linear_model(random, test::make_dag(size, edges));
}

void learn(benchmark::State& state, const std::string& method) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const test::LinearModel model = sparse_model(size);
  const Table table = test::sample(model, kRows, 1);
  GraphOptions options;
  options.method = method;
  // Without a bound the sets of Possible-D-Sep grow past all time.
  if (method == "fci") options.independence.max_conditioning = 3;
  GraphResult result;
  Context context;
  context.threads = 1;
  for (auto _ : state) result = learn_graph(table, options, {}, context);
  const bool skeleton = result.graph.kind() == GraphKind::kPag;
  const std::size_t distance =
      skeleton ? count_adjacencies(model.dag, result.graph).shd() : shd_cpdag(model.dag, result.graph);
  state.counters["edges"] = static_cast<double>(result.graph.edge_count());
  state.counters["SHD"] = static_cast<double>(distance);
}

double fast_seconds = 0.0;

// Seconds of the processor for each repetition.
template <class Search>
double measure(benchmark::State& state, Search search) {
  const std::clock_t start = std::clock();
  for (auto _ : state) search();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(state.iterations());
}

Covariance ges_data(const benchmark::State& state) {
  return covariance_of(test::sample(sparse_model(static_cast<std::size_t>(state.range(0))), kRows, 1), Context());
}

void ges_around_the_last_step(benchmark::State& state) {
  const Covariance covariance = ges_data(state);
  fast_seconds = measure(state, [&] { benchmark::DoNotOptimize(learn_ges(covariance, {}, {}, Context())); });
}

void ges_all_operators_anew(benchmark::State& state) {
  const Covariance covariance = ges_data(state);
  MixedGraph found;
  const double seconds = measure(state, [&] {
    GaussianScore score(covariance, 0.5);
    const auto local = [&](std::size_t y, const std::vector<std::size_t>& parents) { return score.local(y, parents); };
    const Precedence nothing;
    test::PlainGes plain(covariance.names, local, 1e-12 * covariance.rows, covariance.size(), nothing);
    plain.run();
    found = plain.graph;
  });
  if (!(found == learn_ges(covariance, {}, {}, Context()).graph)) throw std::logic_error("the two forms disagree");
  if (fast_seconds > 0.0) state.counters["plain/olem"] = seconds / fast_seconds;
}

void add_benchmarks() {
  for (const GraphLearnerKind& kind : graph_learners()) {
    if (kind.name != "notears" && kind.name != "ges" && kind.name != "pc" && kind.name != "fci") continue;
    auto* const entry =
        benchmark::RegisterBenchmark(kind.name.c_str(), [name = kind.name](auto& state) { learn(state, name); });
    for (const std::size_t size : kSizes) entry->Arg(static_cast<std::int64_t>(size));
    entry->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
  }
  for (const std::size_t size : kSizes) {
    const auto argument = static_cast<std::int64_t>(size);
    benchmark::RegisterBenchmark("ges_around_the_last_step", ges_around_the_last_step)
        ->Arg(argument)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("ges_all_operators_anew", ges_all_operators_anew)
        ->Arg(argument)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace olem

int main(int argc, char** argv) {
  olem::add_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
