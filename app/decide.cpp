#include <fmt/format.h>

#include <memory>
#include <optional>

#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/report.h"
#include "rehearsal_options.h"
#include "session.h"

namespace olem::app {

namespace {

struct DecideArguments {
  CommonOptions common;
  RehearsalArguments learning;
  DecisionOptions decision;
  ContextSources contexts;
  std::string task;
  std::string model;
};

// Wishes that the search cannot obey must not be forgotten silently.
void refuse_unknown_wishes(const Task& task) {
  const char* const wish = !task.cost.empty()          ? "cost"
                           : task.max_alterations      ? "max_alterations"
                           : !task.constraints.empty() ? "constraints"
                                                       : nullptr;
  if (wish != nullptr) {
    throw Error(ErrorCategory::kTask,
                fmt::format("{}: The task asks for '{}', which the search cannot obey. Remove it to decide without it.",
                            task.source, wish));
  }
}

// A task beside a model may say what is observed and where its table was, and nothing else that the model's does not.
void check_same_task(const Task& task, const Task& learned) {
  Json given = to_json(task);
  Json known = to_json(learned);
  for (const char* key : {"data", "observed"}) {
    given.erase(key);
    known.erase(key);
  }
  for (const Json* side : {&given, &known}) {
    for (const auto& [key, value] : side->items()) {
      if (given.contains(key) && known.contains(key) && given[key] == known[key]) continue;
      throw Error(ErrorCategory::kData,
                  fmt::format("{}: \"{}\" is not the one that the model in {} was fitted for. Leave the task out to "
                              "decide with the model's own, or fit again.",
                              task.source, key, learned.source));
    }
  }
}

// Where the model comes from, and the options that say so.
struct Source {
  Task task;  // with the values to decide for
  std::optional<RehearsalModel> model;
};

Source find_source(const DecideArguments& arguments, const Session& session) {
  if (arguments.model.empty()) {
    if (arguments.task.empty())
      throw Error(ErrorCategory::kUsage, "Give a task file, or a model with --model. See olem decide --help.");
    return {read_task(arguments.task), std::nullopt};
  }
  refuse_rehearsal_options(arguments.learning,
                           "With --model nothing is learned, so this has no effect. Give it to olem fit.");
  Source source;
  source.model = read_model(arguments.model, session.context());
  source.task = source.model->task;
  if (!arguments.task.empty()) {
    const Task task = read_task(arguments.task);
    check_same_task(task, source.model->task);
    source.task = task;
  }
  return source;
}

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
  protect_input(arguments.common.output, arguments.task, "the task file");
  protect_input(arguments.common.output, arguments.model, "the model");
  Source source = find_source(arguments, session);
  const Task& task = source.task;
  refuse_unknown_wishes(task);
  const std::vector<std::vector<double>> contexts = read_contexts(task, arguments.contexts, session.context());
  Json options = Json::object();
  if (source.model) {
    session.warn(source.model->summary.warnings);
    options["model"] = arguments.model;
  } else {
    const DataOptions data = data_options(arguments.learning, task);
    const LoadedTable loaded = load_table(data, session);
    source.model = learn_model(arguments.learning, task, loaded.table, session);
    options = to_json(data);
  }
  const RehearsalModel& model = *source.model;
  std::vector<DecisionProblem> problems;
  for (const std::vector<double>& values : contexts) {
    session.warn(context_warnings(task, model.context, values));
    problems.push_back(decision_problem(model, values));
  }
  const std::vector<Decision> decisions = decide_all(problems, arguments.decision, session.context());
  const std::vector<std::string> undecided = undecided_between(model);
  for (const Decision& decision : decisions) {
    session.warn(decision.summary.warnings);
    if (arguments.common.strict && decision.summary.status == "no_influence")
      throw Error(ErrorCategory::kTask, fmt::format("{}: {}", task.source, decision.summary.message));
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
  options.update(to_json(model.options));
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  session.finish("decide", json, std::move(options), decision_text(model, decisions));
  return 0;
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
  verb->footer(R"(
Examples:
  olem decide task.json
  olem decide task.json --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem decide task.json --contexts today.csv --json -o decisions.json
  olem decide task.json --sampler linear --caution 2
  olem decide task.json --graph graph.csv
  olem decide task.json --graph-method ges --sampler linear
  olem decide task.json --decision qwz23 --graph graph.csv
  olem decide --model reef.olem --contexts today.csv

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return {verb, [verb, arguments] {
            check_decision_method(*verb, *arguments);
            check_rehearsal_options(*verb, arguments->learning);
            return run_decide(*arguments);
          }};
}

}  // namespace olem::app
