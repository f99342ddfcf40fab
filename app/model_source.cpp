#include "model_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "values.h"

namespace olem::app {

namespace {

constexpr Choice kUnknownChoices[] = {
    {"error", "refuse them"},
    {"draw", "draw them from their distribution given the known ones"},
};

// What is declared of columns that the model does not have, and for people, is no other task.
void check_same_task(const Task& task, const RehearsalModel& model) {
  const Task& learned = model.task;
  const Order& used = model.order.order;
  Json given = to_json(task);
  Json known = to_json(learned);
  for (const char* key : {"name", "note", "data", "reading", "observed"}) {
    given.erase(key);
    known.erase(key);
  }
  for (Json* side : {&given, &known}) {
    if (!side->contains("columns")) continue;
    Json& columns = (*side)["columns"];
    for (auto& [name, column] : columns.items()) {
      column.erase("unit");
      column.erase("label");
    }
    for (auto column = columns.begin(); column != columns.end();)
      column = column->empty() || std::find(used.begin(), used.end(), column.key()) == used.end()
                   ? columns.erase(column)
                   : std::next(column);
    if (columns.empty()) side->erase("columns");
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
  add_unknown_option(verb, arguments.unknown);
}

void add_unknown_option(CLI::App& verb, std::string& unknown) {
  OptionSet policies;
  policies.name_choice("unknown", unknown, kUnknownChoices, "context variables without a value");
  add_described_options(verb, policies, "Context");
}

void add_so_far_option(CLI::App& verb, ModelArguments& arguments) {
  add_assignments(verb, "--so-far", arguments.so_far,
                  "what was set or seen since, NAME=VALUE or several with commas: decide the next step; may be "
                  "repeated");
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

std::vector<std::vector<double>> load_contexts(const ModelSource& source, const ModelArguments& arguments,
                                               const Session& session) {
  return read_contexts(source.task, {parse_texts(arguments.observed, "context"), arguments.contexts}, session.context(),
                       context_columns(source.task, source.columns),
                       arguments.unknown == "draw" ? UnknownPolicy::kDraw : UnknownPolicy::kError);
}

bool any_unknown(const std::vector<std::vector<double>>& contexts) {
  for (const std::vector<double>& values : contexts) {
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return true;
  }
  return false;
}

void reserve_output(const ModelArguments& arguments, const std::string& path, std::string_view flag, Session& session) {
  session.reserve_file(path, flag);
  session.protect(arguments.task, "the task file");
  session.protect(arguments.model, "the model");
  session.protect(arguments.contexts, "the file with the contexts");
}

ModelSource find_model_source(const std::string& task, const std::string& model, const RehearsalArguments& learning,
                              const std::string& verb, Session& session) {
  ModelSource source;
  if (model.empty()) {
    if (task.empty())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("Give a task file, or a model with --model. See olem {} --help.", verb));
    source.task = load_task(task, session);
    const DataOptions data = data_options(learning, source.task);
    source.loaded = load_tables(data, session, &source.task);
    check_task_columns(source.task, source.loaded->table);
    source.columns = named_columns(source.loaded->table);
    source.options.update(to_json(data));
    return source;
  }
  refuse_rehearsal_options(learning, "With --model nothing is learned, so this has no effect. Give it to olem fit.");
  source.model = read_model(model, session.context());
  source.task = source.model->task;
  source.columns = source.model->columns;
  source.options["model"] = model;
  if (!task.empty()) {
    const Task given = load_task(task, session);
    check_same_task(given, *source.model);
    source.task = given;
  }
  return source;
}

RehearsalModel take_model(ModelSource& source, const RehearsalArguments& learning, Session& session) {
  RehearsalModel taken = take_model_quietly(source, learning, session);
  session.warn(taken.summary.warnings);
  return taken;
}

RehearsalModel take_model_quietly(ModelSource& source, const RehearsalArguments& learning, Session& session) {
  if (source.model) return std::move(*source.model);
  return learn_model(learning, source.task, *source.loaded, session);
}

DecisionProblems make_problems(const RehearsalModel& model, const Task& task,
                               const std::vector<std::vector<double>>& contexts) {
  DecisionProblems problems;
  for (const std::vector<double>& values : contexts) {
    const std::vector<Warning> warnings = context_warnings(task, model.context, values);
    problems.warnings.insert(problems.warnings.end(), warnings.begin(), warnings.end());
    // Without a value is only what was allowed to be so.
    problems.list.push_back(decision_problem(model, known_context(task, values), UnknownPolicy::kDraw));
  }
  return problems;
}

DecisionProblems make_problems(const RehearsalModel& model, const Task& task,
                               const std::vector<std::vector<double>>& contexts, const ModelArguments& arguments,
                               const Session& session) {
  DecisionProblems problems = make_problems(model, task, contexts);
  const std::string group = observed_group(task, parse_texts(arguments.observed, "context"));
  if (!group.empty()) {
    for (DecisionProblem& problem : problems.list) problem = problem_in_group(std::move(problem), model, group);
  }
  if (arguments.so_far.empty()) return problems;
  if (contexts.size() != 1) {
    throw Error::of_option(
        "so_far", fmt::format("There are {} contexts, but what was set and seen belongs to one.", contexts.size()));
  }
  std::vector<std::string> pieces;
  for (const std::string& given : arguments.so_far) {
    std::size_t from = 0;
    while (from <= given.size()) {
      const std::size_t comma = std::min(given.find(',', from), given.size());
      pieces.push_back(given.substr(from, comma - from));
      from = comma + 1;
    }
  }
  const std::vector<NamedValue> values = level_values(model, parse_texts(pieces, "so_far"));
  ProblemSoFar next = problem_so_far(std::move(problems.list.front()), values, session.context());
  problems.list.front() = std::move(next.problem);
  problems.warnings.insert(problems.warnings.end(), next.warnings.begin(), next.warnings.end());
  return problems;
}

}  // namespace olem::app
