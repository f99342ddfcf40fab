// What the OpenBLAS factor is worth, measured against Eigen's in the same run, and what a whole simulation costs.
#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <vector>

#include "core/lapack.h"
#include "olem/simulate.h"
#include "simulate/gaussian_process.h"
#include "support/datasets.h"

using namespace olem::internal;

namespace {

using olem::Context;

Context one_thread() {
  Context context;
  context.threads = 1;
  return context;
}

std::vector<double> kernel_matrix(std::size_t n, std::size_t parents) {
  const olem::Table table = olem::test::normal_table(n, parents, 1);
  olem::internal::Coordinates points;
  for (std::size_t p = 0; p < parents; ++p) points.push_back(table.column(p));
  std::vector<double> matrix(n * n);
  olem::internal::fill_rbf_kernel(points, 1e-8, matrix.data(), one_thread());
  return matrix;
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Both factors of the same kernel matrix in turn; the time is ours, `eigen_over_ours` the ratio of the two.
void cholesky(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<double> kernel = kernel_matrix(n, 3);
  double ours = 0.0;
  double eigen = 0.0;
  for (auto _ : state) {
    std::vector<double> matrix = kernel;
    const double time = seconds([&] { benchmark::DoNotOptimize(olem::internal::cholesky_lower(matrix.data(), n)); });
    Eigen::MatrixXd copy =
        Eigen::Map<const Eigen::MatrixXd>(kernel.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    eigen += seconds([&] {
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(copy);
      benchmark::DoNotOptimize(factor.info());
    });
    ours += time;
    state.SetIterationTime(time);
  }
  state.counters["eigen_over_ours"] = eigen / ours;
}
BENCHMARK(cholesky)->Arg(500)->Arg(2000)->UseManualTime()->Unit(benchmark::kMillisecond);

void kernel(benchmark::State& state) {
  const std::size_t n = 2000;
  const auto parents = static_cast<std::size_t>(state.range(0));
  const olem::Table table = olem::test::normal_table(n, parents, 1);
  olem::internal::Coordinates points;
  for (std::size_t p = 0; p < parents; ++p) points.push_back(table.column(p));
  std::vector<double> matrix(n * n);
  for (auto _ : state) olem::internal::fill_rbf_kernel(points, 1e-8, matrix.data(), one_thread());
}
BENCHMARK(kernel)->Arg(3)->Arg(15)->Unit(benchmark::kMillisecond);

// d = 20, n = 2000; the arguments are density and linearity in percent.
void order_model(benchmark::State& state) {
  olem::OrderSimulationOptions options;
  options.variables = 20;
  options.density = static_cast<double>(state.range(0)) / 100.0;
  options.linearity = static_cast<double>(state.range(1)) / 100.0;
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(olem::random_order_model(options, index++, one_thread()));
}
BENCHMARK(order_model)->Args({30, 0})->Args({80, 0})->Args({30, 100})->Unit(benchmark::kMillisecond);

void auf_task(benchmark::State& state) {
  olem::AufSimulationOptions options;
  options.family = state.range(0) == 0 ? olem::AufFamily::kLinear : olem::AufFamily::kMlp;
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(olem::random_auf_task(options, index++, one_thread()));
}
BENCHMARK(auf_task)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
