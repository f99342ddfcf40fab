#include "decide/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear_programme.h"

namespace olem::internal {

namespace {

double row_norm(std::span<const double> weights) {
  double squares = 0.0;
  for (const double w : weights) squares += w * w;
  return std::sqrt(squares);
}

// Half of how far a row's value can lie below its bound within the region; the standard deviation of an outcome in the
// direction of the row where there is no end to it.
double half_width(const Region& region, std::size_t row, const Context& context) {
  const double open_end = row_norm(region.weights(row));
  LinearProgramme programme;
  for (const double w : region.weights(row)) {
    programme.add_variable(w, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  }
  for (std::size_t r = 0; r < region.rows(); ++r)
    programme.add_row(region.weights(r), -std::numeric_limits<double>::infinity(), region.bound(r));
  const LinearSolution solution = solve_linear_programme(programme, {}, context);
  if (solution.status != LinearStatus::kOptimal) return open_end;
  const double width = 0.5 * (region.bound(row) - solution.value);
  // A region without interior has no width; its rows are smoothed as if they were open.
  return width > 1e-9 * open_end ? width : open_end;
}

double sigmoid(double s) {
  // Without overflow on either side.
  if (s >= 0.0) return 1.0 / (1.0 + std::exp(-s));
  const double e = std::exp(s);
  return e / (1.0 + e);
}

// How much a value belongs to the levels that are wanted, with its derivative: the sum over their cells of the
// difference of two sigmoids.
double membership(const OutcomeLevels& set, double value, double blur, double& slope) {
  double inside = 0.0;
  slope = 0.0;
  for (const auto& [from, to] : set.cells) {
    const double above = std::isinf(from) ? 1.0 : sigmoid((value - from) / blur);
    const double beyond = std::isinf(to) ? 0.0 : sigmoid((value - to) / blur);
    inside += above - beyond;
    slope += (above * (1.0 - above) - beyond * (1.0 - beyond)) / blur;
  }
  return std::max(0.0, inside);
}

double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }

}  // namespace

OutcomeObjective::OutcomeObjective(Region region, std::vector<double> centre, double radius, const Context& context)
    : region_(std::move(region)), centre_(std::move(centre)), radius_(radius) {
  for (std::size_t r = 0; r < region_.rows(); ++r) {
    widths_.push_back(row_norm(region_.weights(r)) > 0.0 ? half_width(region_, r, context) : 1.0);
  }
}

std::vector<unsigned char> OutcomeObjective::inside(const OutcomeDraws& draws) const {
  std::vector<unsigned char> inside(draws.draws, 0);
  std::vector<double> y(region_.size());
  for (std::size_t i = 0; i < draws.draws; ++i) {
    if (draws.valid[i] == 0) continue;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = draws.values[k * draws.draws + i];
    inside[i] = region_.contains(y) ? 1 : 0;
  }
  return inside;
}

std::size_t OutcomeObjective::successes(const OutcomeDraws& draws) const {
  const std::vector<unsigned char> in = inside(draws);
  return static_cast<std::size_t>(std::count(in.begin(), in.end(), static_cast<unsigned char>(1)));
}

double OutcomeObjective::success(const OutcomeDraws& draws) const {
  return static_cast<double>(successes(draws)) / static_cast<double>(draws.draws);
}

double OutcomeObjective::surrogate(SurrogateLoss loss, const OutcomeDraws& draws, std::span<double> adjoints) const {
  const std::size_t n = draws.draws;
  const std::size_t q = region_.size();
  std::fill(adjoints.begin(), adjoints.end(), 0.0);
  const std::size_t used = n - draws.excluded;
  if (used == 0) return std::numeric_limits<double>::infinity();
  const double share = 1.0 / static_cast<double>(used);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (draws.valid[i] == 0) continue;
    if (loss == SurrogateLoss::kCenterMae) {
      for (std::size_t k = 0; k < q; ++k) {
        const double away = draws.values[k * n + i] - centre_[k];
        sum += std::abs(away);
        adjoints[k * n + i] = share * sign(away);
      }
      continue;
    }
    double squares = 0.0;
    for (std::size_t k = 0; k < q; ++k) {
      const double away = draws.values[k * n + i] - centre_[k];
      squares += away * away;
    }
    const double distance = std::sqrt(squares);
    double factor = 0.0;  // derivative by y_k is factor * (y_k - c_k)
    if (loss == SurrogateLoss::kCenterMse || (loss == SurrogateLoss::kBallHuber && distance <= radius_)) {
      sum += squares;
      factor = 2.0;
    } else if (loss == SurrogateLoss::kBallHuber) {
      sum += 2.0 * radius_ * distance - radius_ * radius_;
      factor = 2.0 * radius_ / distance;
    } else if (distance > radius_) {
      sum += distance - radius_;
      factor = 1.0 / distance;
    }
    for (std::size_t k = 0; k < q; ++k) adjoints[k * n + i] = share * factor * (draws.values[k * n + i] - centre_[k]);
  }
  return share * sum;
}

