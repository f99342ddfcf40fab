#include <algorithm>
#include <memory>

#include "data_options.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/report.h"
#include "session.h"

namespace olem::app {

namespace {

struct CheckArguments {
  CommonOptions common;
  DataOptions data;
};

int run_check(const CheckArguments& arguments) {
  Session session(arguments.common);
  std::vector<Problem> problems;
  Json json;
  std::string source = arguments.data.file;
  try {
    const ReadResult read = read_data(arguments.data, session);
    source = read.table.source();
    for (const Warning& warning : read.warnings) {
      problems.push_back({Severity::kWarning, warning.code, warning.text, "", {}});
    }
    const auto found = check_table(read.table, session.context());
    problems.insert(problems.end(), found.begin(), found.end());
    json["data"] = {{"source", source}, {"rows", read.table.rows()}, {"columns", read.table.columns()}};
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kData) throw;
    problems.push_back({Severity::kError, "not_a_table", error.what(), "", {}});
    json["data"] = {{"source", source}};
  }
  const bool bad = std::any_of(problems.begin(), problems.end(),
                               [](const Problem& problem) { return problem.severity == Severity::kError; });
  json["problems"] = Json::array();
  for (const Problem& problem : problems) json["problems"].push_back(to_json(problem));
  session.finish("check", json, to_json(arguments.data), problems_text(problems, source));
  return bad || (arguments.common.strict && !problems.empty()) ? exit_code(ErrorCategory::kData) : 0;
}

}  // namespace

Verb add_check_verb(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* const verb = app.add_subcommand("check", "say what is wrong or doubtful about a table, and what to do");
  add_data_options(*verb, arguments->data);
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem check data.csv
  olem check data.csv --json

Exit codes: 0 nothing that must be mended (with --strict: nothing at all), 3 something must be mended.)");
  return {verb, [arguments] { return run_check(*arguments); }};
}

}  // namespace olem::app
