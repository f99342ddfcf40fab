#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olem/decision.h"
#include "rehearsal_options.h"
#include "session.h"

namespace olem::app {

// What a verb takes that rehearses decisions: a task or a model, and the contexts to decide for.
struct ModelArguments {
  std::string task;
  std::string model;
  std::vector<std::string> observed;  // NAME=VALUE each
  std::string contexts;               // file with a context in each row
  std::string unknown = "error";      // or draw: of context variables without a value
  std::vector<std::string> so_far;    // NAME=VALUE each, or several with commas: set and seen since
};

// TASK, --model, --context and --contexts; the help of the last says what becomes of each of its rows.
void add_model_options(CLI::App& verb, ModelArguments& arguments, const std::string& contexts_help);

// --unknown.
void add_unknown_option(CLI::App& verb, std::string& unknown);

// --so-far.
void add_so_far_option(CLI::App& verb, ModelArguments& arguments);

// A flag of the group "Context" whose value is NAME=VALUE and which may be repeated.
void add_assignments(CLI::App& verb, const std::string& flag, std::vector<std::string>& values,
                     const std::string& help);

// Reserves the output that `flag` names, if any (Session::reserve_file), and keeps it and that of -o from taking the
// place of the task, the model or the contexts.
void reserve_output(const ModelArguments& arguments, const std::string& path, std::string_view flag, Session& session);

// What a verb works with that needs a model: one read from a file, or a task to learn one for.
struct ModelSource {
  Task task;                            // with the values that are observed
  std::optional<RehearsalModel> model;  // when --model names one
  std::optional<LoadedTable> loaded;    // to learn from otherwise
  std::vector<NamedColumn> columns;     // of either
  Json options = Json::object();        // that say where it comes from
};

// Reads the task and the model that are named, and the table when a model is to be learned; either name may be empty,
// not both. A task beside a model may say what is observed, where its table was and how it was read, and nothing else
// that the model's does not: a data error otherwise. `verb` is for messages.
ModelSource find_model_source(const std::string& task, const std::string& model, const RehearsalArguments& learning,
                              const std::string& verb, Session& session);

// The contexts to decide for.
std::vector<std::vector<double>> load_contexts(const ModelSource& source, const ModelArguments& arguments,
                                               const Session& session);
// Whether a value of them is not known, so that a model of the context is needed.
bool any_unknown(const std::vector<std::vector<double>>& contexts);

// The model of the source, learned now when there is none.
RehearsalModel take_model(ModelSource& source, const RehearsalArguments& learning, Session& session);

// The same without the model's warnings, which are then the caller's to give.
RehearsalModel take_model_quietly(ModelSource& source, const RehearsalArguments& learning, Session& session);

// One decision to make for each context, and what is doubtful about the contexts.
struct DecisionProblems {
  std::vector<DecisionProblem> list;
  std::vector<Warning> warnings;
};

DecisionProblems make_problems(const RehearsalModel& model, const Task& task,
                               const std::vector<std::vector<double>>& contexts);

// The same after what --so-far says. A usage error for several contexts: what was set and seen belongs to one case.
DecisionProblems make_problems(const RehearsalModel& model, const Task& task,
                               const std::vector<std::vector<double>>& contexts, const ModelArguments& arguments,
                               const Session& session);

}  // namespace olem::app
