#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "data_options.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/report.h"
#include "olem/task.h"
#include "session.h"

namespace olem::app {

namespace {

struct CheckArguments {
  CommonOptions common;
  DataOptions data;
  std::string task;
};

struct Findings {
  std::vector<Problem> problems;
  Json json;
};

// A task is a JSON object, which no table begins like. Standard input can be read only once and is taken for a table.
bool is_task_file(const std::string& path) {
  constexpr std::size_t kLooked = 1 << 16;
  if (path == "-") return false;
  std::ifstream file(path, std::ios::binary);
  std::string beginning(kLooked, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return looks_like_task(beginning);
}

// The first argument may be a table or a task, the second one only a task.
void sort_arguments(CheckArguments& arguments) {
  if (arguments.task.empty()) {
    if (is_task_file(arguments.data.file)) arguments.task = std::exchange(arguments.data.file, "");
  } else if (is_task_file(arguments.data.file)) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("{} is a task, but the first of two files must be the data.", arguments.data.file));
  }
}

std::optional<Table> check_data(const CheckArguments& arguments, const Session& session, Findings& findings) {
  try {
    ReadResult read = read_data(arguments.data, session);
    for (const Warning& warning : read.warnings) {
      findings.problems.push_back({Severity::kWarning, warning.code, warning.text, "", {}});
    }
    const auto found = check_table(read.table, session.context());
    findings.problems.insert(findings.problems.end(), found.begin(), found.end());
    findings.json["data"] = {
        {"source", read.table.source()}, {"rows", read.table.rows()}, {"columns", read.table.columns()}};
    return std::move(read.table);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    findings.problems.push_back({Severity::kError, "not_a_table", error.what(), "", {}});
    findings.json["data"] = {{"source", arguments.data.file}};
    return std::nullopt;
  }
}

// Nothing when it cannot be understood.
std::optional<Task> read_task_file(const std::string& path, Findings& findings) {
  findings.json["task"] = {{"source", path}};
  try {
    return read_task(path);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    findings.problems.push_back({Severity::kError, "not_a_task", error.what(), "", {}});
    return std::nullopt;
  }
}

// The path of the table that the task names; "" when it names none.
std::string task_data(const Task& task, Findings& findings) {
  if (!task.data.empty()) return data_path(task);
  findings.problems.push_back({Severity::kError,
                               "no_data",
                               "The task names no table.",
                               "Give the path of a CSV or .npy file under \"data\", or before the task file.",
                               {}});
  return "";
}

int exit_code_for(const std::vector<Problem>& problems, bool strict) {
  bool impossible = false;
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::kError) continue;
    if (problem_category(problem) == ErrorCategory::kData) return exit_code(ErrorCategory::kData);
    impossible = true;
  }
  if (impossible) return exit_code(ErrorCategory::kTask);
  return strict && !problems.empty() ? exit_code(ErrorCategory::kData) : 0;
}

int run_check(CheckArguments arguments) {
  Session session(arguments.common);
  sort_arguments(arguments);
  protect_input(arguments.common.output, arguments.task, "the task file");
  Findings findings;
  std::optional<Task> task;
  if (!arguments.task.empty()) {
    task = read_task_file(arguments.task, findings);
    if (task && arguments.data.file.empty()) arguments.data.file = task_data(*task, findings);
  }
  std::string source = arguments.task;
  if (!arguments.data.file.empty()) {
    const std::optional<Table> table = check_data(arguments, session, findings);
    const std::string data = findings.json["data"]["source"];
    source = source.empty() ? data : fmt::format("{} with {}", source, data);
    if (task && table) {
      const auto found = check_task(*task, *table, session.context());
      findings.problems.insert(findings.problems.end(), found.begin(), found.end());
      std::stable_sort(findings.problems.begin(), findings.problems.end(),
                       [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
    }
  }
  findings.json["problems"] = Json::array();
  for (const Problem& problem : findings.problems) findings.json["problems"].push_back(to_json(problem));
  session.finish("check", findings.json, to_json(arguments.data), problems_text(findings.problems, source));
  return exit_code_for(findings.problems, arguments.common.strict);
}

}  // namespace

Verb add_check_verb(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* const verb =
      app.add_subcommand("check", "say what is wrong or doubtful about a table or a task, and what to do");
  add_data_options(*verb, arguments->data);
  verb->add_option("TASK", arguments->task, "task file; alone it is checked with the table that it names")
      ->type_name("");
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem check data.csv
  olem check data.csv --json
  olem check task.json
  olem check other-data.csv task.json

Exit codes: 0 nothing that must be mended (with --strict: nothing at all), 3 something must be mended, 4 the task
cannot be solved as stated.)");
  return {verb, [arguments] { return run_check(*arguments); }};
}

}  // namespace olem::app
