#include "decide/domain.h"

#include <algorithm>
#include <cmath>

#include "core/linear_programme.h"
#include "core/special.h"

namespace olem::internal {

namespace {

constexpr int kProjectionSweeps = 2000;
constexpr double kStandstill = 1e-10;  // standard deviations in one sweep
constexpr int kDrawAttempts = 20;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// The middle of the largest ball between conditions and sides; nothing when there is no point between them.
std::optional<std::vector<double>> middle_of(const Box& box, const std::vector<LinearCondition>& conditions,
                                             const Context& context) {
  LinearProgramme programme;
  for (std::size_t k = 0; k < box.size(); ++k) programme.add_variable(0.0, box.low[k], box.high[k]);
  const std::size_t radius = programme.add_variable(-1.0, 0.0, kInfinity);
  for (const LinearCondition& condition : conditions) {
    std::vector<double> row = condition.weights;
    row.push_back(std::sqrt(dot(condition.weights, condition.weights)));
    programme.add_row(row, -kInfinity, condition.bound);
  }
  for (std::size_t k = 0; k < box.size(); ++k) {
    if (box.low[k] == box.high[k]) continue;
    const std::size_t places[] = {k, radius};
    const double below[] = {1.0, -1.0};
    const double above[] = {1.0, 1.0};
    programme.add_row(places, below, box.low[k], kInfinity);
    programme.add_row(places, above, -kInfinity, box.high[k]);
  }
  LinearSolution solution = solve_linear_programme(programme, {}, context);
  if (solution.status == LinearStatus::kUnbounded) {
    // Every side has no length: the one point there is.
    return box.low;
  }
  if (solution.status != LinearStatus::kOptimal) return std::nullopt;
  solution.x.pop_back();
  for (std::size_t k = 0; k < box.size(); ++k) solution.x[k] = std::clamp(solution.x[k], box.low[k], box.high[k]);
  return solution.x;
}

}  // namespace

double Box::at(std::size_t k, double coordinate) const {
  // The sides exactly, whatever rounding does in between.
  if (coordinate >= 1.0) return high[k];
  if (coordinate <= -1.0) return low[k];
  return std::clamp(0.5 * (high[k] + low[k]) + 0.5 * (high[k] - low[k]) * coordinate, low[k], high[k]);
}

double Box::coordinate(std::size_t k, double value) const {
  const double half = 0.5 * (high[k] - low[k]);
  return half > 0.0 ? std::clamp((value - 0.5 * (high[k] + low[k])) / half, -1.0, 1.0) : 0.0;
}

std::optional<Domain> Domain::make(Box box, std::vector<LinearCondition> conditions, const Context& context) {
  Domain domain;
  if (conditions.empty()) {
    for (std::size_t k = 0; k < box.size(); ++k) domain.middle_.push_back(box.at(k, 0.0));
  } else {
    std::optional<std::vector<double>> middle = middle_of(box, conditions, context);
    if (!middle) return std::nullopt;
    domain.middle_ = std::move(*middle);
  }
  domain.box_ = std::move(box);
  domain.conditions_ = std::move(conditions);
  if (!domain.contains(domain.middle_)) return std::nullopt;
  return domain;
}

bool Domain::contains(std::span<const double> values) const {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(values[k] >= box_.low[k] && values[k] <= box_.high[k])) return false;
  }
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const LinearCondition& condition) {
    return dot(condition.weights, values) <= condition.bound + condition.tolerance;
  });
}

bool Domain::satisfied(std::span<const double> values) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const LinearCondition& condition) {
    return dot(condition.weights, values) <= condition.bound;
  });
}

void Domain::project(std::span<double> values) const {
  const std::size_t n = size();
  std::vector<double> x(values.begin(), values.end());
  for (std::size_t k = 0; k < n; ++k) x[k] = std::clamp(x[k], box_.low[k], box_.high[k]);
  if (satisfied(x)) {
    std::copy(x.begin(), x.end(), values.begin());
    return;
  }
  // Dykstra: each set is projected onto in turn, after giving back what its last projection took.
  x.assign(values.begin(), values.end());
  std::vector<double> box_taken(n, 0.0);
  std::vector<double> taken(conditions_.size(), 0.0);  // along the weights of each condition
  for (int sweep = 0; sweep < kProjectionSweeps; ++sweep) {
    // The point may rest for many sweeps while what is taken still changes, so that both must stand still.
    double moved = 0.0;
    const std::vector<double> before = x;
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      const std::vector<double>& w = conditions_[i].weights;
      const double square = dot(w, w);
      if (square == 0.0) continue;
      const double excess = (dot(w, x) - conditions_[i].bound) / square + taken[i];
      const double step = std::max(0.0, excess);
      for (std::size_t k = 0; k < n; ++k) x[k] += (taken[i] - step) * w[k];
      moved = std::max(moved, std::abs(taken[i] - step) * std::sqrt(square));
      taken[i] = step;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double free = x[k] + box_taken[k];
      x[k] = std::clamp(free, box_.low[k], box_.high[k]);
      moved = std::max({moved, std::abs(x[k] - before[k]), std::abs(free - x[k] - box_taken[k])});
      box_taken[k] = free - x[k];
    }
    if (moved < kStandstill) break;
  }
  // What is left of a violation is taken away along the line to the middle.
  double share = 1.0;
  for (const LinearCondition& condition : conditions_) {
    const double here = dot(condition.weights, x);
    const double inside = dot(condition.weights, middle_);
    if (here > condition.bound && here > inside) share = std::min(share, (condition.bound - inside) / (here - inside));
  }
  share = std::clamp(share, 0.0, 1.0);
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = std::clamp(share == 1.0 ? x[k] : middle_[k] + share * (x[k] - middle_[k]), box_.low[k], box_.high[k]);
  }
}

void Domain::draw(RandomStream& random, std::span<double> values) const {
  const auto uniform = [&] {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = box_.at(k, random.uniform(-1.0, 1.0));
  };
  uniform();
  if (is_box()) return;
  for (int attempt = 1; attempt < kDrawAttempts && !satisfied(values); ++attempt) uniform();
  if (satisfied(values)) return;
  project(values);
  const double share = random.uniform();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = std::clamp(middle_[k] + share * (values[k] - middle_[k]), box_.low[k], box_.high[k]);
}

double Domain::furthest(std::span<const double> values, std::size_t k, double side) const {
  double value = side < 0.0 ? box_.low[k] : box_.high[k];
  for (const LinearCondition& condition : conditions_) {
    const double weight = condition.weights[k];
    if (weight * side <= 0.0) continue;
    const double limit = values[k] + (condition.bound - dot(condition.weights, values)) / weight;
    value = side < 0.0 ? std::max(value, limit) : std::min(value, limit);
  }
  // From a point on the border rounding must not lead out of the box.
  return std::clamp(value, box_.low[k], box_.high[k]);
}

}  // namespace olem::internal
