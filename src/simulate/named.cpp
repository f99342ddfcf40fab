#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/simulate_named.h"
#include "simulate/named_models.h"
#include "simulate/options.h"
#include "simulate/plan_rules.h"
#include "simulate/write.h"

namespace olem {

using namespace internal;

namespace {

double equation_noise(const EquationNoise& noise, RandomStream& random) {
  switch (noise.kind) {
    case EquationNoise::Kind::kNormal: return std::sqrt(noise.a) * random.normal();
    case EquationNoise::Kind::kUniform: return random.uniform(noise.a, noise.b);
    case EquationNoise::Kind::kBeta: return random.beta(noise.a, noise.b);
    case EquationNoise::Kind::kCoin: return random.uniform() < noise.a ? 1.0 : 0.0;
    case EquationNoise::Kind::kRowGroup:
    case EquationNoise::Kind::kOfGroup:
    case EquationNoise::Kind::kBefore: break;  // of the row: row_noise()
  }
  return 0.0;
}

constexpr std::uint64_t kFirstNewGroup = 1000000;  // groups of trials are none of the table's

// The noise of equation j in this row, given the columns before.
double row_noise(const EquationSystem& system, std::size_t j, std::size_t i, bool trials,
                 const std::vector<double>& row, RandomStream& random, std::uint64_t group_seed) {
  const EquationNoise& noise = system.equations[j].noise;
  if (noise.kind == EquationNoise::Kind::kRowGroup)
    return trials ? static_cast<double>(kFirstNewGroup + i)
                  : 1.0 + static_cast<double>(i % static_cast<std::size_t>(noise.a));
  if (noise.kind == EquationNoise::Kind::kOfGroup) {
    const double group = std::clamp(std::round(row[system.equations[j].parents.front()]), 0.0, 1e12);
    RandomStream of_group(group_seed, "simulate.group",
                          stream_index({{static_cast<std::uint64_t>(group), 48}, {j, 16}}));
    return std::sqrt(noise.a) * of_group.normal();
  }
  if (noise.kind == EquationNoise::Kind::kBefore) return row[static_cast<std::size_t>(noise.a)];
  return equation_noise(noise, random);
}

// One row after another, columns that are held included. Until its turn comes, a column has its value of the row
// before. The numbers of groups are drawn with `group_seed`, all others with the context's seed.
std::vector<std::vector<double>> evaluate_equations(const EquationSystem& system, std::size_t rows,
                                                    std::string_view purpose, std::uint64_t draw,
                                                    const std::vector<std::optional<double>>& held,
                                                    const std::vector<PlacedRule>& rules, std::uint64_t group_seed,
                                                    const Context& context) {
  const std::size_t width = system.equations.size();
  context.require_memory(rows * width * sizeof(double), "A simulated table");
  std::vector<std::vector<double>> columns(width, std::vector<double>(rows));
  std::vector<RandomStream> streams;
  for (std::size_t j = 0; j < width; ++j)
    streams.emplace_back(context.seed, purpose, stream_index({{draw, 48}, {j, 16}}));
  std::vector<std::vector<std::size_t>> parents(width);
  for (std::size_t j = 0; j < width; ++j) {
    if (!held[j]) parents[j] = system.equations[j].parents;
  }
  const std::vector<std::size_t> order = order_with_rules(std::move(parents), rules);
  std::vector<double> row(width);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 4096 == 0) context.check_interrupt();
    for (const std::size_t j : order) {
      const double noise = row_noise(system, j, i, purpose == "simulate.trials", row, streams[j], group_seed);
      const PlacedRule* const rule = rule_of(rules, j);
      row[j] = held[j]           ? *held[j]
               : rule != nullptr ? (*rule)([&](std::size_t column) { return row[column]; })
                                 : system.equations[j].function(row.data(), noise);
      columns[j][i] = row[j];
    }
  }
  return columns;
}

// A group whose number the tables do not have has no level of its own.
void check_group(const Equation& equation, double value) {
  if (equation.noise.kind != EquationNoise::Kind::kRowGroup) return;
  if (value >= 1.0 && value <= equation.noise.a && value == std::round(value)) return;
  throw Error(ErrorCategory::kUsage,
              fmt::format("There is no {0} {1}: the tables have {0} 1 to {2}. Without a {0} the decision is for a new "
                          "one.",
                          equation.name, value, equation.noise.a));
}

