#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/json.h"
#include "olem/region.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

// The log of decisions: what was claimed, and what came out. A text file with one JSON object in each line, to which
// lines are only ever added. docs/update.md has the keys.

// One decision as it was logged.
struct LoggedDecision {
  std::string id;     // unique in the log: "1", "2", ...
  std::string date;   // the day in UTC
  std::string task;   // the name of the task; may be empty
  std::string model;  // the file of the model or task, without folders; may be empty
  double claimed = 0.0;
  double low = 0.0;  // of the claim's interval
  double high = 1.0;
  double without_action = 0.0;
  Region desired;
};

// What came out of it.
struct DecisionOutcome {
  std::string id;
  bool came_true = false;
  bool operator==(const DecisionOutcome&) const = default;
};

struct DecisionLog {
  std::string source;
  std::vector<LoggedDecision> decisions;  // in the order of the log
  std::vector<DecisionOutcome> outcomes;  // that were recorded; the last one of an id holds
  // "broken_log_line": lines that cannot be read, as a crash may leave behind; they are left out.
  std::vector<Warning> warnings;
};

// A data error for text without a single readable line that is not empty; a file error as read_file.
DecisionLog read_decision_log(const std::string& path, const Context& context);
DecisionLog parse_decision_log(std::string_view text, const std::string& source);

// Adds the decisions, made for `task`, and returns the id that each of them got. `model` is what people know the model
// by. The file is made where there is none. Throws what read_decision_log throws for a file that is no log.
std::vector<std::string> log_decisions(const std::string& path, const Task& task, const std::string& model,
                                       const std::vector<Decision>& decisions, std::span<const NamedColumn> columns,
                                       const Context& context);

// Adds outcomes; those that the log holds already are left out. Returns how many were added.
std::size_t log_outcomes(const std::string& path, std::span<const DecisionOutcome> outcomes, const Context& context);

// Rows that came out, matched to the decisions of a log.
struct MatchedOutcomes {
  std::vector<DecisionOutcome> outcomes;  // one for each decision that has a row
  std::size_t rows = 0;                   // of the table
  std::size_t without_decision = 0;       // rows that carry no id
  std::size_t unfinished = 0;             // rows whose outcomes are missing
  bool by_order = false;                  // there is no column with ids
  // "matched_by_order", "repeated_decision"
  std::vector<Warning> warnings;
};

// The column with the ids unless another one is named.
inline constexpr std::string_view kDecisionIdColumn = "decision";

// A row belongs to the decision whose id stands in `column`; the last row of an id holds. Without a column "decision"
// the i-th row belongs to the i-th decision. A data error for ids that the log does not have, for a table without the
// outcomes or without another `column`, for words where numbers are wanted, and for more rows without ids than
// decisions.
MatchedOutcomes match_outcomes(const DecisionLog& log, const IncompleteTable& rows, const std::string& column);

// Adds them as log_outcomes() above. A data error where they were matched by order and the log holds another outcome of
// one of their decisions: rows that follow those of before do not begin with the first decision again.
std::size_t log_outcomes(const std::string& path, const MatchedOutcomes& matched, const Context& context);

// How claims compare with what came out.
struct RealisedBand {
  double from = 0.0;  // claims in [from, to)
  double to = 1.0;
  std::size_t decisions = 0;
  double claimed = 0.0;  // mean
  std::size_t came_true = 0;
  double low = 0.0;  // 95 % interval of the share (Clopper and Pearson)
  double high = 1.0;

  double share() const { return static_cast<double>(came_true) / static_cast<double>(decisions); }
};

struct RealisedCalibration {
  std::string source;           // the log
  std::size_t logged = 0;       // decisions in the log
  RealisedBand all;             // of those with an outcome; no decisions: nothing is known yet
  double without_action = 0.0;  // mean of what was forecast for no action
  double z = 0.0;        // (came true - sum of claims) / standard deviation of the number that come true; 0 without one
  double p_value = 1.0;  // two-sided, exact (Poisson binomial): of the claims being right
  std::vector<RealisedBand> bands;  // that hold a decision, by claim

  // At the level of 5 %.
  bool fits() const { return p_value >= 0.05; }
};

// The log with further outcomes, which go before those that are recorded. O(decisions^2).
RealisedCalibration realised_calibration(const DecisionLog& log, std::span<const DecisionOutcome> more = {});

// "claims_off" where the claims do not fit.
std::vector<Warning> realised_warnings(const RealisedCalibration& realised);

// {"log", "logged", "decisions", "claimed", "came_true", "share", "interval", "without_action", "z", "p_value", "fits",
// "bands"}; the numbers from "claimed" on are null without an outcome.
Json to_json(const RealisedCalibration& realised);

}  // namespace olem
