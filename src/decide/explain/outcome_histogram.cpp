#include "decide/explain/outcome_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace olem::internal {

namespace {

constexpr double kForecastTail = 0.002;  // share of draws on either side that a histogram leaves out
constexpr std::size_t kForecastBins = 40;
constexpr double kForecastShare = 0.1;  // on either side of the forecast's interval

double nearest_quantile(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(std::floor(share * static_cast<double>(values.size() - 1) + 0.5));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::vector<double> valid_values(const OutcomeDraws& draws, std::size_t outcome) {
  std::vector<double> values;
  values.reserve(draws.draws);
  for (std::size_t i = 0; i < draws.draws; ++i) {
    if (draws.valid[i] != 0) values.push_back(draws.values[outcome * draws.draws + i]);
  }
  return values;
}

std::vector<double> restored_values(const OutcomeDraws& draws, std::size_t outcome, const SamplerVariable& variable) {
  std::vector<double> values = valid_values(draws, outcome);
  for (double& value : values) value = variable.restore(value);
  return values;
}

// Values between levels belong to the nearest.
std::size_t nearest_level(const std::vector<ColumnLevel>& levels, double value) {
  const auto nearest = std::min_element(levels.begin(), levels.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.value - value) < std::abs(b.value - value);
  });
  return static_cast<std::size_t>(nearest - levels.begin());
}

// The share of each level.
std::vector<NamedValue> level_shares(const std::vector<double>& standardised, const SamplerVariable& variable) {
  const std::vector<ColumnLevel>& levels = variable.about.levels;
  std::vector<NamedValue> shares;
  for (const ColumnLevel& level : levels) shares.push_back({level.name, 0.0});
  if (levels.empty()) return shares;
  std::vector<std::size_t> counts(levels.size(), 0);
  for (const double given : standardised) ++counts[nearest_level(levels, variable.restore(given))];
  for (std::size_t i = 0; i < counts.size(); ++i)
    shares[i].value = static_cast<double>(counts[i]) / static_cast<double>(standardised.size());
  return shares;
}

std::vector<double> histogram_edges(std::vector<std::vector<double>> samples) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::vector<double>& values : samples) {
    if (values.empty()) continue;
    low = std::min(low, nearest_quantile(values, kForecastTail));
    high = std::max(high, nearest_quantile(values, 1.0 - kForecastTail));
  }
  if (!(low <= high)) return {0.0, 1.0};
  if (low == high) return {low - 0.5, low + 0.5};
  std::vector<double> result;
  for (std::size_t i = 0; i <= kForecastBins; ++i)
    result.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(kForecastBins));
  return result;
}

std::vector<std::size_t> bin_counts(const std::vector<double>& values, const std::vector<double>& edges) {
  std::vector<std::size_t> result(edges.size() - 1, 0);
  for (const double value : values) {
    if (value < edges.front() || value > edges.back()) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    ++result[std::min(result.size(), static_cast<std::size_t>(above)) - 1];
  }
  return result;
}

// Around whole numbers, so that every bin holds as many of them.
std::vector<double> whole_edges(const std::vector<double>& edges) {
  const double low = std::floor(edges.front() + 0.5);
  const double width = std::ceil((std::floor(edges.back() + 0.5) - low + 1.0) / static_cast<double>(kForecastBins));
  std::vector<double> result = {low - 0.5};
  while (result.back() < edges.back()) result.push_back(result.back() + width);
  return result;
}

std::vector<std::string> wanted_levels(const std::vector<ColumnLevel>& levels, const Region& region,
                                       std::size_t outcome) {
  std::vector<std::string> wanted;
  if (outcome >= region.ranges().size()) return wanted;
  const OutcomeRange& range = region.ranges()[outcome];
  for (const ColumnLevel& level : levels) {
    const bool among = std::find(range.values.begin(), range.values.end(), level.value) != range.values.end() ||
                       std::find(range.words.begin(), range.words.end(), level.name) != range.words.end();
    const bool within = !(range.low && level.value < *range.low) && !(range.high && level.value > *range.high);
    if (range.is_list() ? among : within) wanted.push_back(level.name);
  }
  return wanted;
}

// Makes the bins for several samples of one variable; comes back with what each sample has in them.
template <class Histogram>
std::vector<std::vector<std::size_t>> fill_bins(Histogram& histogram, const std::vector<std::vector<double>>& samples,
                                                const SamplerVariable& variable, const Region& region,
                                                std::size_t outcome) {
  const std::vector<ColumnLevel>& levels = variable.about.levels;
  std::vector<std::vector<std::size_t>> counts;
  if (levels.empty()) {
    histogram.whole = variable.about.type == ColumnType::kCount;
    histogram.edges = histogram_edges(samples);
    if (histogram.whole) histogram.edges = whole_edges(histogram.edges);
    for (const std::vector<double>& values : samples) counts.push_back(bin_counts(values, histogram.edges));
    return counts;
  }
  histogram.edges = {-0.5};
  for (const ColumnLevel& level : levels) {
    histogram.levels.push_back(level.name);
    histogram.edges.push_back(histogram.edges.back() + 1.0);
  }
  histogram.wanted = wanted_levels(levels, region, outcome);
  for (const std::vector<double>& values : samples) {
    std::vector<std::size_t>& own = counts.emplace_back(levels.size(), 0);
    for (const double value : values) ++own[nearest_level(levels, value)];
  }
  return counts;
}

}  // namespace

