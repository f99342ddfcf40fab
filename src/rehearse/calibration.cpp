#include "olem/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "core/rank_share.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kTrainingShare = 0.7;
// Each costs kDraws draws of every variable; shares of so many are known within a hundredth.
constexpr std::size_t kMostHeldOut = 5000;
constexpr std::size_t kLeastHeldOut = 10;  // fewer say nothing about tenths
// One less than a multiple of 20: the ranks fall evenly into the tenths and the intervals.
constexpr std::size_t kDraws = 199;

constexpr std::size_t kMostKept = 1000;
constexpr std::size_t kMostEventLevels = 30;  // as the sampler of counts has levels

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
  const std::size_t all = split.held_out.size();
  if (all > kMostHeldOut) {
    for (std::size_t j = 0; j < kMostHeldOut; ++j) split.held_out[j] = split.held_out[j * all / kMostHeldOut];
    split.held_out.resize(kMostHeldOut);
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
  std::vector<ReliabilityBin> reliability;
};

// Forecast probabilities of events and whether they came, in bins.
class ReliabilityDiagram {
 public:
  void add(double probability, bool came) {
    const double p = std::clamp(probability, 0.0, 1.0);
    const auto place = static_cast<std::size_t>(p * static_cast<double>(kReliabilityBins));
    ReliabilityBin& bin = bins_[std::min(place, kReliabilityBins - 1)];
    ++bin.forecasts;
    bin.probability += p;
    bin.share += came ? 1.0 : 0.0;
  }

  std::vector<ReliabilityBin> bins() const {
    std::vector<ReliabilityBin> result = bins_;
    for (ReliabilityBin& bin : result) {
      if (bin.forecasts == 0) continue;
      bin.probability /= static_cast<double>(bin.forecasts);
      bin.share /= static_cast<double>(bin.forecasts);
    }
    return result;
  }

 private:
  std::vector<ReliabilityBin> bins_ = std::vector<ReliabilityBin>(kReliabilityBins);
};

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<ReliabilityBin> reliability(const ConditionalSampler& sampler, std::span<const Condition> conditions,
                                        const std::vector<double>& target) {
  std::vector<double> levels = distinct(target);
  const bool by_level = levels.size() <= kMostEventLevels;
  if (!by_level) {
    std::vector<double> ascending = target;
    std::sort(ascending.begin(), ascending.end());
    levels.clear();
    for (std::size_t decile = 1; decile < 10; ++decile) levels.push_back(ascending[decile * ascending.size() / 10]);
    levels = distinct(levels);
  }
  ReliabilityDiagram diagram;
  std::vector<double> below(target.size());
  std::vector<double> up_to(target.size());
  for (const double level : levels) {
    const std::vector<double> repeated(target.size(), level);
    if (!sampler.distribution(conditions, repeated, 1.0, below, up_to)) return {};
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (by_level) {
        diagram.add(up_to[i] - below[i], target[i] == level);
      } else {
        diagram.add(up_to[i], target[i] <= level);
      }
    }
  }
  return diagram.bins();
}

// ln of the share of ascending draws that are nearer to `y` than to another of the ascending levels, no level having
// the share 0.
double level_log_share(std::span<const double> draws, std::span<const double> levels, double y) {
  constexpr double kPrior = 0.5;  // draws of each level
  const auto at = std::lower_bound(levels.begin(), levels.end(), y);
  const auto below =
      at == levels.begin() ? draws.begin() : std::upper_bound(draws.begin(), draws.end(), 0.5 * (*(at - 1) + y));
  const auto above =
      at + 1 == levels.end() ? draws.end() : std::upper_bound(draws.begin(), draws.end(), 0.5 * (*(at + 1) + y));
  return std::log((static_cast<double>(above - below) + kPrior) /
                  (static_cast<double>(draws.size()) + kPrior * static_cast<double>(levels.size())));
}

// `columns`: the held-out rows in standardised units, one column per variable of the set. `levels`: of a variable that
// the rival holds to be discrete, so that probabilities are compared with probabilities.
Forecasts forecast(const SamplerSet& set, std::size_t variable, const std::vector<std::vector<double>>& columns,
                   std::span<const double> levels, const Context& context) {
  const SamplerVariable& own = set.variables[variable];
  const ConditionalSampler& sampler = *own.sampler;
  const std::vector<double>& target = columns[variable];
  const std::size_t rows = target.size();
  Forecasts result;

  std::vector<Condition> conditions;
  for (const std::size_t k : own.conditions) conditions.push_back({columns[k].data(), false});
  std::vector<double> density(rows);
  sampler.log_density(conditions, target, 1.0, density);
  std::vector<double> below(rows);
  std::vector<double> up_to(rows);
  const bool has_distribution = sampler.is_discrete() && sampler.distribution(conditions, target, 1.0, below, up_to);
  if (has_distribution) result.reliability = reliability(sampler, conditions, target);
  const bool by_share = !levels.empty() && !sampler.is_discrete();
  for (std::size_t i = 0; i < rows && !by_share; ++i) {
    // A probability has no unit. The density of a rival of a large count, per unit, is about the probability of a
    // count.
    const bool is_probability = has_distribution && (is_discrete(own.about.type) || up_to[i] > below[i]);
    result.log_likelihood += (density[i] - (is_probability ? 0.0 : std::log(own.sd))) / static_cast<double>(rows);
  }
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
    if (by_share) result.log_likelihood += level_log_share(draws, levels, target[i]) / static_cast<double>(rows);
    // Ties are the rule of a discrete variable: a place at random between its two ranks is uniform if forecasts are
    // right.
    result.places.push_back(has_distribution ? random.uniform(below[i], up_to[i])
                                             : probability_transform(draws, target[i]));
    for (Condition& condition : conditions) ++condition.values;
  }
  return result;
}

