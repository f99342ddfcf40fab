#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "olem/data_check.h"
#include "olem/knowledge.h"
#include "olem/table.h"
#include "session.h"

namespace olem::app {

// What every verb that reads a table takes.
struct DataOptions {
  std::string file;
  std::string missing = "error";
  std::string constant = "error";
  std::string columns;
  std::string drop_columns;
  std::string delimiter;
  bool no_header = false;
  bool header = false;
};

struct KnowledgeOptions {
  std::string file;
  std::vector<std::string> tiers;
  std::vector<std::string> before;
};

void add_data_options(CLI::App& verb, DataOptions& options);
void add_knowledge_options(CLI::App& verb, KnowledgeOptions& options);

ReadOptions read_options(const DataOptions& options);

// The table as it will be used; its warnings go to the session.
Table load_table(const DataOptions& options, Session& session);
Knowledge load_knowledge(const KnowledgeOptions& options);

Json to_json(const DataOptions& options);

// Names separated by commas; a name that holds a comma is written in double quotes, as in a CSV file.
std::vector<std::string> split_names(const std::string& text, const std::string& flag);

}  // namespace olem::app
