#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/parallel.h"
#include "olem/simulate.h"

// Decision tasks whose truth is known, and how good decisions are in them.
namespace olem::bench {

constexpr std::size_t kTrials = 5000;

struct Setting {
  std::string name;
  std::string family;  // of settings that differ in their noise alone
  std::function<Simulation(std::uint64_t index)> make;
};

// "bermuda", or "auf" for the four synthetic settings.
inline std::vector<Setting> settings_of(const std::string& what) {
  if (what == "bermuda")
    return {{"Bermuda", "Bermuda", [](std::uint64_t i) { return bermuda_task({}, i, Context()); }}};
  std::vector<Setting> settings;
  for (const AufFamily family : {AufFamily::kLinear, AufFamily::kMlp}) {
    for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential}) {
      AufSimulationOptions options;
      options.family = family;
      options.noise = noise;
      const std::string name = family == AufFamily::kLinear ? "SynLr" : "SynNlr";
      settings.push_back({name + (noise == NoiseKind::kBeta ? "Beta" : "Exp"), name,
                          [options](std::uint64_t i) { return random_auf_task(options, i, Context()); }});
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
