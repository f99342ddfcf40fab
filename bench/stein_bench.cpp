// SCORE against the naive form of it, CaPS with its parent scores, and NOTEARS, in one run: prints seconds and ratios.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "contexts.h"
#include "olem/notears.h"
#include "olem/order.h"
#include "olem/simulate.h"
#include "support/datasets.h"

namespace {

using olem::Context;
using olem::Table;

// The formulas as they are written: a sort of all distances, a double loop over the rows for every column, a factor by
// Eigen and one solve for each column.
std::vector<std::size_t> naive_order(const Table& table) {
  const std::size_t n = table.rows();
  const auto size = static_cast<Eigen::Index>(n);
  std::vector<std::size_t> remaining(table.columns());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  std::vector<std::size_t> order;
  while (remaining.size() > 1) {
    Eigen::MatrixXd kernel(size, size);
    std::vector<double> distances;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        double squared = 0.0;
        for (const std::size_t j : remaining) {
          squared += (table.at(a, j) - table.at(b, j)) * (table.at(a, j) - table.at(b, j));
        }
        distances.push_back(std::sqrt(squared));
        kernel(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) = squared;
      }
    }
    std::sort(distances.begin(), distances.end());
    const double s = distances[(n * n - 1) / 2];
    kernel = (kernel.array() * (-0.5 / (s * s))).exp() / s;
    const Eigen::LDLT<Eigen::MatrixXd> factor(kernel + 0.001 * Eigen::MatrixXd::Identity(size, size));
    double least = std::numeric_limits<double>::infinity();
    std::size_t sink = 0;
    for (std::size_t v = 0; v < remaining.size(); ++v) {
      const auto x = table.column(remaining[v]);
      Eigen::VectorXd first = Eigen::VectorXd::Zero(size);
      Eigen::VectorXd second = Eigen::VectorXd::Zero(size);
      for (Eigen::Index a = 0; a < size; ++a) {
        for (Eigen::Index b = 0; b < size; ++b) {
          const double difference = x[static_cast<std::size_t>(a)] - x[static_cast<std::size_t>(b)];
          first[a] -= difference * kernel(b, a) / (s * s);
          second[a] += (difference * difference / (s * s) - 1.0) / (s * s) * kernel(b, a);
        }
      }
      const Eigen::VectorXd score = factor.solve(first);
      const Eigen::VectorXd hessian = factor.solve(second) - score.cwiseProduct(score);
      const double variance = (hessian.array() - hessian.mean()).square().sum();
      if (variance < least) {
        least = variance;
        sink = v;
      }
    }
    order.insert(order.begin(), remaining[sink]);
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(sink));
  }
  order.insert(order.begin(), remaining.front());
  return order;
}

// A linear model with average degree 2, which is what NOTEARS is made for.
Table sparse(std::size_t n, std::size_t d) {
  olem::OrderSimulationOptions options;
  options.variables = static_cast<int>(d);
  options.rows = static_cast<int>(n);
  options.density = 2.0 / static_cast<double>(d - 1);
  options.linearity = 1.0;
  options.noise = olem::NoiseKind::kGaussian;
  return random_order_model(options, 0, Context()).data;
}

const Table& data(std::size_t n, std::size_t d) {
  static std::map<std::pair<std::size_t, std::size_t>, Table> tables;
  return tables.try_emplace({n, d}, olem::test::linear_table(n, d, 1)).first->second;
}

using olem::bench::with_threads;

// Remembers every time, to print the ratios at the end.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {  // NOLINT(readability-identifier-naming): Google Benchmark's
    for (const Run& run : runs) {
      const std::string name = run.benchmark_name();
      seconds_[name.substr(0, name.find('/'))] = run.real_accumulated_time / static_cast<double>(run.iterations);
    }
    ConsoleReporter::ReportRuns(runs);
  }
  void print(const std::string& slow, const std::string& fast) const {
    const auto a = seconds_.find(slow);
    const auto b = seconds_.find(fast);
    if (a == seconds_.end() || b == seconds_.end()) return;
    fmt::print("{:<28} / {:<28} = {:6.1f}\n", slow, fast, a->second / b->second);
  }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, const auto& function) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [function](benchmark::State& state) {
                                   for (auto _ : state) benchmark::DoNotOptimize(function());
                                 })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->Iterations(1);
  };
  constexpr std::size_t kColumns = 10;
  const std::vector<std::size_t> sizes = {500, 1000, 2000};
  for (const std::size_t n : sizes) {
    const std::string size = fmt::format("{}x{}", n, kColumns);
    add("naive_" + size, [n] { return naive_order(data(n, kColumns)); });
    for (const int threads : {1, 2}) {
      add(fmt::format("score_{}_threads_{}", size, threads),
          [=] { return learn_order_score(data(n, kColumns), {}, {}, {}, with_threads(threads)); });
    }
    add("caps_with_parents_" + size, [n] {
      olem::CapsOptions options;
      options.parent_scores = true;
      return learn_order_caps(data(n, kColumns), {}, options, {}, with_threads(1));
    });
  }
  for (const std::size_t d : {10U, 20U, 50U, 100U}) {
    add(fmt::format("notears_2000x{}", d),
        [table = sparse(2000, d)] { return learn_notears(table, {}, {}, with_threads(1)); });
  }
  benchmark::Initialize(&argc, argv);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  fmt::print("\nratio of times\n");
  for (const std::size_t n : sizes) {
    const std::string size = fmt::format("{}x{}", n, kColumns);
    ratios.print("naive_" + size, fmt::format("score_{}_threads_1", size));
    ratios.print(fmt::format("score_{}_threads_1", size), fmt::format("score_{}_threads_2", size));
    ratios.print("caps_with_parents_" + size, fmt::format("score_{}_threads_1", size));
  }
  return 0;
}
