#include "decide/judge.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

// Success that is not worth an alteration, however surely it is gained: a fifth of the half width of the interval that
// is printed beside it.
constexpr double kWorthNothing = 0.003;
// Beyond it by so many standard errors, more draws would not make the loss harmless (one time in a million).
constexpr double kPlain = 5.0;

}  // namespace

Gain gain(const Judged& decision, const Judged& other) {
  const auto n = static_cast<double>(decision.inside.size());
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < decision.inside.size(); ++i) {
    const double difference = static_cast<double>(decision.inside[i]) - static_cast<double>(other.inside[i]);
    sum += difference;
    squares += difference * difference;
  }
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
}

Judged Judge::judge(Setting setting, FoundBy found_by) {
  prepared_.context().check_interrupt();
  Subset altered = altered_by(setting);
  if (!sampler_) {
    sampler_.emplace(prepared_.plain_sampler(altered, draws_, stream_));
  } else if (altered != altered_) {
    sampler_->alter(prepared_.names(altered));
  }
  altered_ = std::move(altered);
  const OutcomeDraws& draws = sampler_->sample(prepared_.values(setting), prepared_.options().caution);
  Judged judged;
  judged.inside = prepared_.objective().inside(draws);
  const auto successes = std::count(judged.inside.begin(), judged.inside.end(), static_cast<unsigned char>(1));
  judged.success = static_cast<double>(successes) / static_cast<double>(draws.draws);
  judged.cost = prepared_.cost(setting);
  judged.setting = std::move(setting);
  judged.found_by = found_by;
  return judged;
}

Judged Judge::without(const Judged& decision, std::size_t variable) {
  Setting fewer = decision.setting;
  fewer[variable].reset();
  return judge(std::move(fewer), decision.found_by);
}

Subset Judge::doubtful(const Judged& decision) {
  Subset doubtful;
  for (const std::size_t k : altered_by(decision.setting)) {
    if (!has_choice(k)) continue;
    const Gain lost = gain(decision, without(decision, k));
    if (lost.mean - kPlain * lost.standard_error <= kWorthNothing) doubtful.push_back(k);
  }
  return doubtful;
}

Judged Judge::release(const Judged& decision, const Subset& which, std::optional<double> target) {
  const auto harmless = [&](const Judged& fewer) {
    if (target) return fewer.success >= *target;
    const Gain lost = gain(decision, fewer);
    return lost.mean - lost.standard_error <= kWorthNothing;
  };
  struct Release {
    Judged judged;
    std::size_t variable;
  };
  std::vector<Release> releases;
  for (const std::size_t k : which) {
    if (!has_choice(k)) continue;
    Judged fewer = without(decision, k);
    if (harmless(fewer)) releases.push_back({std::move(fewer), k});
  }
  std::stable_sort(releases.begin(), releases.end(),
                   [](const Release& a, const Release& b) { return a.judged.success > b.judged.success; });
  Judged best = decision;
  for (const Release& release : releases) {
    Judged fewer =
        altered_by(best.setting) == altered_by(decision.setting) ? release.judged : without(best, release.variable);
    if (harmless(fewer) && prepared_.permits(fewer.setting)) best = std::move(fewer);
  }
  if (best.setting == prepared_.idle()) best.found_by = prepared_.idle_finder();
  return best;
}

}  // namespace olem::internal
