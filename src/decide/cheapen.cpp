#include "decide/cheapen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear_programme.h"

namespace olem {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmoothing = 0.12;    // of the region's half width: gradients of less are mostly chance
constexpr double kFirstTrust = 0.25;   // of the side of the box
constexpr double kLastTrust = 1e-3;    //
constexpr double kTrustGrowth = 1.5;   // after a step that was good
constexpr double kLeastSaving = 1e-6;  // of the cost: less is rounding
constexpr int kSteps = 60;

// The cheapest step within the region of trust that keeps the goal as far as the gradient can tell. Empty when the
// programme has no answer.
std::vector<double> cheapest_step(const DecisionSearch& search, const std::vector<double>& values,
                                  std::span<const double> gradient, double spare, double trust,
                                  const LinearCost& cost) {
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

double LinearCost::operator()(std::span<const double> values) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += weights[k] * std::abs(values[k] - origin[k]);
  return sum;
}

Candidate cheapen(DecisionSearch& search, const Candidate& start, double goal, const LinearCost& cost) {
  Candidate best = start;
  double best_cost = cost(best.values);
  const double enough = kLeastSaving * best_cost;
  std::vector<double> gradient(best.values.size());
  bool known = false;  // the gradient at `best`
  double trust = kFirstTrust;
  for (int step = 0; step < kSteps && trust > kLastTrust && best_cost > enough; ++step) {
    search.context().check_interrupt();
    if (!known) search.smoothed(kSmoothing, best.values, gradient);
    known = true;
    const std::vector<double> move = cheapest_step(search, best.values, gradient, best.success - goal, trust, cost);
    if (move.empty()) break;
    std::vector<double> values = best.values;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += move[k];
    search.domain().project(values);
    const double cheaper = cost(values);
    const double success = cheaper < best_cost - enough ? search.success(values) : -1.0;
    if (success < goal) {
      trust *= 0.5;
      continue;
    }
    best = {"cheapest", std::move(values), success};
    best_cost = cheaper;
    known = false;
    trust = std::min(1.0, kTrustGrowth * trust);
  }
  return best;
}

}  // namespace olem
