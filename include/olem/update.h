#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/rehearsal.h"
#include "olem/table.h"

namespace olem {

struct UpdateOptions {
  // Variables that somebody set from outside in some of the new rows, each with the column of 0 and 1 (or no and yes)
  // that says in which: what a row says of a variable that was set is nothing.
  std::vector<std::pair<std::string, std::string>> set_by_hand;
  bool keep_rows = false;  // in the model, also where it held none before
};

// What became of the model of one variable.
struct VariableUpdate {
  std::string name;
  std::vector<double> weights;  // of the forgetting factors 1, .99, .97, .94, .9, .8
  double memory = 0.0;          // how many rows they remember, on average
  bool changed = false;         // remembering everything has less than a thousandth of the weight
  bool replayed = false;        // old rows were brought to the present
};

struct ModelUpdate {
  RehearsalModel model;
  std::size_t old_rows = 0;
  std::size_t new_rows = 0;
  std::vector<VariableUpdate> variables;  // that have a linear part
  std::vector<Warning> warnings;          // "not_replayed"
};

// The model after new rows, which are in time order and come after the old ones. Order and graph stay. Each variable is
// regressed on its conditions by recursive least squares at several forgetting factors, weighted by how well they
// forecast. Where the weights are with remembering everything, all rows count alike, as in a new fit. Where they are
// not, old rows are brought to the present: their linear part is replaced by that of now, what is left of them keeps
// its place and gets the spread of now, and variables behind them follow. Samplers, members, calibration and ranges are
// then fitted to these rows with the model's own options.
//
// A usage error for a model without rows and none given; a data error for rows that lack a column, for columns that do
// not say yes or no, and for new rows that are the last of the old ones.
ModelUpdate update_model(const RehearsalModel& model, const Table& old_rows, const Table& new_rows,
                         const UpdateOptions& options, const Context& context);

// [{"name", "memory", "changed", "replayed", "weights"}]
Json to_json(const std::vector<VariableUpdate>& variables);

// How new rows differ from what a model forecasts of them.
struct DriftFinding {
  std::string name;        // of the variable
  std::string what;        // "level", "spread", or the name of a variable whose effect changed
  double statistic = 0.0;  // standard normal without drift, apart from the search for the row
  double p_value = 1.0;    // of this variable, corrected for all rows, scores and variables
  std::size_t since = 0;   // row of the table, the first is 1
};

struct VariableDrift {
  std::string name;
  std::size_t rows = 0;                  // that could be tested
  std::array<std::size_t, 10> pit = {};  // counts of the probability integral transforms
  DriftFinding strongest;
  bool drifted = false;
};

struct DriftCheck {
  std::string source;
  std::size_t rows = 0;
  std::vector<VariableDrift> variables;  // context and levers are not forecast and left out
  std::vector<std::string> left_out;     // levers, and variables with fewer than 3 whole rows
  std::vector<std::string> no_column;    // variables whose column, or that of a condition, is not in the rows
};

// Tests rows in time order, which may have gaps, against the model's forecasts: the probability integral transform of
// every variable given its conditions, by its level, its spread and its product with every condition, over all ends of
// the table. The level of the whole test is 1 %. A variable with fewer than 3 rows is not tested; of a table with fewer
// none is. A data error when a longer table has no column of the model that can be tested.
DriftCheck check_drift(const RehearsalModel& model, const IncompleteTable& rows, const Context& context);

// "drift" for each variable that drifted.
std::vector<Warning> drift_warnings(const DriftCheck& check);

Json to_json(const DriftCheck& check);

}  // namespace olem