double OutcomeObjective::smoothed(double tau, const OutcomeDraws& draws, std::span<double> adjoints,
                                  double widest) const {
  const std::size_t n = draws.draws;
  const std::size_t q = region_.size();
  std::fill(adjoints.begin(), adjoints.end(), 0.0);
  const double share = 1.0 / static_cast<double>(n);
  double sum = 0.0;
  std::vector<double> in(region_.rows());
  const std::vector<OutcomeLevels>& sets = region_.levels();
  std::vector<double> member(sets.size());
  std::vector<double> member_slope(sets.size());
  std::vector<double> blur;
  for (std::size_t r = 0; r < region_.rows(); ++r) {
    const double norm = row_norm(region_.weights(r));
    blur.push_back(tau * (norm > 0.0 ? std::min(widths_[r], widest * norm) : widths_[r]));
  }
  const std::optional<OutcomeEllipse>& ellipse = region_.ellipse();
  // In radii, as the distance from the centre.
  double ellipse_blur = tau;
  if (ellipse) {
    const double least = *std::min_element(ellipse->radii.begin(), ellipse->radii.end());
    ellipse_blur = tau * std::min(1.0, widest / least);
  }
  std::vector<double> y(q);
  for (std::size_t i = 0; i < n; ++i) {
    if (draws.valid[i] == 0) continue;
    double product = 1.0;
    for (std::size_t r = 0; r < region_.rows(); ++r) {
      double slack = region_.bound(r);
      const auto weights = region_.weights(r);
      for (std::size_t k = 0; k < q; ++k) slack -= weights[k] * draws.values[k * n + i];
      in[r] = sigmoid(slack / blur[r]);
      product *= in[r];
    }
    double within = 1.0;
    double distance = 0.0;
    if (ellipse) {
      for (std::size_t k = 0; k < q; ++k) y[k] = draws.values[k * n + i];
      distance = ellipse->distance(y);
      within = sigmoid((1.0 - distance) / ellipse_blur);
      product *= within;
    }
    const double of_rows = product;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const double value = draws.values[sets[s].outcome * n + i];
      member[s] = membership(sets[s], value, tau * sets[s].half_gap, member_slope[s]);
      product *= member[s];
    }
    sum += product;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      double others = of_rows;
      for (std::size_t t = 0; t < sets.size(); ++t) others *= t == s ? 1.0 : member[t];
      adjoints[sets[s].outcome * n + i] += share * others * member_slope[s];
    }
    if (ellipse && distance > 0.0) {
      const double slope = -share * product * (1.0 - within) / (ellipse_blur * distance);
      for (std::size_t k = 0; k < q; ++k)
        adjoints[k * n + i] += slope * (y[k] - ellipse->centre[k]) / (ellipse->radii[k] * ellipse->radii[k]);
    }
    for (std::size_t r = 0; r < region_.rows(); ++r) {
      const double slope = -share * product * (1.0 - in[r]) / blur[r];
      const auto weights = region_.weights(r);
      for (std::size_t k = 0; k < q; ++k) adjoints[k * n + i] += slope * weights[k];
    }
  }
  return share * sum;
}

PreparedObjective prepare_objective(const Region& given, const SamplerSet& samplers, const Context& context) {
  std::vector<Column> about;
  for (const std::string& name : given.outcomes()) about.push_back(samplers.variables[samplers.index(name)].about);
  const Region region = given.resolved(about);
  std::vector<ColumnSummary> columns;
  std::vector<double> means;
  std::vector<double> deviations;
  for (const std::string& name : region.outcomes()) {
    const SamplerVariable& variable = samplers.variables[samplers.index(name)];
    columns.push_back({variable.mean, variable.sd, variable.low, variable.high});
    means.push_back(variable.mean);
    deviations.push_back(variable.sd);
  }
  RegionCentre centre = region_centre(region, columns, context);
  std::vector<double> standardised(centre.centre.size());
  for (std::size_t k = 0; k < standardised.size(); ++k) standardised[k] = (centre.centre[k] - means[k]) / deviations[k];
  return {OutcomeObjective(region.standardised(means, deviations), std::move(standardised), centre.radius, context),
          std::move(centre)};
}

}  // namespace olem::internal
