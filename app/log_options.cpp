#include "log_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "olem/error.h"
#include "olem/report_realised.h"

namespace olem::app {

void add_log_options(CLI::App& verb, LogArguments& arguments, bool may_record) {
  const std::string group = "Log of decisions";
  verb.add_option("--log", arguments.log, "log of olem decide --log: compare its claims with what came out")
      ->type_name("FILE")
      ->group(group);
  verb.add_option(
          "--decision-id", arguments.decision_id,
          "column of the rows with the id of the decision behind each (default decision; rows without that one are "
          "matched by order)")
      ->type_name("COLUMN")
      ->capture_default_str()
      ->group(group);
  if (!may_record) return;
  verb.add_flag("--record", arguments.record, "add the outcomes to the log, so that the rows are not needed again")
      ->group(group);
}

IncompleteTable read_new_rows(const DataOptions& options, Session& session, std::span<const NamedColumn> known) {
  DataOptions own = options;
  own.missing = "impute";  // gaps stay gaps: outcomes may be missing yet
  own.new_rows = true;
  for (const NamedColumn& column : known) {
    if (!has_levels(column.about.type)) continue;
    DeclaredType declared{column.name, column.about.type, {}};
    for (const ColumnLevel& level : column.about.levels) declared.levels.push_back(level.name);
    own.words.push_back(std::move(declared));
  }
  ReadResult read = read_data(own, session);
  std::vector<Warning> warnings = std::move(read.warnings);
  std::erase_if(warnings, [](const Warning& warning) { return warning.code == "many_missing"; });  // nothing is imputed
  session.warn(warnings);
  if (read.incomplete) return std::move(*read.incomplete);
  std::vector<unsigned char> none(read.table.rows() * read.table.columns(), 0);
  return {std::move(read.table), std::move(none)};
}

JoinedLog join_log(const LogArguments& arguments, const IncompleteTable* rows, Session& session) {
  const DecisionLog log = read_decision_log(arguments.log, session.context());
  std::vector<Warning> warnings = log.warnings;
  MatchedOutcomes matched;
  if (rows != nullptr) {
    matched = match_outcomes(log, *rows, arguments.decision_id);
    warnings.insert(warnings.end(), matched.warnings.begin(), matched.warnings.end());
  }
  JoinedLog joined;
  joined.realised = realised_calibration(log, matched.outcomes);
  const std::vector<Warning> found = realised_warnings(joined.realised);
  warnings.insert(warnings.end(), found.begin(), found.end());
  session.warn(warnings);
  joined.json = to_json(joined.realised);
  joined.text = realised_text(joined.realised);
  if (rows == nullptr) return joined;
  joined.json["rows"] = {{"source", rows->started().source()},           {"rows", matched.rows},
                         {"matched", matched.outcomes.size()},           {"by_order", matched.by_order},
                         {"without_decision", matched.without_decision}, {"unfinished", matched.unfinished}};
  if (arguments.record) {
    const std::size_t added = log_outcomes(arguments.log, matched, session.context());
    joined.json["recorded"] = added;
    joined.text += fmt::format("Recorded in {}: {} new outcomes.\n", arguments.log, added);
  }
  return joined;
}

}  // namespace olem::app
