#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "olem/task_rows.h"
#include "olem/update.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kPitDraws = 2000;      // behind a transform
constexpr std::size_t kFewestDriftRows = 3;  // of an end of the table
// Of one check. Rows come one by one, and some check after each of them: at .05 a false alarm within 100 rounds came in
// 15 of 68 streams, at .01 in 6, and a step is named nearly as often (drift_bench, docs/update.md).
constexpr double kDriftLevel = 0.01;
constexpr double kLengthStep = 1.25;  // between the lengths of the ends that are tested

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
    read_groups();
    read_set_rows();
    choose();
    if (places_.empty() && check_.rows >= kFewestDriftRows) {
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

  // Which group of the model each row belongs to. What a group that the model does not know shares among its rows
  // would look like drift: such rows are left out.
  void read_groups() {
    if (model_.groups.empty()) return;
    const Table& table = rows_.started();
    const std::size_t column = table.index(model_.task.group);
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const std::string word = value_name(table.about(column), table.at(i, column));
      const auto found = std::find(model_.groups.begin(), model_.groups.end(), word);
      const bool known = !rows_.is_missing(i, column) && found != model_.groups.end();
      group_.push_back(known ? std::optional(static_cast<std::size_t>(found - model_.groups.begin())) : std::nullopt);
    }
    for (std::size_t group = 0; group < model_.groups.size(); ++group)
      of_group_.push_back(samplers_in_group(model_.samplers, group));
  }

  // In which rows the task's variables were set: where the table does not say, they were left alone.
  void read_set_rows() {
    was_set_.resize(set_.variables.size(), std::vector<bool>(rows_.rows(), false));
    const Table& table = rows_.started();
    for (const SetByHand& entry : model_.task.set_by_hand) {
      const auto place = set_.find(entry.name);
      if (!place) continue;
      if (entry.column.empty()) was_set_[*place].assign(rows_.rows(), true);
      if (entry.column.empty() || !table.find(entry.column)) continue;
      Task only;
      only.set_by_hand = {entry};
      const TaskRows facts = task_rows(only, table);
      for (std::size_t i = 0; i < rows_.rows(); ++i) was_set_[*place][i] = facts.set.front().rows[i] != 0;
    }
  }

  const ConditionalSampler& sampler_for(std::size_t variable, std::size_t row) const {
    const SamplerSet& set = group_.empty() ? set_ : *of_group_[*group_[row]];
    return *set.variables[variable].sampler;
  }

  void choose() {
    for (std::size_t j = 0; j < set_.variables.size(); ++j) {
      const SamplerVariable& variable = set_.variables[j];
      if (!variable.sampler) continue;
      const bool lever = std::any_of(model_.task.alterable.begin(), model_.task.alterable.end(),
                                     [&](const LeverDomain& one) { return one.name == variable.name; });
      bool present = column_of(j).has_value();
      for (const std::size_t condition : variable.conditions) present = present && column_of(condition).has_value();
      if (!lever && !present) {
        check_.no_column.push_back(variable.name);
        continue;
      }
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
      bool known = !rows_.is_missing(i, *column_of(variable)) && !was_set_[variable][i];
      if (!group_.empty()) known = known && group_[i].has_value();
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

  // The places of `target` in their forecasts; `rows`: those of the table that they are.
  std::vector<double> transforms(std::size_t j, const std::vector<std::size_t>& rows, const std::vector<double>& target,
                                 const std::vector<std::vector<double>>& inputs) const {
    const ConditionalSampler& of_all = *set_.variables[j].sampler;
    const std::vector<std::vector<double>> hidden = hidden_causes(of_all, rows);
    std::vector<Condition> conditions;
    for (const std::vector<double>& input : inputs) conditions.push_back({input.data(), false});
    std::vector<double> below(target.size());
    std::vector<double> up_to(target.size());
    const bool alike = group_.empty() && hidden.empty();
    const bool exact = alike && of_all.is_discrete() && of_all.distribution(conditions, target, 1.0, below, up_to);
    std::vector<double> draws(kPitDraws);
    for (Condition& condition : conditions) condition.shared = true;
    std::vector<double> places;
    for (std::size_t i = 0; i < target.size(); ++i) {
      context_.check_interrupt();
      RandomStream random(context_.seed, "drift.noise", stream_index({{j, 24}, {i, 40}}));
      if (!exact) {
        const ConditionalSampler& sampler = sampler_for(j, rows[i]);
        std::vector<double> noise(sampler.noise_entries() * kPitDraws);
        for (double& number : noise) number = random.normal();
        const std::size_t own = sampler.noise_entries() - sampler.shared_noise().size();
        for (std::size_t h = 0; h < hidden.size(); ++h) {
          if (std::isnan(hidden[h][i])) continue;
          const auto first = noise.begin() + static_cast<std::ptrdiff_t>((own + h) * kPitDraws);
          std::fill_n(first, kPitDraws, hidden[h][i]);
        }
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

  // For each hidden cause that the variable shares with a lever: its normal number in each row, which is known where
  // the lever was left alone; NaN where it was set, or where what the lever depends on lacks.
  std::vector<std::vector<double>> hidden_causes(const ConditionalSampler& sampler,
                                                 const std::vector<std::size_t>& rows) const {
    std::vector<std::vector<double>> causes;
    for (const SharedNoise& shared : sampler.shared_noise()) {
      if (shared.variable.empty()) break;  // those of groups come last
      const std::size_t lever = set_.index(shared.variable);
      const SamplerVariable& variable = set_.variables[lever];
      std::vector<double>& cause = causes.emplace_back(rows.size(), std::numeric_limits<double>::quiet_NaN());
      bool known = variable.sampler && column_of(lever).has_value();
      for (const std::size_t condition : variable.conditions) known = known && column_of(condition).has_value();
      if (!known) continue;
      std::vector<std::size_t> alone;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        bool whole = !was_set_[lever][rows[i]] && !rows_.is_missing(rows[i], *column_of(lever));
        for (const std::size_t condition : variable.conditions)
          whole = whole && !rows_.is_missing(rows[i], *column_of(condition));
        if (!whole) continue;
        alone.push_back(rows[i]);
        places.push_back(i);
      }
      std::vector<std::vector<double>> inputs;
      for (const std::size_t condition : variable.conditions) inputs.push_back(standardised(condition, alone));
      const std::vector<double> own = transforms(lever, alone, standardised(lever, alone), inputs);
      for (std::size_t i = 0; i < places.size(); ++i) cause[places[i]] = normal_quantile(inside(own[i]));
    }
    return causes;
  }

  // So far from the ends that its normal number is finite.
  static double inside(double place) {
    constexpr double kEdge = 1e-6;
    return std::clamp(place, kEdge, 1.0 - kEdge);
  }

  void test(std::size_t k) {
    const std::size_t j = places_[k];
    const SamplerVariable& variable = set_.variables[j];
    const std::vector<std::size_t>& rows = tested_[k];
    const std::vector<double> target = standardised(j, rows);
    std::vector<std::vector<double>> inputs;
    for (const std::size_t condition : variable.conditions) inputs.push_back(standardised(condition, rows));
    const std::vector<double> places = transforms(j, rows, target, inputs);
    VariableDrift& result = check_.variables[k];
    result.name = variable.name;
    result.rows = rows.size();
    Score level{"level", {}, std::vector<double>(rows.size(), 1.0)};
    Score spread{"spread", {}, std::vector<double>(rows.size(), 1.0)};
    for (const double place : places) {
      const double at = inside(place);
      ++result.pit[std::min<std::size_t>(static_cast<std::size_t>(10.0 * at), 9)];
      level.values.push_back(normal_quantile(at));
      spread.values.push_back(normal_quantile(inside(std::abs(2.0 * at - 1.0))));
    }
    std::vector<Score> scores = {level, spread};
    for (std::size_t c = 0; c < inputs.size(); ++c)
      scores.push_back({set_.variables[variable.conditions[c]].name, level.values, inputs[c]});
    // Each group has a level of its own.
    const std::size_t levels = std::max<std::size_t>(1, model_.groups.size());
    const double shared = static_cast<double>(variable.conditions.size() + levels) / training_rows(model_, variable);
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
  std::vector<std::optional<std::size_t>> group_;            // of each row; empty: the model has none
  std::vector<std::shared_ptr<const SamplerSet>> of_group_;  // samplers of each group
  std::vector<std::vector<bool>> was_set_;                   // rows in which each variable was set
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
  Json json = {
      {"source", check.source}, {"rows", check.rows}, {"left_out", check.left_out}, {"no_column", check.no_column}};
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
