#include "olem/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem {

namespace {

constexpr double kTrainingShare = 0.7;
constexpr std::size_t kLeastHeldOut = 10;  // fewer say nothing about tenths
// One less than a multiple of 20: the ranks fall evenly into the tenths and the intervals.
constexpr std::size_t kDraws = 199;

// Of the progress; what is left is for drawing the forecasts.
constexpr double kShareOfFitting = 0.7;

struct Split {
  std::vector<std::size_t> training;
  std::vector<std::size_t> held_out;
};

Split split_rows(std::size_t rows, const Context& context) {
  Split split;
  const auto count = static_cast<std::size_t>(std::llround(kTrainingShare * static_cast<double>(rows)));
  split.training = RandomStream(context.seed, "calibration.split").sample_without_replacement(rows, count);
  for (std::size_t i = 0, next = 0; i < rows; ++i) {
    if (next < count && split.training[next] == i) {
      ++next;
    } else {
      split.held_out.push_back(i);
    }
  }
  return split;
}

std::size_t least_rows(const std::vector<VariableConditions>& variables, const SamplerOptions& options) {
  std::size_t least = 2;
  for (const VariableConditions& variable : variables) {
    for (const std::string& kind : {options.sampler, std::string("linear")})
      least = std::max(least, sampler_kind(kind).least_rows(variable.conditions.size()));
  }
  return least;
}

// What one sampler says about one variable of the held-out rows.
struct Forecasts {
  double log_likelihood = 0.0;
  double crps = 0.0;
  std::vector<double> places;
};

// `columns`: the held-out rows in standardised units, one column per variable of the set.
Forecasts forecast(const SamplerSet& set, std::size_t variable, const std::vector<std::vector<double>>& columns,
                   const Context& context) {
  const SamplerVariable& own = set.variables[variable];
  const ConditionalSampler& sampler = *own.sampler;
  const std::vector<double>& target = columns[variable];
  const std::size_t rows = target.size();
  Forecasts result;

  std::vector<Condition> conditions;
  for (const std::size_t k : own.conditions) conditions.push_back({columns[k].data(), false});
  std::vector<double> density(rows);
  sampler.log_density(conditions, target, 1.0, density);
  // Of a discrete variable these are probabilities, which have no unit. The density of a continuous rival, per unit, is
  // about the probability of a level that is one unit from the next.
  result.log_likelihood = std::accumulate(density.begin(), density.end(), 0.0) / static_cast<double>(rows) -
                          (sampler.is_discrete() ? 0.0 : std::log(own.sd));
  std::vector<double> below(rows);
  std::vector<double> up_to(rows);
  const bool has_distribution = sampler.is_discrete() && sampler.distribution(conditions, target, 1.0, below, up_to);

  std::vector<double> noise(sampler.noise_entries() * kDraws);
  std::vector<double> draws(kDraws);
  for (Condition& condition : conditions) condition.shared = true;
  for (std::size_t i = 0; i < rows; ++i) {
    context.check_interrupt();
    // Each row has noise of its own: shared noise would move the ranks of all rows together.
    RandomStream random(context.seed, "calibration.noise", stream_index({{variable, 24}, {i, 40}}));
    for (double& number : noise) number = random.normal();
    sampler.start(noise, kDraws)->sample(conditions, 1.0, draws);
    std::sort(draws.begin(), draws.end());
    result.crps += own.sd * crps(draws, target[i]) / static_cast<double>(rows);
    // Ties are the rule of a discrete variable: a place at random between its two ranks is uniform if forecasts are
    // right.
    result.places.push_back(has_distribution ? random.uniform(below[i], up_to[i])
                                             : probability_transform(draws, target[i]));
    for (Condition& condition : conditions) ++condition.values;
  }
  return result;
}

VariableCalibration assess(const SamplerSet& set, const SamplerSet& linear, std::size_t variable,
                           const std::vector<std::vector<double>>& columns, const Context& context) {
  VariableCalibration result;
  result.name = set.variables[variable].name;
  const Forecasts own = forecast(set, variable, columns, context);
  const Forecasts straight = forecast(linear, variable, columns, context);
  result.log_likelihood = own.log_likelihood;
  result.linear_log_likelihood = straight.log_likelihood;
  result.crps = own.crps;
  result.linear_crps = straight.crps;
  for (std::size_t level = 0; level < kCoverageLevels.size(); ++level)
    result.coverage[level] = central_coverage(own.places, kCoverageLevels[level]);
  result.pit = pit_histogram(own.places);
  return result;
}

}  // namespace

