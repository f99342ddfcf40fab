#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/parallel.h"
#include "olem/simulate.h"
#include "stress_tasks.h"

// Decision tasks whose truth is known, and how good decisions are in them.
namespace olem::bench {

constexpr std::size_t kTrials = 5000;

struct Setting {
  std::string name;
  std::string family;  // of settings that differ in their noise alone
  std::function<Simulation(std::uint64_t index)> make;
};

// "bermuda", "units" (Bermuda with columns in random units), "stress" (stress_tasks.h), or "auf" for the four synthetic
// settings.
inline std::vector<Setting> settings_of(const std::string& what, std::uint64_t seed = 0, int rows = 1000) {
  Context seeded;
  seeded.seed = seed;
  BermudaSimulationOptions bermuda;
  bermuda.rows = rows;
  if (what == "bermuda")
    return {{"Bermuda", "Bermuda", [=](std::uint64_t i) { return bermuda_task(bermuda, i, seeded); }}};
  if (what == "units") {
    return {{"Bermuda, random units", "Bermuda",
             [=](std::uint64_t i) { return in_random_units(bermuda_task(bermuda, i, seeded), seed); }}};
  }
  std::vector<Setting> settings;
  if (what == "stress") {
    constexpr int kRounds = 20;
    const std::pair<StressFamily, const char*> families[] = {{StressFamily::kLinearExponential, "linear, exponential"},
                                                             {StressFamily::kLinearBeta, "linear, beta"},
                                                             {StressFamily::kNetworkExponential, "mlp, exponential"},
                                                             {StressFamily::kNetworkBeta, "mlp, beta"}};
    for (const auto& [family, name] : families) {
      settings.push_back({std::string("stress ") + name, "stress",
                          [=, kind = family](std::uint64_t i) { return stress_task(kind, i, seed, rows, kRounds); }});
    }
    settings.push_back({"stress linear, exponential, random units", "stress in random units", [=](std::uint64_t i) {
                          return in_random_units(stress_task(StressFamily::kLinearExponential, i, seed, rows, kRounds),
                                                 seed);
                        }});
    settings.push_back({"stress linear, Gaussian", "stress, linear Gaussian", [=](std::uint64_t i) {
                          return stress_task(StressFamily::kLinearGaussian, i, seed, rows, kRounds);
                        }});
    return settings;
  }
  for (const AufFamily family : {AufFamily::kLinear, AufFamily::kMlp}) {
    for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential}) {
      AufSimulationOptions options;
      options.family = family;
      options.noise = noise;
      options.rows = rows;
      const std::string name = family == AufFamily::kLinear ? "SynLr" : "SynNlr";
      settings.push_back({name + (noise == NoiseKind::kBeta ? "Beta" : "Exp"), name,
                          [=](std::uint64_t i) { return random_auf_task(options, i, seeded); }});
    }
  }
  return settings;
}

// With noise that decisions share, so that their differences are not chance.
inline double true_success(const Simulation& simulation, const std::vector<NamedValue>& observed,
                           const std::vector<NamedValue>& alterations, std::size_t trials = kTrials,
                           std::uint64_t draw = 2) {
  Context serial;
  serial.threads = 1;
  return success_rate(simulate_decision(simulation.model, observed, alterations, trials, draw, serial),
                      simulation.task->desired);
}

// One context to decide for.
struct Round {
  std::vector<double> values;
  std::vector<NamedValue> named;
  double without_action = 0.0;
};

inline std::vector<Round> rounds_of(const Simulation& simulation, std::size_t count) {
  std::vector<Round> rounds(count);
  parallel_for(Context(), 0, count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const Table& contexts = simulation.task->contexts;
      for (std::size_t k = 0; k < contexts.columns(); ++k) {
        rounds[r].values.push_back(contexts.at(r, k));
        rounds[r].named.push_back({contexts.name(k), contexts.at(r, k)});
      }
      rounds[r].without_action = true_success(simulation, rounds[r].named, {});
    }
  });
  return rounds;
}

inline double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace olem::bench
