#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/named_value.h"
#include "olem/options.h"
#include "olem/sequence.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

// A decision task of the literature whose equations are known (docs/simulate.md).
struct NamedSimulator {
  std::string_view name;
  std::string_view help;  // one line
};

// ride-hailing, market, bank, steep, bermuda-measured, trader, farmer, doctor, comfort, glucose, rate, rounds, acted,
// acted-idle, branches.
std::span<const NamedSimulator> named_simulators();

struct NamedSimulationOptions {
  int rows = 1000;
  int rounds = 50;  // contexts to decide for
};

OptionSet describe(NamedSimulationOptions& options);

// The equations of one of them.
class NamedModel {
 public:
  // A usage error that suggests the closest name when there is none such. What all rows of a group share, such as the
  // levels of `branches`, is drawn with `seed`; without one with the seed of each call's context, which is the same
  // for rows and trials of one simulation.
  explicit NamedModel(std::string_view name, std::optional<std::uint64_t> seed = std::nullopt);

  std::string_view name() const;
  std::vector<std::string> names() const;                          // of the recorded columns, causes first
  std::vector<std::pair<std::size_t, std::size_t>> edges() const;  // from -> to
  std::vector<std::string> equations() const;  // one per column, also of those that are not recorded
  Task task() const;  // roles, domains, what is desired and what is known of the order; no data and no context

  // `rows` observations. The noise of a column is the stream (seed, "simulate.named", draw and column).
  Table draw(std::size_t rows, std::uint64_t draw, const Context& context) const;

  // One row per trial when the context has these values and then the alterations are made. Calls with the same `draw`
  // share their noise. A usage error for unknown names and for groups that the tables do not have, and a context whose
  // causes are not all given is a task error. A lever with a rule is set in each trial by what is seen there; a task
  // error where a rule answers to what its lever changes.
  Table decide(std::span<const NamedValue> observed, std::span<const NamedValue> alterations, std::size_t trials,
               std::uint64_t draw, const Context& context, std::span<const AlterationRule> rules = {}) const;

  // The share of such trials with the outcomes where they are desired.
  double success(std::span<const NamedValue> observed, std::span<const NamedValue> alterations, std::size_t trials,
                 std::uint64_t draw, const Context& context, std::span<const AlterationRule> rules = {}) const;

 private:
  std::size_t kind_ = 0;
  std::optional<std::uint64_t> seed_;
};

// A decision and its true success.
struct NamedDecision {
  std::vector<NamedValue> alterations;
  double success = 0.0;
};

// The best decision at once that a random search in the equations themselves finds for this context: points of the
// domains, then steps around the best ones, all on common draws; its success is that on others. A pure function of its
// arguments and the context's seed; about 200 000 rows.
NamedDecision best_decision(const NamedModel& model, std::span<const NamedValue> observed, const Context& context);

// What a truth file belongs to: "order", "auf", "bermuda", "mixed" or, for one of these simulators, "equations". A data
// error for a file that is no truth of olem.
std::string truth_kind(const std::string& path);
// Which of them, with the seed of the simulation.
NamedModel read_named_truth(const std::string& path);

struct NamedSimulation {
  NamedSimulationOptions options;
  std::string name;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  Table data;
  Table contexts;  // one row per round, one column per context variable; empty for a task without context
};

// A pure function of name, options, the context's seed and `index`, which is below 2^40.
NamedSimulation simulate_named(std::string_view name, const NamedSimulationOptions& options, std::uint64_t index,
                               const Context& context);

// data.csv, graph.csv, truth.json, task.json and contexts.csv, as write_simulation of the others. Where the context is
// empty, contexts.csv holds the groups of the rows, and a task without groups has none.
std::vector<std::string> write_simulation(const std::string& folder, const NamedSimulation& simulation, bool overwrite,
                                          const Context& context = {});

}  // namespace olem
