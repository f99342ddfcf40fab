#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"

namespace olem {

// Which part of a study to run, and where to keep what is finished. Empty and 0 mean: as in the paper.
struct StudyOptions {
  std::string study = "sachs";  // a name of studies()
  std::vector<std::string> methods;
  std::vector<std::string> without;  // methods to leave out
  std::vector<std::string> metrics;
  std::vector<std::string> settings;  // "d=10", "p=0.3": every key must match; a key given twice matches either value
  int epochs = 0;
  int tasks = 0;   // models, data sets or shuffles per epoch
  int rounds = 0;  // decisions per task
  // Rows of each simulated data set. There are no published numbers for other sizes than the paper's.
  int rows = 0;
  std::string journal;  // file of finished cells; empty: none is kept
  bool fresh = false;   // begin the journal again
};

// A study, for lists and help.
struct StudyDescription {
  std::string name;
  std::string help;
  std::vector<std::string> methods;
  std::vector<std::string> metrics;
  bool has_figures = false;
};

const std::vector<StudyDescription>& studies();

// What a run would do.
struct StudyForecast {
  std::size_t cells = 0;
  std::size_t finished = 0;  // of them, according to the journal
  double core_seconds =
      0.0;  // for the rest: by rough figures, corrected by the times in the journal where there are any
};

// One number of the study beside the paper's.
struct StudyRow {
  std::vector<std::pair<std::string, std::string>> setting;  // names and values
  std::string method;
  std::string metric;
  std::string method_label;  // as the paper writes it
  std::string metric_label;
  std::size_t cells = 0;
  double mean = 0.0;       // over the cells
  double deviation = 0.0;  // over epochs or tasks as in the paper, divisor: their number
  std::optional<double> published;
  std::optional<double> published_deviation;
  double published_error = 0.0;          // standard error of the published number; 0 when it has no deviation
  std::optional<double> difference;      // ours - published
  std::optional<double> standard_error;  // of the difference, both sides being samples; from two cells on
  bool marked = false;                   // the difference is more than three standard errors
};

// A method's differences from the paper, all settings together.
struct StudyPool {
  std::string method_label;
  std::string metric_label;
  std::size_t rows = 0;
  double mean = 0.0;
  double published = 0.0;
  double difference = 0.0;
  double standard_error = 0.0;     // published numbers that share their models err together
  double independent_error = 0.0;  // if every published number had models of its own
  bool marked = false;
  std::size_t marked_rows = 0;
  double largest_ratio = 0.0;    // of |difference| to its standard error in one row
  std::string largest_ratio_at;  // the setting of that row
};

struct StudyResult {
  std::string study;
  std::string axis;  // the key of the settings that figures have along their axis; may be empty
  std::size_t cells = 0;
  std::size_t resumed = 0;  // taken from the journal
  std::vector<StudyRow> rows;
  std::vector<StudyPool> pools;
  Summary summary;
};

// Throws a usage error for a study, method, metric or setting that does not exist.
StudyForecast forecast_study(const StudyOptions& options, const Context& context);

// Runs what the journal does not hold yet and returns everything. Batches of cells are spread over the context's
// threads, or over its ranks: then every rank calls this, and rank 0 alone keeps the journal and returns rows. The
// result is a pure function of the options and the context's seed, whatever was interrupted in between; only the study
// `speed` measures the machine.
//
// Throws what forecast_study throws, errors of the journal (file in use, damaged, of another study or seed), and what a
// method throws, with the cell in front.
StudyResult run_study(const StudyOptions& options, const Context& context);

// A table for people, and the rows as the keys that `olem study --json` prints.
std::string study_text(const StudyResult& result);
Json to_json(const StudyResult& result);

// One picture per setting, without its axis: a panel per metric, a line per method, a band of one standard deviation,
// the paper's numbers as open marks.
struct StudyFigure {
  std::string name;  // of a file, without ending
  std::string svg;
};

std::vector<StudyFigure> study_figures(const StudyResult& result);

}  // namespace olem
