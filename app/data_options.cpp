#include "data_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "choices.h"
#include "command_line.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/options.h"
#include "spelling.h"
#include "values.h"

namespace olem::app {

namespace {

constexpr Choice kMissingChoices[] = {
    {"error", "refuse them"},
    {"drop", "leave the rows out and warn"},
    {"impute", "draw them from models of their columns given the others, several times"},
};
constexpr Choice kConstantChoices[] = {
    {"error", "refuse them"},
    {"drop", "leave the columns out and warn"},
};

// As messages call it.
std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// A column that the task leaves out must be one of the file, or its name is misspelt.
void check_known(const std::string& name, const ReadResult& read) {
  const std::vector<std::string>& names = read.file_columns;
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = closest_name(name, names);
  throw Error(
      ErrorCategory::kData,
      fmt::format("{}There is no column '{}', which the task leaves out.", read.table.prefix(), name),
      {{near.empty() ? "Correct the name; upper and lower case matter" : fmt::format("Did you mean '{}'?", near)}});
}

Knowledge knowledge_on_the_command_line(const KnowledgeOptions& options) {
  std::vector<std::vector<std::string>> tiers;
  for (const std::string& tier : options.tiers) tiers.push_back(split_names(tier, "tier"));
  std::vector<std::vector<std::string>> before;
  for (const std::string& chain : options.before) before.push_back(split_names(chain, "before"));
  return make_knowledge(std::move(tiers), before, "command line");
}

// A table is what people have; a task is what they must write. What may be a task with a mistake in its JSON is left to
// the parser.
void refuse_table(const std::string& path, std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (looks_like_task(text) || line.starts_with('[') || line.find("\":") != std::string_view::npos) return;
  refuse_other_formats(text, source_name(path));
  const bool cells = line.find_first_of(",;\t") != std::string_view::npos || text.starts_with("\x93NUMPY") ||
                     text.starts_with("\x1f\x8b");
  throw Error(ErrorCategory::kData,
              fmt::format("{} is {}. A task says which columns of a table may be altered, which are outcomes and where "
                          "these are wanted. Draft one with: olem init {} -o task.json",
                          source_name(path),
                          text.empty() ? "empty, and no task"
                          : cells      ? "a table, not a task"
                                       : "no task, which is a JSON object",
                          cells ? shell_word(path) : "TABLE"));
}

// An option that is wrong in the task and not on the command line.
[[noreturn]] void refuse_reading(const DataOptions& options, const Error& error) {
  throw Error(ErrorCategory::kData,
              fmt::format("{}: \"{}\" in \"reading\": {}", options.task, error.option(), error.finding()),
              error.remedies());
}

bool is_said_by_task(const DataOptions& options, const std::string& key) {
  return std::any_of(options.reading.begin(), options.reading.end(),
                     [&](const auto& option) { return option.first == key; });
}

// What is declared of columns that are not used.
void forget_dropped(Task& task, const Table& table) {
  std::erase_if(task.columns, [&](const ColumnDeclaration& column) { return !table.find(column.name); });
}

}  // namespace

void add_data_options(CLI::App& verb, DataOptions& options, const std::string& name) {
  const std::string group = "Data";
  const std::vector<const CLI::Option*> before = static_cast<const CLI::App&>(verb).get_options();
  CLI::Option* const file =
      verb.add_option(name, options.file, "CSV or .npy file, also with .gz, or - for standard input");
  if (file->get_positional()) {
    file->required()->type_name("");
  } else {
    file->type_name("FILE")->group(group);
  }
  OptionSet policies;
  policies.name_choice("missing", options.missing, kMissingChoices, "missing values");
  policies.name_choice("constant", options.constant, kConstantChoices, "constant columns and copies of others");
  add_described_options(verb, policies, group);
  verb.add_option("--columns", options.columns, "use only these columns, separated by commas")
      ->type_name("NAMES")
      ->group(group);
  verb.add_option("--drop-columns", options.drop_columns, "leave these columns out, separated by commas")
      ->type_name("NAMES")
      ->group(group);
  const auto add = [&](const char* flag, std::string& value, const char* help, const char* type) {
    return verb.add_option(flag, value, help)->type_name(type)->group(group);
  };
  add("--imputations", options.imputations, "completed tables with --missing impute (default 5)", "N");
  add("--na", options.na, "words or numbers that mean a missing value too, separated by commas: unknown,-999", "WORDS");
  verb.add_option("--type", options.types,
                  "type of a column: real, positive, share, count, ordinal, binary or category; repeat the flag. "
                  "Levels may follow, the lowest first: grade=ordinal:poor,fair,good")
      ->type_name("NAME=TYPE")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be DATA, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  add("--delimiter", options.delimiter,
      "between cells: one character, tab, or space for any run of blanks (default: detected)", "CHARACTER");
  CLI::Option* const decimal =
      add("--decimal", options.decimal, "decimal mark of the numbers, . or , (default: detected)", "MARK");
  keep_choices(*decimal, {".", ","});
  add("--skip-lines", options.skip_lines, "leave these lines out: 2, or 1-3,7; the first line of the file is 1",
      "LINES");
  add("--comment", options.comment,
      "leave lines out that begin with this (default: # unless they have the cells of a row)", "TEXT");
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

std::string beginning_of(const std::string& path) {
  constexpr std::size_t kLooked = 1 << 16;
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return "";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCategory::kFile, fmt::format("Cannot read {}: {}.", path, std::strerror(errno)));
  std::string beginning(kLooked, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return beginning;
}

bool is_model_file(const std::string& path) { return path.ends_with(".olem") || looks_like_model(beginning_of(path)); }

bool is_task_file(const std::string& path) {
  const std::string beginning = beginning_of(path);
  if (!looks_like_task(beginning)) return false;
  if (beginning.find('"') == std::string::npos) return true;
  constexpr std::array<std::string_view, 5> kKeys = {"\"alterable\"", "\"outcome\"", "\"desired\"", "\"context\"",
                                                     "\"data\""};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view key) { return beginning.find(key) != std::string::npos; });
}

