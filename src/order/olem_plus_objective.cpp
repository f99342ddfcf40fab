#include "order/olem_plus_objective.h"

#include <cmath>

#include "core/statistics.h"

namespace olem::internal {

namespace {

constexpr double kCurb = 0.5;  // nats from the mean beyond which a wide column counts no more

}  // namespace

double ScaleTerms::value(std::span<const double> entropies) const {
  if (none()) return 0.0;
  const double mean = mean_of(entropies);
  double squares = 0.0;
  double places = 0.0;
  for (std::size_t k = 0; k < entropies.size(); ++k) {
    const double own = entropies[k] - mean;
    squares += own * own;
    places += static_cast<double>(k) * kCurb * std::tanh(own / kCurb);
  }
  return kappa * squares - beta * places;
}

std::vector<double> ScaleTerms::slopes(std::span<const double> entropies) const {
  std::vector<double> slopes(entropies.size(), 0.0);
  if (none()) return slopes;
  const double mean = mean_of(entropies);
  double through_mean = 0.0;
  for (std::size_t k = 0; k < entropies.size(); ++k) {
    const double own = entropies[k] - mean;
    const double curbed = std::tanh(own / kCurb);
    const double by_place = beta * static_cast<double>(k) * (1.0 - curbed * curbed);
    slopes[k] = 2.0 * kappa * own - by_place;
    through_mean += slopes[k];
  }
  for (double& slope : slopes) slope -= through_mean / static_cast<double>(entropies.size());
  return slopes;
}

double edge_price(std::size_t rows) {
  const auto n = static_cast<double>(rows);
  return std::log(n) / (2.0 * n);
}

}  // namespace olem::internal
