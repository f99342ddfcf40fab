#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/sampler_set.h"
#include "olem/table.h"

namespace olem {

// Of the central intervals whose coverage is measured.
inline constexpr std::array<double, 3> kCoverageLevels = {0.5, 0.8, 0.9};
inline constexpr std::size_t kPitBins = 10;

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
};

struct Calibration {
  std::size_t training_rows = 0;
  std::size_t held_out_rows = 0;
  std::vector<VariableCalibration> variables;  // that have a sampler, in order; none with "too_few_rows"
  Summary summary;                             // done or too_few_rows
};

// Fits the samplers anew to 70 % of the rows, chosen by the context's seed, and has them forecast the others. Forecasts
// are 199 draws per row, so that the row has one of 200 ranks among them; a right model gives each with the same
// probability. `variables` is what fit_samplers takes. On the context's threads; the result does not depend on their
// number. Costs about 70 % of fit_samplers, and the linear sampler of every variable. Throws what fit_samplers throws.
Calibration calibrate(const Table& table, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context);
// The same for completed tables: fitted to the chosen rows of all of them, tested on the other rows of the first.
Calibration calibrate(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context);

// {"status", "message", "training_rows", "held_out_rows", "variables": {name: {"log_likelihood",
// "linear_log_likelihood", "crps", "linear_crps", "coverage": {"50": share, ...}, "pit": [count, ...]}}}
Json to_json(const Calibration& calibration);

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
