#include "decide/cheapen.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/linear_programme.h"
#include "core/special.h"

namespace olem::internal {

namespace {

constexpr double kSmoothing = 0.12;    // of the region's half width: gradients of less are mostly chance
constexpr double kFirstTrust = 0.25;   // of the side of the box
constexpr double kLastTrust = 1e-3;    //
constexpr double kTrustGrowth = 1.5;   // after a step that was good
constexpr double kLeastSaving = 1e-6;  // of the cost: less is rounding
constexpr int kSteps = 60;
constexpr int kCorrections = 3;
constexpr int kTangents = 6;               // of a square, on either side
constexpr double kCorrectionFactor = 1.2;  // a little more than was lacking, or the next one may lack it again

// The cheapest step within the region of trust that keeps the goal as far as the gradient can tell. Empty when the
// programme has no answer.
std::vector<double> cheapest_step(const DecisionSearch& search, const std::vector<double>& values,
                                  std::span<const double> gradient, double spare, double trust, const LeverCost& cost) {
  const Box& box = search.domain().box();
  const std::size_t k = values.size();
  LinearProgramme programme;
  for (std::size_t j = 0; j < k; ++j) {
    const double most = trust * (box.high[j] - box.low[j]);
    programme.add_variable(0.0, std::max(box.low[j] - values[j], -most), std::min(box.high[j] - values[j], most));
  }
  for (std::size_t j = 0; j < k; ++j) {
    if (cost.weights[j] == 0.0) continue;
    const std::size_t distance = programme.add_variable(cost.weights[j], 0.0, kInfinity);
    const std::size_t places[] = {j, distance};
    if (cost.is_square(j)) {
      // Tangents at places within the region of trust bound the square from below, as closely as a step needs it.
      const double most = trust * (box.high[j] - box.low[j]);
      for (int tangent = -kTangents; tangent <= kTangents; ++tangent) {
        const double at = values[j] + most * tangent / kTangents - cost.origin[j];
        // (d + x)^2 >= 2 at (d + x) - at^2, with d what there is already and x the step.
        const double row[] = {-2.0 * at, 1.0};
        programme.add_row(places, row, 2.0 * at * (values[j] - cost.origin[j]) - at * at, kInfinity);
      }
      continue;
    }
    const double above[] = {-1.0, 1.0};
    const double below[] = {1.0, 1.0};
    programme.add_row(places, above, values[j] - cost.origin[j], kInfinity);
    programme.add_row(places, below, cost.origin[j] - values[j], kInfinity);
  }
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < k; ++j) places.push_back(j);
  programme.add_row(places, gradient, -spare, kInfinity);
  for (const LinearCondition& condition : search.domain().conditions()) {
    double used = 0.0;
    for (std::size_t j = 0; j < k; ++j) used += condition.weights[j] * values[j];
    // The present point is in the domain; rounding must not make the programme say otherwise.
    programme.add_row(places, condition.weights, -kInfinity, std::max(0.0, condition.bound - used));
  }
  LinearSolution solution = solve_linear_programme(programme, {}, search.context());
  if (solution.status != LinearStatus::kOptimal) return {};
  solution.x.resize(k);
  return solution.x;
}

}  // namespace

double LeverCost::operator()(std::span<const double> values) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double distance = std::abs(values[k] - origin[k]);
    sum += weights[k] * (is_square(k) ? distance * distance : distance);
  }
  return sum;
}

Candidate cheapen(DecisionSearch& search, const Candidate& start, double goal, const LeverCost& cost) {
  Candidate best = start;
  double best_cost = cost(best.values);
  const double enough = kLeastSaving * best_cost;
  std::vector<double> gradient(best.values.size());

  // The next candidate, or nothing. Success is curved, so that the first step usually falls short; it is asked for as
  // much more as it lacked, a few times.
  const auto next = [&](double trust) -> std::optional<Candidate> {
    double spare = best.success - goal;
    for (int correction = 0; correction <= kCorrections; ++correction) {
      search.context().check_interrupt();
      const std::vector<double> move = cheapest_step(search, best.values, gradient, spare, trust, cost);
      if (move.empty()) return std::nullopt;
      Candidate candidate{FoundBy::kCostDescent, best.values, 0.0};
      for (std::size_t k = 0; k < move.size(); ++k) candidate.values[k] += move[k];
      search.domain().project(candidate.values);
      if (!(cost(candidate.values) < best_cost - enough)) return std::nullopt;
      candidate.success = search.success(candidate.values);
      if (candidate.success >= goal) return candidate;
      spare -= kCorrectionFactor * (goal - candidate.success);
    }
    return std::nullopt;
  };

  double trust = kFirstTrust;
  search.smoothed(kSmoothing, best.values, gradient);
  for (int step = 0; step < kSteps && trust > kLastTrust && best_cost > enough; ++step) {
    std::optional<Candidate> found = next(trust);
    if (!found) {
      trust *= 0.5;
      continue;
    }
    best = std::move(*found);
    best_cost = cost(best.values);
    search.smoothed(kSmoothing, best.values, gradient);
    trust = std::min(1.0, kTrustGrowth * trust);
  }
  return best;
}

}  // namespace olem::internal
