#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "data_options.h"
#include "olem/journal.h"
#include "olem/table.h"
#include "session.h"

namespace olem::app {

// The log of decisions, and how rows are matched to it.
struct LogArguments {
  std::string log;
  std::string decision_id{kDecisionIdColumn};  // name of the column with the ids
  bool record = false;
};

// --log, --decision-id and, where the verb can, --record.
void add_log_options(CLI::App& verb, LogArguments& arguments, bool may_record);

// Rows as they came, with their gaps; `known` are columns whose levels are those of a model.
IncompleteTable read_new_rows(const DataOptions& options, Session& session, std::span<const NamedColumn> known = {});

// What is known of the decisions: recorded outcomes and those in the rows, which may be null. With --record these are
// added to the log. Warnings go to the session.
struct JoinedLog {  // NOLINT(bugprone-exception-escape): moving a Json object does not throw
  RealisedCalibration realised;
  Json json;         // of the realised calibration, with "rows" where there are some
  std::string text;  // for a terminal
};
JoinedLog join_log(const LogArguments& arguments, const IncompleteTable* rows, Session& session);

}  // namespace olem::app
