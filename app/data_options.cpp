#include "data_options.h"

#include <fmt/format.h>

#include "olem/error.h"

namespace olem::app {

void add_data_options(CLI::App& verb, DataOptions& options) {
  const std::string group = "Data";
  verb.add_option("DATA", options.file, "CSV or .npy file, or - for standard input")->required()->group("");
  verb.add_option("--missing", options.missing, "rows with missing values: error, drop (default error)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"error", "drop"}))
      ->group(group);
  verb.add_option("--constant", options.constant, "constant columns and copies of others: error, drop (default error)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"error", "drop"}))
      ->group(group);
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
}

void add_knowledge_options(CLI::App& verb, KnowledgeOptions& options) {
  const std::string group = "Knowledge";
  verb.add_option("--knowledge", options.file, "JSON file with tiers and before")->type_name("FILE")->group(group);
  verb.add_option("--tier", options.tiers, "names of one tier; repeat the flag, earliest tier first")
      ->type_name("NAMES")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  verb.add_option("--before", options.before, "names in the order they must have; may be repeated")
      ->type_name("A,B")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

std::vector<std::string> split_names(const std::string& text, const std::string& flag) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        names.back() += text[++i];
      } else {
        quoted = !quoted;
      }
    } else if (text[i] == ',' && !quoted) {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  for (const std::string& name : names) {
    if (name.empty() || quoted) {
      throw Error(ErrorCategory::kUsage,
                  fmt::format("{}: '{}' is not a list of names separated by commas.", flag, text));
    }
  }
  return names;
}

ReadOptions read_options(const DataOptions& options) {
  ReadOptions read;
  if (options.delimiter == "tab" || options.delimiter == "\\t") {
    read.delimiter = '\t';
  } else if (options.delimiter.size() == 1) {
    read.delimiter = options.delimiter.front();
  } else if (!options.delimiter.empty()) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("--delimiter: '{}' is not a single character or tab.", options.delimiter));
  }
  if (options.no_header) read.header = HeaderMode::kAbsent;
  if (options.header) read.header = HeaderMode::kPresent;
  if (options.missing == "drop") read.missing = MissingPolicy::kDrop;
  if (!options.columns.empty()) read.columns = split_names(options.columns, "--columns");
  if (!options.drop_columns.empty()) read.drop_columns = split_names(options.drop_columns, "--drop-columns");
  return read;
}

Table load_table(const DataOptions& options, Session& session) {
  ReadResult read = read_table(options.file, read_options(options), session.context());
  session.warn(read.warnings);
  const ConstantPolicy policy = options.constant == "drop" ? ConstantPolicy::kDrop : ConstantPolicy::kError;
  PreparedTable prepared = prepare_table(read.table, policy, session.context());
  session.warn(prepared.warnings);
  session.context().log_info(
      fmt::format("{}: {} rows, {} columns", prepared.table.source(), prepared.table.rows(), prepared.table.columns()));
  return std::move(prepared.table);
}

Knowledge load_knowledge(const KnowledgeOptions& options) {
  Knowledge knowledge;
  if (!options.file.empty()) knowledge = read_knowledge(options.file);
  if (!options.tiers.empty() && !knowledge.tiers.empty()) {
    throw Error(ErrorCategory::kUsage, "--tier: the tiers are already given by --knowledge.");
  }
  for (const std::string& tier : options.tiers) knowledge.tiers.push_back(split_names(tier, "--tier"));
  for (const std::string& pair : options.before) {
    const auto names = split_names(pair, "--before");
    if (names.size() < 2) {
      throw Error(ErrorCategory::kUsage, fmt::format("--before: '{}' needs two names or more, such as a,b.", pair));
    }
    for (std::size_t i = 0; i + 1 < names.size(); ++i) knowledge.before.emplace_back(names[i], names[i + 1]);
  }
  return knowledge;
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
  return json;
}

}  // namespace olem::app
