#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "olem/data_check.h"
#include "olem/impute.h"
#include "olem/knowledge.h"
#include "olem/table.h"
#include "olem/task.h"
#include "session.h"

namespace olem::app {

// What every verb that reads a table takes.
struct DataOptions {
  std::string file;
  std::string missing = "error";
  std::string imputations;
  std::string constant = "error";
  std::string columns;
  std::string drop_columns;
  std::vector<std::string> unused;  // columns that the task leaves out
  std::string na;
  std::vector<std::string> types;
  std::string delimiter;
  std::string decimal;
  std::string skip_lines;
  std::string comment;
  bool no_header = false;
  bool header = false;
  std::vector<const CLI::Option*> flags;                     // all of these on the command line
  std::vector<std::pair<std::string, std::string>> reading;  // what the task says where no flag does
  std::string task;                                          // that says it
  std::vector<DeclaredType> words;                           // columns that the task declares as levels
  bool new_rows = false;                                     // that came after a model was learned
};

struct KnowledgeOptions {
  std::string file;
  std::vector<std::string> tiers;
  std::vector<std::string> before;
};

// `name` is DATA for a verb that always reads a table, a flag such as --data for one that may.
void add_data_options(CLI::App& verb, DataOptions& options, const std::string& name = "DATA");
void add_knowledge_options(CLI::App& verb, KnowledgeOptions& options);

ReadOptions read_options(const DataOptions& options);

// What the task says about reading its table, where no flag says otherwise.
void take_reading(DataOptions& options, const Task& task);

// Whether a file is a model; by its name as well, so that a model of which nothing is left is not taken for a bad table
// or task.
bool is_model_file(const std::string& path);
// The first bytes of a file. Standard input and pipes can be read only once: nothing then.
std::string beginning_of(const std::string& path);
// Whether a file holds a task: a JSON object, which no CSV file begins like. One with keys of which none is a task's is
// a table in JSON, which the reader names with its conversion.
bool is_task_file(const std::string& path);

// Reads the table as it is. A usage error when the output file of the session is the data file itself.
ReadResult read_data(const DataOptions& options, const Session& session);

// What the reader knows for the checks.
ReadFacts read_facts(const ReadResult& read);

// A table as it will be used, and what it was before columns were dropped from it.
struct LoadedTable {
  Table table;
  std::vector<std::string> original_names;
  std::vector<std::size_t> kept;  // the original columns that are left
  // Where values were missing and imputed: all completed tables, of which `table` is the first.
  std::optional<CompletedTables> completed;
};

// Reads and prepares the table, with the columns as the task declares them if there is one; its warnings go to the
// session. What the task declares of columns that are not used is taken out of it.
// A usage error where missing values were to be imputed: load_tables() is for verbs that know completed tables.
LoadedTable load_table(const DataOptions& options, Session& session, Task* task = nullptr);
LoadedTable load_tables(const DataOptions& options, Session& session, Task* task = nullptr);
// Declares the columns of what was read as the task does, if there is one, and imputes what is missing:
// `read.table` is the first completed table then.
std::optional<CompletedTables> complete_table(ReadResult& read, const DataOptions& options, Task* task, int imputations,
                                              const Session& session);
// The table as it was read with the columns as the task declares them.
Table declare_table(const Table& table, const DataOptions& options, Task& task);
// Like read_task and read_knowledge, but a wait for standard input can be interrupted.
Task load_task(const std::string& path, const Session& session);
Knowledge load_knowledge(const KnowledgeOptions& options, const Session& session);

// The knowledge about the columns that are left. It may name dropped columns too.
Precedence precedence_for(const LoadedTable& loaded, const Knowledge& knowledge);

Json to_json(const DataOptions& options);

}  // namespace olem::app
