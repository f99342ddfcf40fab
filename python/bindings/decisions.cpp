#include <fmt/format.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "convert.h"
#include "olem/data_check.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "olem/impute.h"
#include "olem/journal.h"
#include "olem/model_file.h"
#include "olem/post_decision.h"
#include "olem/rehearsal.h"
#include "olem/rounds.h"
#include "olem/update.h"
#include "run.h"

namespace py = pybind11;

namespace olem::python {

namespace {

using Values = std::vector<std::pair<std::string, double>>;

void set_order(RehearsalOptions& options, const std::string& method, const OptionTexts& values) {
  options.order.method = method;
  set_options(order_learner(method).describe(options.order), values);
}

void set_graph(RehearsalOptions& options, const std::string& method, const OptionTexts& values) {
  GraphOptions& graph = options.graph.emplace();
  graph.method = method;
  set_options(graph_learner(method).describe(graph), values);
}

void set_sampler(RehearsalOptions& options, const std::string& kind, const OptionTexts& values) {
  options.samplers.sampler = kind;
  set_options(sampler_kind(kind).describe(options.samplers), values);
}

std::vector<Warning> table_warnings(const Table& table, const Task& task, const Context& context) {
  ReadFacts facts;
  add_roles(facts, task);
  return prepare_table(table, ConstantPolicy::kError, row_columns(task), context, &facts).warnings;
}

// The model, and what is doubtful about the table, which is no part of the model. `graph` is the JSON text of a graph
// file.
py::tuple fit_model(const std::string& task_text, const Table& table, const RehearsalOptions& options,
                    const std::optional<Order>& order, const std::optional<std::string>& graph,
                    const RunSettings& settings) {
  const Task task = parse_task(task_text, "The task");
  std::optional<GraphFile> given;
  if (graph) given = parse_graph(*graph, "The graph");
  std::vector<Warning> warnings;
  RehearsalModel model = run(settings, [&](const Context& context) {
    warnings = table_warnings(table, task, context);
    return given ? fit_rehearsal_on_graph(task, table, options, *given, context)
                 : fit_rehearsal(task, table, options, order, context);
  });
  return py::make_tuple(std::move(model), to_python(warnings));
}

// The same from a table with gaps, which are imputed.
py::tuple fit_incomplete_model(const std::string& task_text, const IncompleteTable& table, int imputations,
                               const RehearsalOptions& options, const std::optional<Order>& order,
                               const std::optional<std::string>& graph, const RunSettings& settings) {
  const Task task = parse_task(task_text, "The task");
  std::optional<GraphFile> given;
  if (graph) given = parse_graph(*graph, "The graph");
  std::vector<Warning> warnings;
  RehearsalModel model = run(settings, [&](const Context& context) {
    ImputeOptions impute_options;
    impute_options.imputations = imputations;
    // Types first: what is imputed must be possible.
    const IncompleteTable declared = table.with_started(declare_columns(table.started(), task));
    const CompletedTables tables = impute(declared, impute_options, context);
    warnings = table_warnings(tables.tables.front(), task, context);
    return given ? fit_rehearsal_on_graph(task, tables, options, *given, context)
                 : fit_rehearsal(task, tables, options, order, context);
  });
  return py::make_tuple(std::move(model), to_python(warnings));
}

// The number of a value that a user gave: of a level by its word.
double value_of(const RehearsalModel& model, const std::string& name, const std::string& text) {
  const NamedWord given{name, text};
  return level_values(model, {&given, 1}).front().value;
}

// Everything that was learned but the samplers themselves.
py::dict facts_of(const RehearsalModel& model) {
  Json json = to_json(model.order);
  json["task"] = to_json(model.task);
  json["column_types"] = column_types_json(model.columns);
  json["order_method"] = model.order.method;
  json["graph"] = model.graph ? to_json(*model.graph) : Json();
  json["models"] = models_json(model);
  json["undecided_steps"] = undecided_between(model);
  json["calibration"] = model.calibration ? to_json(*model.calibration) : Json();
  json["missing"] = model.gaps ? to_json(*model.gaps) : Json();
  json["set_by_hand"] = Json::array();
  for (const SetEffect& effect : model.set_by_hand) json["set_by_hand"].push_back(to_json(effect));
  json["groups"] = model.groups;
  json["agreement"] = model.agreement ? to_json(*model.agreement) : Json();
  json["options"] = to_json(model.options);
  json["seed"] = model.seed;
  py::dict dict = to_python(json);
  dict["criterion"] = model.order.criterion;
  dict["warnings"] = to_python(model.summary.warnings);
  return dict;
}

// NaN in a context: the value is not known.
py::list decide_for(const RehearsalModel& model, const std::vector<std::vector<double>>& contexts,
                    const OptionTexts& values, const std::string& unknown,
                    const std::vector<std::pair<std::string, std::string>>& so_far,
                    const std::optional<std::string>& log, const std::vector<std::string>& groups,
                    const RunSettings& settings) {
  DecisionOptions options;
  set_options(describe(options), values);
  std::vector<DecisionProblem> problems;
  for (const std::vector<double>& context : contexts)
    problems.push_back(decision_problem(model, known_context(model.task, context),
                                        unknown == "draw" ? UnknownPolicy::kDraw : UnknownPolicy::kError));
  for (std::size_t i = 0; i < problems.size() && i < groups.size(); ++i) {
    if (!groups[i].empty()) problems[i] = problem_in_group(std::move(problems[i]), model, groups[i]);
  }
  std::vector<NamedWord> words;
  for (const auto& [name, word] : so_far) words.push_back({name, word});
  const std::vector<NamedValue> since = level_values(model, words);
  std::vector<Warning> unlikely;
  const std::vector<Decision> decisions = run(settings, [&](const Context& context) {
    for (DecisionProblem& problem : problems) {
      ProblemSoFar next = problem_so_far(std::move(problem), since, context);
      problem = std::move(next.problem);
      unlikely.insert(unlikely.end(), next.warnings.begin(), next.warnings.end());
    }
    return decide_all(problems, options, context);
  });
  std::vector<std::string> ids;
  if (log) {
    ids = run(settings, [&](const Context& context) {
      return log_decisions(*log, model.task, "", decisions, model.columns, context);
    });
  }
  py::list list;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    std::vector<Warning> warnings = context_warnings(model.task, model.context, contexts[i]);
    if (i == 0) warnings.insert(warnings.end(), unlikely.begin(), unlikely.end());
    const std::vector<Warning>& own = decisions[i].summary.warnings;
    warnings.insert(warnings.end(), own.begin(), own.end());
    const std::vector<Warning> near_by = calibration_warnings(model, decisions[i]);
    warnings.insert(warnings.end(), near_by.begin(), near_by.end());
    py::dict dict = to_python(to_json(decisions[i], model.columns));
    if (const auto near = calibration_near(model, decisions[i])) dict["calibration_near"] = to_python(to_json(*near));
    dict["undecided_steps"] = undecided_between(model);
    dict["warnings"] = to_python(warnings);
    if (log) dict["decision_id"] = ids[i];
    list.append(dict);
  }
  return list;
}

// Several rounds with one target, from a table of rounds.
py::dict plan_rounds(const std::string& task_text, const Table& table, const RehearsalOptions& learning,
                     const std::optional<Order>& order,
                     const std::vector<std::pair<std::string, std::string>>& observed,
                     const std::tuple<int, int, bool>& rounds, const OptionTexts& values, const RunSettings& settings) {
  const Task task = parse_task(task_text, "The task");
  DecisionOptions options;
  set_options(describe(options), values);
  RehearsalOptions plain = learning;
  plain.members.reset();
  RoundsProblem problem;
  problem.task = task;
  std::tie(problem.options.rounds, problem.options.done, problem.options.sum) = rounds;
  RehearsalModel model;
  const RoundsDecision decided = run(settings, [&](const Context& context) {
    RoundsRows rows = rounds_rows(task, declare_columns(table, task));
    problem.past = std::move(rows.past);
    model = fit_rehearsal(rows.task, rows.lagged, plain, order, context);
    problem.samplers = model.samplers;
    std::vector<NamedWord> words;
    for (const auto& [name, word] : observed) words.push_back({name, word});
    problem.observed = level_values(model, words);
    return decide_rounds(problem, options, context);
  });
  std::vector<Warning> warnings = model.summary.warnings;
  const std::vector<Warning>& own = decided.decision.summary.warnings;
  warnings.insert(warnings.end(), own.begin(), own.end());
  Json json = to_json(decided.decision);
  Json alterations = Json::object();
  for (std::size_t k = 0; k < task.alterable.size(); ++k) {
    const std::optional<double>& value = decided.decision.alterations[k].value;
    const std::string& name = task.alterable[k].name;
    alterations[name] = value ? value_json(about_column(model.columns, name), *value) : Json();
  }
  json["alterations"] = alterations;
  json["plan"] = Json::array();
  for (const std::vector<NamedValue>& round : decided.plan) {
    Json& entry = json["plan"].emplace_back(Json::object());
    for (const NamedValue& lever : round) entry[lever.name] = lever.value;
  }
  py::dict dict = to_python(json);
  dict["warnings"] = to_python(warnings);
  return dict;
}

Table draw_after_decision(const RehearsalModel& model, const std::vector<double>& context_values,
                          const Values& alterations, std::size_t draws, std::uint64_t draw, double caution,
                          const RunSettings& settings) {
  PostDecisionPlan plan;
  plan.context = named_values(model.task.context, context_values);
  std::vector<double> values;
  for (const auto& [name, value] : alterations) {
    plan.altered.push_back(name);
    values.push_back(model.samplers->variables[model.samplers->index(name)].standardise(value));
  }
  plan.outcomes = model.task.outcome;
  plan.draws = draws;
  plan.noise = static_cast<std::uint64_t>(DrawStream::kFirstFree) + draw;
  plan.with_gradient = false;
  return run(settings, [&](const Context& context) {
    return PostDecisionSampler(model.samplers, plan, context).table(values, caution);
  });
}

IncompleteTable rows_of(const py::object& table) {
  if (py::isinstance<IncompleteTable>(table)) return table.cast<IncompleteTable>();
  const Table& whole = table.cast<const Table&>();
  return {whole, std::vector<unsigned char>(whole.rows() * whole.columns(), 0)};
}

// The model after new rows, and what became of its variables. Levels of the rows must be those of the model.
py::tuple update_with(const RehearsalModel& model, const std::optional<Table>& old_rows, const Table& new_rows,
                      const std::vector<std::pair<std::string, std::string>>& set_by_hand, bool keep_rows,
                      const RunSettings& settings) {
  if (!old_rows && !model.rows) {
    throw Error(ErrorCategory::kUsage, "The model holds no rows, which updating it needs.",
                {{"Give the rows that it was learned from", "old"}, {"Fit it again with its rows kept", "keep_rows"}});
  }
  UpdateOptions options;
  options.set_by_hand = set_by_hand;
  options.keep_rows = keep_rows;
  ModelUpdate update = run(settings, [&](const Context& context) {
    return update_model(model, old_rows ? *old_rows : *model.rows, new_rows, options, context);
  });
  py::dict found;
  found["old_rows"] = update.old_rows;
  found["new_rows"] = update.new_rows;
  found["variables"] = to_python(to_json(update.variables));
  found["warnings"] = to_python(update.warnings);
  return py::make_tuple(std::move(update.model), found);
}

py::dict check_drift_of(const RehearsalModel& model, const py::object& table, const RunSettings& settings) {
  const IncompleteTable rows = rows_of(table);
  const DriftCheck check = run(settings, [&](const Context& context) { return check_drift(model, rows, context); });
  py::dict found = to_python(to_json(check));
  found["warnings"] = to_python(drift_warnings(check));
  return found;
}

// Claims of a log beside what came out; `table` may be a Table, an IncompleteTable or None.
py::dict check_log(const std::string& path, const py::object& table, const std::string& column, bool record,
                   const RunSettings& settings) {
  std::optional<IncompleteTable> rows;
  if (!table.is_none()) rows = rows_of(table);
  std::vector<Warning> warnings;
  std::size_t recorded = 0;
  const RealisedCalibration realised = run(settings, [&](const Context& context) {
    const DecisionLog log = read_decision_log(path, context);
    warnings = log.warnings;
    MatchedOutcomes matched;
    if (rows) matched = match_outcomes(log, *rows, column);
    warnings.insert(warnings.end(), matched.warnings.begin(), matched.warnings.end());
    if (record) recorded = log_outcomes(path, matched, context);
    return realised_calibration(log, matched.outcomes);
  });
  const std::vector<Warning> off = realised_warnings(realised);
  warnings.insert(warnings.end(), off.begin(), off.end());
  py::dict dict = to_python(to_json(realised));
  if (record) dict["recorded"] = recorded;
  dict["warnings"] = to_python(warnings);
  return dict;
}

}  // namespace

