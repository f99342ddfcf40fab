#include "decide/level_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

// Enough to tell combinations apart that differ by a tenth; those that are closer are searched.
constexpr int kScreenDraws = 250;
// Evaluations of such draws for all combinations, and random points of each at least and at most.
constexpr double kScreenEvaluations = 1200;
constexpr double kBriefEvaluations = 300;
constexpr int kLeastPoints = 3;
constexpr int kMostPoints = 30;
// Of the draws of the search, where levels are all there is to choose: nothing is searched after the screen.
constexpr int kLevelFactor = 2;
constexpr int kExchangeStarts = 6;
constexpr int kExchangePoints = 120;
constexpr int kExchangeRounds = 20;
// Values of a list up to which all are tried in one exchange; of longer ones those that lie 1, 2, 4, ... places away.
constexpr std::size_t kShortList = 20;
constexpr double kContinuousMoves[] = {0.5, 0.2, 0.05};  // of a side of the box
constexpr std::size_t kCheaperValues = 20;

bool has_continuous(const PreparedProblem& prepared, const Subset& altered) {
  return std::any_of(altered.begin(), altered.end(), [&](std::size_t k) {
    return !prepared.has_list(k) && prepared.box().low[k] < prepared.box().high[k];
  });
}

}  // namespace

LevelSearch::LevelSearch(const PreparedProblem& prepared, const Subset& altered, bool brief)
    : prepared_(prepared),
      altered_(altered),
      brief_(brief),
      has_continuous_(internal::has_continuous(prepared, altered)) {
  for (const std::size_t k : altered_) {
    if (prepared_.has_list(k)) combinations_ *= static_cast<double>(prepared_.values_of(k).size());
  }
}

double LevelSearch::success(std::span<const double> values) {
  prepared_.context().check_interrupt();
  if (!sampler_) {
    const int all = prepared_.options().draws;
    sampler_.emplace(prepared_.plain_sampler(altered_,
                                             has_continuous_ ? std::min(kScreenDraws, all)
                                             : brief_        ? all
                                                             : kLevelFactor * all,
                                             DrawStream::kSearch));
  }
  return prepared_.objective().success(sampler_->sample(values, prepared_.options().caution));
}

std::vector<double> LevelSearch::held(const Candidate& candidate) const {
  std::vector<double> levels;
  for (std::size_t i = 0; i < altered_.size(); ++i) {
    if (prepared_.has_list(altered_[i])) levels.push_back(candidate.values[i]);
  }
  return levels;
}

void LevelSearch::try_point(const std::vector<double>& values) {
  Candidate candidate{FoundBy::kLevels, values, success(values)};
  std::vector<double> levels = held(candidate);
  const auto [place, added] = best_.emplace(std::move(levels), candidate);
  if (!added && candidate.success > place->second.success) place->second = std::move(candidate);
}

void LevelSearch::try_combination(const std::vector<double>& at, int random_points) {
  const std::optional<Domain> domain = prepared_.domain(altered_, at);
  if (!domain) return;
  try_point(domain->middle());
  if (!has_continuous_) return;
  std::vector<double> values = at;
  domain->project(values);
  try_point(values);
  // The same points for every combination, up to constraints: differences are not chance.
  RandomStream random(prepared_.context().seed, "decide.levels");
  for (int point = 0; point < random_points; ++point) {
    domain->draw(random, values);
    try_point(values);
  }
}

void LevelSearch::look_at_all() {
  const double budget = brief_ ? kBriefEvaluations : kScreenEvaluations;
  const int points = std::clamp(static_cast<int>(budget / combinations_) - 2, kLeastPoints, kMostPoints);
  std::vector<std::size_t> places(altered_.size(), 0);
  std::vector<double> at;
  for (const std::size_t k : altered_) at.push_back(prepared_.nearest(k, prepared_.expected()[k]));
  for (bool more = true; more;) {
    for (std::size_t i = 0; i < altered_.size(); ++i) {
      if (prepared_.has_list(altered_[i])) at[i] = prepared_.values_of(altered_[i])[places[i]];
    }
    try_combination(at, points);
    more = false;
    for (std::size_t i = 0; i < altered_.size() && !more; ++i) {
      if (!prepared_.has_list(altered_[i])) continue;
      more = ++places[i] < prepared_.values_of(altered_[i]).size();
      if (!more) places[i] = 0;
    }
  }
}

