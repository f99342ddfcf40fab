#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "data_options.h"
#include "log_options.h"
#include "model_source.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/rehearsal.h"
#include "olem/report.h"
#include "olem/report_update.h"
#include "olem/task.h"
#include "session.h"
#include "spelling.h"

namespace olem::app {

namespace {

struct CheckArguments {
  CommonOptions common;
  DataOptions data;
  std::string task;
  std::string rows;               // that came since
  std::string unknown = "error";  // of the context
  LogArguments log;
};

// NOLINTNEXTLINE(bugprone-exception-escape): moving a Json is noexcept
struct Findings {
  std::vector<Problem> problems;
  Json json;
};

// The first argument may be a table or a task, the second one only a task.
void sort_arguments(CheckArguments& arguments) {
  if (arguments.task.empty()) {
    if (is_task_file(arguments.data.file)) arguments.task = std::exchange(arguments.data.file, "");
  } else if (is_task_file(arguments.data.file)) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("{} is a task, but the first of two files must be the data.", arguments.data.file));
  }
}

bool has_error(const Findings& findings) {
  return std::any_of(findings.problems.begin(), findings.problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::kError; });
}

// The table as other verbs would use it: without what --constant drop leaves out.
Table check_columns(const CheckArguments& arguments, const Task* task, const ReadResult& read, const Session& session,
                    Findings& findings) {
  const std::vector<std::string> no_variables = task == nullptr ? std::vector<std::string>() : row_columns(*task);
  Table used = read.table;
  if (arguments.data.constant == "drop") {
    try {
      PreparedTable prepared = prepare_table(read.table, ConstantPolicy::kDrop, no_variables, session.context());
      for (const Warning& warning : prepared.warnings) {
        // Of the warnings only those about what was left out have nothing to advise; the others are found again below.
        if (warning.remedies.empty())
          findings.problems.push_back({Severity::kWarning, warning.code, warning.text, {}, {warning.where}});
      }
      used = std::move(prepared.table);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;  // the checks find it too
    }
  }
  ReadFacts facts = read_facts(read);
  if (task != nullptr) add_roles(facts, *task);
  std::vector<std::size_t> variables;
  for (std::size_t j = 0; j < used.columns(); ++j) {
    if (std::find(no_variables.begin(), no_variables.end(), used.name(j)) == no_variables.end()) variables.push_back(j);
  }
  const auto found = check_table(variables.size() == used.columns() ? used : used.with_columns(variables),
                                 session.context(), CheckDepth::kThorough, &facts);
  findings.problems.insert(findings.problems.end(), found.begin(), found.end());
  return used;
}

// About as many rows, the extremes of every column among them: what learning refuses about a table it refuses about
// these.
Table some_rows(const Table& table, std::size_t count) {
  if (table.rows() <= count) return table;
  std::set<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.insert(i * table.rows() / count);
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto cells = table.column(j);
    const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
    rows.insert(static_cast<std::size_t>(low - cells.begin()));
    rows.insert(static_cast<std::size_t>(high - cells.begin()));
  }
  return table.with_rows(std::vector<std::size_t>(rows.begin(), rows.end()));
}

// The columns that a task names, and of the others as many as fit; nothing where it names too many.
std::optional<Table> some_columns(const Task& task, const Table& table, std::size_t count) {
  if (table.columns() <= count) return table;
  std::set<std::string> named;
  const auto add = [&](const std::vector<std::string>& names) { named.insert(names.begin(), names.end()); };
  for (const auto* names : {&task.context, &task.outcome, &task.known_before}) add(*names);
  add(row_columns(task));
  for (const LeverDomain& lever : task.alterable) named.insert(lever.name);
  for (const auto& [first, second] : task.before) named.insert({first, second});
  for (const SequenceStep& step : task.sequence) add(step.then_observe);
  for (const ColumnDeclaration& declared : task.columns) named.insert(declared.name);
  for (std::size_t j = 0; j < table.columns() && named.size() < count; ++j) named.insert(table.name(j));
  if (named.size() > count) return std::nullopt;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (named.contains(table.name(j))) columns.push_back(j);
  }
  return table.with_columns(columns);
}

