#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "olem/context.h"
#include "study/journal.h"
#include "study/setting.h"

namespace olem::internal {

// The smallest piece of a study: one method on one data set.
struct Cell {
  StudySetting setting;
  std::string method;
  int epoch = 0;
  int task = 0;       // within the epoch
  std::string key;    // names everything that its numbers depend on but the seed; unique within the study
  double cost = 0.0;  // rough core-seconds, for forecasts
};

// Measures one cell on data that is already made. A pure function of the cell and the context's seed.
using Measure = std::function<StudyValues(const Cell& cell, const Context& context)>;

// Cells on the same data, which is made once for all of them. What is spread over threads and ranks.
struct Batch {
  std::vector<Cell> cells;
  double cost = 0.0;  // of making the data, core-seconds
  std::function<Measure(const Context& context)> prepare;
};

// What is asked of a study, after the user's filters. 0 stands for what a study does not have.
struct StudyRequest {
  std::vector<std::string> methods;
  std::vector<std::string> metrics;
  std::vector<StudySetting> settings;
  int epochs = 1;
  int tasks = 1;   // per epoch
  int rounds = 0;  // decisions per task
  int rows = 0;    // of each simulated data set
  std::uint64_t seed = 0;
};

// A number of the paper.
struct PublishedNumber {
  double mean = 0.0;
  std::optional<double> deviation;  // standard deviation over `units`, divisor units
  int units = 1;
};

struct StudyName {
  std::string name;   // as a user types it
  std::string label;  // as the paper prints it
};

// A row made of two others: on every task the value of one method less that of the other.
struct StudyDifference {
  StudyName name;
  std::string minuend;
  std::string subtrahend;
};

struct StudyKind {
  std::string name;
  std::string help;  // one line
  std::vector<StudyName> methods;
  std::vector<StudyName> metrics;
  std::vector<std::string> extra_metrics;  // of `metrics`, those that are shown only when asked for
  std::vector<StudySetting> settings;
  std::string axis;              // the key of the settings that figures have along their axis; empty: no figures
  StudyRequest protocol;         // of the paper: epochs, tasks, rounds, rows
  bool units_are_tasks = false;  // standard deviations are over tasks, not over epochs
  bool reproducible = true;      // false for measured times
  // Keys of the settings whose published numbers come from the same models, so that they err together.
  std::vector<std::string> shared_models;
  std::vector<StudyDifference> differences;
  std::function<std::vector<Batch>(const StudyRequest& request)> plan;
  std::function<std::optional<PublishedNumber>(const StudySetting& setting, const std::string& method,
                                               const std::string& metric)>
      published;
};

StudyKind sachs_study();
StudyKind order_study();
StudyKind auf_study();
StudyKind bermuda_study();
StudyKind samples_study();
StudyKind speed_study();
StudyKind stages_study();
StudyKind published_study();
StudyKind streams_study();
StudyKind tables_study();

// All of them.
const std::vector<StudyKind>& study_kinds();

// A seed that belongs to `what` alone, so that no two cells share random numbers by chance.
std::uint64_t derived_seed(std::uint64_t seed, std::string_view what);

// The methods of order learning with the paper's names, and what one of them costs on d variables and n rows.
std::vector<StudyName> order_method_names();
double order_cost(const std::string& method, double variables, double rows);

}  // namespace olem::internal