// `kept`: of how many rows the places are kept.
VariableCalibration assess(const SamplerSet& set, const SamplerSet& linear, std::size_t variable,
                           const std::vector<std::vector<double>>& columns, std::size_t kept, const Context& context) {
  VariableCalibration result;
  result.name = set.variables[variable].name;
  Forecasts own = forecast(set, variable, columns, {}, context);
  const bool has_atoms = !own.reliability.empty();
  const bool is_number = !is_discrete(set.variables[variable].about.type);
  std::vector<double> levels;
  if (has_atoms && !is_number) levels = distinct(columns[variable]);
  if (levels.size() > kMostEventLevels) levels.clear();
  Forecasts straight = forecast(linear, variable, columns, levels, context);
  // A density holds a single value, such as the zeros of a positive column, to be impossible.
  if (has_atoms && is_number) straight.log_likelihood = -std::numeric_limits<double>::infinity();
  result.log_likelihood = own.log_likelihood;
  result.linear_log_likelihood = straight.log_likelihood;
  result.crps = own.crps;
  result.linear_crps = straight.crps;
  for (std::size_t level = 0; level < kCoverageLevels.size(); ++level)
    result.coverage[level] = central_coverage(own.places, kCoverageLevels[level]);
  result.pit = pit_histogram(own.places);
  result.reliability = std::move(own.reliability);
  own.places.resize(kept);
  result.places = std::move(own.places);
  return result;
}

// All of it but the name.
void write_calibration(ByteWriter& writer, const VariableCalibration& variable) {
  writer.write(variable.log_likelihood);
  writer.write(variable.linear_log_likelihood);
  writer.write(variable.crps);
  writer.write(variable.linear_crps);
  writer.write(variable.coverage);
  writer.write(variable.pit);
  writer.write(variable.reliability);
  writer.write(variable.places);
}

VariableCalibration read_calibration(ByteReader& reader, const std::string& name) {
  VariableCalibration variable;
  variable.name = name;
  reader.read(variable.log_likelihood);
  reader.read(variable.linear_log_likelihood);
  reader.read(variable.crps);
  reader.read(variable.linear_crps);
  reader.read(variable.coverage);
  reader.read(variable.pit);
  reader.read(variable.reliability);
  reader.read(variable.places);
  return variable;
}

// The first of them: which rows are held out is random.
HeldOutRows keep_rows(const Table& held_out, const std::vector<std::string>& names) {
  HeldOutRows kept;
  for (const std::string& name : names) {
    const auto column = held_out.column(held_out.index(name));
    kept.names.push_back(name);
    kept.values.emplace_back(column.begin(),
                             column.begin() + static_cast<std::ptrdiff_t>(std::min(column.size(), kMostKept)));
  }
  return kept;
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
                      const SamplerOptions& options, const Context& context, const std::vector<std::string>& keep) {
  return calibrate(std::span<const Table>(&table, 1), variables, options, context, keep);
}

Calibration calibrate(std::span<const Table> tables, const std::vector<VariableConditions>& variables,
                      const SamplerOptions& options, const Context& context, const std::vector<std::string>& keep) {
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
  fitting.progress = nullptr;  // in no time, and sooner fitted than sent
  fitting.ranks = nullptr;
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
  result.kept = keep_rows(held_out, keep);
  const Context serial = context.serial();
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  parallel_for(context, 0, drawn.size(), 1, [&](std::size_t piece, std::size_t) {
    if (!makes_item(context, piece)) return;
    result.variables[piece] = assess(set, linear, drawn[piece], columns, result.kept.size(), serial);
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() == caller) {
      const double share =
          std::min(1.0, static_cast<double>(finished * rank_count(context)) / static_cast<double>(drawn.size()));
      context.report_progress(kShareOfFitting + (1.0 - kShareOfFitting) * share, "calibration");
    }
  });
  share_items(
      context, drawn.size(), [&](std::size_t i, ByteWriter& writer) { write_calibration(writer, result.variables[i]); },
      [&](std::size_t i, ByteReader& reader) {
        result.variables[i] = read_calibration(reader, set.variables[drawn[i]].name);
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
    for (const ReliabilityBin& bin : variable.reliability) {
      entry["reliability"].push_back(
          {{"forecasts", bin.forecasts}, {"probability", bin.probability}, {"share", bin.share}});
    }
  }
  return json;
}

}  // namespace olem