std::vector<OutcomeHistogram> outcome_histograms(const OutcomeDraws& without, const OutcomeDraws* with,
                                                 const Region& region, const SamplerSet& samplers) {
  std::vector<OutcomeHistogram> all;
  const std::vector<std::string>& outcomes = region.outcomes();
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const SamplerVariable& variable = samplers.variables[samplers.index(outcomes[k])];
    std::vector<std::vector<double>> samples = {restored_values(without, k, variable)};
    if (with != nullptr) samples.push_back(restored_values(*with, k, variable));
    OutcomeHistogram histogram;
    histogram.name = outcomes[k];
    if (k < region.ranges().size()) {
      histogram.desired_low = region.ranges()[k].low;
      histogram.desired_high = region.ranges()[k].high;
    }
    std::vector<std::vector<std::size_t>> counts = fill_bins(histogram, samples, variable, region, k);
    histogram.without_action = std::move(counts.front());
    if (with != nullptr) histogram.with_decision = std::move(counts.back());
    all.push_back(std::move(histogram));
  }
  return all;
}

std::vector<OverlaidHistogram> overlaid_histograms(std::span<const OutcomeDraws* const> draws, const Region& region,
                                                   const SamplerSet& samplers) {
  std::vector<OverlaidHistogram> all;
  const std::vector<std::string>& outcomes = region.outcomes();
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const SamplerVariable& variable = samplers.variables[samplers.index(outcomes[k])];
    std::vector<std::vector<double>> samples;
    for (const OutcomeDraws* const one : draws) samples.push_back(restored_values(*one, k, variable));
    OverlaidHistogram histogram;
    histogram.name = outcomes[k];
    histogram.counts = fill_bins(histogram, samples, variable, region, k);
    all.push_back(std::move(histogram));
  }
  return all;
}

OutcomeDraws mixture_draws(std::span<const FitDraws> fits, const std::vector<std::string>& outcomes,
                           const SamplerSet& samplers, std::size_t draws) {
  std::vector<std::size_t> ends;  // of the places that each fit fills
  double weight = 0.0;
  for (const FitDraws& fit : fits) {
    weight += fit.weight;
    const std::size_t first = ends.empty() ? 0 : ends.back();
    const auto end = static_cast<std::size_t>(std::llround(weight * static_cast<double>(draws)));
    ends.push_back(std::min({std::max(first, end), draws, first + fit.draws.draws}));
  }
  OutcomeDraws all;
  all.draws = ends.back();
  all.values.resize(outcomes.size() * all.draws);
  std::size_t first = 0;
  for (std::size_t f = 0; f < fits.size(); ++f) {
    const OutcomeDraws& own = fits[f].draws;
    const auto count = static_cast<std::ptrdiff_t>(ends[f] - first);
    all.valid.insert(all.valid.end(), own.valid.begin(), own.valid.begin() + count);
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      const SamplerVariable& from = fits[f].samplers->variables[fits[f].samplers->index(outcomes[k])];
      const SamplerVariable& to = samplers.variables[samplers.index(outcomes[k])];
      for (std::size_t i = first; i < ends[f]; ++i)
        all.values[k * all.draws + i] = to.standardise(from.restore(own.values[k * own.draws + i - first]));
    }
    first = ends[f];
  }
  all.excluded =
      static_cast<std::size_t>(std::count(all.valid.begin(), all.valid.end(), static_cast<unsigned char>(0)));
  return all;
}

std::vector<OutcomeForecast> mixture_forecasts(std::span<const FitDraws> fits,
                                               const std::vector<std::string>& outcomes) {
  std::vector<OutcomeForecast> all;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    std::vector<std::pair<double, double>> weighted;  // values with their weights
    double total = 0.0;
    double sum = 0.0;
    OutcomeForecast forecast;
    forecast.name = outcomes[k];
    for (const FitDraws& fit : fits) {
      const SamplerVariable& variable = fit.samplers->variables[fit.samplers->index(outcomes[k])];
      const std::vector<ColumnLevel>& levels = variable.about.levels;
      const double weight = fit.weight / static_cast<double>(fit.draws.draws);
      if (forecast.levels.empty()) {
        for (const ColumnLevel& level : levels) forecast.levels.push_back({level.name, 0.0});
      }
      for (const double value : restored_values(fit.draws, k, variable)) {
        weighted.emplace_back(value, weight);
        total += weight;
        sum += weight * value;
        if (!levels.empty()) forecast.levels[nearest_level(levels, value)].value += weight;
      }
    }
    if (weighted.empty()) {
      forecast.levels.clear();
      all.push_back(std::move(forecast));
      continue;
    }
    std::sort(weighted.begin(), weighted.end());
    const auto quantile = [&](double share) {
      double below = 0.0;
      for (const auto& [value, weight] : weighted) {
        below += weight;
        if (below >= share * total) return value;
      }
      return weighted.back().first;
    };
    forecast.mean = sum / total;
    forecast.low = quantile(kForecastShare);
    forecast.high = quantile(1.0 - kForecastShare);
    for (NamedValue& level : forecast.levels) level.value /= total;
    all.push_back(std::move(forecast));
  }
  return all;
}

std::vector<OutcomeForecast> outcome_forecasts(const OutcomeDraws& draws, const std::vector<std::string>& outcomes,
                                               const SamplerSet& samplers) {
  std::vector<OutcomeForecast> all;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const SamplerVariable& variable = samplers.variables[samplers.index(outcomes[k])];
    std::vector<double> values = valid_values(draws, k);
    double sum = 0.0;
    for (const double value : values) sum += value;
    OutcomeForecast forecast;
    forecast.name = outcomes[k];
    if (!values.empty()) {
      forecast.mean = variable.restore(sum / static_cast<double>(values.size()));
      forecast.low = variable.restore(nearest_quantile(values, kForecastShare));
      forecast.high = variable.restore(nearest_quantile(values, 1.0 - kForecastShare));
      forecast.levels = level_shares(values, variable);
    }
    all.push_back(std::move(forecast));
  }
  return all;
}

}  // namespace olem::internal
