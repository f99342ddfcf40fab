#include "model_source.h"

#include <fmt/format.h>

#include "olem/error.h"
#include "olem/model_file.h"
#include "values.h"

namespace olem::app {

namespace {

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

}  // namespace

void add_model_options(CLI::App& verb, ModelArguments& arguments, const std::string& contexts_help) {
  verb.add_option("TASK", arguments.task,
                  "task file: roles of the columns, domains, what is desired; not needed with --model");
  verb.add_option("--model", arguments.model, "a model of olem fit; nothing is learned, and no data are needed")
      ->type_name("FILE")
      ->group("Model");
  add_assignments(verb, "--context", arguments.observed, "an observed value, NAME=VALUE; may be repeated");
  verb.add_option("--contexts", arguments.contexts, contexts_help)->type_name("FILE")->group("Context");
}

void add_assignments(CLI::App& verb, const std::string& flag, std::vector<std::string>& values,
                     const std::string& help) {
  verb.add_option(flag, values, help)
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be TASK, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Context");
}

std::vector<std::vector<double>> load_contexts(const Task& task, const ModelArguments& arguments,
                                               const Session& session) {
  return read_contexts(task, {parse_assignments(arguments.observed, "context"), arguments.contexts}, session.context());
}

void reserve_output(const ModelArguments& arguments, const std::string& path, std::string_view flag, Session& session) {
  session.reserve_file(path, flag);
  session.protect(arguments.task, "the task file");
  session.protect(arguments.model, "the model");
  session.protect(arguments.contexts, "the file with the contexts");
}

ModelSource find_model_source(const std::string& task, const std::string& model, const RehearsalArguments& learning,
                              const std::string& verb, const Session& session) {
  if (model.empty()) {
    if (task.empty())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("Give a task file, or a model with --model. See olem {} --help.", verb));
    return {load_task(task, session), std::nullopt};
  }
  refuse_rehearsal_options(learning, "With --model nothing is learned, so this has no effect. Give it to olem fit.");
  ModelSource source;
  source.model = read_model(model, session.context());
  source.task = source.model->task;
  if (!task.empty()) {
    const Task given = load_task(task, session);
    check_same_task(given, source.model->task);
    source.task = given;
  }
  return source;
}

RehearsalModel take_model(ModelSource& source, const std::string& model, const RehearsalArguments& learning,
                          Session& session, Json& options) {
  RehearsalModel taken = take_model_quietly(source, model, learning, session, options);
  session.warn(taken.summary.warnings);
  return taken;
}

RehearsalModel take_model_quietly(ModelSource& source, const std::string& model, const RehearsalArguments& learning,
                                  Session& session, Json& options) {
  if (source.model) {
    options["model"] = model;
    return std::move(*source.model);
  }
  const DataOptions data = data_options(learning, source.task);
  const LoadedTable loaded = load_table(data, session);
  options.update(to_json(data));
  return learn_model(learning, source.task, loaded.table, session);
}

DecisionProblems make_problems(const RehearsalModel& model, const Task& task,
                               const std::vector<std::vector<double>>& contexts) {
  DecisionProblems problems;
  for (const std::vector<double>& values : contexts) {
    const std::vector<Warning> warnings = context_warnings(task, model.context, values);
    problems.warnings.insert(problems.warnings.end(), warnings.begin(), warnings.end());
    problems.list.push_back(decision_problem(model, named_values(task.context, values)));
  }
  return problems;
}

}  // namespace olem::app
