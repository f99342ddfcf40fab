#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/sampler.h"
#include "olem/table.h"
#include "olem/task_rows.h"

namespace olem {

// What one variable is to be conditioned on.
struct VariableConditions {
  std::string name;
  std::vector<std::string> conditions;  // all of them stand before it in the list
  bool given = false;                   // its value is always known: no sampler is fitted
};

// Every variable on all before it in the order (OLEM-Rh).
std::vector<VariableConditions> conditions_from_order(const Order& order);

// Every variable on its parents, parents first (Grad-Rh).
std::vector<VariableConditions> conditions_from_graph(const Dag& dag);

// One variable of a set.
struct SamplerVariable {
  std::string name;
  Column about;       // type and levels of its column
  double mean = 0.0;  // of its column
  double sd = 1.0;    // population standard deviation; 1 for a column that never varies
  double low = 0.0;   // of its column
  double high = 0.0;
  std::vector<std::size_t> counts;      // of its column's values in bins of equal width from low to high; may be empty
  std::vector<std::size_t> conditions;  // places in the set, all before its own
  std::shared_ptr<const ConditionalSampler> sampler;  // null when the variable is always given, or not wanted

  double standardise(double value) const { return (value - mean) / sd; }
  double restore(double standardised) const { return mean + sd * standardised; }
  // By how many widths of the observed range a value lies outside of it; 0 inside.
  double outside_range(double value) const;
};

// A sampler for each variable, in an order in which conditions come first. In here are the constants between the user's
// units and the standardised ones of the samplers.
struct SamplerSet {
  std::vector<SamplerVariable> variables;
  Summary summary;

  std::optional<std::size_t> find(std::string_view name) const;
  // Throws a usage error that suggests the closest name when there is none such.
  std::size_t index(std::string_view name) const;
};

// Fits the chosen kind of sampler to every variable that is not given, on the context's threads and ranks; the result
// does not depend on their numbers. Columns that never vary are modelled as that constant. Throws a data error for
// names that are not in the table, stand twice or come before one of their conditions, and for too few rows.
SamplerSet fit_samplers(const Table& table, const std::vector<VariableConditions>& variables,
                        const SamplerOptions& options, const Context& context);

// The same for completed tables (olem/impute.h), which have the same columns: every variable gets a sampler from each
// of them, and a draw comes from one of these at random. Means, deviations and ranges are those of all tables together.
SamplerSet fit_samplers(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                        const SamplerOptions& options, const Context& context);

// The same from rows of which something is known: a variable is fitted without the rows in which it was set; levers
// have the effects that rows in which they were set say they have, as far as the others contradict these; every
// variable has an intercept for each group; rows count by their weights (docs/methods/acted-upon.md).
//
// `wanted`: only these variables and what they depend on, by the samplers found, get a sampler; the others have none.
// None: all variables. Samplers do not depend on it.
SamplerSet fit_samplers(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                        const TaskRows& rows, const SamplerOptions& options, const Context& context,
                        std::span<const std::string> wanted = {});

// The samplers for draws of the group with this number, in place of a new group.
std::shared_ptr<const SamplerSet> samplers_in_group(const std::shared_ptr<const SamplerSet>& samplers,
                                                    std::size_t group);

}  // namespace olem
