#include "order/diffan_votes.h"

#include <limits>

namespace olem::internal {

std::optional<DiffanVote> cast_vote(std::span<const double> variances, std::span<const std::size_t> candidates,
                                    std::size_t time_step) {
  constexpr double kUnbeaten = std::numeric_limits<double>::infinity();
  DiffanVote vote{0, time_step, kUnbeaten, kUnbeaten};
  for (const std::size_t p : candidates) {
    if (variances[p] < vote.variance) {
      vote.next_variance = vote.variance;
      vote.variance = variances[p];
      vote.choice = p;
    } else if (variances[p] < vote.next_variance) {
      vote.next_variance = variances[p];
    }
  }
  if (vote.variance == kUnbeaten) return std::nullopt;
  return vote;
}

std::vector<double> count_votes(std::span<const DiffanVote> votes, std::size_t variables) {
  if (votes.empty()) return std::vector<double>(variables, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> values(variables, 0.0);
  for (std::size_t v = 0; v < votes.size(); ++v) {
    double& value = values[votes[v].choice];
    value += value == 0.0 ? 1.0 + 0.5 / static_cast<double>(v + 1) : 1.0;
  }
  return values;
}

}  // namespace olem::internal
