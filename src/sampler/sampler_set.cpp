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
#include "sampler/acted_fit.h"
#include "sampler/acted_sampler.h"
#include "sampler/fit_variables.h"
#include "sampler/fitted.h"
#include "sampler/kinds.h"
#include "sampler/sampler_ranks.h"

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

// Categories that a sampler for numbers is to explain.
void warn_about_codes(const SamplerKind& kind, const std::vector<VariableConditions>& wanted, SamplerSet& set) {
  if (kind.encodes || kind.suits != nullptr) return;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < set.variables.size(); ++j) {
    const Column& about = set.variables[j].about;
    if (!wanted[j].given && about.type == ColumnType::kCategory && about.levels.size() > 2)
      names.push_back(set.variables[j].name);
  }
  if (names.empty()) return;
  set.summary.warnings.push_back(
      {"codes",
       fmt::format("'{}' {} levels without an order, which the {} sampler models by their numbers.",
                   fmt::join(names, "', '"), names.size() == 1 ? "has" : "have", kind.name),
       names.size() == 1 ? names.front() : fmt::format("{}", fmt::join(names, ", ")),
       {{"Model every column by its type", "sampler", "auto"}}});
}

[[noreturn]] void refuse(const Table& table, const std::string& text) {
  throw Error(ErrorCategory::kData, table.prefix() + text);
}

}  // namespace

}  // namespace olem

namespace olem::internal {

SamplerVariable describe_variable(std::span<const Table> tables, const std::string& name,
                                  std::vector<double>& standardised) {
  std::vector<double> pooled;
  for (const Table& table : tables) {
    check_same_size("rows of a completed table", table.rows(), "rows of the first", tables.front().rows());
    const std::span<const double> cells = table.column(table.index(name));
    pooled.insert(pooled.end(), cells.begin(), cells.end());
  }
  SamplerVariable variable = describe_column(name, pooled, standardised);
  variable.about = tables.front().about(tables.front().index(name));
  return variable;
}

void check_fit(const SamplerKind& kind, const Table& table, const SamplerVariable& variable) {
  if (variable.low < variable.high && kind.suits != nullptr && !kind.suits(variable.about.type)) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}The {} sampler cannot model '{}', a column of the type {}.", table.prefix(), kind.name,
                            variable.name, column_type_name(variable.about.type)),
                {Remedy{"Choose the sampler by the type of each column", "sampler", "auto"}});
  }
  const std::size_t least = kind.least_rows(variable.conditions.size());
  if (table.rows() < least) {
    refuse(table, fmt::format("The {} sampler of '{}' needs at least {} rows for {} conditions, but there are {}.",
                              kind.name, variable.name, least, variable.conditions.size(), table.rows()));
  }
}

namespace {

sampling::RowUse use_of(const std::vector<SamplerVariable>& variables, std::size_t j, const SamplerData& data,
                        const TaskRows& rows) {
  std::vector<std::vector<std::string>> before;
  for (const std::size_t k : variables[j].conditions) {
    std::vector<std::string>& names = before.emplace_back();
    for (const std::size_t other : variables[k].conditions) names.push_back(variables[other].name);
  }
  return sampling::row_use(rows, variables[j].name, data.condition_names, before);
}

}  // namespace

