#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/update.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kPitDraws = 2000;      // behind a transform
constexpr std::size_t kFewestDriftRows = 3;  // of an end of the table
constexpr double kDriftLevel = 0.05;         // of the whole check
constexpr double kLengthStep = 1.25;         // between the lengths of the ends that are tested

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// Lengths of the ends of the table: few, so that correcting for them costs little.
std::vector<std::size_t> end_lengths(std::size_t rows) {
  std::vector<std::size_t> lengths;
  for (auto length = static_cast<double>(kFewestDriftRows); length < static_cast<double>(rows);
       length = std::max(length + 1.0, length * kLengthStep))
    lengths.push_back(static_cast<std::size_t>(length));
  lengths.push_back(rows);
  return lengths;
}

// One series that is standard normal without drift, times weights.
struct Score {
  std::string what;
  std::vector<double> values;
  std::vector<double> weights;
};

struct ScoreMaximum {
  double statistic = 0.0;
  std::size_t since = 0;
};

// The largest standardised sum over the ends of the series with these lengths. `shared` is the variance that the
// coefficients' own error adds to each row, the same error for all of them.
ScoreMaximum largest_end(const Score& score, const std::vector<std::size_t>& lengths, double shared) {
  ScoreMaximum largest;
  double sum = 0.0;
  double squares = 0.0;
  std::size_t next = 0;
  for (std::size_t length = 1; length <= score.values.size() && next < lengths.size(); ++length) {
    const std::size_t i = score.values.size() - length;
    sum += score.weights[i] * score.values[i];
    squares += score.weights[i] * score.weights[i];
    if (length != lengths[next]) continue;
    ++next;
    if (squares <= 0.0) continue;
    const double statistic = sum / std::sqrt(squares * (1.0 + static_cast<double>(length) * shared));
    if (std::abs(statistic) > std::abs(largest.statistic)) largest = {statistic, i};
  }
  return largest;
}

std::vector<std::size_t> all_lengths(std::size_t rows) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = kFewestDriftRows; length <= rows; ++length) lengths.push_back(length);
  return lengths;
}

// Rows that the model was learned from.
double training_rows(const RehearsalModel& model, const SamplerVariable& variable) {
  constexpr double kUnknown = 300.0;  // of files of 0.1 that do not say
  if (model.data && model.data->rows > 0) return static_cast<double>(model.data->rows);
  std::size_t counted = 0;
  for (const std::size_t count : variable.counts) counted += count;
  return counted > 0 ? static_cast<double>(counted) : kUnknown;
}

class DriftTest {
 public:
  DriftTest(const RehearsalModel& model, const IncompleteTable& rows, const Context& context)
      : model_(model), set_(fitted(model.samplers)), rows_(rows), context_(context) {}

