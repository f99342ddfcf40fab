// OLEM against the naive form of it, in one run: prints seconds and ratios.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "olem/order.h"
#include "support/datasets.h"

namespace {

using olem::Context;
using olem::OlemOptions;
using olem::Table;

// The textbook triple loop: every step, every candidate, every pair of points. Rows are contiguous, as anybody would
// store them.
std::vector<std::size_t> naive_order(const Table& table) {
  const std::size_t n = table.rows();
  std::vector<std::size_t> remaining(table.columns());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  std::vector<std::size_t> order;
  while (remaining.size() > 1) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t sink = 0;
    for (std::size_t candidate = 0; candidate < remaining.size(); ++candidate) {
      const std::size_t m = remaining.size() - 1;
      std::vector<double> rows(n * m);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t v = 0, at = 0; v < remaining.size(); ++v) {
          if (v != candidate) rows[i * m + at++] = table.at(i, remaining[v]);
        }
      }
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < n; ++j) {
          if (j == i) continue;
          double squared = 0.0;
          for (std::size_t v = 0; v < m; ++v) {
            const double difference = rows[i * m + v] - rows[j * m + v];
            squared += difference * difference;
          }
          nearest = std::min(nearest, squared);
        }
        sum += 0.5 * std::log(nearest);
      }
      if (sum < best) {
        best = sum;
        sink = candidate;
      }
    }
    order.insert(order.begin(), remaining[sink]);
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(sink));
  }
  order.insert(order.begin(), remaining.front());
  return order;
}

const Table& data(bool linear, std::size_t n, std::size_t d) {
  static std::map<std::tuple<bool, std::size_t, std::size_t>, Table> tables;
  const auto key = std::make_tuple(linear, n, d);
  const auto found = tables.find(key);
  if (found != tables.end()) return found->second;
  return tables.emplace(key, linear ? olem::test::linear_table(n, d, 1) : olem::test::normal_table(n, d, 1))
      .first->second;
}

void naive(benchmark::State& state, bool linear, std::size_t n, std::size_t d) {
  const Table& table = data(linear, n, d);
  for (auto _ : state) benchmark::DoNotOptimize(naive_order(table));
}

void ours(benchmark::State& state, bool linear, std::size_t n, std::size_t d, int threads, olem::NeighbourEngine engine,
          olem::InstructionSet instruction_set) {
  const Table& table = data(linear, n, d);
  Context context;
  context.threads = threads;
  OlemOptions options;
  options.entropy.engine = engine;
  options.entropy.instruction_set = instruction_set;
  for (auto _ : state) benchmark::DoNotOptimize(learn_order_olem(table, options, {}, context));
}

// Remembers every time, to print the ratios at the end.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {  // NOLINT(readability-identifier-naming): Google Benchmark's
    for (const Run& run : runs)
      seconds_[run.benchmark_name()] = run.real_accumulated_time / static_cast<double>(run.iterations);
    ConsoleReporter::ReportRuns(runs);
  }
  void print(const std::string& slow, const std::string& fast) const {
    const auto a = find(slow);
    const auto b = find(fast);
    if (a > 0.0 && b > 0.0) fmt::print("{:<34} / {:<34} = {:8.1f}\n", slow, fast, a / b);
  }

 private:
  double find(const std::string& name) const {
    for (const auto& [key, value] : seconds_) {
      if (key.rfind(name + "/", 0) == 0 || key == name) return value;
    }
    return 0.0;
  }
  std::map<std::string, double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  using olem::InstructionSet;
  using olem::NeighbourEngine;
  const auto add = [](const std::string& name, auto function) {
    return benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  for (const bool linear : {false, true}) {
    const std::string kind = linear ? "linear" : "normal";
    add("naive_" + kind + "_2000x20", [=](auto& s) { naive(s, linear, 2000, 20); })->Iterations(1);
    const auto run = [&](const std::string& name, std::size_t n, std::size_t d, int threads, NeighbourEngine engine,
                         InstructionSet set) {
      add(name, [=](auto& s) { ours(s, linear, n, d, threads, engine, set); });
    };
    run("olem_" + kind + "_2000x20", 2000, 20, 1, NeighbourEngine::kAuto, InstructionSet::kAuto);
    run("olem_" + kind + "_2000x20_avx2", 2000, 20, 1, NeighbourEngine::kAuto, InstructionSet::kAvx2);
    run("olem_" + kind + "_2000x20_portable", 2000, 20, 1, NeighbourEngine::kAuto, InstructionSet::kPortable);
    run("olem_" + kind + "_2000x20_two_threads", 2000, 20, 2, NeighbourEngine::kAuto, InstructionSet::kAuto);
    for (const std::size_t n : {5000U, 10000U, 20000U}) {
      run("olem_" + kind + "_" + std::to_string(n) + "x20_two_threads", n, 20, 2, NeighbourEngine::kAuto,
          InstructionSet::kAuto);
    }
    // The measured rule between tree and sweep (src/entropy/neighbours.cpp) comes from these.
    for (const std::size_t d : {3U, 4U, 5U, 6U, 8U}) {
      for (const std::size_t n : {2000U, 10000U, 40000U}) {
        const std::string size = std::to_string(n) + "x" + std::to_string(d);
        run("sweep_" + kind + "_" + size, n, d, 1, NeighbourEngine::kSweep, InstructionSet::kAuto);
        run("tree_" + kind + "_" + size, n, d, 1, NeighbourEngine::kTree, InstructionSet::kAuto);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  fmt::print("\nratio of times\n");
  for (const std::string kind : {"normal", "linear"}) {
    const std::string ours = "olem_" + kind + "_2000x20";
    ratios.print("naive_" + kind + "_2000x20", ours);
    ratios.print("naive_" + kind + "_2000x20", ours + "_avx2");
    ratios.print("naive_" + kind + "_2000x20", ours + "_portable");
    ratios.print(ours, ours + "_two_threads");
    ratios.print("olem_" + kind + "_10000x20_two_threads", "olem_" + kind + "_5000x20_two_threads");
    ratios.print("olem_" + kind + "_20000x20_two_threads", "olem_" + kind + "_10000x20_two_threads");
    for (const std::string d : {"3", "4", "5", "6", "8"}) {
      for (const std::string n : {"2000", "10000", "40000"}) {
        ratios.print("tree_" + kind + "_" + n + "x" + d, "sweep_" + kind + "_" + n + "x" + d);
      }
    }
  }
  return 0;
}