ReadOptions read_options(const DataOptions& options) {
  ReadOptions read;
  set_read_option(read, "delimiter", options.delimiter);
  set_read_option(read, "decimal", options.decimal);
  set_read_option(read, "skip_lines", options.skip_lines);
  set_read_option(read, "comment", options.comment);
  set_read_option(read, "missing", options.missing);
  if (!options.imputations.empty()) set_read_option(read, "imputations", options.imputations);
  set_read_option(read, "na", options.na);
  for (const std::string& type : options.types) set_read_option(read, "type", type);
  if (options.no_header) read.header = HeaderMode::kAbsent;
  if (options.header) read.header = HeaderMode::kPresent;
  read.columns = names_in(options.columns, "columns");
  read.drop_columns = names_in(options.drop_columns, "drop_columns");
  read.unused = options.unused;
  read.new_rows = options.new_rows;
  for (const auto& [key, text] : options.reading) set_read_option(read, key, text);
  read.types.insert(read.types.end(), options.words.begin(), options.words.end());
  return read;
}

void take_reading(DataOptions& options, const Task& task) {
  const auto given = [&](const std::string& key) {
    return std::any_of(options.flags.begin(), options.flags.end(), [&](const CLI::Option* option) {
      return option->count() > 0 && option->check_lname(flag_name(key).substr(2));
    });
  };
  options.task = task.source;
  const bool header = given("header") || given("no_header");
  for (const auto& [key, text] : task.reading) {
    if (given(key) || (header && (key == "header" || key == "no_header"))) continue;
    if (key == "constant") {
      options.constant = text;
    } else {
      options.reading.emplace_back(key, text);
    }
  }
  if (!given("type")) options.words = declared_words(task);
}

ReadResult read_data(const DataOptions& options, const Session& session) {
  session.protect(options.file, "the file with the data");
  const auto checked = [&](ReadResult read) {
    for (const std::string& name : options.unused) check_known(name, read);
    return read;
  };
  try {
    return checked(read_table(options.file, read_options(options), session.context()));
  } catch (const Error& error) {
    if (error.category() == ErrorCategory::kData && is_task_file(options.file)) {
      throw Error(ErrorCategory::kData, fmt::format("{} is a task, not a table. Give the table that it names under "
                                                    "\"data\", or decide with it: olem decide {}",
                                                    options.file, shell_word(options.file)));
    }
    if (is_said_by_task(options, error.option())) refuse_reading(options, error);
    // What the task declares is no option: declare_columns says what is wrong about it.
    if (error.option() != "type" || options.words.empty() || options.file == "-") throw;
  }
  DataOptions plain = options;
  plain.words.clear();
  return checked(read_table(plain.file, read_options(plain), session.context()));
}