  DriftCheck run() {
    check_.source = rows_.started().source();
    check_.rows = rows_.rows();
    choose();
    if (places_.empty()) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Nothing can be compared with the model: no variable that it forecasts has its column "
                              "and those of its conditions here, with at least {} whole rows.",
                              rows_.started().prefix(), kFewestDriftRows));
    }
    check_.variables.resize(places_.size());
    parallel_for(context_, 0, places_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) test(k);
    });
    for (VariableDrift& variable : check_.variables) {
      variable.strongest.p_value = std::min(1.0, variable.strongest.p_value * static_cast<double>(tests_));
      variable.drifted = variable.strongest.p_value < kDriftLevel;
    }
    return std::move(check_);
  }

 private:
  std::optional<std::size_t> column_of(std::size_t variable) const {
    return rows_.started().find(set_.variables[variable].name);
  }

  void choose() {
    for (std::size_t j = 0; j < set_.variables.size(); ++j) {
      const SamplerVariable& variable = set_.variables[j];
      if (!variable.sampler) continue;
      const bool lever = std::any_of(model_.task.alterable.begin(), model_.task.alterable.end(),
                                     [&](const LeverDomain& one) { return one.name == variable.name; });
      bool present = column_of(j).has_value();
      for (const std::size_t condition : variable.conditions) present = present && column_of(condition).has_value();
      std::vector<std::size_t> whole = present ? whole_rows(j) : std::vector<std::size_t>{};
      if (lever || whole.size() < kFewestDriftRows) {
        check_.left_out.push_back(variable.name);
        continue;
      }
      places_.push_back(j);
      tested_.push_back(std::move(whole));
      tests_ += (2 + variable.conditions.size()) * end_lengths(tested_.back().size()).size();
    }
  }

  std::vector<std::size_t> whole_rows(std::size_t variable) const {
    std::vector<std::size_t> whole;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      bool known = !rows_.is_missing(i, *column_of(variable));
      for (const std::size_t condition : set_.variables[variable].conditions)
        known = known && !rows_.is_missing(i, *column_of(condition));
      if (known) whole.push_back(i);
    }
    return whole;
  }

  std::vector<double> standardised(std::size_t variable, const std::vector<std::size_t>& rows) const {
    std::vector<double> values;
    const std::size_t column = *column_of(variable);
    for (const std::size_t i : rows)
      values.push_back(set_.variables[variable].standardise(rows_.started().at(i, column)));
    return values;
  }

  std::vector<double> transforms(std::size_t j, const std::vector<double>& target,
                                 const std::vector<std::vector<double>>& inputs) const {
    const ConditionalSampler& sampler = *set_.variables[j].sampler;
    std::vector<Condition> conditions;
    for (const std::vector<double>& input : inputs) conditions.push_back({input.data(), false});
    std::vector<double> below(target.size());
    std::vector<double> up_to(target.size());
    const bool exact = sampler.is_discrete() && sampler.distribution(conditions, target, 1.0, below, up_to);
    std::vector<double> noise(sampler.noise_entries() * kPitDraws);
    std::vector<double> draws(kPitDraws);
    for (Condition& condition : conditions) condition.shared = true;
    std::vector<double> places;
    for (std::size_t i = 0; i < target.size(); ++i) {
      context_.check_interrupt();
      RandomStream random(context_.seed, "drift.noise", stream_index({{j, 24}, {i, 40}}));
      if (!exact) {
        for (double& number : noise) number = random.normal();
        sampler.start(noise, kPitDraws)->sample(conditions, 1.0, draws);
        below[i] = static_cast<double>(
            std::count_if(draws.begin(), draws.end(), [&](double draw) { return draw < target[i]; }));
        up_to[i] = static_cast<double>(
            std::count_if(draws.begin(), draws.end(), [&](double draw) { return draw <= target[i]; }));
        // The row is one more draw: its rank among all of them is uniform if the forecasts are right.
        below[i] /= static_cast<double>(kPitDraws + 1);
        up_to[i] = (up_to[i] + 1.0) / static_cast<double>(kPitDraws + 1);
      }
      places.push_back(random.uniform(below[i], up_to[i]));
      for (Condition& condition : conditions) ++condition.values;
    }
    return places;
  }

  void test(std::size_t k) {
    const std::size_t j = places_[k];
    const SamplerVariable& variable = set_.variables[j];
    const std::vector<std::size_t>& rows = tested_[k];
    const std::vector<double> target = standardised(j, rows);
    std::vector<std::vector<double>> inputs;
    for (const std::size_t condition : variable.conditions) inputs.push_back(standardised(condition, rows));
    const std::vector<double> places = transforms(j, target, inputs);
    VariableDrift& result = check_.variables[k];
    result.name = variable.name;
    result.rows = rows.size();
    Score level{"level", {}, std::vector<double>(rows.size(), 1.0)};
    Score spread{"spread", {}, std::vector<double>(rows.size(), 1.0)};
    for (const double place : places) {
      constexpr double kEdge = 1e-6;
      const double inside = std::clamp(place, kEdge, 1.0 - kEdge);
      ++result.pit[std::min<std::size_t>(static_cast<std::size_t>(10.0 * inside), 9)];
      level.values.push_back(normal_quantile(inside));
      spread.values.push_back(normal_quantile(std::clamp(std::abs(2.0 * inside - 1.0), kEdge, 1.0 - kEdge)));
    }
    std::vector<Score> scores = {level, spread};
    for (std::size_t c = 0; c < inputs.size(); ++c)
      scores.push_back({set_.variables[variable.conditions[c]].name, level.values, inputs[c]});
    const double shared = static_cast<double>(variable.conditions.size() + 1) / training_rows(model_, variable);
    const std::vector<std::size_t> lengths = end_lengths(rows.size());
    result.strongest.name = variable.name;
    const Score* strongest = nullptr;
    for (const Score& score : scores) {
      const ScoreMaximum largest = largest_end(score, lengths, shared);
      if (strongest != nullptr && std::abs(largest.statistic) <= std::abs(result.strongest.statistic)) continue;
      strongest = &score;
      result.strongest.what = score.what;
      result.strongest.statistic = largest.statistic;
    }
    result.strongest.p_value = 2.0 * upper_tail(std::abs(result.strongest.statistic));
    const ScoreMaximum finest = largest_end(*strongest, all_lengths(rows.size()), shared);
    result.strongest.since = rows[finest.since] + 1;
  }

  const RehearsalModel& model_;
  const SamplerSet& set_;
  const IncompleteTable& rows_;
  const Context& context_;
  DriftCheck check_;
  std::vector<std::size_t> places_;
  std::vector<std::vector<std::size_t>> tested_;  // rows of each
  std::size_t tests_ = 0;
};

std::string change_words(const DriftFinding& finding) {
  if (finding.what == "level")
    return finding.statistic > 0 ? "it lies higher than forecast" : "it lies lower than forecast";
  if (finding.what == "spread")
    return finding.statistic > 0 ? "it varies more than forecast" : "it varies less than forecast";
  return fmt::format("the effect of {} changed", finding.what);
}

}  // namespace

DriftCheck check_drift(const RehearsalModel& model, const IncompleteTable& rows, const Context& context) {
  return DriftTest(model, rows, context).run();
}

std::vector<Warning> drift_warnings(const DriftCheck& check) {
  std::vector<Warning> warnings;
  for (const VariableDrift& variable : check.variables) {
    if (!variable.drifted) continue;
    const DriftFinding& finding = variable.strongest;
    warnings.push_back(
        {"drift",
         fmt::format("{} is no longer as the model forecasts it, since about row {} of {}: {} (p = {:.2g}, "
                     "corrected for all that was tested).",
                     variable.name, finding.since, check.rows, change_words(finding), finding.p_value),
         variable.name,
         {{"Bring the model up to date with these rows"}, {"Fit it again with rows since then"}}});
  }
  return warnings;
}

Json to_json(const DriftCheck& check) {
  Json json = {{"source", check.source}, {"rows", check.rows}, {"left_out", check.left_out}};
  json["drifted"] = Json::array();
  json["variables"] = Json::array();
  for (const VariableDrift& variable : check.variables) {
    const DriftFinding& finding = variable.strongest;
    if (variable.drifted) json["drifted"].push_back(variable.name);
    json["variables"].push_back({{"name", variable.name},
                                 {"rows", variable.rows},
                                 {"drifted", variable.drifted},
                                 {"what", finding.what},
                                 {"since", finding.since},
                                 {"statistic", finding.statistic},
                                 {"p_value", finding.p_value},
                                 {"pit", variable.pit}});
  }
  return json;
}

}  // namespace olem
