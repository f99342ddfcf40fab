#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/mixed_model.h"
#include "olem/named_value.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem {

// How often each type of column is drawn; only the ratios matter.
struct TypeShares {
  double real = 0.45;
  double positive = 0.15;
  double share = 0.1;
  double binary = 0.12;
  double category = 0.1;  // with 3 or 4 levels
  double count = 0.08;
  bool operator==(const TypeShares&) const = default;
};

// "real=0.5,category=0.5"; types that are not named have the share 0. A usage error about the option "types" for
// anything else, for negative shares and when no numeric type (real, positive, share, count) has a share.
TypeShares parse_type_shares(std::string_view text);
std::string to_text(const TypeShares& shares);

// A random decision task whose columns are of all types (docs/simulate.md).
struct MixedSimulationOptions {
  int variables = 12;
  int rows = 1000;
  TypeShares types;
  double missing = 0.0;  // share of the cells of the table that are missing, completely at random
  int rounds = 20;       // contexts to decide for
};

// All but the types.
OptionSet describe(MixedSimulationOptions& options);

// A random order, graph and equations; a pure function of the number of variables, the types, the context's seed and
// `index`. A quarter of the columns, the first of the order, are context and called X1, X2, ...; the last one or two
// are outcomes, Y1, Y2; the others are called Z1, Z2, ...
MixedModel random_mixed_model(const MixedSimulationOptions& options, std::uint64_t index, const Context& context);

// A lever and what it may be set to: one of the values where there are any (a discrete column), or from low to high.
struct MixedLever {
  std::string name;
  double low = 0.0;
  double high = 0.0;
  std::vector<double> values;
};

// What is wanted of one outcome: one of the levels where there are any, or a range, sides included.
struct MixedGoal {
  std::string name;
  std::optional<double> low;
  std::optional<double> high;
  std::vector<double> levels;

  bool holds(double value) const;
};

struct MixedTask {
  std::vector<std::string> context;
  std::vector<MixedLever> alterable;
  std::vector<std::string> outcome;
  std::vector<MixedGoal> desired;  // one per outcome
};

// A decision for one context, evaluated with the true model.
struct TrueDecision {
  std::vector<NamedValue> observed;
  std::vector<NamedValue> alterations;  // levers that are left alone are not among them
  double success = 0.0;
  double without_action = 0.0;
};

struct MixedSimulation {
  MixedSimulationOptions options;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  int attempts = 1;  // models that were drawn until one had a task
  MixedModel model;
  Table data;                 // draw_rows(model, rows, index) with this seed, complete
  std::vector<bool> missing;  // of the cells of `data`, column by column; empty: none
  MixedTask task;
  Table contexts;                  // one row per decision round, one column per context variable
  double without_action = 0.0;     // success over all contexts
  std::vector<TrueDecision> best;  // best_decision for the first 20 contexts at most
};

inline std::string_view kind_name(const MixedSimulation& /*simulation*/) { return "mixed"; }

// A random model with a task: 3 levers between context and outcomes, at least one of them discrete where there is one;
// a desired region that has a probability of .2 to .45 without action, over all contexts, and that the best decision
// raises by at least .15, in the mean over 20 contexts. A model without such a task is drawn again, at most 50 times;
// then this is a task error. A pure function of options, seed and `index`, which is below 2^40.
MixedSimulation random_mixed_task(const MixedSimulationOptions& options, std::uint64_t index, const Context& context);

// The share of `trials` draws of the true model in which all goals hold, after the alterations in a context that is
// fully observed. Calls with the same `draw` share their noise. Throws what simulate_decision throws.
double evaluate_decision(const MixedModel& model, const MixedTask& task, std::span<const NamedValue> observed,
                         std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                         const Context& context);

// The best decision found with the true model: all combinations of levels, and of levers that are left alone, with a
// search over the numeric levers, on common draws; what comes back was evaluated on fresh ones. Uses one thread.
TrueDecision best_decision(const MixedModel& model, const MixedTask& task, std::span<const NamedValue> observed,
                           const Context& context);

// The files as text. Levels are words, missing cells are empty.
std::string data_csv(const MixedSimulation& simulation, const Context& context);
// A task file (docs/task.md) with the types of all columns; `observed` is the first context.
Json task_json(const MixedSimulation& simulation);

// As write_simulation of other simulations: data.csv, graph.csv, truth.json, task.json and contexts.csv.
std::vector<std::string> write_simulation(const std::string& folder, const MixedSimulation& simulation, bool overwrite,
                                          const Context& context = {});

// The model and the task of a truth file that write_simulation wrote, its format and version checked first.
struct MixedTruth {
  MixedModel model;
  MixedTask task;
};
MixedTruth read_mixed_truth(const std::string& path);

}  // namespace olem
