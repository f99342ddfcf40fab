// Speed of the CSV reader on about 50 MB of typical numbers, against std::getline with std::stod. Prints the ratio.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "olem/random.h"
#include "olem/table.h"

namespace olem {
namespace {

enum class Digits { kSix, kShortest };

// 20 columns; six significant digits, as people write them, or the 16 or 17 that programs write.
const std::string& text_of(Digits digits) {
  static std::map<Digits, std::string> texts;
  std::string& text = texts[digits];
  constexpr std::size_t kBytes = 50'000'000;
  constexpr int kColumns = 20;
  if (!text.empty()) return text;
  for (int j = 0; j < kColumns; ++j) text += fmt::format("x{}{}", j, j + 1 < kColumns ? ',' : '\n');
  RandomStream random(7, "csv_bench");
  while (text.size() < kBytes) {
    for (int j = 0; j < kColumns; ++j) {
      const double value = 10.0 * random.normal();
      text += digits == Digits::kSix ? fmt::format("{:.6g}", value) : fmt::format("{}", value);
      text += j + 1 < kColumns ? ',' : '\n';
    }
  }
  return text;
}

std::vector<std::vector<double>> read_naively(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::string cell;
  std::getline(stream, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(stream, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

std::map<std::pair<Digits, bool>, double> bytes_per_second;

template <class Read>
void measure(benchmark::State& state, Digits digits, bool naive, Read read) {
  const std::string& text = text_of(digits);
  // Processor time: the reader uses one core, and other work on the machine must not count against it.
  double seconds = 0.0;
  for (auto _ : state) {
    const std::clock_t start = std::clock();
    benchmark::DoNotOptimize(read(text));
    const double elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    state.SetIterationTime(elapsed);
    seconds += elapsed;
  }
  const double rate = static_cast<double>(text.size()) * static_cast<double>(state.iterations()) / seconds;
  bytes_per_second[{digits, naive}] = rate;
  state.counters["MB/s"] = rate / 1e6;
  const auto other = bytes_per_second.find({digits, !naive});
  if (other != bytes_per_second.end()) {
    state.counters["olem/naive"] = naive ? other->second / rate : rate / other->second;
  }
}

void naive(benchmark::State& state, Digits digits) { measure(state, digits, true, read_naively); }

void olem_csv(benchmark::State& state, Digits digits) {
  const Context context;
  measure(state, digits, false,
          [&context](const std::string& text) { return read_csv_text(text, "bench", {}, context); });
}

BENCHMARK_CAPTURE(naive, six_digits, Digits::kSix)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(olem_csv, six_digits, Digits::kSix)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(naive, shortest_form, Digits::kShortest)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(olem_csv, shortest_form, Digits::kShortest)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace olem

BENCHMARK_MAIN();
