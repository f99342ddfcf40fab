#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/calibration.h"

namespace olem {

namespace {

constexpr double kNearShare = 0.2;
constexpr std::size_t kFewestNear = 10;
// Of a category: the mean square of the difference of two independent standardised numbers.
constexpr double kOtherLevel = 2.0;
// Of a share, so that about one right variable in a thousand is called wrong.
constexpr double kErrors = 3.5;
constexpr std::size_t kTold = 1;  // the interval of 80 %: widths there are what probabilities of success rest on

// Squared distances of the kept rows from the conditions; empty when no condition was kept.
std::vector<double> distances(const HeldOutRows& kept, const SamplerSet& samplers,
                              std::span<const NamedValue> conditions) {
  std::vector<double> squares;
  for (const NamedValue& condition : conditions) {
    const auto found = std::find(kept.names.begin(), kept.names.end(), condition.name);
    const auto place = samplers.find(condition.name);
    if (found == kept.names.end() || !place) continue;
    const SamplerVariable& variable = samplers.variables[*place];
    const std::vector<double>& values = kept.values[static_cast<std::size_t>(found - kept.names.begin())];
    squares.resize(values.size(), 0.0);
    const bool is_category = variable.about.type == ColumnType::kCategory;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = variable.standardise(values[i]) - variable.standardise(condition.value);
      squares[i] += is_category ? (values[i] == condition.value ? 0.0 : kOtherLevel) : off * off;
    }
  }
  return squares;
}

Json coverage_json(const std::array<double, kCoverageLevels.size()>& coverage) {
  Json json;
  for (std::size_t level = 0; level < kCoverageLevels.size(); ++level)
    json[fmt::format("{:.0f}", 100.0 * kCoverageLevels[level])] = coverage[level];
  return json;
}

}  // namespace

std::optional<NearCalibration> calibration_near(const Calibration& calibration, const SamplerSet& samplers,
                                                std::span<const NamedValue> conditions) {
  const std::vector<double> squares = distances(calibration.kept, samplers, conditions);
  NearCalibration near;
  near.rows = static_cast<std::size_t>(std::llround(kNearShare * static_cast<double>(squares.size())));
  if (near.rows < kFewestNear) return std::nullopt;
  std::vector<std::size_t> rows(squares.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return squares[a] < squares[b]; });
  rows.resize(near.rows);
  for (const VariableCalibration& variable : calibration.variables) {
    const bool is_condition = std::any_of(conditions.begin(), conditions.end(),
                                          [&](const NamedValue& condition) { return condition.name == variable.name; });
    if (is_condition || variable.places.size() != squares.size()) continue;
    NearCalibration::Variable& own = near.variables.emplace_back();
    own.name = variable.name;
    std::vector<double> places;
    for (const std::size_t row : rows) places.push_back(variable.places[row]);
    for (std::size_t level = 0; level < kCoverageLevels.size(); ++level)
      own.coverage[level] = central_coverage(places, kCoverageLevels[level]);
    own.pit = pit_histogram(places);
  }
  return near;
}

Json to_json(const NearCalibration& near) {
  Json json = {{"rows", near.rows}, {"variables", Json::object()}};
  for (const NearCalibration::Variable& variable : near.variables) {
    json["variables"][variable.name] = {{"coverage", coverage_json(variable.coverage)}, {"pit", variable.pit}};
  }
  return json;
}

std::vector<Warning> calibration_warnings(const NearCalibration& near, std::span<const std::string> names) {
  std::vector<Warning> warnings;
  const double level = kCoverageLevels[kTold];
  const double error = std::sqrt(level * (1.0 - level) / static_cast<double>(near.rows));
  for (const NearCalibration::Variable& variable : near.variables) {
    const double share = variable.coverage[kTold];
    if (std::find(names.begin(), names.end(), variable.name) == names.end()) continue;
    if (std::abs(share - level) <= kErrors * error) continue;
    warnings.push_back(
        {"calibration",
         fmt::format("Near these conditions forecasts of '{}' are too {}: {:.0f} % of the {} nearest rows that were "
                     "held out lie in the interval that should hold {:.0f} %. The probability of success is {} "
                     "uncertain than it looks.",
                     variable.name, share < level ? "narrow" : "wide", 100.0 * share, near.rows, 100.0 * level,
                     share < level ? "more" : "less"),
         variable.name});
  }
  return warnings;
}

}  // namespace olem
