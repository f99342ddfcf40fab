#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command_line.h"
#include "model_source.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/journal.h"
#include "olem/report.h"
#include "olem/report_page.h"

namespace olem::app {

namespace {

struct DecideArguments {
  CommonOptions common;
  RehearsalArguments learning;
  DecisionOptions decision;
  ModelArguments source;
  std::string page;
  std::string csv;
  std::string log;
  bool details = false;
};

// QWZ23 is a method for linear models with a graph.
void check_decision_method(const CLI::App& verb, DecideArguments& arguments) {
  if (arguments.decision.method != DecisionMethod::kQwz23 || !arguments.source.model.empty()) return;
  if (!has_graph(arguments.learning) && arguments.learning.order_file.empty()) {
    throw Error(
        ErrorCategory::kUsage,
        "--decision qwz23 needs to know what causes what: give a graph with --graph FILE, have one learned with "
        "--graph-method NAME, or give an order with --order FILE.");
  }
  if (!flag_given(verb, "--sampler")) arguments.learning.options.samplers.sampler = "gaussian";
}

// What --strict takes as a task that cannot be solved as stated.
void refuse_hopeless(const std::vector<Decision>& decisions, const Task& task) {
  for (const Decision& decision : decisions) {
    const Status status = decision.summary.status;
    if (status == Status::kNoInfluence || status == Status::kTargetNotReached)
      throw Error(ErrorCategory::kTask, fmt::format("{}: {}", task.source, decision.summary.message));
  }
}

// What is wrong with the log is said before any work.
void check_log(const std::string& path, Session& session) {
  session.protect(path, "the log of decisions");
  if (std::filesystem::exists(path)) session.warn(read_decision_log(path, session.context()).warnings);
}

int run_decide(DecideArguments arguments) {
  Session session(arguments.common);
  reserve_output(arguments.source, arguments.page, "--report", session);
  reserve_output(arguments.source, arguments.csv, "--csv", session);
  const std::string& file = arguments.source.model;
  if (!arguments.log.empty()) check_log(arguments.log, session);
  ModelSource source = find_model_source(arguments.source.task, file, arguments.learning, "decide", session);
  const Task& task = source.task;
  const std::vector<std::vector<double>> contexts = load_contexts(source, arguments.source, session);
  const bool details = arguments.details || !arguments.page.empty();
  arguments.learning.options.calibrate = details;
  arguments.learning.options.context_model = any_unknown(contexts);
  if (arguments.decision.quick) arguments.learning.options.members.reset();
  Json options = source.options;
  const RehearsalModel model = take_model_quietly(source, arguments.learning, session);
  const DecisionProblems problems = make_problems(model, task, contexts, arguments.source, session);
  const DecidedSoFar decided = decide_until_stopped(problems.list, arguments.decision, session.context());
  const std::vector<Decision>& decisions = decided.decisions;
  if (decided.stopped && decisions.empty()) throw Error(*decided.stopped);
  // That the task has no solution says more than a doubt about what was learned, which may be the reason for it.
  if (arguments.common.strict) refuse_hopeless(decisions, task);
  std::vector<Warning> warnings = model.summary.warnings;
  const auto add = [&](const std::vector<Warning>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); };
  add(problems.warnings);
  for (const Decision& decision : decisions) {
    add(decision.summary.warnings);
    add(calibration_warnings(model, decision));
  }
  if (decided.stopped) {
    add({{"unfinished",
          fmt::format("The result holds the first {} of {} contexts. {}", decisions.size(), problems.list.size(),
                      decided.stopped->finding()),
          arguments.source.contexts, decided.stopped->remedies()}});
  }
  session.warn(warnings);

  Json json = decisions_json(model, task, arguments.decision, decisions);
  if (decided.stopped) json["unfinished"] = problems.list.size() - decisions.size();
  if (details && !decided.stopped)
    add_decision_details(json, model, problems.list, decisions, arguments.decision, session.context());
  options.update(to_json(model.options));
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  std::string text = decision_text(model, decisions);
  if (!arguments.log.empty()) {
    const std::vector<std::string> ids = log_decisions(arguments.log, task, file.empty() ? arguments.source.task : file,
                                                       decisions, model.columns, session.context());
    for (std::size_t i = 0; i < ids.size(); ++i) json["decisions"][i]["decision_id"] = ids[i];
    text += fmt::format("\nLogged in {} as decision{} {}{}.\n", arguments.log, ids.size() == 1 ? "" : "s", ids.front(),
                        ids.size() == 1 ? "" : " to " + ids.back());
  }
  session.finish("decide", json, std::move(options), text, arguments.page, [&] {
    if (!arguments.csv.empty())
      write_file_atomically(arguments.csv, decisions_csv(decisions, model.columns), arguments.common.force);
  });
  return decided.stopped ? exit_code(decided.stopped->category()) : 0;
}

}  // namespace

std::function<int()> fill_decide_verb(CLI::App* verb) {
  auto arguments = std::make_shared<DecideArguments>();
  add_model_options(*verb, arguments->source, "CSV file with a context in each row: one decision for each");
  add_so_far_option(*verb, arguments->source);
  add_rehearsal_options(*verb, arguments->learning);
  add_member_options(*verb, arguments->learning);
  add_described_options(*verb, describe(arguments->decision), "Search");
  add_common_options(*verb, arguments->common);
  verb->add_option("--report", arguments->page, "also write a page that explains the decisions, for a browser or print")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_option("--csv", arguments->csv, "also write a table with a row for each context, its decision and success")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_option("--log", arguments->log,
                   "also add each decision, with what it claims, to this log; olem check --log compares it with what "
                   "came out")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_flag("--details", arguments->details, "put what a report shows into the JSON: curves, forecasts, steps")
      ->group("Output and resources");
  verb->footer(R"(
Examples:
  olem decide task.json
  olem decide task.json --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem decide task.json --contexts today.csv --json -o decisions.json
  olem decide --model reef.olem --contexts today.csv --csv decisions.csv
  olem decide task.json --sampler linear --caution 2
  olem decide task.json --target 0.8
  olem decide task.json --quick
  olem decide task.json --proposals 3 --optimizer bayes
  olem decide task.json --graph graph.csv
  olem decide task.json --graph-method ges --sampler linear
  olem decide task.json --decision qwz23 --graph graph.csv
  olem decide task.json --report decision.html
  olem decide --model reef.olem --contexts today.csv --log decisions.jsonl

Costs of alterations, how many of them there may be and constraints between them belong into the task file.
What is decided when --time-limit or Ctrl-C ends a run over many contexts is still printed and written.

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return [verb, arguments] {
    check_rehearsal_options(*verb, arguments->learning);
    check_decision_method(*verb, *arguments);
    // An earlier version had one fit, and took the best decision whatever its effort.
    if (!arguments->learning.like.empty()) {
      arguments->decision.quick = true;
      if (!flag_given(*verb, "--least-effort")) arguments->decision.least_effort = 0.0;
    }
    return run_decide(*arguments);
  };
}

}  // namespace olem::app
