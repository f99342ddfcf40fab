#pragma once

#include <memory>
#include <span>
#include <vector>

#include "olem/sampler.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

// A fitted form of a model with how well it forecast rows that it had not seen.
// kBrief: enough to compare forms, at a small part of the cost: processes on fewer points, sought once and on fewer
// rows.
enum class FitDepth { kBrief, kFull };
GpOptions options_at(FitDepth depth, GpOptions options);

struct ScoredSampler {
  std::shared_ptr<const ConditionalSampler> sampler;
  std::vector<double> held_out;      // ln density (or probability) of each scored row
  std::vector<SamplerScore> scores;  // of it and of its rivals; the sampler's facts() have them too
};

// Rows that forms are compared on: all, or every k-th of many.
std::vector<std::size_t> scored_rows(std::size_t rows);

// A paired difference summed over all rows, and its standard error; `rows` is their number where only some were scored.
struct ScoreGain {
  double sum = 0.0;
  double error = 0.0;
};
ScoreGain gain_of(std::span<const double> better, std::span<const double> than, std::size_t rows);

// Beyond two standard errors, and more than `parameters` nats.
bool is_worth(const ScoreGain& gain, double parameters);

// The continuous ranked probability score of equally likely forecasts, ascending.
double crps_of(std::span<const double> forecasts, double y);

// Of forecasts that know the shares of the levels among the other rows and no condition: what a model of a discrete
// variable has to beat. `places` of the rows among the ascending levels; ordered levels are scored by CRPS, others by
// half of the Brier score.
SamplerScore score_shares(std::span<const std::size_t> places, std::span<const double> levels, bool ordered);

void store_scores(const std::vector<SamplerScore>& scores, SamplerState& state);
std::vector<SamplerScore> read_scores(const SamplerState& state);

}  // namespace olem::internal::sampling
