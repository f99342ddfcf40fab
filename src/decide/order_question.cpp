#include "decide/order_question.h"

#include <algorithm>

namespace olem::internal {

namespace {

constexpr double kNoDifference = 1e-12;  // between shares of the variance

}  // namespace

std::optional<SeparatingPair> separating_pair(std::span<const Order> orders, std::span<const double> values) {
  if (orders.size() < 2) return std::nullopt;
  const Order& own = orders.front();
  const std::size_t d = own.size();
  std::vector<std::vector<std::size_t>> places(orders.size(), std::vector<std::size_t>(d));
  for (std::size_t m = 0; m < orders.size(); ++m) {
    for (std::size_t i = 0; i < d; ++i)
      places[m][i] =
          static_cast<std::size_t>(std::find(orders[m].begin(), orders[m].end(), own[i]) - orders[m].begin());
  }
  std::optional<SeparatingPair> best;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = a + 1; b < d; ++b) {
      SeparatingPair pair{own[a], own[b], {}, 0.0};
      std::vector<double> group;
      for (std::size_t m = 0; m < orders.size(); ++m) {
        pair.as_first.push_back(places[m][a] < places[m][b]);
        group.push_back(pair.as_first.back() ? 1.0 : 0.0);
      }
      if (std::find(pair.as_first.begin(), pair.as_first.end(), false) == pair.as_first.end()) continue;
      pair.explained = squared_correlation(group, values);
      if (pair.explained > (best ? best->explained : 0.0) + kNoDifference) best = std::move(pair);
    }
  }
  return best;
}

double squared_correlation(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0.0;
  double mean_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  double aa = 0.0;
  double bb = 0.0;
  double ab = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0.0 && bb > 0.0 ? ab * ab / (aa * bb) : 0.0;
}

}  // namespace olem::internal
