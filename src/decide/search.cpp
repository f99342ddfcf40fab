#include "decide/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/adam.h"

namespace olem::internal {

namespace {

// Success is smoothed over this share of the region's half width, one after the other.
constexpr double kSmoothing[] = {0.5, 0.25, 0.12, 0.06};
// Of relaxed draws, for each half width of smoothing.
constexpr double kTemperature = 2.0;
constexpr double kSurrogateSmoothing = 0.5;  // as much as the ascent begins with
constexpr double kFirstMove = 0.25;          // of pattern moves, in coordinates
constexpr double kLastMove = 0.01;
constexpr double kAscentRate = 0.1;
constexpr double kNearSide = 1e-3;  // of the coordinate: tanh reaches a side only in the limit
constexpr double kFirstSpread = 0.1;
constexpr double kRestartSpread = 0.25;
// Of the surrogate's loss: a smaller step down is not worth waiting for, since the ascent starts from there anyway.
constexpr double kLeastProgress = 1e-3;

}  // namespace

DecisionSearch::DecisionSearch(PostDecisionSampler& sampler, PostDecisionSampler* relaxed,
                               const OutcomeObjective& objective, const Domain& domain, const DecisionOptions& options,
                               const Context& context)
    : sampler_(sampler),
      relaxed_(relaxed),
      objective_(objective),
      domain_(domain),
      options_(options),
      context_(context) {}

PostDecisionSampler& DecisionSearch::smooth(double tau) {
  if (relaxed_ == nullptr) return sampler_;
  relaxed_->relax(kTemperature * tau);
  return *relaxed_;
}

double DecisionSearch::success(std::span<const double> values) {
  return objective_.success(sampler_.sample(values, options_.caution));
}

double DecisionSearch::smoothed(double tau, std::span<const double> values, std::span<double> gradient) {
  PostDecisionSampler& drawing = smooth(tau);
  const OutcomeDraws& draws = drawing.sample(values, options_.caution);
  adjoints_.resize(draws.values.size());
  const double value = objective_.smoothed(tau, draws, adjoints_, 1.0);
  drawing.gradient(adjoints_, gradient);
  return value;
}

Candidate DecisionSearch::surrogate(RandomStream& random) {
  const Box& box = domain_.box();
  const std::size_t k = box.size();
  Candidate best{FoundBy::kSurrogate, domain_.middle(), -1.0};
  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<double> values(k);
  std::vector<double> gradient(k);
  for (int start = 0; start <= options_.restarts; ++start) {
    std::vector<double> lambda(k);
    for (double& l : lambda) l = random.normal() * (start == 0 ? kFirstSpread : kRestartSpread);
    nn::Adam<double> adam(k);
    double least = std::numeric_limits<double>::infinity();
    double least_before = least;  // when patience was last refilled
    int patience = options_.patience;
    for (int step = 0; step < options_.steps && patience > 0; ++step) {
      context_.check_interrupt();
      for (std::size_t j = 0; j < k; ++j) values[j] = box.at(j, std::tanh(lambda[j]));
      if (!domain_.is_box()) {
        domain_.project(values);
        for (std::size_t j = 0; j < k; ++j)
          lambda[j] = std::atanh(std::clamp(box.coordinate(j, values[j]), kNearSide - 1.0, 1.0 - kNearSide));
      }
      PostDecisionSampler& drawing = smooth(kSurrogateSmoothing);
      const OutcomeDraws& draws = drawing.sample(values, 0.0);
      adjoints_.resize(draws.values.size());
      const double loss = objective_.surrogate(options_.loss, draws, adjoints_);
      --patience;
      if (loss < least) {
        least = loss;
        if (loss < (1.0 - kLeastProgress) * least_before) {
          least_before = loss;
          patience = options_.patience;
        }
        const double share = objective_.success(has_jumps() ? sampler_.sample(values, 0.0) : draws);
        if (share > best.success || (share == best.success && loss < best_loss)) {
          best.values = values;
          best.success = share;
          best_loss = loss;
        }
      }
      drawing.gradient(adjoints_, gradient);
      for (std::size_t j = 0; j < k; ++j) {
        const double t = std::tanh(lambda[j]);
        gradient[j] *= 0.5 * (box.high[j] - box.low[j]) * (1.0 - t * t);
      }
      adam.step(lambda, gradient, options_.learning_rate, context_);
    }
  }
  best.success = success(best.values);
  return best;
}

Candidate DecisionSearch::screen(RandomStream& random) {
  Candidate best{FoundBy::kRandom, domain_.middle(), -1.0};
  std::vector<double> values = domain_.middle();
  for (int point = 0; point <= options_.screen; ++point) {
    context_.check_interrupt();
    if (point > 0) domain_.draw(random, values);
    const double share = success(values);
    if (share > best.success) {
      best.values = values;
      best.success = share;
    }
  }
  return best;
}

Candidate DecisionSearch::ascend(const Candidate& start) {
  const Box& box = domain_.box();
  const std::size_t k = box.size();
  Candidate best{FoundBy::kDirectAscent, start.values, start.success};
  std::vector<double> coordinates(k);
  const auto set_coordinates = [&](std::span<const double> at) {
    for (std::size_t j = 0; j < k; ++j) coordinates[j] = box.coordinate(j, at[j]);
  };
  set_coordinates(start.values);
  std::vector<double> values = start.values;
  std::vector<double> gradient(k);
  for (const double tau : kSmoothing) {
    nn::Adam<double> adam(k);
    for (int step = 0; step < options_.ascent_steps; ++step) {
      context_.check_interrupt();
      PostDecisionSampler& drawing = smooth(tau);
      const OutcomeDraws& draws = drawing.sample(values, options_.caution);
      const double share = has_jumps() ? success(values) : objective_.success(draws);
      if (share > best.success) {
        best.values = values;
        best.success = share;
      }
      adjoints_.resize(draws.values.size());
      objective_.smoothed(tau, draws, adjoints_);
      drawing.gradient(adjoints_, gradient);
      for (std::size_t j = 0; j < k; ++j) gradient[j] *= -0.5 * (box.high[j] - box.low[j]);
      adam.step(coordinates, gradient, kAscentRate, context_);
      for (std::size_t j = 0; j < k; ++j) {
        coordinates[j] = std::clamp(coordinates[j], -1.0, 1.0);
        values[j] = box.at(j, coordinates[j]);
      }
      if (domain_.is_box()) continue;
      domain_.project(values);
      set_coordinates(values);
    }
  }
  const double share = success(values);
  // Where the ascent ends is preferred to a lucky point on its way: the draws of the search flatter whatever they
  // chose.
  if (share + 1.0 / static_cast<double>(options_.draws) >= best.success) {
    best.values = values;
    best.success = share;
  }
  return best;
}

Candidate DecisionSearch::polish(const Candidate& start) {
  const Box& box = domain_.box();
  Candidate best = start;
  for (double move = kFirstMove; move > kLastMove;) {
    bool better = false;
    for (std::size_t k = 0; k < best.values.size(); ++k) {
      if (!(box.low[k] < box.high[k])) continue;
      for (const double sign : {-1.0, 1.0}) {
        std::vector<double> moved = best.values;
        moved[k] = box.at(k, box.coordinate(k, moved[k]) + 2.0 * sign * move);
        if (moved == best.values) continue;
        if (!domain_.contains(moved)) domain_.project(moved);
        context_.check_interrupt();
        const double share = success(moved);
        if (share <= best.success) continue;
        best = {FoundBy::kPatternMoves, std::move(moved), share};
        better = true;
      }
    }
    if (!better) move *= 0.5;
  }
  return best;
}

void DecisionSearch::snap(Candidate& candidate) {
  std::vector<double> snapped = candidate.values;
  for (std::size_t j = 0; j < snapped.size(); ++j) {
    const double c = domain_.box().coordinate(j, snapped[j]);
    if (1.0 - std::abs(c) < kNearSide) snapped[j] = domain_.box().at(j, c > 0.0 ? 1.0 : -1.0);
  }
  if (snapped == candidate.values || !domain_.contains(snapped)) return;
  const double share = success(snapped);
  if (share < candidate.success) return;
  candidate.values = std::move(snapped);
  candidate.success = share;
}

std::vector<Candidate> DecisionSearch::borders(const Candidate& from) {
  std::vector<Candidate> found;
  const auto consider = [&](std::vector<double> values) {
    if (values == from.values) return;
    context_.check_interrupt();
    const double share = success(values);
    if (share >= from.success) found.push_back({FoundBy::kBorder, std::move(values), share});
  };
  for (std::size_t j = 0; j < from.values.size(); ++j) {
    for (const double side : {-1.0, 1.0}) {
      std::vector<double> moved = from.values;
      moved[j] = domain_.furthest(moved, j, side);
      consider(std::move(moved));
    }
  }
  return found;
}

}  // namespace olem::internal
