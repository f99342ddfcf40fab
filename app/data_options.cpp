#include "data_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "command_line.h"
#include "olem/error.h"
#include "values.h"

namespace olem::app {

namespace {

constexpr Choice kMissingChoices[] = {
    {"error", "refuse them"},
    {"drop", "leave the rows out and warn"},
};
constexpr Choice kConstantChoices[] = {
    {"error", "refuse them"},
    {"drop", "leave the columns out and warn"},
};

// As messages call it.
std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Knowledge knowledge_on_the_command_line(const KnowledgeOptions& options) {
  std::vector<std::vector<std::string>> tiers;
  for (const std::string& tier : options.tiers) tiers.push_back(split_names(tier, "tier"));
  std::vector<std::vector<std::string>> before;
  for (const std::string& chain : options.before) before.push_back(split_names(chain, "before"));
  return make_knowledge(std::move(tiers), before, "command line");
}

// What is declared of columns that are not used.
void forget_dropped(Task& task, const Table& table) {
  std::erase_if(task.columns, [&](const ColumnDeclaration& column) { return !table.find(column.name); });
}

}  // namespace

void add_data_options(CLI::App& verb, DataOptions& options, const std::string& name) {
  const std::string group = "Data";
  const std::vector<const CLI::Option*> before = static_cast<const CLI::App&>(verb).get_options();
  CLI::Option* const file = verb.add_option(name, options.file, "CSV or .npy file, or - for standard input");
  if (file->get_positional()) {
    file->required()->type_name("");
  } else {
    file->type_name("FILE")->group(group);
  }
  OptionSet policies;
  policies.name_choice("missing", options.missing, kMissingChoices, "rows with missing values");
  policies.name_choice("constant", options.constant, kConstantChoices, "constant columns and copies of others");
  add_described_options(verb, policies, group);
  verb.add_option("--columns", options.columns, "use only these columns, separated by commas")
      ->type_name("NAMES")
      ->group(group);
  verb.add_option("--drop-columns", options.drop_columns, "leave these columns out, separated by commas")
      ->type_name("NAMES")
      ->group(group);
  verb.add_option("--delimiter", options.delimiter, "of the fields: one character, or tab (default: found out)")
      ->type_name("CHARACTER")
      ->group(group);
  auto* const absent = verb.add_flag("--no-header", options.no_header, "the first line is data")->group(group);
  verb.add_flag("--header", options.header, "the first line is names, even if they are numbers")
      ->excludes(absent)
      ->group(group);
  for (const CLI::Option* option : static_cast<const CLI::App&>(verb).get_options()) {
    if (std::find(before.begin(), before.end(), option) == before.end()) options.flags.push_back(option);
  }
}

void add_knowledge_options(CLI::App& verb, KnowledgeOptions& options) {
  const std::string group = "Knowledge";
  verb.add_option("--knowledge", options.file, "JSON file with tiers and before")->type_name("FILE")->group(group);
  verb.add_option("--tier", options.tiers, "names of one tier; repeat the flag, earliest tier first")
      ->type_name("NAMES")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be DATA, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  verb.add_option("--before", options.before, "names in the order they must have; may be repeated")
      ->type_name("A,B")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be DATA, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

ReadOptions read_options(const DataOptions& options) {
  ReadOptions read;
  if (options.delimiter == "tab" || options.delimiter == "\\t") {
    read.delimiter = '\t';
  } else if (options.delimiter.size() == 1) {
    read.delimiter = options.delimiter.front();
  } else if (!options.delimiter.empty()) {
    throw Error::of_option("delimiter", fmt::format("'{}' is not a single character or tab.", options.delimiter));
  }
  if (options.no_header) read.header = HeaderMode::kAbsent;
  if (options.header) read.header = HeaderMode::kPresent;
  if (options.missing == "drop") read.missing = MissingPolicy::kDrop;
  read.columns = names_in(options.columns, "columns");
  read.drop_columns = names_in(options.drop_columns, "drop_columns");
  for (const auto& [key, text] : options.reading) set_read_option(read, key, text);
  return read;
}

void take_reading(DataOptions& options, const Task& task) {
  const auto given = [&](const std::string& key) {
    return std::any_of(options.flags.begin(), options.flags.end(), [&](const CLI::Option* option) {
      return option->count() > 0 && option->check_lname(flag_name(key).substr(2));
    });
  };
  const bool header = given("header") || given("no_header");
  for (const auto& [key, text] : task.reading) {
    if (given(key) || (header && (key == "header" || key == "no_header"))) continue;
    if (key == "constant") {
      options.constant = text;
    } else {
      options.reading.emplace_back(key, text);
    }
  }
}

ReadResult read_data(const DataOptions& options, const Session& session) {
  session.protect(options.file, "the file with the data");
  return read_table(options.file, read_options(options), session.context());
}

Table declare_table(const Table& table, const DataOptions& options, Task& task) {
  Table declared = declare_columns(table, task, read_options(options));
  forget_dropped(task, declared);
  return declared;
}

LoadedTable load_table(const DataOptions& options, Session& session, Task* task) {
  ReadResult read = read_data(options, session);
  session.warn(read.warnings);
  if (task != nullptr) read.table = declare_table(read.table, options, *task);
  const ConstantPolicy policy = options.constant == "drop" ? ConstantPolicy::kDrop : ConstantPolicy::kError;
  PreparedTable prepared = prepare_table(read.table, policy, session.context());
  session.warn(prepared.warnings);
  if (task != nullptr) forget_dropped(*task, prepared.table);
  session.context().log_info(
      fmt::format("{}: {} rows, {} columns", prepared.table.source(), prepared.table.rows(), prepared.table.columns()));
  return {std::move(prepared.table), read.table.names(), std::move(prepared.kept)};
}

Task load_task(const std::string& path, const Session& session) {
  return parse_task(read_file(path, session.context()), source_name(path));
}

Knowledge load_knowledge(const KnowledgeOptions& options, const Session& session) {
  session.protect(options.file, "the file with the knowledge");
  Knowledge file;
  if (!options.file.empty())
    file = parse_knowledge(read_file(options.file, session.context()), source_name(options.file));
  return combine_knowledge(file, knowledge_on_the_command_line(options));
}

Precedence precedence_for(const LoadedTable& loaded, const Knowledge& knowledge) {
  return Precedence(knowledge, loaded.original_names).restricted_to(loaded.kept);
}

Json to_json(const DataOptions& options) {
  Json json;
  json["missing"] = options.missing;
  json["constant"] = options.constant;
  if (!options.columns.empty()) json["columns"] = options.columns;
  if (!options.drop_columns.empty()) json["drop_columns"] = options.drop_columns;
  if (!options.delimiter.empty()) json["delimiter"] = options.delimiter;
  if (options.no_header) json["no_header"] = true;
  if (options.header) json["header"] = true;
  for (const auto& [key, text] : options.reading) json[key] = text;
  return json;
}

}  // namespace olem::app
