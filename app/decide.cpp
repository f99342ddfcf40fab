#include <fmt/format.h>

#include <memory>

#include "model_source.h"
#include "olem/error.h"
#include "olem/report.h"
#include "olem/report_page.h"

namespace olem::app {

namespace {

struct DecideArguments {
  CommonOptions common;
  RehearsalArguments learning;
  DecisionOptions decision;
  ContextSources contexts;
  std::string task;
  std::string model;
  std::string page;
  bool details = false;
};

const char* method_name(const DecideArguments& arguments, const RehearsalModel& model) {
  if (arguments.decision.method == DecisionMethod::kQwz23) return "qwz23";
  return model.graph ? "grad-rh" : "olem-rh";
}

// QWZ23 is a method for linear models with a graph.
void check_decision_method(const CLI::App& verb, DecideArguments& arguments) {
  if (arguments.decision.method != DecisionMethod::kQwz23 || !arguments.model.empty()) return;
  if (!has_graph(arguments.learning) && arguments.learning.order_file.empty()) {
    throw Error(
        ErrorCategory::kUsage,
        "--decision qwz23 needs to know what causes what: give a graph with --graph FILE, have one learned with "
        "--graph-method NAME, or give an order with --order FILE.");
  }
  if (verb.get_option("--sampler")->count() == 0) arguments.learning.options.samplers.sampler = "gaussian";
}

int run_decide(const DecideArguments& arguments) {
  Session session(arguments.common);
  session.reserve_file(arguments.page, "--report");
  session.protect(arguments.task, "the task file");
  session.protect(arguments.model, "the model");
  session.protect(arguments.contexts.file, "the file with the contexts");
  ModelSource source = find_model_source(arguments.task, arguments.model, arguments.learning, "decide", session);
  const Task& task = source.task;
  const std::vector<std::vector<double>> contexts = read_contexts(task, arguments.contexts, session.context());
  Json options = Json::object();
  const RehearsalModel model = take_model(source, arguments.model, arguments.learning, session, options);
  std::vector<DecisionProblem> problems;
  for (const std::vector<double>& values : contexts) {
    session.warn(context_warnings(task, model.context, values));
    problems.push_back(decision_problem(model, values));
  }
  const DecidedSoFar decided = decide_until_stopped(problems, arguments.decision, session.context());
  const std::vector<Decision>& decisions = decided.decisions;
  if (decided.stopped && decisions.empty()) throw Error(*decided.stopped);
  const std::vector<std::string> undecided = undecided_between(model);
  for (const Decision& decision : decisions) {
    const std::string& status = decision.summary.status;
    if (arguments.common.strict && (status == "no_influence" || status == "target_not_reached"))
      throw Error(ErrorCategory::kTask, fmt::format("{}: {}", task.source, decision.summary.message));
    session.warn(decision.summary.warnings);
  }
  if (decided.stopped) {
    session.warn({{"unfinished",
                   fmt::format("{} The result holds the first {} of {} contexts.", decided.stopped->what(),
                               decisions.size(), problems.size()),
                   arguments.contexts.file}});
  }

  Json json;
  json["method"] = method_name(arguments, model);
  json["task"] = to_json(task);
  json["order"] = model.order.order;
  json["order_method"] = model.order.method;
  if (model.graph) json["graph"] = to_json(*model.graph);
  json["models"] = models_json(model);
  json["undecided_steps"] = undecided;
  json["decisions"] = Json::array();
  for (const Decision& decision : decisions) {
    json["decisions"].push_back(to_json(decision));
    json["decisions"].back()["undecided_steps"] = undecided;
  }
  if (decided.stopped) json["unfinished"] = problems.size() - decisions.size();
  if ((arguments.details || !arguments.page.empty()) && !decided.stopped)
    add_decision_details(json, model, problems, decisions, arguments.decision, session.context());
  options.update(to_json(model.options));
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  session.finish("decide", json, std::move(options), decision_text(model, decisions), arguments.page);
  return decided.stopped ? exit_code(decided.stopped->category()) : 0;
}

}  // namespace

Verb add_decide_verb(CLI::App& app) {
  auto arguments = std::make_shared<DecideArguments>();
  CLI::App* const verb =
      app.add_subcommand("decide", "find what to change so that the outcome ends up where it is wanted");
  verb->add_option("TASK", arguments->task,
                   "task file: roles of the columns, domains, what is desired; not needed with --model");
  verb->add_option("--model", arguments->model, "a model of olem fit; nothing is learned, and no data are needed")
      ->type_name("FILE")
      ->group("Model");
  const std::string group = "Context";
  verb->add_option("--context", arguments->contexts.values, "an observed value, NAME=VALUE; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be TASK, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  verb->add_option("--contexts", arguments->contexts.file, "CSV file with a context in each row: one decision for each")
      ->type_name("FILE")
      ->group(group);
  add_rehearsal_options(*verb, arguments->learning);
  add_described_options(*verb, describe(arguments->decision), "Search");
  add_common_options(*verb, arguments->common);
  verb->add_option("--report", arguments->page, "also write a page that explains the decisions, for a browser or print")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_flag("--details", arguments->details, "put what a report shows into the JSON: curves, forecasts, steps")
      ->group("Output and resources");
  verb->footer(R"(
Examples:
  olem decide task.json
  olem decide task.json --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem decide task.json --contexts today.csv --json -o decisions.json
  olem decide task.json --sampler linear --caution 2
  olem decide task.json --target 0.8
  olem decide task.json --proposals 3 --optimizer bayes
  olem decide task.json --graph graph.csv
  olem decide task.json --graph-method ges --sampler linear
  olem decide task.json --decision qwz23 --graph graph.csv
  olem decide --model reef.olem --contexts today.csv
  olem decide task.json --report decision.html

Costs of alterations, how many of them there may be and constraints between them belong into the task file.
What is decided when --time-limit or Ctrl-C ends a run over many contexts is still printed and written.

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return {verb, [verb, arguments] {
            check_decision_method(*verb, *arguments);
            check_rehearsal_options(*verb, arguments->learning);
            return run_decide(*arguments);
          }};
}

}  // namespace olem::app