Table equation_table(const EquationSystem& system, const std::vector<std::vector<double>>& columns,
                     const char* source) {
  std::vector<std::string> names;
  std::vector<double> cells;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (system.equations[j].hidden) continue;
    names.emplace_back(system.equations[j].name);
    cells.insert(cells.end(), columns[j].begin(), columns[j].end());
  }
  return {std::move(names), std::move(cells), source};
}

}  // namespace

std::span<const NamedSimulator> named_simulators() {
  static const std::vector<NamedSimulator> kAll = [] {
    std::vector<NamedSimulator> all;
    for (const EquationSystem& system : equation_systems()) all.push_back({system.name, system.help});
    return all;
  }();
  return kAll;
}

OptionSet describe(NamedSimulationOptions& options) {
  OptionSet set;
  set.integer("rows", options.rows, 2, 10000000, "number of observations");
  set.integer("rounds", options.rounds, 1, 1000000, "number of contexts to decide for");
  return set;
}

NamedModel::NamedModel(std::string_view name, std::optional<std::uint64_t> seed) : seed_(seed) {
  std::vector<std::string> names;
  for (const EquationSystem& system : equation_systems()) {
    if (system.name == name) {
      kind_ = names.size();
      return;
    }
    names.emplace_back(system.name);
  }
  const std::string near = closest_name(std::string(name), names);
  throw Error(ErrorCategory::kUsage, fmt::format("There is no simulator '{}'.{}", name,
                                                 near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

std::string_view NamedModel::name() const { return equation_systems()[kind_].name; }

std::vector<std::string> NamedModel::names() const {
  std::vector<std::string> names;
  for (const Equation& equation : equation_systems()[kind_].equations) {
    if (!equation.hidden) names.emplace_back(equation.name);
  }
  return names;
}

std::vector<std::pair<std::size_t, std::size_t>> NamedModel::edges() const {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  const std::vector<Equation>& equations = equation_systems()[kind_].equations;
  std::vector<std::size_t> column(equations.size(), 0);  // among those that are recorded
  for (std::size_t j = 1; j < equations.size(); ++j) column[j] = column[j - 1] + (equations[j - 1].hidden ? 0 : 1);
  for (std::size_t j = 0; j < equations.size(); ++j) {
    for (const std::size_t parent : equations[j].parents) {
      if (!equations[parent].hidden && !equations[j].hidden) edges.emplace_back(column[parent], column[j]);
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::vector<std::string> NamedModel::equations() const {
  std::vector<std::string> texts;
  for (const Equation& equation : equation_systems()[kind_].equations)
    texts.push_back(fmt::format("{} = {}", equation.name, equation.text));
  return texts;
}

Task NamedModel::task() const {
  Task task = parse_task(equation_systems()[kind_].task, "simulated");
  task.name = std::string(name());
  return task;
}

Table NamedModel::draw(std::size_t rows, std::uint64_t draw, const Context& context) const {
  const EquationSystem& system = equation_systems()[kind_];
  const std::vector<std::optional<double>> free(system.equations.size());
  return equation_table(
      system, evaluate_equations(system, rows, "simulate.named", draw, free, {}, seed_.value_or(context.seed), context),
      "simulated data");
}

Table NamedModel::decide(std::span<const NamedValue> observed, std::span<const NamedValue> alterations,
                         std::size_t trials, std::uint64_t draw, const Context& context,
                         std::span<const AlterationRule> rules) const {
  const EquationSystem& system = equation_systems()[kind_];
  const auto is_before = [](const Equation& equation) { return equation.noise.kind == EquationNoise::Kind::kBefore; };
  std::vector<std::string> all;  // hidden ones without a name that can be given, unless they are of the row before
  for (const Equation& equation : system.equations)
    all.emplace_back(equation.hidden && !is_before(equation) ? "" : equation.name);
  std::vector<std::optional<double>> held(all.size());
  std::vector<bool> seen(all.size(), false);
  const auto hold = [&](const NamedValue& given, bool is_seen) {
    const auto place = std::find(all.begin(), all.end(), given.name);
    if (place == all.end() || given.name.empty())
      throw Error(ErrorCategory::kUsage, fmt::format("The simulator has no column '{}'.", given.name));
    check_finite(given.name, given.value);
    const auto j = static_cast<std::size_t>(place - all.begin());
    if (held[j]) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", given.name));
    check_group(system.equations[j], given.value);
    held[j] = given.value;
    seen[j] = is_seen;
  };
  for (const NamedValue& given : observed) hold(given, true);
  for (const NamedValue& given : alterations) hold(given, false);
  const std::vector<PlacedRule> placed = place_rules(rules, all);
  for (const PlacedRule& rule : placed) {
    if (held[rule.lever]) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", all[rule.lever]));
  }
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (is_before(system.equations[j]) && !held[j])
      throw Error(ErrorCategory::kTask, fmt::format("'{}', {}, has no value: a round depends on the one before.",
                                                    all[j], system.equations[j].text));
  }
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (!seen[j]) continue;
    for (const std::size_t parent : system.equations[j].parents) {
      if (!seen[parent])
        throw Error(ErrorCategory::kTask,
                    fmt::format("'{}' is observed, but its cause '{}' is not.", all[j], system.equations[parent].name));
    }
  }
  return equation_table(
      system,
      evaluate_equations(system, trials, "simulate.trials", draw, held, placed, seed_.value_or(context.seed), context),
      "simulated decision");
}

double NamedModel::success(std::span<const NamedValue> observed, std::span<const NamedValue> alterations,
                           std::size_t trials, std::uint64_t draw, const Context& context,
                           std::span<const AlterationRule> rules) const {
  const Table rows = decide(observed, alterations, trials, draw, context, rules);
  const Task task = this->task();
  // The rows of one decision may not show every level.
  std::vector<Column> about(task.outcome.size());
  for (std::size_t k = 0; k < about.size(); ++k) {
    for (const ColumnDeclaration& column : task.columns) {
      if (column.name != task.outcome[k] || column.type != ColumnType::kBinary) continue;
      about[k].type = ColumnType::kBinary;
      about[k].levels = {{0.0, "0"}, {1.0, "1"}};
    }
  }
  const Region region = task.desired.resolved(about);
  std::size_t inside = 0;
  std::vector<double> y(task.outcome.size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = rows.at(i, rows.index(task.outcome[k]));
    inside += region.contains(y) ? 1 : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(rows.rows());
}

NamedSimulation simulate_named(std::string_view name, const NamedSimulationOptions& options, std::uint64_t index,
                               const Context& context) {
  check_options(options);
  const NamedModel model(name);
  NamedSimulation simulation;
  simulation.options = options;
  simulation.name = std::string(name);
  simulation.seed = context.seed;
  simulation.index = index;
  simulation.data = model.draw(static_cast<std::size_t>(options.rows), 2 * index, context);
  const Table rounds = model.draw(static_cast<std::size_t>(options.rounds), 2 * index + 1, context);
  std::vector<std::size_t> columns;
  for (const std::string& column : model.task().context) columns.push_back(rounds.index(column));
  if (!columns.empty()) simulation.contexts = rounds.with_columns(columns);
  return simulation;
}

namespace {

// The groups that a decision can be for, where nothing else is observed: what `--context GROUP=NAME` takes.
Table groups_in(const Table& table, const std::string& group) {
  const auto column = table.column(table.index(group));
  const std::set<double> groups(column.begin(), column.end());
  return {{group}, {groups.begin(), groups.end()}, "groups"};
}

}  // namespace

std::vector<std::string> write_simulation(const std::string& folder, const NamedSimulation& simulation, bool overwrite,
                                          const Context& context) {
  const NamedModel model(simulation.name);
  NamedSimulationOptions options = simulation.options;
  const Json truth = {{"format", "olem-truth"},
                      {"format_version", 1},
                      {"kind", "equations"},
                      {"name", simulation.name},
                      {"seed", simulation.seed},
                      {"index", simulation.index},
                      {"options", describe(options).json()},
                      {"equations", model.equations()}};
  Task task = model.task();
  task.data = "data.csv";
  const Table& contexts = simulation.contexts;
  for (std::size_t j = 0; j < contexts.columns() && contexts.rows() > 0; ++j)
    task.observed.push_back({contexts.name(j), contexts.at(0, j)});
  std::vector<NamedText> files = {{"data.csv", table_csv(simulation.data, {}, context)},
                                  {"graph.csv", edges_csv(model.names(), model.edges())},
                                  {"truth.json", dump_indented(truth, 2) + "\n"},
                                  {"task.json", dump_indented(to_json(task), 2) + "\n"}};
  if (contexts.rows() > 0) files.push_back({"contexts.csv", table_csv(contexts, {}, context)});
  if (contexts.rows() == 0 && !task.group.empty())
    files.push_back({"contexts.csv", table_csv(groups_in(simulation.data, task.group), {}, context)});
  return write_files(folder, files, overwrite);
}

}  // namespace olem