// What olem decide would refuse about a task that is sound: a rehearsal of it on few rows and with the simplest
// sampler.
void check_learning(const Task& task, const Table& table, const Session& session, Findings& findings) {
  constexpr std::size_t kRows = 150;
  constexpr std::size_t kConfirmedRows = 5000;
  constexpr std::size_t kMostColumns = 60;  // of more, an order takes too long for a check
  const std::optional<Table> narrow = some_columns(task, table, kMostColumns);
  if (!narrow) return;
  const auto refusal = [&](const Table& rows) -> std::optional<Error> {
    RehearsalOptions options;
    options.samplers.sampler = "linear";
    options.calibrate = false;
    try {
      fit_rehearsal(task, rows, options, std::nullopt, session.context());
      return std::nullopt;
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData && error.category() != ErrorCategory::kTask) throw;
      return error;
    }
  };
  const Table few = some_rows(*narrow, kRows);
  std::optional<Error> error = refusal(few);
  if (error && (few.rows() < table.rows() || few.columns() < table.columns()))
    error = table.rows() <= kConfirmedRows ? refusal(table) : std::nullopt;
  if (error) findings.problems.push_back({Severity::kError, "not_learnable", error->finding(), error->remedies(), {}});
}

std::optional<Table> check_data(const CheckArguments& arguments, Task* task, const Session& session,
                                Findings& findings) {
  try {
    ReadResult read = read_data(arguments.data, session);
    for (const Warning& warning : read.warnings) {
      findings.problems.push_back({Severity::kWarning, warning.code, warning.text, warning.remedies, {}});
    }
    if (read.ends_empty) {
      findings.problems.push_back({Severity::kNote,
                                   "empty_end",
                                   "Every line ends with a separator. The last column, which has no name and holds "
                                   "nothing, was left out.",
                                   {},
                                   {}});
    }
    // What is missing and will be imputed is looked at as imputed once.
    std::optional<GapSummary> gaps;
    if (read.incomplete) gaps = summarise_gaps(*read.incomplete, read.used.imputations);
    try {
      complete_table(read, arguments.data, task, 1, session);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;  // what is declared is the task's: check_task says it
      if (read.incomplete) complete_table(read, arguments.data, nullptr, 1, session);
    }
    if (gaps) {
      findings.json["missing"] = to_json(*gaps);
      findings.problems.push_back({Severity::kNote,
                                   "imputed",
                                   fmt::format("{} missing cells in {} of {} rows are to be imputed.", gaps->cells(),
                                               gaps->incomplete_rows, gaps->rows),
                                   {},
                                   {}});
    }
    findings.json["column_types"] = column_types_json(named_columns(read.table));
    read.table = check_columns(arguments, task, read, session, findings);
    findings.json["data"] = {
        {"source", read.table.source()}, {"rows", read.table.rows()}, {"columns", read.table.columns()}};
    return std::move(read.table);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    findings.problems.push_back({Severity::kError, "not_a_table", error.finding(), error.remedies(), {}});
    findings.json["data"] = {{"source", arguments.data.file}};
    return std::nullopt;
  }
}

// Nothing when it cannot be understood.
std::optional<Task> read_task_file(const std::string& path, const Session& session, Findings& findings) {
  findings.json["task"] = {{"source", path}};
  try {
    return load_task(path, session);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    findings.problems.push_back({Severity::kError, "not_a_task", error.finding(), error.remedies(), {}});
    return std::nullopt;
  }
}

// The path of the table that the task names; "" when it names none.
std::string task_data(const Task& task, Findings& findings) {
  if (!task.data.empty()) return data_path(task);
  findings.problems.push_back({Severity::kError,
                               "no_data",
                               "The task names no table.",
                               {{"Give the path of a CSV or .npy file under \"data\", or before the task file"}},
                               {}});
  return "";
}