namespace {

// What samplers are fitted to, and how.
struct VariableFits {
  const std::vector<std::vector<double>>& columns;
  std::size_t tables;
  const SamplerKind& kind;
  const SamplerOptions& options;
  std::string_view phase;
  const TaskRows& rows;
};

// Gives the variables at these places their samplers, the first ones first; `doubts` has a list for each variable.
void fit_places(std::vector<SamplerVariable>& variables, std::span<const std::size_t> places, const VariableFits& fits,
                std::vector<std::vector<Warning>>& doubts, const Context& context) {
  const std::size_t tables = fits.tables;
  const std::size_t pieces = places.size() * tables;
  const Context serial = context.serial();
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  std::vector<std::vector<std::shared_ptr<const ConditionalSampler>>> models(
      places.size(), std::vector<std::shared_ptr<const ConditionalSampler>>(tables));
  context.report_progress(0.0, fits.phase);
  parallel_for(context, 0, pieces, 1, [&](std::size_t piece, std::size_t) {
    const std::size_t j = places[piece / tables];
    const std::size_t t = piece % tables;
    std::shared_ptr<const ConditionalSampler>& model = models[piece / tables][t];
    const SamplerVariable& variable = variables[j];
    if (!makes_item(context, piece)) return;
    if (variable.low == variable.high) {
      model = sampling::make_constant(variable.conditions.size());
    } else {
      const std::size_t rows = fits.columns[j].size() / tables;
      const auto part = [&](std::size_t k) { return std::span<const double>(fits.columns[k]).subspan(t * rows, rows); };
      // One of the tables speaks for all: they differ in a few cells.
      SamplerData data{variable.name,
                       part(j),
                       {},
                       j,
                       t == 0 ? &doubts[j] : nullptr,
                       {variable.about, variable.mean, variable.sd},
                       {}};
      for (const std::size_t k : variable.conditions) {
        const SamplerVariable& condition = variables[k];
        data.conditions.emplace_back(part(k));
        data.condition_columns.push_back({condition.about, condition.mean, condition.sd});
        if (!fits.rows.plain()) data.condition_names.push_back(condition.name);
      }
      model = fits.rows.plain() ? sampling::fit_kind(fits.kind, data, fits.options, serial)
                                : sampling::fit_on_rows(fits.kind, data, fits.options,
                                                        use_of(variables, j, data, fits.rows), nullptr, serial);
    }
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() == caller) {
      const auto all = static_cast<double>(pieces) / static_cast<double>(rank_count(context));
      context.report_progress(std::min(1.0, static_cast<double>(finished) / all), fits.phase);
    }
  });
  std::vector<SharedFit> shared(pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t t = piece % tables;
    shared[piece] = {&models[piece / tables][t], t == 0 ? &doubts[places[piece / tables]] : nullptr};
  }
  share_samplers(shared, context);
  // Where another thread fitted the last of them, this one has not told yet.
  context.report_progress(1.0, fits.phase);
  for (std::size_t place = 0; place < places.size(); ++place) {
    SamplerVariable& variable = variables[places[place]];
    const bool varies = variable.low < variable.high;
    variable.sampler = varies ? sampling::combine_tables(std::move(models[place])) : models[place].front();
  }
}

// Adds what the samplers of needed variables depend on, as far as they are fitted.
void add_inputs(const std::vector<SamplerVariable>& variables, std::vector<bool>& needed) {
  for (std::size_t j = variables.size(); j-- > 0;) {
    const SamplerVariable& variable = variables[j];
    if (!needed[j] || !variable.sampler) continue;
    const SamplerFacts facts = variable.sampler->facts();
    for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
      if (facts.inputs[k].used) needed[variable.conditions[k]] = true;
    }
  }
}

// The samplers of `needed` variables and of what these depend on, which is known once they are fitted: one wave after
// the other. Threads and ranks that a wave leaves idle fit what stands last, which is needed most often; what is not
// needed in the end is dropped, so that the result does not depend on how many there are. Returns how many are left.
std::size_t fit_needed(std::vector<SamplerVariable>& variables, std::vector<bool> needed,
                       const std::vector<bool>& given, const VariableFits& fits,
                       std::vector<std::vector<Warning>>& doubts, const Context& context) {
  const std::size_t end = static_cast<std::size_t>(needed.rend() - std::find(needed.rbegin(), needed.rend(), true));
  const auto at_once = static_cast<std::size_t>(context.thread_count()) * rank_count(context);
  std::vector<bool> open(given.size());
  std::size_t left = 0;
  for (std::size_t j = 0; j < end; ++j) {
    open[j] = !given[j];
    left += open[j] ? 1 : 0;
  }
  double told = 0.0;
  while (true) {
    add_inputs(variables, needed);
    std::vector<std::size_t> wave;
    for (std::size_t j = end; j-- > 0;) {
      if (open[j] && needed[j]) wave.push_back(j);
    }
    if (wave.empty()) break;
    for (std::size_t j = end; j-- > 0 && wave.size() * fits.tables < at_once;) {
      if (open[j] && !needed[j]) wave.push_back(j);
    }
    Context part = context;
    const double share = (1.0 - told) * static_cast<double>(wave.size()) / static_cast<double>(left);
    if (context.progress) {
      part.progress = [&](double done, std::string_view phase) { context.report_progress(told + share * done, phase); };
    }
    fit_places(variables, wave, fits, doubts, part);
    told += share;
    left -= wave.size();
    for (const std::size_t j : wave) open[j] = false;
  }
  context.report_progress(1.0, fits.phase);
  std::size_t kept = 0;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    if (!needed[j]) {
      variables[j].sampler = nullptr;
      doubts[j].clear();
    }
    kept += variables[j].sampler ? 1 : 0;
  }
  return kept;
}

