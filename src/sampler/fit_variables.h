#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/sampler_set.h"
#include "olem/table.h"

// The steps of fit_samplers, for sets of variables in which conditions need not come first.
namespace olem::internal {

// Name, type, constants and range of a column of all tables; `standardised` gets its values, table after table.
SamplerVariable describe_variable(std::span<const Table> tables, const std::string& name,
                                  std::vector<double>& standardised);

// Throws a data error when the kind cannot model the variable, or not with so few rows.
void check_fit(const SamplerKind& kind, const Table& table, const SamplerVariable& variable);

// Gives every variable that is not `given` its sampler, on the context's threads and ranks; returns how many. `columns`
// hold the standardised values of each variable, table after table; `rows` what is known of the rows of each table.
std::size_t fit_variables(std::vector<SamplerVariable>& variables, const std::vector<std::vector<double>>& columns,
                          const std::vector<bool>& given, std::size_t tables, const SamplerKind& kind,
                          const SamplerOptions& options, std::string_view phase, std::vector<Warning>& warnings,
                          const Context& context, const TaskRows& rows = {});

}  // namespace olem::internal