// Says what the file holds. Nothing when it is not sound.
std::optional<RehearsalModel> check_model_file(const std::string& path, const Session& session, Findings& findings) {
  Json& json = findings.json["model"];
  json["source"] = path;
  try {
    RehearsalModel model = read_model(path, session.context());
    json["version"] = model.version;
    json["seed"] = model.seed;
    json["task"] = to_json(model.task);
    json["column_types"] = column_types_json(model.columns);
    json["order"] = model.order.order;
    json["order_method"] = model.order.method;
    if (model.graph) json["graph"] = to_json(*model.graph);
    json["undecided_steps"] = undecided_between(model);
    json["models"] = models_json(model);
    if (model.calibration) json["calibration"] = to_json(*model.calibration);
    json["options"] = to_json(model.options);
    json["message"] = model.samplers->summary.message;
    for (const Warning& warning : model.summary.warnings)
      findings.problems.push_back({Severity::kWarning, warning.code, warning.text, warning.remedies, {}});
    return model;
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    findings.problems.push_back({Severity::kError, "not_a_model", error.finding(), error.remedies(), {}});
    return std::nullopt;
  }
}

int exit_code_for(const std::vector<Problem>& problems, bool strict) {
  bool impossible = false;
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::kError) continue;
    if (problem_category(problem) == ErrorCategory::kData) return exit_code(ErrorCategory::kData);
    impossible = true;
  }
  if (impossible) return exit_code(ErrorCategory::kTask);
  const bool warned = std::any_of(problems.begin(), problems.end(),
                                  [](const Problem& problem) { return problem.severity != Severity::kNote; });
  return strict && warned ? exit_code(ErrorCategory::kData) : 0;
}

int finish_check(Session& session, Findings& findings, const Json& options, const std::string& text,
                 const Spelling& spelling) {
  findings.json["problems"] = Json::array();
  for (const Problem& problem : findings.problems) findings.json["problems"].push_back(to_json(problem, spelling));
  session.finish("check", findings.json, options, text);
  return exit_code_for(findings.problems, session.options().strict);
}

// New rows beside what the model forecasts of them.
std::string add_drift(const CheckArguments& arguments, const RehearsalModel& model, Session& session,
                      Findings& findings, std::optional<IncompleteTable>& rows) {
  DataOptions data = arguments.data;
  data.file = arguments.rows;
  rows = read_new_rows(data, session, model.columns);
  const DriftCheck check = check_drift(model, *rows, session.context());
  findings.json["drift"] = to_json(check);
  for (const Warning& warning : drift_warnings(check))
    findings.problems.push_back({Severity::kWarning, warning.code, warning.text, warning.remedies, {warning.where}});
  return drift_text(check);
}

int run_model_check(const CheckArguments& arguments, Session& session) {
  const std::string& file = arguments.data.file;
  if (!arguments.task.empty())
    throw Error(ErrorCategory::kUsage, fmt::format("{} is a model, which holds its own task. Check it alone.", file));
  session.protect(file, "the model");
  Findings findings;
  const std::optional<RehearsalModel> model = check_model_file(file, session, findings);
  std::string more;
  std::optional<IncompleteTable> rows;
  if (model && !arguments.rows.empty()) more = add_drift(arguments, *model, session, findings, rows);
  if (!arguments.log.log.empty()) {
    session.protect(arguments.log.log, "the log of decisions");
    JoinedLog joined = join_log(arguments.log, rows ? &*rows : nullptr, session);
    findings.json["realised"] = std::move(joined.json);
    more += (more.empty() ? "" : "\n") + joined.text;
  }
  std::string text = problems_text(findings.problems, file, session.spelling());
  if (!more.empty()) {
    text += "\n" + more;
  } else if (model) {
    text += fmt::format("\nA model of olem {}, whole and sound. {}\n\n{}{}", model->version,
                        model->samplers->summary.message, model_text(*model), columns_text(model->columns));
  }
  return finish_check(session, findings, Json::object(), text, session.spelling());
}

