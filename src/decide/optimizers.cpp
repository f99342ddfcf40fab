#include "decide/optimizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "decide/bayes.h"
#include "olem/decision.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kMostGridPoints = 20000;  // a second of evaluations of the simplest samplers
constexpr std::size_t kSparePoints = 4;    // candidates kept for each proposal that is wanted

double distance_between(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squares);
}

std::vector<Candidate> spread(const DecisionSearch& search, std::vector<Candidate> points) {
  const auto wanted = static_cast<std::size_t>(search.options().proposals);
  return best_apart(std::move(points), wanted == 1 ? 1 : kSparePoints * wanted, search.options().proposal_distance);
}

std::vector<Candidate> by_gradient(DecisionSearch& search, RandomStream& random) {
  const DecisionOptions& options = search.options();
  std::vector<Candidate> found = {search.surrogate(random)};
  if (options.ascent_steps > 0) {
    const Candidate screened = search.screen(random);
    found.push_back(search.ascend(found.front()));
    found.push_back(search.ascend(screened));
  }
  for (Candidate& candidate : found) search.snap(candidate);
  const auto worse = [](const Candidate& a, const Candidate& b) { return a.success < b.success; };
  if (search.has_jumps()) found.push_back(search.polish(*std::max_element(found.begin(), found.end(), worse)));
  const auto best = std::max_element(found.begin(), found.end(), worse);
  const std::vector<Candidate> sides = search.borders(*best);
  found.insert(found.end(), sides.begin(), sides.end());
  // Different proposals need optima in different places, which lie where ascents from everywhere end.
  for (std::size_t extra = 0;
       options.proposals > 1 && extra < kSparePoints * static_cast<std::size_t>(options.proposals); ++extra) {
    std::vector<double> start(search.domain().size());
    search.domain().draw(random, start);
    const double success = search.success(start);
    found.push_back(search.ascend({FoundBy::kDirectAscent, std::move(start), success}));
    search.snap(found.back());
  }
  return found;
}

std::vector<Candidate> by_bayes(DecisionSearch& search, RandomStream& random) {
  BayesOptions options;
  options.evaluations = search.options().bayes_evaluations > 0 ? search.options().bayes_evaluations
                                                               : 20 + 10 * static_cast<int>(search.domain().size());
  std::vector<Candidate> points;
  for (EvaluatedPoint& point : maximise_by_bayes(
           search.domain(), [&](std::span<const double> values) { return search.success(values); }, options, random,
           search.context())) {
    points.push_back({FoundBy::kBayes, std::move(point.values), point.value});
  }
  return spread(search, std::move(points));
}

std::vector<Candidate> by_random(DecisionSearch& search, RandomStream& random) {
  std::vector<Candidate> points;
  std::vector<double> values = search.domain().middle();
  for (int point = 0; point < search.options().random_points; ++point) {
    search.context().check_interrupt();
    if (point > 0) search.domain().draw(random, values);
    points.push_back({FoundBy::kRandom, values, search.success(values)});
  }
  return spread(search, std::move(points));
}

std::vector<Candidate> by_grid(DecisionSearch& search, RandomStream&) {
  const Domain& domain = search.domain();
  const int along = search.options().grid_points;
  std::vector<int> counts;  // along each coordinate
  double total = 1.0;
  for (std::size_t k = 0; k < domain.size(); ++k) {
    counts.push_back(domain.box().low[k] < domain.box().high[k] ? along : 1);
    total *= counts.back();
  }
  if (total > kMostGridPoints) {
    const auto sides = static_cast<double>(std::count(counts.begin(), counts.end(), along));
    const int most = static_cast<int>(std::floor(std::pow(kMostGridPoints, 1.0 / sides) + 1e-9));
    std::vector<Remedy> remedies;
    if (most >= 2) remedies.push_back({"Take a coarser grid", "grid_points", std::to_string(most)});
    remedies.push_back({"Choose another optimiser", "optimizer"});
    throw Error::of_option(
        "optimizer",
        fmt::format("{} alterable variables with {} points each make a grid of {:.3g} points, more than {}.",
                    counts.size(), along, total, kMostGridPoints),
        std::move(remedies));
  }
  std::vector<Candidate> points;
  std::vector<int> at(domain.size(), 0);
  std::vector<double> values(domain.size());
  for (bool more = true; more;) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = domain.box().at(k, counts[k] == 1 ? 0.0 : -1.0 + 2.0 * at[k] / (counts[k] - 1));
    if (domain.contains(values)) {
      search.context().check_interrupt();
      points.push_back({FoundBy::kGrid, values, search.success(values)});
    }
    more = false;
    for (std::size_t k = 0; k < at.size() && !more; ++k) {
      more = ++at[k] < counts[k];
      if (!more) at[k] = 0;
    }
  }
  // Constraints may leave so little of the box that no point of the grid is in it.
  if (points.empty()) points.push_back({FoundBy::kGrid, domain.middle(), search.success(domain.middle())});
  return spread(search, std::move(points));
}

struct Optimizer {
  Choice choice;
  std::vector<Candidate> (*search)(DecisionSearch& search, RandomStream& random);
};

constexpr Optimizer kOptimizers[] = {
    {{"gradient", "the paper's search, then ascent of the smoothed probability from several starts"}, by_gradient},
    {{"bayes", "Bayesian optimisation: few evaluations, no gradient"}, by_bayes},
    {{"random", "the best of random points"}, by_random},
    {{"grid", "the best point of a grid: for one or two alterable variables"}, by_grid},
};

constexpr auto kChoices = [] {
  std::array<Choice, std::size(kOptimizers)> choices{};
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = kOptimizers[i].choice;
  return choices;
}();

}  // namespace

std::span<const Choice> optimizer_choices() { return kChoices; }

}  // namespace olem

namespace olem::internal {

std::vector<Candidate> best_apart(std::vector<Candidate> candidates, std::size_t count, double distance) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.success > b.success; });
  std::vector<Candidate> kept;
  for (Candidate& candidate : candidates) {
    if (kept.size() == count) break;
    const bool apart = std::all_of(kept.begin(), kept.end(), [&](const Candidate& other) {
      return distance_between(candidate.values, other.values) >= distance;
    });
    if (apart) kept.push_back(std::move(candidate));
  }
  return kept;
}

std::vector<Candidate> optimise(DecisionSearch& search, RandomStream& random) {
  for (const Optimizer& optimizer : kOptimizers) {
    if (optimizer.choice.name == search.options().optimizer) return optimizer.search(search, random);
  }
  throw Error(ErrorCategory::kUsage, fmt::format("There is no optimizer '{}'.", search.options().optimizer));
}

}  // namespace olem::internal
