#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/greatest_share.h"
#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/levels_sampler.h"
#include "sampler/location_scale_sampler.h"
#include "sampler/long_fit.h"

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kMostCountLevels = 30;  // beyond, a count is like a number that is rounded
constexpr std::size_t kFewestEncodingRows = 50;

// 0, and 1 or 100 % of a share, where they occur beside enough other values to model those.
std::vector<double> special_values(const SamplerData& data) {
  const ColumnType type = data.target_column.about.type;
  std::vector<double> special;
  if (type != ColumnType::kPositive && type != ColumnType::kShare) return special;
  std::size_t others = data.target.size();
  std::vector<double> candidates = {0.0};
  if (type == ColumnType::kShare) candidates.push_back(greatest_share(data.target_column.about));
  for (const double value : candidates) {
    const double y = data.target_column.standardise(value);
    const auto count = static_cast<std::size_t>(std::count_if(data.target.begin(), data.target.end(), [&](double t) {
      return std::abs(t - y) <= 1e-12 * (1.0 + std::abs(y));
    }));
    if (count == 0) continue;
    others -= count;
    // As it stands in the data.
    special.push_back(*std::find_if(data.target.begin(), data.target.end(),
                                    [&](double t) { return std::abs(t - y) <= 1e-12 * (1.0 + std::abs(y)); }));
  }
  const bool enough = others >= data.conditions.size() + 3 && others >= 10;
  return enough ? special : std::vector<double>();
}

ScoredSampler fit_count(const SamplerData& data, const SamplerOptions& options, const Context& context,
                        FitDepth depth = FitDepth::kFull) {
  if (distinct_levels(data.target).size() <= kMostCountLevels) return fit_levels("count", data, options, context);
  return fit_large_count(data, options, context, depth);
}

// The sampler that belongs to the type of the target.
ScoredSampler fit_by_type(const SamplerData& data, SamplerOptions options, FitDepth depth, const Context& context) {
  options.gp = options_at(depth, options.gp);
  switch (data.target_column.about.type) {
    case ColumnType::kBinary: return fit_levels("binary", data, options, context);
    case ColumnType::kOrdinal: return fit_levels("ordinal", data, options, context);
    case ColumnType::kCategory:
      if (distinct_levels(data.target).size() == 2) return fit_levels("binary", data, options, context);
      return fit_category(data, options, context);
    case ColumnType::kCount: return fit_count(data, options, context, depth);
    case ColumnType::kReal:
    case ColumnType::kPositive:
    case ColumnType::kShare: break;
  }
  const std::vector<double> special = special_values(data);
  return special.empty() ? fit_continuous(data, options, context, depth)
                         : fit_hurdle(special, data, options, context, depth);
}

struct Encoded {
  InputEncoding encoding;
  ScoredSampler fitted;
};

Encoded fit_encoded_by_type(const SamplerData& data, const EncodingChoice& choice, const SamplerOptions& options,
                            FitDepth depth, const Context& context) {
  InputEncoding encoding = make_encoding(data, choice);
  std::vector<std::vector<double>> columns;
  ScoredSampler fitted = fit_by_type(encode_data(data, encoding, columns), options, depth, context);
  return {std::move(encoding), std::move(fitted)};
}