// Claims of a log beside what came out; the rows bring outcomes that are not recorded yet.
int run_log_check(const CheckArguments& arguments, Session& session) {
  session.protect(arguments.log.log, "the log of decisions");
  std::optional<IncompleteTable> rows;
  if (!arguments.rows.empty()) {
    DataOptions data = arguments.data;
    data.file = arguments.rows;
    rows = read_new_rows(data, session);
  }
  JoinedLog joined = join_log(arguments.log, rows ? &*rows : nullptr, session);
  Json json;
  json["realised"] = std::move(joined.json);
  json["problems"] = Json::array();
  session.finish("check", json, to_json(arguments.data), joined.text);
  return 0;
}

void check_log_arguments(const CheckArguments& arguments) {
  const LogArguments& log = arguments.log;
  if (arguments.data.file.empty() && log.log.empty())
    throw Error(ErrorCategory::kUsage,
                "Give a table, a task or a model to check, or a log of decisions with --log. See olem check --help.");
  if (log.record && (log.log.empty() || arguments.rows.empty()))
    throw Error::of_option("record", "Only outcomes in rows can be recorded.",
                           {{"Give the log", "log"}, {"Give the rows that came out", "data"}});
  if (!arguments.rows.empty() && log.log.empty() && !is_model_file(arguments.data.file))
    throw Error::of_option("data", "Rows that came since are compared with a model or with a log of decisions.",
                           {{"Give the model instead of the table or task"}, {"Give the log", "log"}});
}

int run_check(CheckArguments arguments, const CLI::App& verb) {
  check_log_arguments(arguments);
  Session session(arguments.common);
  if (arguments.data.file.empty()) return run_log_check(arguments, session);
  if (is_model_file(arguments.data.file)) return run_model_check(arguments, session);
  sort_arguments(arguments);
  session.protect(arguments.task, "the task file");
  Findings findings;
  std::optional<Task> task;
  if (!arguments.task.empty()) {
    task = read_task_file(arguments.task, session, findings);
    if (task && arguments.data.file.empty()) arguments.data.file = task_data(*task, findings);
    if (task) arguments.data.unused = unused_columns(*task);
    if (task) take_reading(arguments.data, *task);
  }
  std::string source = arguments.task;
  std::string text;
  if (!arguments.data.file.empty()) {
    const std::optional<Table> table = check_data(arguments, task ? &*task : nullptr, session, findings);
    if (table) text = columns_text(named_columns(*table));
    const std::string data = findings.json["data"]["source"];
    source = source.empty() ? data : fmt::format("{} with {}", source, data);
    if (task && table) {
      const auto found = check_task(*task, *table, session.context(),
                                    arguments.unknown == "draw" ? UnknownPolicy::kDraw : UnknownPolicy::kError);
      findings.problems.insert(findings.problems.end(), found.begin(), found.end());
      if (!has_error(findings)) check_learning(*task, *table, session, findings);
      std::stable_sort(findings.problems.begin(), findings.problems.end(),
                       [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
    }
  }
  const Spelling spelling = flag_spelling(verb, !arguments.task.empty());
  text = problems_text(findings.problems, source, spelling) + text;
  return finish_check(session, findings, to_json(arguments.data), text, spelling);
}

}  // namespace

std::function<int()> fill_check_verb(CLI::App* verb) {
  auto arguments = std::make_shared<CheckArguments>();
  add_data_options(*verb, arguments->data);
  verb->get_option("DATA")->required(false);
  verb->add_option("TASK", arguments->task, "task file; alone it is checked with the table that it names")
      ->type_name("");
  verb->add_option("--data", arguments->rows,
                   "new rows in time order: with a model a test for drift, with --log the outcomes of its decisions")
      ->type_name("FILE")
      ->group("Data");
  add_unknown_option(*verb, arguments->unknown);
  add_log_options(*verb, arguments->log, true);
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem check data.csv
  olem check data.csv --json
  olem check task.json
  olem check other-data.csv task.json
  olem check model.olem
  olem check model.olem --data new.csv
  olem check --log decisions.jsonl --data outcomes.csv

Exit codes: 0 nothing that must be mended (with --strict: no warning either), 3 something must be mended, 4 the task
cannot be solved as stated.)");
  return [verb, arguments] { return run_check(*arguments, *verb); };
}

}  // namespace olem::app
