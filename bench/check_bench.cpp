// How often the data checks find planted faults, and how often they warn about tables without any.
//
//   check_bench [--tables N] [--seed S] [--only FAULT] [-v]
//
// Constants of the checks were chosen on seeds 1, 11 and 12; docs/checks.md reports seed 2.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include "olem/data_check.h"
#include "support/random_tables.h"

namespace {

using olem::Problem;
using olem::Severity;

std::vector<Problem> warnings_about(const olem::test::RandomTableParts& parts, olem::CheckDepth depth) {
  std::vector<Problem> warnings;
  for (Problem& problem : olem::check_table(parts.table(), {}, depth, &parts.facts)) {
    if (problem.severity != Severity::kNote) warnings.push_back(std::move(problem));
  }
  return warnings;
}

double standard_error(double share, std::size_t count) {
  return 100.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(count));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t tables = 200;
  std::uint64_t seed = 2;
  std::string only;  // "clean" or the name of a fault
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-v") verbose = true;
    if (i + 1 == argc) continue;
    if (word == "--tables") tables = std::strtoull(argv[i + 1], nullptr, 10);
    if (word == "--only") only = argv[i + 1];
    if (word == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  using Clock = std::chrono::steady_clock;
  fmt::print("{} tables each, seed {}; percent with standard errors\n\n", tables, seed);
  std::size_t warned = 0;
  std::map<std::string, std::size_t> codes;
  double cheap_seconds = 0.0;
  double seconds = 0.0;
  for (std::size_t t = 0; t < tables && (only.empty() || only == "clean"); ++t) {
    const auto parts = olem::test::random_clean_table(seed, t);
    const auto start = Clock::now();
    const auto found = warnings_about(parts, olem::CheckDepth::kThorough);
    const auto middle = Clock::now();
    warnings_about(parts, olem::CheckDepth::kCheap);
    seconds += std::chrono::duration<double>(middle - start).count();
    cheap_seconds += std::chrono::duration<double>(Clock::now() - middle).count();
    if (!found.empty()) ++warned;
    for (const Problem& problem : found) {
      ++codes[problem.code];
      if (verbose)
        fmt::print("  clean {} ({} x {}): {}: {}\n", t, parts.rows(), parts.columns.size(), problem.code, problem.text);
    }
  }
  const double share = static_cast<double>(warned) / static_cast<double>(tables);
  fmt::print("{:<18} {:>6.1f} +- {:.1f}  with any warning\n", "clean tables", 100.0 * share,
             standard_error(share, tables));
  for (const auto& [code, count] : codes) fmt::print("  {:<16} {}\n", code, count);
  fmt::print("  thorough checks take {:.2f} times as long as cheap ones\n\n", seconds / cheap_seconds);
  for (const olem::test::PlantedFault& fault : olem::test::planted_faults()) {
    if (!only.empty() && only != fault.name) continue;
    std::size_t found = 0;
    std::size_t cheaply = 0;
    for (std::size_t t = 0; t < tables; ++t) {
      const auto parts = olem::test::random_faulty_table(fault, seed, t);
      const auto has = [&](const std::vector<Problem>& problems) {
        return std::any_of(problems.begin(), problems.end(),
                           [&](const Problem& problem) { return problem.code == fault.code; });
      };
      const bool seen = has(warnings_about(parts, olem::CheckDepth::kThorough));
      found += seen ? 1 : 0;
      cheaply += has(warnings_about(parts, olem::CheckDepth::kCheap)) ? 1 : 0;
      if (verbose && !seen)
        fmt::print("  missed {} in {} ({} x {})\n", fault.name, t, parts.rows(), parts.columns.size());
    }
    const double rate = static_cast<double>(found) / static_cast<double>(tables);
    fmt::print("{:<18} {:>6.1f} +- {:.1f}  found ({:.1f} by the cheap part)\n", fault.name, 100.0 * rate,
               standard_error(rate, tables), 100.0 * static_cast<double>(cheaply) / static_cast<double>(tables));
  }
  return 0;
}