void add_decisions(py::module_& module) {
  module.def("check_log", &check_log, py::arg("path"), py::arg("table"), py::arg("column"), py::arg("record"),
             py::arg("settings"));
  module.def("decision_options", [] {
    DecisionOptions options;
    return to_python(describe(options));
  });
  module.def("samplers", [] {
    py::list list;
    for (const SamplerKind& kind : sampler_kinds()) {
      SamplerOptions options;
      py::dict entry;
      entry["name"] = kind.name;
      entry["help"] = kind.help;
      entry["options"] = to_python(kind.describe(options));
      list.append(entry);
    }
    return list;
  });
  py::class_<RehearsalOptions>(module, "RehearsalOptions", "How order, graph and samplers of a task are learned.")
      .def(py::init<>())
      .def("set_order", &set_order, py::arg("method"), py::arg("options"))
      .def("set_graph", &set_graph, py::arg("method"), py::arg("options"))
      .def("set_sampler", &set_sampler, py::arg("sampler"), py::arg("options"))
      .def(
          "set_levers",
          [](RehearsalOptions& options, const std::string& rule) {
            set_options(describe(options), {{"levers", rule}});
          },
          py::arg("rule"))
      .def(
          "set_members",
          [](RehearsalOptions& options, const OptionTexts& values) {
            set_options(describe(options.members.emplace()), values);
          },
          py::arg("options"))
      .def_static("like", &rehearsal_defaults, py::arg("version"))
      .def_property_readonly("method", [](const RehearsalOptions& options) { return options.order.method; })
      .def_property_readonly("sampler", [](const RehearsalOptions& options) { return options.samplers.sampler; })
      .def_readwrite("ignore_stages", &RehearsalOptions::ignore_stages)
      .def_readwrite("opinions", &RehearsalOptions::opinions)
      .def_readwrite("calibrate", &RehearsalOptions::calibrate)
      .def_readwrite("keep_rows", &RehearsalOptions::keep_rows)
      .def_readwrite("context_model", &RehearsalOptions::context_model);
  py::class_<RehearsalModel>(module, "RehearsalModel", "Order and samplers of a task.")
      .def_static("fit", &fit_model, py::arg("task"), py::arg("table"), py::arg("options"), py::arg("order"),
                  py::arg("graph"), py::arg("settings"))
      .def_static("fit_incomplete", &fit_incomplete_model, py::arg("task"), py::arg("table"), py::arg("imputations"),
                  py::arg("options"), py::arg("order"), py::arg("graph"), py::arg("settings"))
      .def_static("plan_rounds", &plan_rounds, py::arg("task"), py::arg("table"), py::arg("options"), py::arg("order"),
                  py::arg("observed"), py::arg("rounds"), py::arg("search"), py::arg("settings"))
      .def_static(
          "load",
          [](const std::string& path, const RunSettings& settings) {
            return run(settings, [&](const Context& context) { return read_model(path, context); });
          },
          py::arg("path"), py::arg("settings"))
      .def(
          "save",
          [](const RehearsalModel& model, const std::string& path, bool overwrite) {
            write_model(path, model, overwrite);
          },
          py::arg("path"), py::arg("overwrite"))
      .def("facts", &facts_of)
      .def("update", &update_with, py::arg("old_rows"), py::arg("new_rows"), py::arg("set_by_hand"),
           py::arg("keep_rows"), py::arg("settings"))
      .def("check_drift", &check_drift_of, py::arg("table"), py::arg("settings"))
      .def("value_of", &value_of, py::arg("name"), py::arg("text"))
      .def("decide", &decide_for, py::arg("contexts"), py::arg("options"), py::arg("unknown"), py::arg("so_far"),
           py::arg("log"), py::arg("groups"), py::arg("settings"))
      .def("simulate", &draw_after_decision, py::arg("context"), py::arg("alterations"), py::arg("draws"),
           py::arg("draw"), py::arg("caution"), py::arg("settings"))
      .def(py::pickle(
          [](const RehearsalModel& model) { return py::make_tuple(py::bytes(model_bytes(model))); },
          [](const py::tuple& state) { return parse_model(state[0].cast<std::string>(), "A pickled model"); }));
}

}  // namespace olem::python
