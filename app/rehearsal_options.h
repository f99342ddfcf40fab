#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "data_options.h"
#include "olem/rehearsal.h"
#include "session.h"

namespace olem::app {

// What every verb takes that learns an order and samplers for a task.
struct RehearsalArguments {
  DataOptions data;  // its file overrides the task's
  RehearsalOptions options;
  std::string order_file;
  std::string graph_file;
  std::string graph_method;               // empty: no graph is learned
  std::string opinions;                   // names of learners, with commas
  std::string like;                       // an earlier version, whose defaults hold; may be empty
  GraphOptions graph;                     // its options of order learners are those of `options`
  std::vector<const CLI::Option*> flags;  // all of these on the command line
};

void add_rehearsal_options(CLI::App& verb, RehearsalArguments& arguments);

// Members are fitted too, with their options; for verbs that use them.
void add_member_options(CLI::App& verb, RehearsalArguments& arguments);

// After the parse: a flag was given that the chosen learner or sampler does not read, or two that exclude each other.
// That is a usage error. Moves the options of a graph learner to where they are used.
void check_rehearsal_options(const CLI::App& verb, RehearsalArguments& arguments);

// After the parse: whether a graph is given or to be learned.
bool has_graph(const RehearsalArguments& arguments);

// After the parse: a usage error when any of these flags was given, because `why`.
void refuse_rehearsal_options(const RehearsalArguments& arguments, const std::string& why);

// The table of the task, or the one given instead of it.
DataOptions data_options(const RehearsalArguments& arguments, const Task& task);

// Learns from the table; the warnings of the model are the caller's to give.
RehearsalModel learn_model(const RehearsalArguments& arguments, const Task& task, const LoadedTable& loaded,
                           const Session& session);
// The same with another context, for verbs without an output that files could be confused with.
RehearsalModel learn_model(const RehearsalArguments& arguments, const Task& task, const LoadedTable& loaded,
                           const Context& context);

}  // namespace olem::app