double crps(std::span<const double> draws, double y) {
  const auto count = static_cast<double>(draws.size());
  double distance = 0.0;
  double spread = 0.0;  // sum of x_i - x_j over i > j
  for (std::size_t i = 0; i < draws.size(); ++i) {
    distance += std::abs(draws[i] - y);
    spread += (2.0 * static_cast<double>(i) - count + 1.0) * draws[i];
  }
  return distance / count - spread / (count * (count - 1.0));
}

double probability_transform(std::span<const double> draws, double y) {
  const auto [first, last] = std::equal_range(draws.begin(), draws.end(), y);
  const double rank = 0.5 * static_cast<double>((first - draws.begin()) + (last - draws.begin()));
  return (rank + 0.5) / static_cast<double>(draws.size() + 1);
}

double central_coverage(std::span<const double> places, double level) {
  const auto inside =
      std::count_if(places.begin(), places.end(), [&](double place) { return std::abs(place - 0.5) < 0.5 * level; });
  return static_cast<double>(inside) / static_cast<double>(places.size());
}

std::array<std::size_t, kPitBins> pit_histogram(std::span<const double> places) {
  std::array<std::size_t, kPitBins> counts{};
  for (const double place : places) {
    const auto bin = static_cast<std::size_t>(place * static_cast<double>(kPitBins));
    ++counts[std::min(bin, kPitBins - 1)];
  }
  return counts;
}

Calibration calibrate(const Table& table, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context) {
  return calibrate(std::span<const Table>(&table, 1), variables, options, context);
}

Calibration calibrate(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  check_at_least("number of tables", static_cast<long long>(tables.size()), 1);
  const Table& table = tables.front();
  const Split split = split_rows(table.rows(), context);
  Calibration result;
  result.training_rows = split.training.size();
  result.held_out_rows = split.held_out.size();
  const std::size_t least = least_rows(variables, options);
  if (result.training_rows < least || result.held_out_rows < kLeastHeldOut) {
    result.summary.status = Status::kTooFewRows;
    result.summary.message = fmt::format(
        "The samplers could not be tested on rows that they had not seen: {} rows are too few to leave {} to learn "
        "from "
        "and {} to test on.",
        table.rows(), least, kLeastHeldOut);
    return result;
  }
  std::vector<Table> training;
  for (const Table& completed : tables) training.push_back(completed.with_rows(split.training));
  const Table held_out = table.with_rows(split.held_out);
  // A phase of its own: the samplers of the model were fitted before.
  Context fitting = context;
  fitting.progress = [&](double fraction, std::string_view) {
    context.report_progress(kShareOfFitting * fraction, "calibration");
  };
  const SamplerSet set = fit_samplers(training, variables, options, fitting);
  SamplerOptions straight = options;
  straight.sampler = "linear";
  fitting.progress = nullptr;  // in no time
  const SamplerSet linear = fit_samplers(training, variables, straight, fitting);

  std::vector<std::vector<double>> columns;
  std::vector<std::size_t> drawn;
  for (std::size_t j = 0; j < set.variables.size(); ++j) {
    const SamplerVariable& variable = set.variables[j];
    std::vector<double>& column = columns.emplace_back();
    for (const double value : held_out.column(held_out.index(variable.name)))
      column.push_back(variable.standardise(value));
    if (variable.sampler) drawn.push_back(j);
  }
  result.variables.resize(drawn.size());
  const Context serial = context.serial();
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  parallel_for(context, 0, drawn.size(), 1, [&](std::size_t piece, std::size_t) {
    result.variables[piece] = assess(set, linear, drawn[piece], columns, serial);
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() == caller) {
      const double share = static_cast<double>(finished) / static_cast<double>(drawn.size());
      context.report_progress(kShareOfFitting + (1.0 - kShareOfFitting) * share, "calibration");
    }
  });
  context.report_progress(1.0, "calibration");
  result.summary.message = fmt::format("The samplers were fitted to {} rows, and forecast {} others.",
                                       result.training_rows, result.held_out_rows);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Json to_json(const Calibration& calibration) {
  Json json;
  json["status"] = status_name(calibration.summary.status);
  json["message"] = calibration.summary.message;
  json["training_rows"] = calibration.training_rows;
  json["held_out_rows"] = calibration.held_out_rows;
  json["variables"] = Json::object();
  for (const VariableCalibration& variable : calibration.variables) {
    Json& entry = json["variables"][variable.name];
    entry["log_likelihood"] = variable.log_likelihood;
    entry["linear_log_likelihood"] = variable.linear_log_likelihood;
    entry["crps"] = variable.crps;
    entry["linear_crps"] = variable.linear_crps;
    for (std::size_t level = 0; level < kCoverageLevels.size(); ++level)
      entry["coverage"][fmt::format("{:.0f}", 100.0 * kCoverageLevels[level])] = variable.coverage[level];
    entry["pit"] = variable.pit;
  }
  return json;
}

}  // namespace olem