// The same draws with other scores to tell.
std::shared_ptr<const ConditionalSampler> with_scores(const ConditionalSampler& sampler,
                                                      const std::vector<SamplerScore>& scores) {
  SamplerState state = sampler.state();
  state.settings.erase("scores");
  std::erase_if(state.arrays, [](const SamplerState::Array& array) { return array.name == "scores"; });
  store_scores(scores, state);
  return restore_sampler(state);
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_auto(const SamplerData& data, const SamplerOptions& options,
                                                   const Context& context) {
  const std::size_t rows = data.target.size();
  const std::size_t logs = rows < kFewestEncodingRows ? 0 : count_logs(data);
  const std::size_t ordinals = rows < kFewestEncodingRows ? 0 : count_ordinals(data);
  EncodingChoice choice;
  std::string chosen;
  std::vector<SamplerScore> rivals;
  // Other encodings, one after the other, ties to the plain one. What is chosen is then fitted with care.
  if (logs + ordinals > 0) {
    Encoded best = fit_encoded_by_type(data, choice, options, FitDepth::kBrief, context);
    const auto try_encoding = [&](const EncodingChoice& other, const std::string& name) {
      Encoded candidate = fit_encoded_by_type(data, other, options, FitDepth::kBrief, context);
      const bool better = is_worth(gain_of(candidate.fitted.held_out, best.fitted.held_out, rows), 0.0);
      const std::string own = better ? chosen : name;
      if (better) {
        std::swap(best, candidate);
        choice = other;
        chosen = name;
      }
      if (candidate.fitted.scores.empty()) return;
      rivals.push_back(candidate.fitted.scores.front());
      rivals.back().chosen = false;
      if (!own.empty()) rivals.back().form = own + ": " + rivals.back().form;
    };
    if (logs > 0) {
      EncodingChoice other = choice;
      other.logs = true;
      try_encoding(other, fmt::format("logarithms of {} input{}", logs, logs > 1 ? "s" : ""));
    }
    if (ordinals > 0) {
      EncodingChoice other = choice;
      other.levels = true;
      try_encoding(other, fmt::format("levels of {} input{}", ordinals, ordinals > 1 ? "s" : ""));
    }
  }
  Encoded best = fit_encoded_by_type(data, choice, options, FitDepth::kFull, context);
  if (!chosen.empty() && !best.fitted.scores.empty())
    best.fitted.scores.front().form = chosen + ": " + best.fitted.scores.front().form;
  std::shared_ptr<const ConditionalSampler> sampler = best.fitted.sampler;
  if (!rivals.empty() && !sampler->facts().scores.empty()) {
    std::vector<SamplerScore> scores = best.fitted.scores;
    scores.insert(scores.end(), rivals.begin(), rivals.end());
    if (sampler->state().kind != "hurdle") sampler = with_scores(*sampler, scores);
  }
  return with_encoding(std::move(best.encoding), std::move(sampler));
}

std::shared_ptr<const ConditionalSampler> refit_auto(const ConditionalSampler& like, const SamplerData& data,
                                                     const SamplerOptions& options, const Context& context) {
  std::shared_ptr<const ConditionalSampler> refitted = refit_continuous(like, data, options, context);
  return refitted ? refitted : fit_auto(data, options, context);
}

std::shared_ptr<const ConditionalSampler> fit_location_scale_kind(const SamplerData& data,
                                                                  const SamplerOptions& options,
                                                                  const Context& context) {
  return fit_continuous(data, options, context).sampler;
}

std::shared_ptr<const ConditionalSampler> fit_binary_kind(const SamplerData& data, const SamplerOptions& options,
                                                          const Context& context) {
  return fit_levels("binary", data, options, context).sampler;
}

std::shared_ptr<const ConditionalSampler> fit_ordinal_kind(const SamplerData& data, const SamplerOptions& options,
                                                           const Context& context) {
  return fit_levels("ordinal", data, options, context).sampler;
}

std::shared_ptr<const ConditionalSampler> fit_category_kind(const SamplerData& data, const SamplerOptions& options,
                                                            const Context& context) {
  return fit_category(data, options, context).sampler;
}

std::shared_ptr<const ConditionalSampler> fit_count_kind(const SamplerData& data, const SamplerOptions& options,
                                                         const Context& context) {
  return fit_count(data, options, context).sampler;
}

std::shared_ptr<const ConditionalSampler> restore_count_kind(const SamplerState& state) {
  return state.settings.contains("transform") ? restore_location_scale(state) : restore_levels(state);
}

std::shared_ptr<const ConditionalSampler> fit_hurdle_kind(const SamplerData& data, const SamplerOptions& options,
                                                          const Context& context) {
  const std::vector<double> special = special_values(data);
  return (special.empty() ? fit_continuous(data, options, context) : fit_hurdle(special, data, options, context))
      .sampler;
}

std::shared_ptr<const ConditionalSampler> fit_kind(const SamplerKind& kind, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context) {
  const auto fit = [&](const SamplerData& all) {
    return is_long(kind, all) ? fit_long(kind, all, options, context) : kind.fit(all, options, context);
  };
  if (kind.encodes) return fit(data);
  InputEncoding encoding = make_encoding(data, {});
  std::vector<std::vector<double>> columns;
  std::shared_ptr<const ConditionalSampler> fitted = fit(encode_data(data, encoding, columns));
  return with_encoding(std::move(encoding), std::move(fitted));
}

std::shared_ptr<const ConditionalSampler> refit_kind(const SamplerKind& kind, const ConditionalSampler& like,
                                                     const SamplerData& data, const SamplerOptions& options,
                                                     const Context& context) {
  if (is_long(kind, data)) {
    auto extended = extend_sampler(like, data, options, context);
    return extended ? extended : fit_kind(kind, data, options, context);
  }
  const bool as_it_is = kind.encodes || make_encoding(data, {}).is_identity();
  if (kind.refit == nullptr || !as_it_is) return fit_kind(kind, data, options, context);
  return kind.refit(like, data, options, context);
}

}  // namespace olem::internal::sampling
