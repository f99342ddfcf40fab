// How the claims of logged decisions compare with what came out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "decide/success_interval.h"
#include "olem/journal.h"

namespace olem {

using namespace internal;

namespace {

// Decisions are made where success is likely, so that the bands are narrow there.
constexpr double kBandEnds[] = {0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

void add_to(RealisedBand& band, double claimed, bool came_true) {
  ++band.decisions;
  band.claimed += claimed;  // a sum until finish_band
  band.came_true += came_true ? 1 : 0;
}

void finish_band(RealisedBand& band) {
  if (band.decisions == 0) return;
  band.claimed /= static_cast<double>(band.decisions);
  const Interval interval = clopper_pearson(band.came_true, band.decisions);
  band.low = interval.low;
  band.high = interval.high;
}

// Twice the smaller tail of the number of events that happen, when event i has probability p[i].
double poisson_binomial_p_value(const std::vector<double>& p, std::size_t happened) {
  std::vector<double> chance(p.size() + 1, 0.0);
  chance[0] = 1.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t k = i + 1; k > 0; --k) chance[k] = chance[k] * (1.0 - p[i]) + chance[k - 1] * p[i];
    chance[0] *= 1.0 - p[i];
  }
  double at_most = 0.0;
  double at_least = 0.0;
  for (std::size_t k = 0; k <= happened; ++k) at_most += chance[k];
  for (std::size_t k = happened; k < chance.size(); ++k) at_least += chance[k];
  return std::min(1.0, 2.0 * std::min(at_most, at_least));
}

Json band_json(const RealisedBand& band) {
  return {{"from", band.from},
          {"to", band.to},
          {"decisions", band.decisions},
          {"claimed", band.claimed},
          {"came_true", band.came_true},
          {"share", band.share()},
          {"interval", {band.low, band.high}}};
}

}  // namespace

RealisedCalibration realised_calibration(const DecisionLog& log, std::span<const DecisionOutcome> more) {
  RealisedCalibration realised;
  realised.source = log.source;
  realised.logged = log.decisions.size();
  std::map<std::string, bool> came;
  for (const DecisionOutcome& outcome : log.outcomes) came[outcome.id] = outcome.came_true;
  for (const DecisionOutcome& outcome : more) came[outcome.id] = outcome.came_true;
  std::vector<RealisedBand> bands(std::size(kBandEnds) - 1);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    bands[b].from = kBandEnds[b];
    bands[b].to = kBandEnds[b + 1];
  }
  std::vector<double> claims;
  double variance = 0.0;
  for (const LoggedDecision& decision : log.decisions) {
    const auto found = came.find(decision.id);
    if (found == came.end()) continue;
    std::size_t band = 0;
    while (band + 1 < bands.size() && decision.claimed >= bands[band].to) ++band;
    add_to(bands[band], decision.claimed, found->second);
    add_to(realised.all, decision.claimed, found->second);
    claims.push_back(decision.claimed);
    variance += decision.claimed * (1.0 - decision.claimed);
    realised.without_action += decision.without_action;
  }
  if (claims.empty()) return realised;
  const auto count = static_cast<double>(claims.size());
  const double surplus = static_cast<double>(realised.all.came_true) - realised.all.claimed;
  realised.without_action /= count;
  finish_band(realised.all);
  for (RealisedBand& band : bands) {
    finish_band(band);
    if (band.decisions > 0) realised.bands.push_back(band);
  }
  if (variance > 0.0) realised.z = surplus / std::sqrt(variance);
  realised.p_value = poisson_binomial_p_value(claims, realised.all.came_true);
  return realised;
}

std::vector<Warning> realised_warnings(const RealisedCalibration& realised) {
  if (realised.all.decisions == 0 || realised.fits()) return {};
  const bool high = realised.all.claimed > realised.all.share();
  return {{"claims_off",
           fmt::format("Earlier decisions claimed {:.1f} % on average, but {:.1f} % of {} came true: the claims are "
                       "too {} (p = {:.2g}).",
                       100.0 * realised.all.claimed, 100.0 * realised.all.share(), realised.all.decisions,
                       high ? "high" : "low", realised.p_value),
           realised.source,
           {{"Bring the model up to date with the rows that came out"}, {"Fit it again"}}}};
}

Json to_json(const RealisedCalibration& realised) {
  Json json = {{"log", realised.source}, {"logged", realised.logged}, {"decisions", realised.all.decisions}};
  const bool known = realised.all.decisions > 0;
  const auto number = [&](double value) { return known ? Json(value) : Json(); };
  json["claimed"] = number(realised.all.claimed);
  json["came_true"] = known ? Json(realised.all.came_true) : Json();
  json["share"] = known ? Json(realised.all.share()) : Json();
  json["interval"] = known ? Json{realised.all.low, realised.all.high} : Json();
  json["without_action"] = number(realised.without_action);
  json["z"] = number(realised.z);
  json["p_value"] = number(realised.p_value);
  json["fits"] = known ? Json(realised.fits()) : Json();
  json["bands"] = Json::array();
  for (const RealisedBand& band : realised.bands) json["bands"].push_back(band_json(band));
  return json;
}

}  // namespace olem
