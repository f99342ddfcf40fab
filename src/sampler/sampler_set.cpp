#include "olem/sampler_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "olem/error.h"
#include "olem/parallel.h"
#include "sampler/fitted.h"
#include "sampler/kinds.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kBins = 30;  // of the counts that are kept of each column

// Mean, deviation, range and counts of a column; `standardised` is filled.
SamplerVariable describe_column(const std::string& name, std::span<const double> column,
                                std::vector<double>& standardised) {
  SamplerVariable variable;
  variable.name = name;
  const auto n = static_cast<double>(column.size());
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  variable.low = *low;
  variable.high = *high;
  if (*low < *high && std::isfinite(*high - *low)) {
    variable.counts.assign(kBins, 0);
    for (const double value : column) {
      const double place = (value - *low) / (*high - *low) * static_cast<double>(kBins);
      ++variable.counts[std::min(kBins - 1, static_cast<std::size_t>(place))];
    }
  }
  standardised.assign(column.size(), 0.0);
  if (*low == *high) {
    variable.mean = *low;
    return variable;
  }
  variable.mean = std::accumulate(column.begin(), column.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : column) squares += (value - variable.mean) * (value - variable.mean);
  variable.sd = std::sqrt(squares / n);
  for (std::size_t i = 0; i < column.size(); ++i) standardised[i] = variable.standardise(column[i]);
  return variable;
}

[[noreturn]] void refuse(const Table& table, const std::string& text) {
  throw Error(ErrorCategory::kData, table.prefix() + text);
}

}  // namespace

}  // namespace olem

namespace olem::internal {

const SamplerSet& fitted(const std::shared_ptr<const SamplerSet>& samplers) {
  if (samplers) return *samplers;
  throw Error(ErrorCategory::kUsage,
              "There are no samplers to draw from: nothing was fitted yet. fit_rehearsal makes a model with them, "
              "fit_samplers makes them alone.");
}

}  // namespace olem::internal

namespace olem {

std::vector<VariableConditions> conditions_from_order(const Order& order) {
  std::vector<VariableConditions> variables;
  for (std::size_t j = 0; j < order.size(); ++j) {
    variables.push_back({order[j], {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(j)}, false});
  }
  return variables;
}

std::vector<VariableConditions> conditions_from_graph(const Dag& dag) {
  std::vector<VariableConditions> variables;
  for (const std::size_t node : topological_order(dag)) {
    VariableConditions& variable = variables.emplace_back();
    variable.name = dag.name(node);
    for (std::size_t parent = 0; parent < dag.size(); ++parent) {
      if (dag.has_edge(parent, node)) variable.conditions.push_back(dag.name(parent));
    }
  }
  return variables;
}

double SamplerVariable::outside_range(double value) const {
  const double beyond = std::max({0.0, low - value, value - high});
  const double width = high > low ? high - low : 1.0;
  return beyond / width;
}

std::optional<std::size_t> SamplerSet::find(std::string_view name) const {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  if (found == variables.end()) return std::nullopt;
  return static_cast<std::size_t>(found - variables.begin());
}

std::size_t SamplerSet::index(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  std::vector<std::string> names;
  for (const SamplerVariable& variable : variables) names.push_back(variable.name);
  const std::string closest = closest_name(name, names);
  throw Error(ErrorCategory::kUsage, fmt::format("There is no variable '{}' in the model.{}", name,
                                                 closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest)));
}

SamplerSet fit_samplers(const Table& table, const std::vector<VariableConditions>& variables,
                        const SamplerOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const SamplerKind& kind = sampler_kind(options.sampler);
  SamplerOptions checked = options;
  kind.describe(checked).validate();
  context.require_memory(table.rows() * variables.size() * sizeof(double), "The standardised table");

  SamplerSet set;
  std::vector<std::vector<double>> columns(variables.size());
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const VariableConditions& wanted = variables[j];
    if (set.find(wanted.name)) refuse(table, fmt::format("The variable '{}' stands twice in the order.", wanted.name));
    SamplerVariable variable = describe_column(wanted.name, table.column(table.index(wanted.name)), columns[j]);
    for (const std::string& name : wanted.conditions) {
      const auto found = set.find(name);
      if (!found) refuse(table, fmt::format("'{}' does not stand before '{}' in the order.", name, wanted.name));
      variable.conditions.push_back(*found);
    }
    variable.about = table.about(table.index(wanted.name));
    const bool modelled = !wanted.given && variable.low < variable.high;
    if (modelled && kind.suits != nullptr && !kind.suits(variable.about.type)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The {} sampler cannot model '{}', a column of the type {}.", table.prefix(), kind.name,
                              wanted.name, column_type_name(variable.about.type)),
                  {Remedy{"Choose the sampler by the type of each column", "sampler", "auto"}});
    }
    const std::size_t least = kind.least_rows(variable.conditions.size());
    if (!wanted.given && table.rows() < least) {
      refuse(table, fmt::format("The {} sampler of '{}' needs at least {} rows for {} conditions, but there are {}.",
                                kind.name, wanted.name, least, variable.conditions.size(), table.rows()));
    }
    set.variables.push_back(std::move(variable));
  }

  // The last ones have most conditions and take longest: they go first, so that no thread is left with one.
  const std::size_t count = variables.size();
  const Context serial = context.serial();
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  std::vector<std::vector<Warning>> doubts(count);
  context.report_progress(0.0, "samplers");
  parallel_for(context, 0, count, 1, [&](std::size_t piece, std::size_t) {
    const std::size_t j = count - 1 - piece;
    SamplerVariable& variable = set.variables[j];
    const std::size_t conditions = variable.conditions.size();
    if (variables[j].given) return;
    if (variable.low == variable.high) {
      variable.sampler = sampling::make_constant(conditions);
    } else {
      SamplerData data{variable.name, columns[j], {}, j, &doubts[j], {variable.about, variable.mean, variable.sd}, {}};
      for (const std::size_t k : variable.conditions) {
        const SamplerVariable& condition = set.variables[k];
        data.conditions.emplace_back(columns[k]);
        data.condition_columns.push_back({condition.about, condition.mean, condition.sd});
      }
      variable.sampler = sampling::fit_kind(kind, data, checked, serial);
    }
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() == caller) {
      context.report_progress(static_cast<double>(finished) / static_cast<double>(count), "samplers");
    }
  });
  // Where another thread fitted the last of them, this one has not told yet.
  context.report_progress(1.0, "samplers");
  for (const std::vector<Warning>& own : doubts)
    set.summary.warnings.insert(set.summary.warnings.end(), own.begin(), own.end());
  set.summary.message =
      fmt::format("{} samplers of the kind {} were fitted to {} rows.", done.load(), kind.name, table.rows());
  set.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return set;
}

}  // namespace olem
