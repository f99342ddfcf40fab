#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olem/decision.h"
#include "olem/named_value.h"
#include "olem/sampler_set.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

// Several rounds with one target: in each round the context is seen, then the levers are set, then the outcomes are
// seen, and the mean (or sum) of the outcomes over all rounds is wanted in the region. docs/methods/rounds.md.

// The column that holds what NAME was a round before: "NAME@-1".
std::string lagged_name(std::string_view name);

// Rows in time order with the row before each of them: the columns NAME@-1, then the columns themselves; one row fewer.
// A data error for fewer than 3 rows.
Table with_lag(const Table& table);

// The task of such a table: what was a round before is the context, and what was context is settled before the levers.
Task with_lag(const Task& task, const std::vector<std::string>& columns);

// What one round is learned from.
struct RoundsRows {
  Table past;    // the variables, in time order: by the task's "time" where it names one, otherwise as they stand
  Table lagged;  // with_lag() of them, and the columns that speak of rows
  Task task;     // of `lagged`
};

// A row in which a lever was set, and its weight, belong to its own round. A task error for groups: the row before one
// of a group need not be of that group.
RoundsRows rounds_rows(const Task& task, const Table& table);

struct RoundsOptions {
  int rounds = 2;    // from now on, the present one included
  int done = 0;      // rounds before them that count too: the last rows of `past`
  bool sum = false;  // of the outcomes, instead of their mean
};

struct RoundsProblem {
  Task task;                                   // without lags
  std::shared_ptr<const SamplerSet> samplers;  // of one round, along with_lag()
  std::vector<NamedValue> observed;            // the context of the present round
  Table past;                                  // rounds so far; the last row is the round before the present one
  RoundsOptions options;
};

struct RoundsDecision {
  Decision decision;  // of the present round; levers are called NAME@1, later ones NAME@2, ...
  // Of linear models with normal noise and one outcome in a range: the levers of each round in expectation, those with
  // the least sum of squares among the plans with the most probable success. Empty otherwise.
  std::vector<std::vector<NamedValue>> plan;
};

// Plans all rounds and decides the present one. Later rounds answer to what is seen by then, by rules as in a sequence;
// after the round the rest is planned again. Every round is drawn by the same samplers, given draws of the round
// before. A usage error for a number of rounds below 1, `done` beyond the past, and a context that is not fully
// observed; a task error for a task with a sequence, constraints or a largest number of alterations.
RoundsDecision decide_rounds(const RoundsProblem& problem, const DecisionOptions& options, const Context& context);

}  // namespace olem
