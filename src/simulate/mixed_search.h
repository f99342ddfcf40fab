#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "olem/simulate_mixed.h"
#include "simulate/mixed_draws.h"

namespace olem::internal {

// Values of the levers, in the order of the task; nothing: left alone.
using LeverValues = std::vector<std::optional<double>>;

// A task with its names resolved, and noise for `trials` draws of every node that is not context. Must not outlive
// model and task.
class MixedTrials {
 public:
  MixedTrials(const MixedModel& model, const MixedTask& task, std::size_t trials, std::string_view purpose,
              std::uint64_t draw, const Context& context);

  std::size_t trials() const { return trials_; }

 private:
  friend class ContextTrials;
  const MixedModel& model_;
  const MixedTask& task_;
  std::size_t trials_;
  std::vector<std::size_t> context_;  // nodes, in the order of the task
  std::vector<std::size_t> levers_;
  std::vector<std::size_t> outcomes_;
  std::vector<std::size_t> free_;     // nodes that are not context and matter for an outcome, causes first
  std::vector<std::size_t> movable_;  // of these the levers and what depends on them
  Columns noise_;
};

// The trials in one context. Not for several threads at once.
class ContextTrials {
 public:
  // `observed` has one value per context variable of the task, in its order.
  ContextTrials(const MixedTrials& trials, std::span<const double> observed);

  // Share of the first `count` trials in which all goals hold.
  double success(const LeverValues& levers, std::size_t count);
  double success(const LeverValues& levers) { return success(levers, trials_.trials_); }

 private:
  const MixedTrials& trials_;
  Columns columns_;
};

struct MixedDecision {
  LeverValues levers;
  double success = 0.0;
};

// The best points of a coarse search, best first, at most `most`. The points are those of the stream (seed,
// "simulate.mixed.search").
std::vector<MixedDecision> screen_decisions(ContextTrials& trials, const MixedTask& task, const MixedModel& model,
                                            std::size_t most, std::uint64_t seed);

// The draws of best_decision, which all contexts of a task share.
struct SearchTrials {
  SearchTrials(const MixedModel& model, const MixedTask& task, const Context& context);
  MixedTrials search;
  MixedTrials choice;
  MixedTrials report;
};

TrueDecision best_decision(const MixedModel& model, const MixedTask& task, const SearchTrials& trials,
                           std::span<const double> observed, std::uint64_t seed);

}  // namespace olem::internal
