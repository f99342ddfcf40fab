#include "simulate/decision_search.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace olem::internal {

namespace {

constexpr std::size_t kScreened = 200;            // points of the domains
constexpr std::size_t kSearchScreenTrials = 300;  //
constexpr std::size_t kRefined = 4;               // of them
constexpr std::size_t kStepTrials = 1500;         //
constexpr int kSteps = 80;                        // around the best
constexpr std::size_t kFinalTrials = 5000;        // of what comes back
constexpr double kLeftAlone = 0.15;               // probability that a lever is
constexpr double kFirstWidth = 0.15;              // of a step, in widths of the domain
constexpr double kLeastWidth = 0.01;              //
constexpr double kShrinking = 0.97;               // after a step that gains nothing
// Draws of the search, and others for the success of what it finds; far from those of tables.
constexpr std::uint64_t kSearchDraw = std::uint64_t{1} << 44U;

using Point = std::vector<std::optional<double>>;

std::vector<NamedValue> named_point(const std::vector<SearchLever>& levers, const Point& point) {
  std::vector<NamedValue> values;
  for (std::size_t k = 0; k < levers.size(); ++k) {
    if (point[k]) values.push_back({levers[k].name, *point[k]});
  }
  return values;
}

double drawn_value(const SearchLever& lever, RandomStream& random) {
  const double value = random.uniform(lever.low, lever.high);
  return lever.binary ? (value < 0.5 ? 0.0 : 1.0) : value;
}

struct FoundPoint {
  double success = -1.0;
  Point point;
};

}  // namespace

NamedDecision search_decision(const std::vector<SearchLever>& levers, const TrueSuccess& success, RandomStream random,
                              const Context& context) {
  const auto success_at = [&](const Point& point, std::size_t trials) {
    context.check_interrupt();
    return success(named_point(levers, point), trials, kSearchDraw);
  };
  std::vector<FoundPoint> found = {{success_at(Point(levers.size()), kSearchScreenTrials), Point(levers.size())}};
  for (std::size_t i = 0; i < kScreened; ++i) {
    Point point(levers.size());
    for (std::size_t k = 0; k < levers.size(); ++k) {
      if (random.uniform() >= kLeftAlone) point[k] = drawn_value(levers[k], random);
    }
    found.push_back({success_at(point, kSearchScreenTrials), point});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundPoint& a, const FoundPoint& b) { return a.success > b.success; });
  FoundPoint best;
  for (std::size_t i = 0; i < std::min(kRefined, found.size()); ++i) {
    const double exact = success_at(found[i].point, kStepTrials);
    if (exact > best.success) best = {exact, found[i].point};
  }
  double width = kFirstWidth;
  for (int step = 0; step < kSteps; ++step) {
    Point point = best.point;
    for (std::size_t k = 0; k < levers.size(); ++k) {
      if (!point[k]) continue;
      const double move = width * (levers[k].high - levers[k].low) * random.normal();
      point[k] = levers[k].binary ? *point[k] : std::clamp(*point[k] + move, levers[k].low, levers[k].high);
    }
    const double reached = success_at(point, kStepTrials);
    if (reached > best.success) {
      best = {reached, std::move(point)};
    } else {
      width = std::max(kLeastWidth, kShrinking * width);
    }
  }
  NamedDecision decision;
  decision.alterations = named_point(levers, best.point);
  decision.success = success(decision.alterations, kFinalTrials, kSearchDraw + 1);
  return decision;
}

}  // namespace olem::internal
