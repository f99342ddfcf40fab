// Decisions on tables as people have them: columns of all types, noise that depends on the level, gaps, groups, rows
// in which somebody acted. What the task says about them beside a task that does not say it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/random.h"
#include "olem/simulate_mixed.h"
#include "olem/simulate_named.h"
#include "simulate/write.h"
#include "study/kind.h"
#include "study/task_texts.h"

namespace olem::internal {

namespace {

constexpr std::size_t kTablesTrials = 5000;  // of the simulator, behind each true number
constexpr double kTablesWorseBy = 0.01;      // than no action, beyond the chance of the trials
constexpr int kTablesColumns = 8;            // of the random tasks
constexpr double kTablesGaps = 0.1;          // share of the cells that are missing where some are
constexpr std::string_view kTablesMixed = "mixed";
constexpr std::string_view kTablesWithGaps = "mixed-gaps";
constexpr std::string_view kTablesRate = "rate";

struct TablesMethod {
  StudyName name;
  bool members = false;  // as by default; otherwise one fit
  bool said = true;      // what is known of columns and rows
};

const std::vector<TablesMethod>& tables_methods() {
  static const std::vector<TablesMethod> kAll = {{{"defaults", "the defaults"}, true, true},
                                                 {{"quick", "one fit"}, false, true},
                                                 {{"unsaid", "one fit, not said"}, false, false}};
  return kAll;
}

const TablesMethod& tables_method(const std::string& name) {
  return *std::find_if(tables_methods().begin(), tables_methods().end(),
                       [&](const TablesMethod& method) { return method.name.name == name; });
}

// One context to decide for and what is true about it. All true numbers share their noise.
struct TablesRound {
  std::vector<NamedValue> observed;
  std::function<double(const std::vector<NamedValue>& alterations)> success;
  double idle = 0.0;
  double best = 0.0;  // of the best decision that a search with the true model found
};

// A simulated task as its user has it. Levers and columns say what is possible.
struct TablesTask {
  TaskTexts said;
  TaskTexts unsaid;
  std::string unsaid_sampler = "auto";
  std::vector<MixedLever> levers;
  std::function<Column(const std::string& name)> column;
  std::vector<TablesRound> rounds;
};

TablesTask mixed_tables_task(const StudyRequest& request, std::string_view name, std::uint64_t index,
                             const Context& context) {
  MixedSimulationOptions options;
  options.variables = kTablesColumns;
  options.rows = request.rows;
  options.rounds = request.rounds;
  options.missing = name == kTablesWithGaps ? kTablesGaps : 0.0;
  const auto simulation = std::make_shared<const MixedSimulation>(random_mixed_task(options, index, context));
  TablesTask task;
  task.said = {task_json(*simulation).dump(), data_csv(*simulation, context),
               simulation->missing.empty() ? "error" : "impute"};
  task.unsaid = task.said;
  // Without gaps: levels, counts and shares as plain numbers. With gaps: the rows that have some are left out.
  if (simulation->missing.empty()) {
    task.unsaid_sampler = "gp";
  } else {
    task.unsaid.policy = "drop";
  }
  task.levers = simulation->task.alterable;
  task.column = [simulation](const std::string& of) { return simulation->data.about(simulation->data.index(of)); };
  for (const TrueDecision& best : simulation->best) {
    TablesRound& round = task.rounds.emplace_back();
    round.observed = best.observed;
    round.best = best.success;
    round.success = [simulation, observed = best.observed, context](const std::vector<NamedValue>& alterations) {
      return evaluate_decision(simulation->model, simulation->task, observed, alterations, kTablesTrials, 4, context);
    };
  }
  return task;
}

TablesTask named_tables_task(const StudyRequest& request, const std::string& name, std::uint64_t index,
                             const Context& context) {
  const auto truth = std::make_shared<const NamedModel>(name);
  const NamedSimulation simulation = simulate_named(name, {request.rows, request.rounds}, index, context);
  const Task said = truth->task();
  TablesTask task;
  task.said = {to_json(said).dump(), table_csv(simulation.data, {}, context)};
  task.unsaid = task.said;
  if (name == kTablesRate) {
    task.unsaid_sampler = "gp";
  } else {
    task.unsaid.task = to_json(without_rows(said)).dump();
  }
  for (const LeverDomain& lever : said.alterable) task.levers.push_back({lever.name, lever.low, lever.high, {}});
  task.column = [said](const std::string& of) {
    Column column;
    for (const ColumnDeclaration& declared : said.columns) {
      if (declared.name == of) column.type = declared.type.value_or(ColumnType::kReal);
    }
    return column;
  };
  // A task without context has one decision.
  const std::size_t rounds = std::max<std::size_t>(1, simulation.contexts.rows());
  for (std::size_t r = 0; r < rounds; ++r) {
    TablesRound& round = task.rounds.emplace_back();
    for (std::size_t k = 0; k < simulation.contexts.columns() && simulation.contexts.rows() > 0; ++k)
      round.observed.push_back({simulation.contexts.name(k), simulation.contexts.at(r, k)});
    const std::uint64_t draw = stream_index({{5, 8}, {index, 16}, {r, 20}});
    round.success = [truth, observed = round.observed, draw, context](const std::vector<NamedValue>& alterations) {
      return truth->success(observed, alterations, kTablesTrials, draw, context);
    };
    round.best = round.success(best_decision(*truth, round.observed, context).alterations);
  }
  return task;
}

TablesTask make_tables_task(const StudyRequest& request, const std::string& name, std::uint64_t index,
                            const Context& context) {
  TablesTask task = name == kTablesMixed || name == kTablesWithGaps ? mixed_tables_task(request, name, index, context)
                                                                    : named_tables_task(request, name, index, context);
  for (TablesRound& round : task.rounds) round.idle = round.success({});
  return task;
}

// Means over the contexts.
StudyValues decide_tables(const TablesTask& task, const TablesMethod& method, const Context& context) {
  RehearsalOptions options;
  if (method.members) options.members.emplace();
  if (!method.said) options.samplers.sampler = task.unsaid_sampler;
  const RehearsalModel model = fit_texts(method.said ? task.said : task.unsaid, options, std::nullopt, context);
  double success = 0.0, claimed = 0.0, gap = 0.0, idle = 0.0, best = 0.0, worse = 0.0, covers = 0.0, impossible = 0.0;
  for (const TablesRound& round : task.rounds) {
    context.check_interrupt();
    const Decision decision = decide(decision_problem(model, round.observed), {}, context);
    std::vector<NamedValue> set;
    for (const Alteration& alteration : decision.alterations) {
      if (!alteration.value) continue;
      const auto lever = std::find_if(task.levers.begin(), task.levers.end(),
                                      [&](const MixedLever& one) { return one.name == alteration.name; });
      const double possible = possible_value(*lever, *alteration.value);
      const double tolerance = lever->values.empty() ? 1e-9 * (lever->high - lever->low) : 0.0;
      impossible += std::abs(possible - *alteration.value) > tolerance ? 1.0 : 0.0;
      set.push_back({alteration.name, possible});
    }
    for (const OutcomeForecast& forecast : decision.outcomes)
      impossible += is_possible_forecast(task.column(forecast.name), forecast) ? 0.0 : 1.0;
    const double reached = round.success(set);
    success += reached;
    claimed += decision.success_probability;
    gap += std::abs(decision.success_probability - reached);
    idle += round.idle;
    best += std::max(round.best, round.idle);
    worse += reached < round.idle - kTablesWorseBy ? 1.0 : 0.0;
    covers += decision.success_low <= reached && reached <= decision.success_high ? 1.0 : 0.0;
  }
  const auto count = static_cast<double>(task.rounds.size());
  return {{"success", success / count}, {"claimed", claimed / count},
          {"gap", gap / count},         {"idle", idle / count},
          {"best", best / count},       {"worse", worse / count},
          {"covers", covers / count},   {"impossible", impossible / count}};
}

// Core-seconds.
double tables_cost(const std::string& name, const TablesMethod& method, const StudyRequest& request) {
  const double fit = name == kTablesMixed || name == kTablesWithGaps ? 3.0 : 0.6;
  return (method.members ? 5.0 : 1.0) * (fit + 0.3 * request.rounds) * request.rows / 1000.0;
}

std::vector<Batch> plan_tables(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    const std::string& name = setting.at("table");
    for (int task = 0; task < request.tasks; ++task) {
      Batch& batch = batches.emplace_back();
      for (const std::string& method : request.methods) {
        batch.cells.push_back({setting, method, 0, task,
                               fmt::format("{} rows={} rounds={} task={} method={}", setting.text(), request.rows,
                                           request.rounds, task, method),
                               tables_cost(name, tables_method(method), request)});
      }
      batch.cost = 0.1;
      batch.prepare = [name, task, request](const Context& context) {
        Context own = context;
        own.seed = derived_seed(request.seed, fmt::format("tables {} {}", name, task));
        const auto made =
            std::make_shared<const TablesTask>(make_tables_task(request, name, static_cast<std::uint64_t>(task), own));
        return [made, seed = request.seed](const Cell& cell, const Context& its_context) {
          Context of_method = its_context;
          of_method.seed = derived_seed(seed, cell.key);
          return decide_tables(*made, tables_method(cell.method), of_method);
        };
      };
    }
  }
  return batches;
}

}  // namespace

StudyKind tables_study() {
  StudyKind kind;
  kind.name = "tables";
  kind.help = "success of decisions on tables with types, gaps, groups and rows that were set";
  for (const TablesMethod& method : tables_methods()) kind.methods.push_back(method.name);
  kind.metrics = {{"success", "success"},
                  {"claimed", "claimed"},
                  {"gap", "size of claimed - true"},
                  {"idle", "no action"},
                  {"best", "best found"},
                  {"worse", "worse than none"},
                  {"covers", "95 % covers"},
                  {"impossible", "impossible values"}};
  for (const std::string_view table : {kTablesMixed, kTablesRate, kTablesWithGaps, std::string_view("branches"),
                                       std::string_view("acted"), std::string_view("acted-idle")})
    kind.settings.push_back(StudySetting{{"table", std::string(table)}});
  kind.units_are_tasks = true;
  kind.protocol.epochs = 0;
  kind.protocol.tasks = 20;
  kind.protocol.rounds = 2;
  kind.protocol.rows = 1000;
  kind.plan = plan_tables;
  kind.published = [](const StudySetting&, const std::string&, const std::string&) {
    return std::optional<PublishedNumber>();
  };
  return kind;
}

}  // namespace olem::internal