void append(const std::vector<std::vector<Warning>>& doubts, std::vector<Warning>& warnings) {
  for (const std::vector<Warning>& own : doubts) warnings.insert(warnings.end(), own.begin(), own.end());
}

}  // namespace

std::size_t fit_variables(std::vector<SamplerVariable>& variables, const std::vector<std::vector<double>>& columns,
                          const std::vector<bool>& given, std::size_t tables, const SamplerKind& kind,
                          const SamplerOptions& options, std::string_view phase, std::vector<Warning>& warnings,
                          const Context& context, const TaskRows& task_rows) {
  // The last ones have most conditions and take longest: they go first, so that no thread is left with one.
  std::vector<std::size_t> places;
  for (std::size_t j = variables.size(); j-- > 0;) {
    if (!given[j]) places.push_back(j);
  }
  std::vector<std::vector<Warning>> doubts(variables.size());
  fit_places(variables, places, {columns, tables, kind, options, phase, task_rows}, doubts, context);
  append(doubts, warnings);
  return places.size();
}

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
  return fit_samplers(std::span<const Table>(&table, 1), variables, options, context);
}

SamplerSet fit_samplers(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                        const SamplerOptions& options, const Context& context) {
  return fit_samplers(tables, variables, TaskRows(), options, context);
}

std::shared_ptr<const SamplerSet> samplers_in_group(const std::shared_ptr<const SamplerSet>& samplers,
                                                    std::size_t group) {
  auto chosen = std::make_shared<SamplerSet>(fitted(samplers));
  for (SamplerVariable& variable : chosen->variables) variable.sampler = sampling::in_group(variable.sampler, group);
  return chosen;
}

SamplerSet fit_samplers(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                        const TaskRows& rows, const SamplerOptions& options, const Context& context,
                        std::span<const std::string> wanted) {
  const auto start = std::chrono::steady_clock::now();
  check_at_least("number of tables", static_cast<long long>(tables.size()), 1);
  const Table& table = tables.front();
  const SamplerKind& kind = sampler_kind(options.sampler);
  SamplerOptions checked = options;
  kind.describe(checked).validate();
  context.require_memory(table.rows() * tables.size() * variables.size() * sizeof(double), "The standardised table");

  SamplerSet set;
  std::vector<std::vector<double>> columns(variables.size());
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const VariableConditions& own = variables[j];
    if (set.find(own.name)) refuse(table, fmt::format("The variable '{}' stands twice in the order.", own.name));
    SamplerVariable variable = describe_variable(tables, own.name, columns[j]);
    for (const std::string& name : own.conditions) {
      const auto found = set.find(name);
      if (!found) refuse(table, fmt::format("'{}' does not stand before '{}' in the order.", name, own.name));
      variable.conditions.push_back(*found);
    }
    if (!own.given) check_fit(kind, table, variable);
    set.variables.push_back(std::move(variable));
  }
  warn_about_codes(kind, variables, set);
  std::vector<bool> given;
  for (const VariableConditions& variable : variables) given.push_back(variable.given);
  std::size_t fitted_ones = 0;
  if (wanted.empty()) {
    fitted_ones = fit_variables(set.variables, columns, given, tables.size(), kind, checked, "samplers",
                                set.summary.warnings, context, rows);
  } else {
    std::vector<bool> needed(variables.size(), false);
    for (const std::string& name : wanted) needed[set.index(name)] = true;
    std::vector<std::vector<Warning>> doubts(variables.size());
    fitted_ones = fit_needed(set.variables, std::move(needed), given,
                             {columns, tables.size(), kind, checked, "samplers", rows}, doubts, context);
    append(doubts, set.summary.warnings);
  }
  set.summary.message =
      fmt::format("{} samplers of the kind {} were fitted to {} rows{}.", fitted_ones, kind.name, table.rows(),
                  tables.size() == 1 ? "" : fmt::format(" of each of {} completed tables", tables.size()));
  set.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return set;
}

}  // namespace olem
