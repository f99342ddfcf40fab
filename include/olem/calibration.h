#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/named_value.h"
#include "olem/sampler_set.h"
#include "olem/table.h"

namespace olem {

// Of the central intervals whose coverage is measured.
inline constexpr std::array<double, 3> kCoverageLevels = {0.5, 0.8, 0.9};
inline constexpr std::size_t kPitBins = 10;
inline constexpr std::size_t kReliabilityBins = 10;

// One bin of a reliability diagram: forecasts of an event whose probabilities lie in the same tenth.
struct ReliabilityBin {
  std::size_t forecasts = 0;
  double probability = 0.0;  // their mean
  double share = 0.0;        // of the events that came
};

// How well the sampler of one variable forecasts rows that it has not seen, given the variables before it.
struct VariableCalibration {
  std::string name;
  // Mean over the held-out rows, in nats, of the density in the variable's units. Minus infinity when a value was held
  // to be impossible.
  double log_likelihood = 0.0;
  double linear_log_likelihood = 0.0;  // the same of the linear sampler
  double crps = 0.0;                   // mean, in the variable's units
  double linear_crps = 0.0;
  std::array<double, kCoverageLevels.size()> coverage{};  // share of rows in the interval of each level
  std::array<std::size_t, kPitBins> pit{};                // rows whose place in the forecast falls into each tenth
  // Of a discrete variable kReliabilityBins of them, otherwise none. Events: each of its levels in each held-out row;
  // of a count with more than 30 values, not to exceed each of the nine deciles.
  std::vector<ReliabilityBin> reliability;
  std::vector<double> places;  // of the kept rows in the forecasts, in (0, 1)
};

// Rows of the test that are kept, so that a decision can be told how well its surroundings were forecast.
struct HeldOutRows {
  std::vector<std::string> names;           // columns
  std::vector<std::vector<double>> values;  // one vector for each name, in the units of the table

  std::size_t size() const { return values.empty() ? 0 : values.front().size(); }
};

struct Calibration {
  std::size_t training_rows = 0;
  std::size_t held_out_rows = 0;
  std::vector<VariableCalibration> variables;  // that have a sampler, in order; none with "too_few_rows"
  HeldOutRows kept;
  Summary summary;  // done or too_few_rows
};

// Fits the samplers anew to 70 % of the rows, chosen by the context's seed, and has them forecast the others. Forecasts
// are 199 draws per row, so that the row has one of 200 ranks among them; a right model gives each with the same
// probability. `variables` is what fit_samplers takes. On the context's threads and ranks; the result does not depend
// on their numbers. Costs about 70 % of fit_samplers, and the linear sampler of every variable. Of the columns `keep`
// up to 1000 held-out rows are kept for calibration_near. Throws what fit_samplers throws.
Calibration calibrate(const Table& table, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context, const std::vector<std::string>& keep = {});
// The same for completed tables: fitted to the chosen rows of all of them, tested on the other rows of the first.
Calibration calibrate(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context, const std::vector<std::string>& keep = {});

// {"status", "message", "training_rows", "held_out_rows", "variables": {name: {"log_likelihood",
// "linear_log_likelihood", "crps", "linear_crps", "coverage": {"50": share, ...}, "pit": [count, ...],
// "reliability": [{"forecasts", "probability", "share"}, ...]}}}
Json to_json(const Calibration& calibration);

// The same for some of the rows.
struct NearCalibration {
  struct Variable {
    std::string name;
    std::array<double, kCoverageLevels.size()> coverage{};
    std::array<std::size_t, kPitBins> pit{};
  };
  std::size_t rows = 0;
  std::vector<Variable> variables;  // those of the calibration, without the conditions
};

// Of the fifth of the kept rows that lie nearest to `conditions`: too wide here and too narrow there do not cancel, as
// they do overall. Distances are Euclidean, in standard deviations of the samplers' variables; two levels of a category
// are as far apart as independent numbers are on average. Conditions that were not kept do not count. Nothing when that
// are fewer than 10 rows, or nothing was kept of the conditions.
std::optional<NearCalibration> calibration_near(const Calibration& calibration, const SamplerSet& samplers,
                                                std::span<const NamedValue> conditions);

// {"rows", "variables": {name: {"coverage", "pit"}}}
Json to_json(const NearCalibration& near);

// Of those that are far from right, by more than 3.5 standard errors of the share in the interval of 80 %:
// "calibration". `names` are the variables that matter.
std::vector<Warning> calibration_warnings(const NearCalibration& near, std::span<const std::string> names);

// The continuous ranked probability score of a forecast from which `draws` were made, at least two and in ascending
// order: E|X - y| - E|X - X'| / 2, without bias for any number of draws (Ferro 2014, section 3).
double crps(std::span<const double> draws, double y);

// The place of y in the forecast, in (0, 1): (rank of y among the draws + 1/2) / (draws + 1), in the middle of draws
// that equal it. `draws` ascend.
double probability_transform(std::span<const double> draws, double y);

// The share of such places in the central interval of probability `level`.
double central_coverage(std::span<const double> places, double level);

std::array<std::size_t, kPitBins> pit_histogram(std::span<const double> places);

}  // namespace olem