ReadFacts read_facts(const ReadResult& read) {
  ReadFacts facts;
  facts.delimiter = read.used.delimiter;
  facts.decimal_commas = read.used.decimal == ',';
  facts.maybe_grouped = read.maybe_grouped;
  facts.first_line = read.first_line;
  facts.total_label = read.total_label;
  return facts;
}

Table declare_table(const Table& table, const DataOptions& options, Task& task) {
  DataOptions flags = options;
  flags.words.clear();
  const ReadOptions read = read_options(flags);
  for (const DeclaredType& said : read.types) {  // goes before the task, and the table has it already
    for (ColumnDeclaration& column : task.columns) {
      if (column.name != said.name) continue;
      column.type.reset();
      column.levels.clear();
    }
  }
  Table declared = declare_columns(table, task, read);
  forget_dropped(task, declared);
  return declared;
}

std::optional<CompletedTables> complete_table(ReadResult& read, const DataOptions& options, Task* task, int imputations,
                                              const Session& session) {
  if (!read.incomplete) {
    if (task != nullptr) read.table = declare_table(read.table, options, *task);
    return std::nullopt;
  }
  if (task != nullptr)
    read.incomplete = read.incomplete->with_started(declare_table(read.incomplete->started(), options, *task));
  ImputeOptions impute_options;
  impute_options.imputations = imputations;
  CompletedTables completed = impute(*read.incomplete, impute_options, session.context());
  read.table = completed.tables.front();
  return completed;
}

LoadedTable load_table(const DataOptions& options, Session& session, Task* task) {
  LoadedTable loaded = load_tables(options, session, task);
  if (loaded.completed) {
    throw Error::of_option("missing",
                           fmt::format("{}{} values are missing, and nothing here is averaged over completed tables.",
                                       loaded.table.prefix(), loaded.completed->gaps.cells()),
                           {{"Leave out the rows", "missing", "drop"}});
  }
  return loaded;
}

LoadedTable load_tables(const DataOptions& options, Session& session, Task* task) {
  ReadResult read = read_data(options, session);
  std::optional<CompletedTables> completed = complete_table(read, options, task, read.used.imputations, session);
  const ConstantPolicy policy = options.constant == "drop" ? ConstantPolicy::kDrop : ConstantPolicy::kError;
  ReadFacts facts = read_facts(read);
  if (task != nullptr) add_roles(facts, *task);
  const std::vector<std::string> no_variables = task == nullptr ? std::vector<std::string>() : row_columns(*task);
  PreparedTable prepared = prepare_table(read.table, policy, no_variables, session.context(), &facts);
  std::vector<Warning> warnings = read.warnings;
  warnings.insert(warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  session.warn(warnings);
  if (task != nullptr) forget_dropped(*task, prepared.table);
  session.context().log_info(
      fmt::format("{}: {} rows, {} columns", prepared.table.source(), prepared.table.rows(), prepared.table.columns()));
  if (completed) completed = completed->with_columns(prepared.kept);
  return {std::move(prepared.table), read.table.names(), std::move(prepared.kept), std::move(completed)};
}

Task load_task(const std::string& path, const Session& session) {
  if (is_model_file(path)) {
    throw Error(ErrorCategory::kData, fmt::format("{} is a model, which holds its own task.", path),
                {{"Decide or explain with it as the model", "model", path}});
  }
  const std::string text = read_file(path, session.context());
  refuse_table(path, text);
  return parse_task(text, source_name(path));
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
  if (!options.imputations.empty()) json["imputations"] = read_options(options).imputations;
  json["constant"] = options.constant;
  if (!options.columns.empty()) json["columns"] = options.columns;
  if (!options.drop_columns.empty()) json["drop_columns"] = options.drop_columns;
  if (!options.na.empty()) json["na"] = options.na;
  if (!options.types.empty()) json["type"] = options.types;
  if (!options.delimiter.empty()) json["delimiter"] = options.delimiter;
  if (!options.decimal.empty()) json["decimal"] = options.decimal;
  if (!options.skip_lines.empty()) json["skip_lines"] = options.skip_lines;
  if (!options.comment.empty()) json["comment"] = options.comment;
  if (options.no_header) json["no_header"] = true;
  if (options.header) json["header"] = true;
  for (const auto& [key, text] : options.reading) {
    if (key == "type") {
      json[key].push_back(text);
    } else {
      json[key] = text;
    }
  }
  return json;
}

}  // namespace olem::app
