// CAM pruning of Sachs (853 x 11) on one thread, the same with nothing shared between children, and a full order of 20
// variables with 2000 rows.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "contexts.h"
#include "gam/additive_regression.h"
#include "gam/smooth_term_test.h"
#include "graph/csv_rows.h"
#include "olem/prune.h"
#include "olem/random.h"

namespace olem {

using namespace internal;
namespace {

using bench::with_threads;

void prune_sachs(benchmark::State& state) {
  const Table table = test::sachs();
  const Context context = with_threads(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(prune(table, test::sachs_olem_order(), PruneOptions{}, context));
  }
}
BENCHMARK(prune_sachs)->Unit(benchmark::kMillisecond);

ThinPlateSpectrum dense_spectrum(std::span<const double> column) {
  ThinPlateSpectrum spectrum = thin_plate_spectrum(column, 10);
  const Eigen::Index q = static_cast<Eigen::Index>(spectrum.values.size());
  Eigen::MatrixXd kernel(q, q);
  for (Eigen::Index b = 0; b < q; ++b) {
    for (Eigen::Index a = 0; a < q; ++a) {
      const double distance =
          std::abs(spectrum.values[static_cast<std::size_t>(a)] - spectrum.values[static_cast<std::size_t>(b)]);
      kernel(a, b) = distance * distance * distance / 12.0;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(kernel);
  std::vector<Eigen::Index> by_size(static_cast<std::size_t>(q));
  std::iota(by_size.begin(), by_size.end(), Eigen::Index{0});
  std::sort(by_size.begin(), by_size.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::abs(solver.eigenvalues()[a]) > std::abs(solver.eigenvalues()[b]);
  });
  by_size.resize(10);
  spectrum.eigenvalues = solver.eigenvalues()(by_size);
  spectrum.eigenvectors = solver.eigenvectors()(Eigen::all, by_size);
  return spectrum;
}

// Each child makes the bases of its own candidates, from the dense eigenproblem.
void prune_sachs_naive(benchmark::State& state) {
  const Table table = test::sachs();
  const std::vector<std::string> order = test::sachs_olem_order();
  const Context context = with_threads(1);
  for (auto _ : state) {
    for (std::size_t child = 1; child < order.size(); ++child) {
      std::vector<std::size_t> columns;
      for (std::size_t j = 0; j <= child; ++j) columns.push_back(table.index(order[j]));
      const Table part = table.with_columns(columns);
      std::vector<ThinPlateSpectrum> spectra;
      for (std::size_t j = 0; j <= child; ++j) spectra.push_back(dense_spectrum(part.column(j)));
      const AdditiveDesign design(part, spectra, 10, context);
      std::vector<std::size_t> parents(child);
      std::iota(parents.begin(), parents.end(), std::size_t{0});
      const AdditiveFit fit = design.fit(child, parents, SmoothingRule{}, Inference::kCovariance, context);
      for (const AdditiveTerm& term : fit.terms) {
        benchmark::DoNotOptimize(smooth_term_test(term.coefficients, term.covariance, term.reference_df,
                                                  static_cast<double>(part.rows()) - fit.edf));
      }
    }
  }
}
BENCHMARK(prune_sachs_naive)->Unit(benchmark::kMillisecond);

// Each column depends on about three columns before it, half of the effects not linear.
Table additive_table(std::size_t rows, std::size_t columns) {
  RandomStream random(1, "prune_bench");
  std::vector<double> values(rows * columns);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < columns; ++j) {
    names.push_back("x" + std::to_string(j));
    double* child = values.data() + j * rows;
    for (std::size_t i = 0; i < rows; ++i) child[i] = random.normal();
    for (std::size_t p = 0; p < j; ++p) {
      const bool linked = random.uniform() * static_cast<double>(j) < 3.0;
      const bool linear = random.uniform() < 0.5;
      if (!linked) continue;
      for (std::size_t i = 0; i < rows; ++i) {
        const double x = values[p * rows + i];
        child[i] += linear ? 0.5 * x : std::sin(1.5 * x);
      }
    }
  }
  return {names, values, "benchmark"};
}

void prune_full_order(benchmark::State& state) {
  const Table table =
      additive_table(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const Context context = with_threads(static_cast<int>(state.range(2)));
  for (auto _ : state) benchmark::DoNotOptimize(prune(table, table.names(), PruneOptions{}, context));
}
BENCHMARK(prune_full_order)
    ->ArgNames({"rows", "columns", "threads"})
    ->Args({2000, 20, 1})
    ->Args({2000, 20, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace olem

BENCHMARK_MAIN();