std::vector<double> LevelSearch::neighbours(std::size_t place, double value) const {
  const std::size_t k = altered_[place];
  std::vector<double> values;
  const std::vector<double>& list = prepared_.values_of(k);
  if (list.empty()) {
    const Box& box = prepared_.box();
    for (const double move : kContinuousMoves) {
      for (const double sign : {-1.0, 1.0})
        values.push_back(std::clamp(value + sign * move * (box.high[k] - box.low[k]), box.low[k], box.high[k]));
    }
    return values;
  }
  if (list.size() <= kShortList || prepared_.is_nominal(k)) return list;
  const auto at = std::lower_bound(list.begin(), list.end(), value) - list.begin();
  for (std::ptrdiff_t step = 1; step < std::ssize(list); step *= 2) {
    if (at - step >= 0) values.push_back(list[static_cast<std::size_t>(at - step)]);
    if (at + step < std::ssize(list)) values.push_back(list[static_cast<std::size_t>(at + step)]);
  }
  return values;
}

// The best exchange of one value for another, as long as there is one.
Candidate LevelSearch::climb(Candidate best) {
  for (int round = 0; round < kExchangeRounds; ++round) {
    const double before = best.success;
    for (std::size_t i = 0; i < altered_.size(); ++i) {
      const double present = best.values[i];
      for (const double value : neighbours(i, present)) {
        if (value == present) continue;
        std::vector<double> moved = best.values;
        moved[i] = value;
        const std::optional<Domain> domain = prepared_.domain(altered_, moved);
        if (!domain) continue;
        domain->project(moved);
        try_point(moved);
        const Candidate& there = best_.at(held({FoundBy::kLevels, moved, 0.0}));
        if (there.success > best.success) best = there;
      }
    }
    if (best.success == before) break;
  }
  return best;
}

void LevelSearch::exchange() {
  std::vector<double> at;
  for (const std::size_t k : altered_) at.push_back(prepared_.nearest(k, prepared_.expected()[k]));
  try_combination(at, 0);
  RandomStream random(prepared_.context().seed, "decide.exchange");
  for (int point = 0; point < (brief_ ? kExchangePoints / 4 : kExchangePoints); ++point) {
    for (std::size_t i = 0; i < altered_.size(); ++i) {
      const std::vector<double>& list = prepared_.values_of(altered_[i]);
      const Box& box = prepared_.box();
      if (list.empty()) {
        at[i] = box.at(altered_[i], random.uniform(-1.0, 1.0));
      } else {
        const auto drawn = static_cast<std::size_t>(random.uniform() * static_cast<double>(list.size()));
        at[i] = list[std::min(drawn, list.size() - 1)];
      }
    }
    const std::optional<Domain> domain = prepared_.domain(altered_, at);
    if (!domain) continue;
    std::vector<double> values = at;
    domain->project(values);
    try_point(values);
  }
  std::vector<Candidate> starts;
  for (const auto& [levels, candidate] : best_) starts.push_back(candidate);
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Candidate& a, const Candidate& b) { return a.success > b.success; });
  starts.resize(std::min<std::size_t>(starts.size(), brief_ ? 1 : kExchangeStarts));
  for (Candidate& start : starts) climb(std::move(start));
}

std::vector<Candidate> LevelSearch::screen() {
  if (looks_at_all()) {
    look_at_all();
  } else {
    exchange();
  }
  std::vector<Candidate> found;
  for (auto& [levels, candidate] : best_) found.push_back(candidate);
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.success > b.success; });
  return found;
}

Candidate LevelSearch::cheapen(DecisionSearch& search, const Candidate& start, double goal) const {
  Candidate best = start;
  for (bool cheaper = true; cheaper;) {
    cheaper = false;
    for (std::size_t i = 0; i < altered_.size(); ++i) {
      const std::size_t k = altered_[i];
      std::vector<std::pair<double, double>> others;  // cost and value
      for (const double value : prepared_.values_of(k)) {
        const double cost = prepared_.cost(k, value);
        if (cost < prepared_.cost(k, best.values[i])) others.emplace_back(cost, value);
      }
      std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      // Of a long list the cheapest and, evenly spread, what lies between.
      const std::size_t stride = 1 + others.size() / kCheaperValues;
      for (std::size_t other = 0; other < others.size(); other += stride) {
        Candidate moved{FoundBy::kCostDescent, best.values, 0.0};
        moved.values[i] = others[other].second;
        if (!prepared_.permits(prepared_.setting(altered_, moved.values))) continue;
        search.context().check_interrupt();
        moved.success = search.success(moved.values);
        if (moved.success < goal) continue;
        best = std::move(moved);
        cheaper = true;
        break;
      }
    }
  }
  return best;
}

std::string combinations_sentence(const LevelSearch& levels) {
  if (levels.looks_at_all()) return "";
  return fmt::format(
      "The best of {:.6g} combinations of levels was looked for by exchanging one at a time from several starts; "
      "another "
      "may be better.",
      levels.combinations());
}

}  // namespace olem::internal
