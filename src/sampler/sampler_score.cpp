#include "sampler/sampler_score.h"

#include <algorithm>
#include <cmath>

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kMostScoredRows = 2000;
constexpr std::size_t kMostScores = 1000;  // that a stored sampler may have

}  // namespace

std::vector<std::size_t> scored_rows(std::size_t rows) {
  const std::size_t step = (rows + kMostScoredRows - 1) / kMostScoredRows;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows; i += std::max<std::size_t>(step, 1)) chosen.push_back(i);
  return chosen;
}

ScoreGain gain_of(std::span<const double> better, std::span<const double> than, std::size_t rows) {
  const auto m = static_cast<double>(better.size());
  double mean = 0.0;
  for (std::size_t i = 0; i < better.size(); ++i) mean += (better[i] - than[i]) / m;
  double variance = 0.0;
  for (std::size_t i = 0; i < better.size(); ++i) {
    const double off = better[i] - than[i] - mean;
    variance += off * off / m;
  }
  const auto n = static_cast<double>(rows);
  return {n * mean, n * std::sqrt(variance / m)};
}

bool is_worth(const ScoreGain& gain, double parameters) { return gain.sum > parameters && gain.sum > 2.0 * gain.error; }

double crps_of(std::span<const double> forecasts, double y) {
  const auto m = static_cast<double>(forecasts.size());
  double distance = 0.0;
  double spread = 0.0;
  for (std::size_t j = 0; j < forecasts.size(); ++j) {
    distance += std::abs(forecasts[j] - y);
    spread += (2.0 * static_cast<double>(j) - m + 1.0) * forecasts[j];
  }
  return distance / m - spread / (m * m);
}

SamplerScore score_shares(std::span<const std::size_t> places, std::span<const double> levels, bool ordered) {
  std::vector<double> counts(levels.size(), 0.0);
  for (const std::size_t place : places) counts[place] += 1.0;
  const auto rows = static_cast<double>(places.size());
  SamplerScore score{"shares of the levels", 0.0, 0.0, false};
  for (std::size_t own = 0; own < levels.size(); ++own) {
    const double weight = counts[own] / rows;
    double up_to = 0.0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const double share = (counts[k] - (k == own ? 1.0 : 0.0)) / std::max(rows - 1.0, 1.0);
      if (k == own) score.log_density += weight * std::log(std::max(share, 0.5 / rows));
      up_to += share;
      const double off = ordered ? up_to - (own <= k ? 1.0 : 0.0) : share - (own == k ? 1.0 : 0.0);
      const double width = !ordered ? 0.5 : k + 1 < levels.size() ? levels[k + 1] - levels[k] : 0.0;
      score.crps += weight * off * off * width;
    }
  }
  return score;
}

void store_scores(const std::vector<SamplerScore>& scores, SamplerState& state) {
  if (scores.empty()) return;
  Json& list = state.settings["scores"] = Json::array();
  std::vector<double> numbers;
  for (const SamplerScore& score : scores) {
    list.push_back({{"form", score.form}, {"chosen", score.chosen}});
    numbers.insert(numbers.end(), {score.log_density, score.crps});
  }
  state.arrays.push_back({"scores", std::move(numbers)});
}

std::vector<SamplerScore> read_scores(const SamplerState& state) {
  const StateReader reader(state);
  const auto found = state.settings.find("scores");
  if (found == state.settings.end()) return {};
  if (!found->is_array() || found->size() > kMostScores) reader.fail("its scores are not a list");
  const std::vector<double> numbers = reader.array("scores", 2 * found->size());
  std::vector<SamplerScore> scores;
  for (const Json& entry : *found) {
    const bool sound = entry.is_object() && entry.contains("form") && entry["form"].is_string() &&
                       entry.contains("chosen") && entry["chosen"].is_boolean();
    if (!sound) reader.fail("one of its scores is not named");
    const std::size_t at = 2 * scores.size();
    scores.push_back({entry["form"].get<std::string>(), numbers[at], numbers[at + 1], entry["chosen"].get<bool>()});
  }
  return scores;
}

GpOptions options_at(FitDepth depth, GpOptions options) {
  constexpr int kBriefPoints = 60;
  constexpr int kBriefRows = 500;
  if (depth == FitDepth::kFull) return options;
  options.inducing = std::min(options.inducing, kBriefPoints);
  options.rows = std::min(options.rows, kBriefRows);
  return options;
}

}  // namespace olem::internal::sampling
