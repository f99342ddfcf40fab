#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/named_value.h"
#include "olem/sampler_set.h"
#include "olem/table.h"

namespace olem {

// A model of every context variable given all other context variables, from which values that are not known at
// decision time are drawn.
struct ContextModel {
  std::vector<SamplerVariable> variables;  // `conditions` are the places of all others in this list
};

// The sampler "auto" for each of the names. Several tables: completed ones, as fit_samplers takes them. Throws what
// fit_samplers throws.
ContextModel fit_context_model(std::span<const Table> tables, const std::vector<std::string>& names,
                               const SamplerOptions& options, const Context& context);

// Values of the unknown variables, a vector of `draws` for each, in the user's units: draws from their distribution
// given the known ones, by sweeps over the full conditionals from a start at the means (Gibbs), each draw with a chain
// of its own. What is discrete has a value that occurred. A pure function of model, values, `noise` and the context's
// seed. Throws a usage error for names that the model does not know and for a variable of the model that is neither.
std::vector<std::vector<double>> draw_unknown(const ContextModel& model, std::span<const NamedValue> known,
                                              const std::vector<std::string>& unknown, std::size_t draws,
                                              std::uint64_t noise, const Context& context);

}  // namespace olem
